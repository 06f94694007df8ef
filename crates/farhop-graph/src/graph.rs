//! The graph itself: sorted rows of sources, entry ids, the reverse index and the transpose.

use std::fmt;
use std::ops::Range;

use rayon::prelude::*;

use crate::error::GraphError;
use crate::rows::{for_each_row, running_sum};

/// Stands where there is no entry: a missing reverse entry, or the entry of a self-loop.
pub const NO_EDGE: u32 = u32::MAX;

/// Whether an edge works both ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// An edge between `a` and `b` makes each receive from the other.
    #[default]
    Undirected,
    /// A row `(source, target)` means that the target receives from the source, and no more.
    Directed,
}

/// A checked sparse graph of `N` nodes and `E` directed entries.
///
/// Row `i` lists the nodes that `i` receives from, ascending, without duplicates and without `i` itself.
/// The rows lie one after the other in [`sources`](Self::sources); a position there is the id of an
/// entry `i <- j`. Self-loops are never stored: kernels that want a node's own term add it themselves.
#[derive(Clone, PartialEq, Eq)]
pub struct Graph {
    direction: Direction,
    offsets: Vec<usize>,
    sources: Vec<u32>,
    reverse: Vec<u32>,
    /// Only for directed graphs; an undirected graph is its own transpose.
    columns: Option<Columns>,
}

#[derive(Clone, PartialEq, Eq)]
struct Columns {
    offsets: Vec<usize>,
    targets: Vec<u32>,
    entries: Vec<u32>,
}

/// Who receives from `j`: the columns of a [`Graph`], as slices.
///
/// Column `j` is the range `offsets[j]..offsets[j + 1]` of the other two arrays; the targets in it ascend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transposed<'a> {
    /// `N + 1` positions.
    pub offsets: &'a [usize],
    /// `E` receiving nodes.
    pub targets: &'a [u32],
    /// `E` entry ids: `entries[t]` is the id of the entry `targets[t] <- j`.
    pub entries: &'a [u32],
}

impl Graph {
    /// Number of nodes, `N`.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of directed entries, `E`: twice the edges of an undirected graph.
    pub fn entries(&self) -> usize {
        self.sources.len()
    }

    /// Number of edges: `E / 2` for an undirected graph, `E` for a directed one.
    pub fn edges(&self) -> usize {
        match self.direction {
            Direction::Undirected => self.entries() / 2,
            Direction::Directed => self.entries(),
        }
    }

    /// Whether the graph was built as directed.
    pub fn is_directed(&self) -> bool {
        self.direction == Direction::Directed
    }

    /// The direction the graph was built with.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Where the rows begin and end, `[N + 1]`: row `i` is `offsets[i]..offsets[i + 1]`.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The source `j` of every entry `i <- j`, `[E]`.
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// For every entry `i <- j` the id of the entry `j <- i`, `[E]`.
    ///
    /// [`NO_EDGE`] where that entry is absent, which happens in directed graphs only.
    pub fn reverse(&self) -> &[u32] {
        &self.reverse
    }

    /// Number of nodes that node `i` receives from.
    ///
    /// # Panics
    /// If `i` is not below [`nodes`](Self::nodes), as indexing a slice does.
    pub fn degree(&self, i: usize) -> usize {
        self.offsets[i + 1] - self.offsets[i]
    }

    /// The nodes that node `i` receives from, ascending.
    ///
    /// # Panics
    /// If `i` is not below [`nodes`](Self::nodes), as indexing a slice does.
    pub fn neighbours(&self, i: usize) -> &[u32] {
        &self.sources[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Who receives from each node. Costs nothing: an undirected graph lends its own arrays, a directed
    /// one keeps the transpose from the time it was built.
    pub fn transposed(&self) -> Transposed<'_> {
        match &self.columns {
            None => Transposed { offsets: &self.offsets, targets: &self.sources, entries: &self.reverse },
            Some(columns) => {
                Transposed { offsets: &columns.offsets, targets: &columns.targets, entries: &columns.entries }
            }
        }
    }

    /// Bytes that the arrays of this graph hold on the heap.
    pub fn heap_bytes(&self) -> usize {
        let positions = |array: &Vec<usize>| array.capacity() * size_of::<usize>();
        let ids = |array: &Vec<u32>| array.capacity() * size_of::<u32>();
        let columns = self
            .columns
            .as_ref()
            .map_or(0, |columns| positions(&columns.offsets) + ids(&columns.targets) + ids(&columns.entries));
        positions(&self.offsets) + ids(&self.sources) + ids(&self.reverse) + columns
    }

    /// The parts of this graph on the given ranges of nodes, side by side in the given order. No entry may leave
    /// its range; then the rows of a range and its columns lie in the same positions, and moving ids is all there
    /// is to do.
    ///
    /// # Panics
    /// If the parts have more nodes or entries in all than `u32` counts.
    pub(crate) fn gather(&self, ranges: &[Range<usize>]) -> Self {
        let positions_of = |range: &Range<usize>| self.offsets[range.start]..self.offsets[range.end];
        let nodes: usize = ranges.iter().map(Range::len).sum();
        let entries: usize = ranges.iter().map(|range| positions_of(range).len()).sum();
        assert!(check_nodes(nodes).is_ok() && check_entries(entries).is_ok(), "{nodes} nodes, {entries} entries");
        // Differences of ids, as u32 that wraps around: parts move both ways.
        let mut moves = Vec::with_capacity(ranges.len());
        let (mut first_node, mut first_entry) = (0usize, 0usize);
        for range in ranges {
            let positions = positions_of(range);
            let node_move = (first_node as u32).wrapping_sub(range.start as u32);
            let entry_move = (first_entry as u32).wrapping_sub(positions.start as u32);
            first_node += range.len();
            first_entry += positions.len();
            moves.push((node_move, entry_move));
        }
        let gather_offsets = |from: &[usize]| {
            let mut offsets = Vec::with_capacity(nodes + 1);
            let mut end = 0;
            offsets.push(end);
            for range in ranges {
                let start = from[range.start];
                let base = end;
                offsets.extend(from[range.start + 1..=range.end].iter().map(|position| position - start + base));
                end += from[range.end] - start;
            }
            offsets
        };
        let gather_ids = |from: &[u32], move_of: fn(&(u32, u32)) -> u32| {
            let mut ids = Vec::with_capacity(entries);
            for (range, moves) in ranges.iter().zip(&moves) {
                let by = move_of(moves);
                let moved = |&id: &u32| if id == NO_EDGE { id } else { id.wrapping_add(by) };
                ids.extend(from[positions_of(range)].iter().map(moved));
            }
            ids
        };
        Self {
            direction: self.direction,
            offsets: gather_offsets(&self.offsets),
            sources: gather_ids(&self.sources, |moves| moves.0),
            reverse: gather_ids(&self.reverse, |moves| moves.1),
            columns: self.columns.as_ref().map(|columns| Columns {
                offsets: gather_offsets(&columns.offsets),
                targets: gather_ids(&columns.targets, |moves| moves.0),
                entries: gather_ids(&columns.entries, |moves| moves.1),
            }),
        }
    }

    /// Finishes a graph from valid rows: sorted, in range, no duplicates, no self-loops, and symmetric if
    /// undirected. Computes the reverse index and, for a directed graph, the transpose.
    pub(crate) fn from_rows(direction: Direction, offsets: Vec<usize>, sources: Vec<u32>) -> Result<Self, GraphError> {
        check_entries(sources.len())?;
        let (reverse, columns) = match direction {
            Direction::Undirected => (symmetric_reverse(&offsets, &sources), None),
            Direction::Directed => {
                let columns = transpose(&offsets, &sources);
                let reverse = merged_reverse(&offsets, &sources, &columns);
                (reverse, Some(columns))
            }
        };
        Ok(Self { direction, offsets, sources, reverse, columns })
    }
}

impl fmt::Debug for Graph {
    /// Sizes only: the arrays of a real graph do not belong in a message.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Graph")
            .field("direction", &self.direction)
            .field("nodes", &self.nodes())
            .field("entries", &self.entries())
            .finish_non_exhaustive()
    }
}

