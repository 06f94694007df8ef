//! From an edge list in any order to the rows of a graph that is never in memory: ends go to files by ranges of receivers, then every file is
//! sorted by itself. Loops and repeats are left out as [`farhop_graph::build`] leaves them out, and the rows are the same.

use std::io::{BufReader, Read};
use std::ops::Range;

use farhop_graph::{BuildReport, Direction, Graph, GraphError, GraphSet};

use crate::error::DataError;
use crate::files::scratch::{Scratch, ScratchFile, ScratchWriter};

/// Bytes of an end in a file: who receives, who gives.
const END: usize = 8;
/// Bytes that are sorted together.
const SORTED: usize = 64 << 20;
/// Files at once: a system lets a process have about a thousand.
const MOST_FILES: usize = 256;
/// Files that one too large to sort is dealt into.
const AGAIN: usize = 16;

/// Edges on their way to rows.
pub(crate) struct EdgeSorter<'a> {
    scratch: &'a Scratch,
    direction: Direction,
    sorted: usize,
    files: Vec<ScratchWriter>,
    /// Receivers that share a file.
    span: usize,
    rows: usize,
    self_loops: usize,
}

/// The rows of a graph, whose entries lie in a file.
#[derive(Debug)]
pub struct SortedRows {
    /// Who gives, row after row.
    pub(super) sources: ScratchFile,
    /// Where rows start, `[N + 1]`.
    pub(super) starts: Vec<u32>,
    /// Whether the other end of an edge does not receive.
    pub(super) directed: bool,
    /// What was merged and left out.
    pub(crate) report: BuildReport,
}

impl SortedRows {
    /// Nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// From how many a node receives.
    pub(crate) fn degree(&self, node: usize) -> usize {
        (self.starts[node + 1] - self.starts[node]) as usize
    }
}

/// One graph of so many nodes whose entries are elsewhere.
pub(crate) fn edgeless(file: &str, nodes: usize) -> Result<GraphSet, DataError> {
    Graph::from_csr(Direction::Undirected, vec![0; nodes + 1], Vec::new())
        .and_then(|graph| GraphSet::new(graph, vec![0, nodes]))
        .map_err(|error| DataError::Array { file: file.to_string(), reason: format!("{error}.") })
}

impl<'a> EdgeSorter<'a> {
    /// For `nodes` nodes or somewhat more, and edges that are about `bytes` bytes of text.
    pub fn new(scratch: &'a Scratch, nodes: usize, bytes: usize, direction: Direction) -> Result<Self, DataError> {
        EdgeSorter::with(scratch, nodes, bytes, direction, SORTED)
    }

    fn with(
        scratch: &'a Scratch,
        nodes: usize,
        bytes: usize,
        direction: Direction,
        sorted: usize,
    ) -> Result<Self, DataError> {
        // A line of eight bytes becomes two ends of eight bytes; half full files leave room for hubs.
        let wanted = (4 * bytes / sorted).clamp(1, MOST_FILES).min(nodes.max(1));
        let span = nodes.div_ceil(wanted).max(1);
        let files = (0..wanted).map(|_| Ok(scratch.file()?.writer())).collect::<Result<_, DataError>>()?;
        Ok(EdgeSorter { scratch, direction, sorted, files, span, rows: 0, self_loops: 0 })
    }

    /// Takes in an edge.
    pub fn push(&mut self, source: u32, target: u32) -> Result<(), DataError> {
        self.rows += 1;
        if source == target {
            self.self_loops += 1;
            return Ok(());
        }
        self.put(target, source)?;
        if self.direction == Direction::Undirected { self.put(source, target) } else { Ok(()) }
    }

    fn put(&mut self, receiver: u32, giver: u32) -> Result<(), DataError> {
        let at = (receiver as usize / self.span).min(self.files.len() - 1);
        self.files[at].put(&end(receiver, giver))
    }

    /// The rows of `nodes` nodes, whose edges `file` has told.
    pub fn finish(self, nodes: usize, file: &str) -> Result<SortedRows, DataError> {
        let EdgeSorter { scratch, direction, sorted, files, span, rows, self_loops } = self;
        let last = files.len() - 1;
        let mut out =
            Out { scratch, sorted, sources: scratch.file()?.writer(), starts: vec![0; nodes + 1], entries: 0 };
        // All are written before the first is read.
        let files = files.into_iter().map(ScratchWriter::finish).collect::<Result<Vec<_>, DataError>>()?;
        for (at, ends) in files.into_iter().enumerate() {
            out.sort(&ends, at * span..if at == last { nodes } else { (at + 1) * span })?;
        }
        let Out { sources, mut starts, entries, .. } = out;
        if entries > u64::from(u32::MAX) {
            let reason = GraphError::TooManyEntries { entries: entries as usize }.to_string();
            return Err(DataError::Graph { file: file.to_string(), reason });
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let directed = direction == Direction::Directed;
        let edges = entries as usize / if directed { 1 } else { 2 };
        let report = BuildReport { rows, duplicates: rows - self_loops - edges, self_loops };
        Ok(SortedRows { sources: sources.finish()?, starts, directed, report })
    }
}

/// Rows that are written.
struct Out<'a> {
    scratch: &'a Scratch,
    sorted: usize,
    sources: ScratchWriter,
    /// Entries of the row before.
    starts: Vec<u32>,
    entries: u64,
}

