//! Parts of a graph that is never in memory as a whole: its rows are read from a file in pieces, once to choose a part for every node,
//! and once to sort entries into a file for each part. Then one part at a time is made of its file.
//!
//! In memory are a few numbers a node, what the dataset says of nodes (features stay in the file if they are large), and one part.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use farhop_graph::{Direction, LocalPart};

use super::cut::{Whole, write_all};
use super::entry_features::EntryFeatures;
use super::manifest::Division;
use super::sorted_rows::{SortedRows, each_record};
use super::stream::Greedy;
use crate::dataset::dataset_file::{LEFT_ON_DISK, Stored};
use crate::dataset::{Columns, Dataset, NumbersOnDisk};
use crate::error::DataError;
use crate::files::by_place::read_exact_at;
use crate::files::hash::GraphHash;
use crate::files::scratch::{Scratch, ScratchFile};
use crate::formats::npz::Npz;

/// Numbers of an entry in the file of a part: its own, the node that receives, the node that gives.
const RECORD: usize = 3;

/// One graph whose rows are read in pieces.
pub struct Pieces {
    rows: Rows,
    directed: bool,
    /// Where rows start, `[N + 1]`.
    starts: Vec<u32>,
    /// Features of entries, if there are any.
    features: Option<EntryFeatures>,
}

/// Where rows lie.
enum Rows {
    /// In a `.farhop` file.
    Stored(Stored<BufReader<File>>),
    /// In a file of nothing else.
    Sorted(ScratchFile),
}

impl Rows {
    fn name(&self) -> String {
        match self {
            Rows::Stored(stored) => stored.file.clone(),
            Rows::Sorted(file) => file.name(),
        }
    }

    /// Gives all nodes that give to `look`, row after row, piece by piece.
    fn each_source(&mut self, mut look: impl FnMut(&[u32]) -> Result<(), DataError>) -> Result<(), DataError> {
        let file = match self {
            Rows::Stored(stored) => return stored.npz.each_u32("sources", look),
            Rows::Sorted(file) => file,
        };
        let (mut bytes, mut numbers) = (vec![0; 1 << 20], Vec::new());
        let (mut place, length) = (0, file.length()?);
        while place < length {
            let piece = &mut bytes[..((length - place) as usize).min(1 << 20)];
            read_exact_at(file.file(), piece, place).map_err(|source| DataError::Read { file: file.name(), source })?;
            place += piece.len() as u64;
            numbers.clear();
            numbers.extend(piece.as_chunks::<4>().0.iter().map(|&chunk| u32::from_le_bytes(chunk)));
            look(&numbers)?;
        }
        Ok(())
    }
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
        Ok(found.map(|(dataset, directed, starts)| {
            (dataset, Pieces { rows: Rows::Stored(stored), directed, starts, features: None })
        }))
    }

    /// Rows that were sorted, and the features of the list of edges that they are of.
    pub(crate) fn of(rows: SortedRows, numbers: Option<NumbersOnDisk>) -> Self {
        let features = rows.features.zip(numbers);
        let features = features.map(|(rows, numbers)| EntryFeatures { of_entry: rows.of_entry, numbers });
        Pieces { rows: Rows::Sorted(rows.sources), directed: rows.directed, starts: rows.starts, features }
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
        let Pieces { rows, starts, .. } = self;
        let nodes = starts.len() - 1;
        let file = rows.name();
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
        rows.each_source(|piece| {
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
        let scratch = Scratch::new(folder)?;
        let mut files = (0..parts).map(|_| Ok(scratch.file()?.writer())).collect::<Result<Vec<_>, DataError>>()?;
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
                let record: [_; RECORD] = [entry, node as u32, source].map(u32::to_le_bytes);
                let mut put = |owner: u32| files[owner as usize].put(record.as_flattened());
                put(own)?;
                if other != own {
                    cut += 1;
                    put(other)?;
                }
            }
            Ok(())
        })?;
        let mut entries =
            files.into_iter().map(|file| file.finish().map(Some)).collect::<Result<Vec<_>, DataError>>()?;
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
            let entries = entries[part as usize].take().map_or_else(|| Ok(Vec::new()), entries_of)?;
            let local = LocalPart::of_entries(direction, part, owners, &entries, degree, &mut places)
                .map_err(|error| DataError::Array { file: self.rows.name(), reason: format!("{error}.") })?;
            drop(entries);
            let edges = self.features.as_ref().map_or_else(|| Ok(Columns::none()), |all| all.of(&local.entries))?;
            Ok((local, edges))
        })
    }
}

/// The entries of a part. Their file goes.
fn entries_of(file: ScratchFile) -> Result<Vec<[u32; RECORD]>, DataError> {
    let mut entries = Vec::with_capacity(file.length()? as usize / (4 * RECORD));
    each_record(&file, |record| {
        entries.push(record);
        Ok(())
    })?;
    Ok(entries)
}