/// Node ids are `u32`, and `u32::MAX` stays free.
pub(crate) fn check_nodes(nodes: usize) -> Result<(), GraphError> {
    if nodes > u32::MAX as usize {
        return Err(GraphError::TooManyNodes { nodes });
    }
    Ok(())
}

/// Entry ids are `u32`, and [`NO_EDGE`] is not an id.
pub(crate) fn check_entries(entries: usize) -> Result<(), GraphError> {
    if entries > NO_EDGE as usize {
        return Err(GraphError::TooManyEntries { entries });
    }
    Ok(())
}

/// Reverse index of a symmetric graph in one pass without a search: rows are visited in ascending order and
/// the sources of row `j` ascend, so the entries `j <- i` are met exactly in the order they are stored.
fn symmetric_reverse(offsets: &[usize], sources: &[u32]) -> Vec<u32> {
    let mut next = cursors(offsets);
    sources
        .iter()
        .map(|&source| {
            let entry = &mut next[source as usize];
            let id = *entry;
            *entry += 1;
            id
        })
        .collect()
}

/// Columns of a directed graph by one counting pass; targets ascend because rows are visited in order.
fn transpose(offsets: &[usize], sources: &[u32]) -> Columns {
    let nodes = offsets.len() - 1;
    let mut column_offsets = vec![0usize; nodes + 1];
    for &source in sources {
        column_offsets[source as usize + 1] += 1;
    }
    running_sum(&mut column_offsets);
    let mut next = cursors(&column_offsets);
    let mut targets = vec![0u32; sources.len()];
    let mut entries = vec![0u32; sources.len()];
    for row in 0..nodes {
        for entry in offsets[row]..offsets[row + 1] {
            let cursor = &mut next[sources[entry] as usize];
            targets[*cursor as usize] = row as u32;
            entries[*cursor as usize] = entry as u32;
            *cursor += 1;
        }
    }
    Columns { offsets: column_offsets, targets, entries }
}

/// Reverse index of a directed graph: row `i` and column `i` are both sorted, so one merge finds the pairs.
fn merged_reverse(offsets: &[usize], sources: &[u32], columns: &Columns) -> Vec<u32> {
    let mut reverse = vec![NO_EDGE; sources.len()];
    for_each_row(offsets, &mut reverse, &|row, reverse: &mut [u32]| {
        let row_sources = &sources[offsets[row]..offsets[row + 1]];
        let column = columns.offsets[row]..columns.offsets[row + 1];
        let targets = &columns.targets[column.clone()];
        let entries = &columns.entries[column];
        let mut at = 0;
        for (&source, reverse) in row_sources.iter().zip(reverse) {
            while at < targets.len() && targets[at] < source {
                at += 1;
            }
            if at < targets.len() && targets[at] == source {
                *reverse = entries[at];
            }
        }
    });
    reverse
}

/// Write positions at the start of each row; `u32` since the number of entries was checked.
fn cursors(offsets: &[usize]) -> Vec<u32> {
    offsets[..offsets.len() - 1].par_iter().map(|&offset| offset as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_ids_never_collide_with_no_edge() {
        let largest = NO_EDGE as usize;
        assert_eq!(check_entries(largest), Ok(()));
        let entries = largest + 1;
        assert_eq!(check_entries(entries), Err(GraphError::TooManyEntries { entries }));
    }
}
