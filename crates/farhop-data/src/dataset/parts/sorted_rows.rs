//! From an edge list in any order to the rows of a graph that is never in memory: ends go to files by ranges of receivers, then every file is
//! sorted by itself. Loops and repeats are left out as [`farhop_graph::build`] leaves them out, and the rows are the same. Where edges have features,
//! the number of the row of the list goes with every end, and what comes out says from which row every entry has its features.

use std::io::{BufReader, Read};
use std::ops::Range;

use farhop_graph::{BuildReport, Direction, Graph, GraphError, GraphSet};

use crate::error::DataError;
use crate::files::scratch::{Scratch, ScratchFile, ScratchWriter};

/// Numbers of an end in a file: who receives, who gives, and perhaps the row of the list (two).
const END: usize = 2;
const END_WITH_ROW: usize = 4;
/// Bytes that are sorted together.
const SORTED: usize = 64 << 20;
/// Files at once: a system lets a process have about a thousand.
const MOST_FILES: usize = 256;
/// Files that one too large to sort is dealt into.
const AGAIN: usize = 16;

/// From which of several rows of a list an entry has its features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowOfEntry {
    /// The first one of its edge, in whichever direction.
    FirstOfEdge,
    /// The first one in its own direction; if there is none, the first in the other.
    OwnDirection,
}

/// Marks the row of an end as one of the other direction.
const OTHER_DIRECTION: u64 = 1 << 63;

/// No other row: the row is a loop.
pub(crate) const LOOP: u32 = u32::MAX;

/// Edges on their way to rows.
pub(crate) struct EdgeSorter<'a> {
    scratch: &'a Scratch,
    direction: Direction,
    /// How entries find their row, and where rows go that none has.
    features: Option<(RowOfEntry, ScratchWriter)>,
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
    /// Where features come from, if they were asked for.
    pub(crate) features: Option<FeatureRows>,
}

/// Which rows of a list the features of entries come from.
#[derive(Debug)]
pub(crate) struct FeatureRows {
    /// The row of every entry.
    pub of_entry: ScratchFile,
    /// Rows that count for nothing: their number, and that of the first row of their edge or [`LOOP`].
    pub others: ScratchFile,
}

impl FeatureRows {
    /// Gives the rows that count for nothing to `each`, with the first row of their edge or [`LOOP`].
    pub fn each_other(&self, mut each: impl FnMut(u32, u32) -> Result<(), DataError>) -> Result<(), DataError> {
        each_record::<END>(&self.others, |[row, first]| each(row, first))
    }
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

    /// Keeps the row of the list that every entry has its features from.
    pub fn with_features(mut self, rule: RowOfEntry) -> Result<Self, DataError> {
        self.features = Some((rule, self.scratch.file()?.writer()));
        Ok(self)
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
        Ok(EdgeSorter { scratch, direction, features: None, sorted, files, span, rows: 0, self_loops: 0 })
    }

    /// Takes in an edge.
    pub fn push(&mut self, source: u32, target: u32) -> Result<(), DataError> {
        let row = self.rows as u64;
        self.rows += 1;
        if source == target {
            self.self_loops += 1;
            return match &mut self.features {
                Some((_, others)) => others.put(&end(row as u32, LOOP)),
                None => Ok(()),
            };
        }
        self.put(target, source, row)?;
        if self.direction == Direction::Directed {
            return Ok(());
        }
        let other = match self.features {
            Some((RowOfEntry::OwnDirection, _)) => OTHER_DIRECTION,
            _ => 0,
        };
        self.put(source, target, row | other)
    }

    fn put(&mut self, receiver: u32, giver: u32, row: u64) -> Result<(), DataError> {
        let at = (receiver as usize / self.span).min(self.files.len() - 1);
        self.files[at].put(&end(receiver, giver))?;
        if self.features.is_some() { self.files[at].put(&row.to_le_bytes()) } else { Ok(()) }
    }

