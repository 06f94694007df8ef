//! Parts of a graph that is never in memory as a whole: its rows are read from a `.farhop` file in pieces, once to choose a part for every node,
//! and once to sort entries into a file for each part. Then one part at a time is made of its file.
//!
//! In memory are a few numbers a node, what the dataset says of nodes (features stay in the file if they are large), and one part.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use farhop_graph::{Direction, LocalPart};

use super::cut::{Whole, write_all};
use super::manifest::Division;
use super::stream::Greedy;
use crate::dataset::Dataset;
use crate::dataset::dataset_file::{LEFT_ON_DISK, Stored};
use crate::error::DataError;
use crate::files::hash::GraphHash;
use crate::formats::npz::Npz;

/// Bytes of an entry in the file of a part: its number, the node that receives, the node that gives.
const RECORD: usize = 12;

/// One graph in a `.farhop` file whose rows are read in pieces.
pub struct Pieces {
    stored: Stored<BufReader<File>>,
    directed: bool,
    /// Where rows start, `[N + 1]`.
    starts: Vec<u32>,
}

impl Pieces {
    /// Opens a file: what it says of nodes, with an edgeless graph, and its rows to be read. None if it holds something else than one graph without
    /// features of edges.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn open(path: &Path) -> Result<Option<(Dataset, Self)>, DataError> {
        let mut stored = Stored { npz: Npz::open(path)?, file: path.display().to_string(), left: Some(LEFT_ON_DISK) };
        let found = stored.without_entries()?;
        Ok(found.map(|(dataset, directed, starts)| (dataset, Pieces { stored, directed, starts })))
    }

    /// Entries.
    pub fn entries(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }

    /// Gives every row to `each`: node, number of its first entry, nodes that it receives from.
    fn each_row(
        &mut self,
        mut each: impl FnMut(usize, usize, &[u32]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let Pieces { stored, starts, .. } = self;
        let nodes = starts.len() - 1;
        let file = stored.file.clone();
        let wrong = |reason: String| DataError::Array { file: file.clone(), reason };
        let (mut row, mut node): (Vec<u32>, usize) = (Vec::new(), 0);
        let mut finish = |row: &mut Vec<u32>, node: &mut usize| -> Result<(), DataError> {
            while *node < nodes && row.len() == (starts[*node + 1] - starts[*node]) as usize {
                each(*node, starts[*node] as usize, row)?;
                row.clear();
                *node += 1;
            }
            Ok(())
        };
        finish(&mut row, &mut node)?;
        stored.npz.each_u32("sources", |piece| {
            for &source in piece {
                if source as usize >= nodes || node >= nodes {
                    return Err(wrong(format!("an entry names node {source}; there are {nodes} nodes.")));
                }
                row.push(source);
                finish(&mut row, &mut node)?;
            }
            Ok(())
        })?;
        if node < nodes {
            return Err(wrong(format!("the entries end at node {node} of {nodes}.")));
        }
        Ok(())
    }

    /// As [`stream_parts`](super::stream_parts).
    ///
    /// # Errors
    /// A number of parts that is not possible, or a damaged file.
    pub fn stream_parts(&mut self, parts: usize) -> Result<Vec<u32>, DataError> {
        let mut greedy = Greedy::new(self.starts.len() - 1, self.entries(), parts)?;
        self.each_row(|node, _, row| {
            greedy.place(node, row);
            Ok(())
        })?;
        Ok(greedy.of_node)
    }

    /// As [`write_parts`](super::write_parts), with `dataset` what [`Pieces::open`] gave. The same files, byte by byte.
    ///
    /// # Errors
    /// As [`write_parts`](super::write_parts), or a damaged file.
    pub fn write_parts(
        &mut self,
        dataset: &Dataset,
        owners: &[u32],
        parts: u32,
        how: &str,
        folder: &Path,
    ) -> Result<Division, DataError> {
        let failed = |path: &Path| {
            let file = path.display().to_string();
            move |source: std::io::Error| DataError::Write { file: file.clone(), source }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let buckets = Buckets { paths: (0..parts).map(|part| folder.join(format!("entries-{part:05}.tmp"))).collect() };
        let mut files = Vec::new();
        for path in &buckets.paths {
            files.push(BufWriter::new(File::create(path).map_err(failed(path))?));
        }
        let nodes = self.starts.len() - 1;
        let starts: Vec<u64> = self.starts.iter().map(|start| u64::from(*start)).collect();
        let mut hash = GraphHash::new(self.directed, [&[0, nodes as u64], &starts]);
        drop(starts);
        let mut cut = 0;
        self.each_row(|node, first, row| {
            hash.add(row);
            let own = owners[node];
            for (&source, entry) in row.iter().zip(first as u32..) {
                let other = owners[source as usize];
                let mut record = [0; RECORD];
                for (place, number) in record.as_chunks_mut::<4>().0.iter_mut().zip([entry, node as u32, source]) {
                    *place = number.to_le_bytes();
                }
                let mut put = |owner: u32| {
                    let at = owner as usize;
                    files[at].write_all(&record).map_err(failed(&buckets.paths[at]))
                };
                put(own)?;
                if other != own {
                    cut += 1;
                    put(other)?;
                }
            }
            Ok(())
        })?;
        for (file, path) in files.into_iter().zip(&buckets.paths) {
            file.into_inner().map_err(|error| failed(path)(error.into_error()))?;
        }
        let whole = Whole {
            nodes: nodes as u64,
            entries: self.entries() as u64,
            directed: self.directed,
            cut,
            sha256: hash.finish(),
            how: how.to_string(),
        };
        let direction = if self.directed { Direction::Directed } else { Direction::Undirected };
        let degree = |node: u32| self.starts[node as usize + 1] - self.starts[node as usize];
        let mut places = vec![0; nodes];
        write_all(dataset, whole, owners, parts, folder, |part| {
            let entries = buckets.take(part as usize)?;
            LocalPart::of_entries(direction, part, owners, &entries, degree, &mut places)
                .map_err(|error| self.stored.wrong(format!("{error}.")))
        })
    }
}

/// The entries of every part, in files that go when they are not needed any more.
struct Buckets {
    paths: Vec<PathBuf>,
}

impl Buckets {
    /// The entries of a part.
    fn take(&self, part: usize) -> Result<Vec<[u32; 3]>, DataError> {
        let path = &self.paths[part];
        let failed = |source| DataError::Write { file: path.display().to_string(), source };
        let length = fs::metadata(path).map_err(failed)?.len() as usize;
        let mut reader = BufReader::with_capacity(1 << 20, File::open(path).map_err(failed)?);
        let mut entries = Vec::with_capacity(length / RECORD);
        let mut record = [0; RECORD];
        for _ in 0..length / RECORD {
            reader.read_exact(&mut record).map_err(failed)?;
            let (numbers, _) = record.as_chunks::<4>();
            entries.push([0, 1, 2].map(|at| u32::from_le_bytes(numbers[at])));
        }
        let _ = fs::remove_file(path);
        Ok(entries)
    }
}

impl Drop for Buckets {
    fn drop(&mut self) {
        self.paths.iter().for_each(|path| drop(fs::remove_file(path)));
    }
}
