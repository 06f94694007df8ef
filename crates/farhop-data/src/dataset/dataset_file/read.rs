//! Reading: as careful as with any other file, since it may come from anywhere.

use std::io::{Read, Seek};
use std::path::Path;

use farhop_graph::{Direction, Graph, GraphSet};

use super::{FORMAT, Heading, Layout, Metadata, StoredTarget, VERSION};
use crate::dataset::csr::Csr;
use crate::dataset::parts::edgeless;
use crate::dataset::split::Split;
use crate::dataset::{Columns, Dataset, Numbers, Target};
use crate::error::DataError;
use crate::formats::npy::{Array, Dtype};
use crate::formats::npz::Npz;
use crate::text::one_line;

impl Dataset {
    /// Loads a `.farhop` file and checks everything in it.
    pub fn load(path: &Path) -> Result<Dataset, DataError> {
        let name = path.display().to_string();
        Stored { npz: Npz::open(path)?, file: name, left: None }.dataset()
    }

    /// As [`Dataset::load`], but dense numbers of nodes that take `least` bytes or more together stay in the file
    /// ([`Numbers::OnDisk`]). They are looked at once, a piece at a time, and never all in memory.
    pub fn open(path: &Path, least: u64) -> Result<Dataset, DataError> {
        let name = path.display().to_string();
        Stored { npz: Npz::open(path)?, file: name, left: Some(least) }.dataset()
    }

    /// Loads a `.farhop` file from bytes that were read elsewhere; `name` is for messages.
    pub fn from_file_bytes(name: &str, bytes: Vec<u8>) -> Result<Dataset, DataError> {
        Stored { npz: Npz::from_bytes(name, bytes)?, file: name.to_string(), left: None }.dataset()
    }
}

pub(in crate::dataset) struct Stored<R> {
    pub npz: Npz<R>,
    pub file: String,
    /// From how many bytes on numbers are left in the file; none: never.
    pub left: Option<u64>,
}

impl<R: Read + Seek> Stored<R> {
    pub fn dataset(&mut self) -> Result<Dataset, DataError> {
        let metadata = self.metadata()?;
        let graphs = self.graphs(metadata.directed)?;
        self.around(metadata, graphs)
    }

    /// All but the entries of one graph without features of edges: the dataset with an edgeless graph, whether it is directed, and where the rows
    /// of its entries start. None for other data.
    pub fn without_entries(&mut self) -> Result<Option<(Dataset, bool, Vec<u32>)>, DataError> {
        let metadata = self.metadata()?;
        let starts = self.u32("row_starts")?;
        let bounds = self.u32("graph_starts")?;
        let nodes = starts.len().saturating_sub(1);
        let plain = metadata.edges.width == 0 && metadata.edges.sizes.is_empty();
        if !plain || bounds.len() != 2 || nodes == 0 || !starts.is_sorted() || starts[0] != 0 {
            return Ok(None);
        }
        let directed = metadata.directed;
        let alone = edgeless(&self.file, nodes)?;
        Ok(Some((self.around(metadata, alone)?, directed, starts)))
    }

    /// Everything around the graphs.
    fn around(&mut self, metadata: Metadata, graphs: GraphSet) -> Result<Dataset, DataError> {
        let (rows, entries) = (graphs.union().nodes(), graphs.union().entries());
        let nodes = self.columns("node", rows, metadata.nodes)?;
        let edges = self.columns("edge", entries, metadata.edges)?;
        let target = self.target(metadata.target)?;
        let split = Split { train: self.u32("train")?, valid: self.u32("valid")?, test: self.u32("test")? };
        let ids = if metadata.ids { self.ids()? } else { Vec::new() };
        let weights = if metadata.weights { self.f32("weights")? } else { Vec::new() };
        if [&split.train, &split.valid, &split.test].iter().any(|rows| rows.windows(2).any(|pair| pair[0] >= pair[1])) {
            return Err(self.wrong("a part of the split does not ascend. Save the dataset again.".to_string()));
        }
        let Metadata { name, level, metric, notes, sources, .. } = metadata;
        let dataset =
            Dataset { name, graphs, nodes, edges, level, target, split, metric, ids, notes, sources, weights };
        dataset.check().map_err(|error| self.wrong(one_line(&error.to_string())))
    }

    fn metadata(&mut self) -> Result<Metadata, DataError> {
        if !self.npz.contains("metadata") {
            let reason = "an archive of arrays, but not a .farhop file: it has no array \"metadata\".".to_string();
            return Err(self.wrong(reason));
        }
        let bytes = self.u8("metadata")?;
        let bad = |error: serde_json::Error| format!("the metadata is damaged ({}).", one_line(&error.to_string()));
        let heading: Heading = serde_json::from_slice(&bytes).map_err(|error| self.wrong(bad(error)))?;
        if heading.format != FORMAT || heading.version != VERSION {
            let reason = format!(
                "written by another version of farhop (format {}; this one reads {VERSION}). Import the data again.",
                heading.version
            );
            return Err(self.wrong(reason));
        }
        serde_json::from_slice(&bytes).map_err(|error| self.wrong(bad(error)))
    }

    fn graphs(&mut self, directed: bool) -> Result<GraphSet, DataError> {
        let places = |places: Vec<u32>| places.into_iter().map(|place| place as usize).collect::<Vec<usize>>();
        let offsets = places(self.u32("row_starts")?);
        let sources = self.u32("sources")?;
        let starts = places(self.u32("graph_starts")?);
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let graphs = Graph::from_csr(direction, offsets, sources).and_then(|union| GraphSet::new(union, starts));
        graphs.map_err(|error| self.wrong(format!("{error}.")))
    }