impl Out<'_> {
    /// Sorts the ends in a file, whose receivers are in a range.
    fn sort(&mut self, ends: &ScratchFile, range: Range<usize>) -> Result<(), DataError> {
        let length = ends.length()? as usize;
        if length > self.sorted && range.len() > 1 {
            return self.deal(ends, range);
        }
        let mut keys: Vec<u64> = Vec::with_capacity(length.min(2 * self.sorted) / END);
        each_end(ends, |key| {
            // Only the file of one row may be larger than this; its repeats may be many.
            if keys.len() == keys.capacity() {
                different(&mut keys);
            }
            keys.push(key);
            Ok(())
        })?;
        different(&mut keys);
        self.entries += keys.len() as u64;
        for key in keys {
            self.sources.put(&(key as u32).to_le_bytes())?;
            self.starts[(key >> 32) as usize + 1] += 1;
        }
        Ok(())
    }

    /// Deals the ends of a file that is too large into several.
    fn deal(&mut self, ends: &ScratchFile, range: Range<usize>) -> Result<(), DataError> {
        let span = range.len().div_ceil(AGAIN);
        let mut files = Vec::new();
        for _ in range.clone().step_by(span) {
            files.push(self.scratch.file()?.writer());
        }
        each_end(ends, |key| {
            files[((key >> 32) as usize - range.start) / span].put(&end((key >> 32) as u32, key as u32))
        })?;
        let files = files.into_iter().map(ScratchWriter::finish).collect::<Result<Vec<_>, DataError>>()?;
        for (start, ends) in range.clone().step_by(span).zip(files) {
            self.sort(&ends, start..range.end.min(start + span))?;
        }
        Ok(())
    }
}

/// Sorts keys and keeps one of each.
fn different(keys: &mut Vec<u64>) {
    keys.sort_unstable();
    keys.dedup();
}

fn end(receiver: u32, giver: u32) -> [u8; END] {
    let mut bytes = [0; END];
    bytes[..4].copy_from_slice(&receiver.to_le_bytes());
    bytes[4..].copy_from_slice(&giver.to_le_bytes());
    bytes
}

/// Gives all ends of a file as keys that sort by receiver, then giver.
fn each_end(ends: &ScratchFile, mut each: impl FnMut(u64) -> Result<(), DataError>) -> Result<(), DataError> {
    let mut reader = BufReader::with_capacity(1 << 20, ends.reader());
    let mut bytes = [0; END];
    for _ in 0..ends.length()? / END as u64 {
        reader.read_exact(&mut bytes).map_err(|source| DataError::Read { file: ends.name(), source })?;
        let (numbers, _) = bytes.as_chunks::<4>();
        each(u64::from(u32::from_le_bytes(numbers[0])) << 32 | u64::from(u32::from_le_bytes(numbers[1])))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::build;
    use farhop_graph::random::{mix, unit};

    #[test]
    fn rows_are_those_of_the_builder_however_little_is_sorted_together() {
        let place = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(place.path()).unwrap();
        let pick = |seed: u64, at: usize| (unit(mix(seed, at as u64)).powi(3) * 90.0) as u32;
        // Hubs, loops and repeats in both directions; the last nodes have no edge.
        let edges: Vec<(u32, u32)> = (0..1500).map(|at| (pick(1, at), pick(2, at))).collect();
        for direction in [Direction::Undirected, Direction::Directed] {
            let built = build(100, &edges, direction).unwrap();
            for (sorted, bytes) in [(64, 0), (64, 40), (400, 4000), (1 << 20, 1 << 20)] {
                // As if the last ten had not been known at first.
                let mut sorter = EdgeSorter::with(&scratch, 90, bytes, direction, sorted).unwrap();
                edges.iter().for_each(|&(source, target)| sorter.push(source, target).unwrap());
                let rows = sorter.finish(100, "edges").unwrap();
                let starts: Vec<usize> = rows.starts.iter().map(|start| *start as usize).collect();
                assert_eq!(starts, built.graph.offsets(), "{sorted} {bytes}");
                let mut bytes = Vec::new();
                rows.sources.reader().read_to_end(&mut bytes).unwrap();
                let (numbers, _) = bytes.as_chunks::<4>();
                let sources: Vec<u32> = numbers.iter().map(|number| u32::from_le_bytes(*number)).collect();
                assert_eq!(sources, built.graph.sources());
                assert_eq!(rows.report, built.report);
            }
        }
    }
}