    /// The rows of `nodes` nodes, whose edges `file` has told.
    pub fn finish(self, nodes: usize, file: &str) -> Result<SortedRows, DataError> {
        let EdgeSorter { scratch, direction, features, sorted, files, span, rows, self_loops } = self;
        let wrong = |reason: String| DataError::Graph { file: file.to_string(), reason };
        if features.is_some() && rows > LOOP as usize {
            return Err(wrong(format!("{rows} rows with features; at most {LOOP} can be told apart.")));
        }
        let last = files.len() - 1;
        let of_entry = match features {
            None => None,
            Some((_, others)) => Some((scratch.file()?.writer(), others)),
        };
        let starts = vec![0; nodes + 1];
        let once = direction == Direction::Undirected;
        let mut out =
            Out { scratch, sorted, sources: scratch.file()?.writer(), features: of_entry, once, starts, entries: 0 };
        // All are written before the first is read.
        let files = files.into_iter().map(ScratchWriter::finish).collect::<Result<Vec<_>, DataError>>()?;
        for (at, ends) in files.into_iter().enumerate() {
            out.sort(&ends, at * span..if at == last { nodes } else { (at + 1) * span })?;
        }
        let Out { sources, features, mut starts, entries, .. } = out;
        if entries > u64::from(u32::MAX) {
            return Err(wrong(GraphError::TooManyEntries { entries: entries as usize }.to_string()));
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let directed = direction == Direction::Directed;
        let edges = entries as usize / if directed { 1 } else { 2 };
        let report = BuildReport { rows, duplicates: rows - self_loops - edges, self_loops };
        let features = match features {
            None => None,
            Some((of_entry, others)) => Some(FeatureRows { of_entry: of_entry.finish()?, others: others.finish()? }),
        };
        Ok(SortedRows { sources: sources.finish()?, starts, directed, report, features })
    }
}

/// Rows that are written.
struct Out<'a> {
    scratch: &'a Scratch,
    sorted: usize,
    sources: ScratchWriter,
    /// The row of every entry, and the rows that no entry has.
    features: Option<(ScratchWriter, ScratchWriter)>,
    /// Whether both entries of an edge see its rows, so that one of them tells of those that no entry has.
    once: bool,
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
        if self.features.is_some() {
            return self.sort_with_rows(ends);
        }
        let mut keys: Vec<u64> = Vec::with_capacity(length.min(2 * self.sorted) / (4 * END));
        each_record::<END>(ends, |end| {
            // Only the file of one row may be larger than this; its repeats may be many.
            if keys.len() == keys.capacity() {
                different(&mut keys);
            }
            keys.push(key(end));
            Ok(())
        })?;
        different(&mut keys);
        keys.into_iter().try_for_each(|key| self.entry(key))
    }

    /// The same, with the row of every entry.
    fn sort_with_rows(&mut self, ends: &ScratchFile) -> Result<(), DataError> {
        let mut keys: Vec<(u64, u64)> = Vec::with_capacity(ends.length()? as usize / (4 * END_WITH_ROW));
        each_record::<END_WITH_ROW>(ends, |[receiver, giver, low, high]| {
            keys.push((key([receiver, giver]), u64::from(high) << 32 | u64::from(low)));
            Ok(())
        })?;
        keys.sort_unstable();
        for same in keys.chunk_by(|a, b| a.0 == b.0) {
            let (found, first) = same[0];
            self.entry(found)?;
            let Some((of_entry, others)) = &mut self.features else { continue };
            of_entry.put(&(first as u32).to_le_bytes())?;
            if self.once && (found >> 32) < (found & u64::from(u32::MAX)) {
                continue;
            }
            for &(_, row) in &same[1..] {
                others.put(&end(row as u32, first as u32))?;
            }
        }
        Ok(())
    }

    /// Writes the next entry.
    fn entry(&mut self, key: u64) -> Result<(), DataError> {
        self.entries += 1;
        self.starts[(key >> 32) as usize + 1] += 1;
        self.sources.put(&(key as u32).to_le_bytes())
    }

    /// Deals the ends of a file that is too large into several.
    fn deal(&mut self, ends: &ScratchFile, range: Range<usize>) -> Result<(), DataError> {
        let span = range.len().div_ceil(AGAIN);
        let mut files = Vec::new();
        for _ in range.clone().step_by(span) {
            files.push(self.scratch.file()?.writer());
        }
        let mut to = |receiver: u32, numbers: &[u32]| {
            let file = &mut files[(receiver as usize - range.start) / span];
            numbers.iter().try_for_each(|number| file.put(&number.to_le_bytes()))
        };
        match self.features {
            None => each_record::<END>(ends, |end| to(end[0], &end))?,
            Some(_) => each_record::<END_WITH_ROW>(ends, |end: [u32; 4]| to(end[0], &end))?,
        }
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

/// An end as a number that sorts by receiver, then giver.
fn key([receiver, giver]: [u32; 2]) -> u64 {
    u64::from(receiver) << 32 | u64::from(giver)
}

fn end(receiver: u32, giver: u32) -> [u8; 4 * END] {
    let mut bytes = [0; 4 * END];
    bytes[..4].copy_from_slice(&receiver.to_le_bytes());
    bytes[4..].copy_from_slice(&giver.to_le_bytes());
    bytes
}

/// Gives all records of a file of so many numbers each.
pub(super) fn each_record<const NUMBERS: usize>(
    file: &ScratchFile,
    mut each: impl FnMut([u32; NUMBERS]) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let mut reader = BufReader::with_capacity(1 << 20, file.reader());
    let mut record = [[0; 4]; NUMBERS];
    for _ in 0..file.length()? / (4 * NUMBERS) as u64 {
        reader.read_exact(record.as_flattened_mut()).map_err(|source| DataError::Read { file: file.name(), source })?;
        each(record.map(u32::from_le_bytes))?;
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

    #[test]
    fn entries_have_the_row_that_counts() {
        let place = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(place.path()).unwrap();
        let pick = |seed: u64, at: usize| (unit(mix(seed, at as u64)).powi(3) * 40.0) as u32;
        let edges: Vec<(u32, u32)> = (0..900).map(|at| (pick(1, at), pick(2, at))).collect();
        for (direction, rule) in [
            (Direction::Undirected, RowOfEntry::FirstOfEdge),
            (Direction::Undirected, RowOfEntry::OwnDirection),
            (Direction::Directed, RowOfEntry::FirstOfEdge),
        ] {
            let built = build(40, &edges, direction).unwrap();
            for (sorted, bytes) in [(64, 0), (400, 4000), (1 << 20, 1 << 20)] {
                let mut sorter = EdgeSorter::with(&scratch, 40, bytes, direction, sorted).unwrap();
                sorter = sorter.with_features(rule).unwrap();
                edges.iter().for_each(|&(source, target)| sorter.push(source, target).unwrap());
                let rows = sorter.finish(40, "edges").unwrap();
                assert_eq!(rows.report, built.report);
                let features = rows.features.unwrap();
                let mut found = Vec::new();
                each_record::<1>(&features.of_entry, |[row]| {
                    found.push(row);
                    Ok(())
                })
                .unwrap();
                let graph = &built.graph;
                let row_of = |source: u32, target: u32| edges.iter().position(|&edge| edge == (source, target));
                let mut expected = Vec::new();
                for target in 0..40u32 {
                    for &source in graph.neighbours(target as usize) {
                        let ways = [row_of(source, target), row_of(target, source)];
                        let row = match (direction, rule) {
                            (Direction::Directed, _) => ways[0],
                            (_, RowOfEntry::OwnDirection) => ways[0].or(ways[1]),
                            (_, RowOfEntry::FirstOfEdge) => ways.into_iter().flatten().min(),
                        };
                        expected.push(row.unwrap() as u32);
                    }
                }
                assert_eq!(found, expected, "{direction:?} {rule:?}");
                if rule == RowOfEntry::FirstOfEdge {
                    // All rows are first ones, loops, or repeat the first one of their edge.
                    let mut seen: Vec<u32> = expected.clone();
                    seen.sort_unstable();
                    seen.dedup();
                    features
                        .each_other(|row, first| {
                            let (source, target) = edges[row as usize];
                            let same = |other: (u32, u32)| {
                                other == (source, target)
                                    || (direction == Direction::Undirected && other == (target, source))
                            };
                            assert!(if first == LOOP {
                                source == target
                            } else {
                                first < row && same(edges[first as usize])
                            });
                            seen.push(row);
                            Ok(())
                        })
                        .unwrap();
                    seen.sort_unstable();
                    assert_eq!(seen, (0..900).collect::<Vec<u32>>());
                }
            }
        }
    }
}