    pub fn columns(&mut self, what: &str, rows: usize, layout: Layout) -> Result<Columns, DataError> {
        let Layout { width, sparse, sizes } = layout;
        let numbers = if sparse {
            let offsets = self.places(&format!("{what}_sparse_offsets"))?;
            let indices = self.u32(&format!("{what}_sparse_indices"))?;
            let values = self.f32(&format!("{what}_sparse_values"))?;
            Numbers::Sparse(Csr::new(&self.file, [rows, width], offsets, indices, values)?)
        } else if let Some(least) = self.left
            && what == "node"
            && 4 * (rows as u64).saturating_mul(width as u64) >= least.max(1)
        {
            self.on_disk([rows, width])?
        } else if width > 0 {
            Numbers::Dense(self.f32(&format!("{what}_numbers"))?)
        } else {
            Numbers::Dense(Vec::new())
        };
        let categories = if sizes.is_empty() { Vec::new() } else { self.u16(&format!("{what}_categories"))? };
        // The products that checks compute must not overflow.
        if rows.checked_mul(width).is_none() || rows.checked_mul(sizes.len()).is_none() {
            return Err(self.wrong(format!("{rows} {what} rows of width {width} cannot be.")));
        }
        Ok(Columns { width, numbers, sizes, categories })
    }

    /// The numbers of nodes, left where they are.
    fn on_disk(&mut self, shape: [usize; 2]) -> Result<Numbers, DataError> {
        match self.npz.on_disk("node_numbers", "nodes")? {
            Some(numbers) if [numbers.rows(), numbers.width()] == shape => Ok(Numbers::OnDisk(numbers)),
            _ => self.f32("node_numbers").map(Numbers::Dense),
        }
    }

    fn target(&mut self, kind: StoredTarget) -> Result<Target, DataError> {
        Ok(match kind {
            StoredTarget::Class { classes } => {
                let numbers = self.i64("labels")?;
                let label = |number: i64| match number {
                    -1 => Ok(None),
                    _ => u32::try_from(number).map(Some),
                };
                let labels = numbers.into_iter().map(label).collect::<Result<_, _>>();
                let labels = labels.map_err(|_| self.wrong("a label is no class.".to_string()))?;
                Target::Class { labels, classes }
            }
            StoredTarget::Binary { names } => Target::Binary { values: self.f32("values")?, names },
            StoredTarget::Number { names } => Target::Number { values: self.f32("values")?, names },
            StoredTarget::Pair => {
                let ends = self.u32("pairs")?;
                let (pairs, rest) = ends.as_chunks::<2>();
                if !rest.is_empty() {
                    return Err(self.wrong("a pair has one end.".to_string()));
                }
                let together = self.u8("together")?.into_iter().map(|byte| byte != 0).collect();
                Target::Pair { pairs: pairs.to_vec(), together, offsets: self.places("pair_starts")? }
            }
        })
    }

    fn ids(&mut self) -> Result<Vec<String>, DataError> {
        let bytes = self.u8("id_bytes")?;
        let ends = self.places("id_ends")?;
        let text = String::from_utf8(bytes).map_err(|_| self.wrong("the ids are not UTF-8.".to_string()))?;
        let mut start = 0;
        let mut ids = Vec::with_capacity(ends.len());
        for end in ends {
            let id = text.get(start..end).ok_or_else(|| self.wrong("the ends of the ids do not fit.".to_string()))?;
            ids.push(id.to_string());
            start = end;
        }
        Ok(ids)
    }

    fn places(&mut self, name: &str) -> Result<Vec<usize>, DataError> {
        let numbers = self.i64(name)?.into_iter().map(usize::try_from).collect::<Result<_, _>>();
        numbers.map_err(|_| self.wrong(format!("array \"{name}\" has a negative number.")))
    }

    pub fn u8(&mut self, name: &str) -> Result<Vec<u8>, DataError> {
        self.exact(name, Dtype::Unsigned(1)).map(|array| array.bytes().to_vec())
    }

    fn u16(&mut self, name: &str) -> Result<Vec<u16>, DataError> {
        self.exact(name, Dtype::Unsigned(2)).map(|array| decoded(array.bytes(), u16::from_le_bytes))
    }

    pub fn u32(&mut self, name: &str) -> Result<Vec<u32>, DataError> {
        self.exact(name, Dtype::Unsigned(4)).map(|array| decoded(array.bytes(), u32::from_le_bytes))
    }

    fn i64(&mut self, name: &str) -> Result<Vec<i64>, DataError> {
        self.exact(name, Dtype::Signed(8)).map(|array| decoded(array.bytes(), i64::from_le_bytes))
    }

    fn f32(&mut self, name: &str) -> Result<Vec<f32>, DataError> {
        self.exact(name, Dtype::Float(4)).map(|array| decoded(array.bytes(), f32::from_le_bytes))
    }

    /// An array of exactly this type. Lengths are checked with everything else at the end.
    fn exact(&mut self, name: &str, dtype: Dtype) -> Result<Array, DataError> {
        let array = self.npz.array(name)?;
        if array.dtype != dtype {
            let reason = format!("array \"{name}\" has type {}; {} is needed.", array.dtype.name(), dtype.name());
            return Err(self.wrong(reason));
        }
        Ok(array)
    }

    pub fn wrong(&self, reason: String) -> DataError {
        DataError::Array { file: self.file.clone(), reason }
    }
}

fn decoded<T, const SIZE: usize>(bytes: &[u8], number: impl Fn([u8; SIZE]) -> T) -> Vec<T> {
    bytes.as_chunks::<SIZE>().0.iter().map(|&chunk| number(chunk)).collect()
}
