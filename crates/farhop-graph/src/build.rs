//! From an edge list in any order to a checked [`Graph`].

use rayon::prelude::*;

use crate::error::GraphError;
use crate::graph::{Direction, Graph, NO_EDGE, check_nodes};
use crate::partition::{Keys, Partition, ends_of};
use crate::rows::running_sum;

/// Buckets with more keys than this, such as that of a hub, are sorted by all threads together.
const LARGE_BUCKET: usize = 1 << 19;

/// A graph, and how the rows of the edge list went into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The graph.
    pub graph: Graph,
    /// What was merged and set apart.
    pub report: BuildReport,
    /// For input row `r` = `(source, target)` the id of the entry `target <- source`; [`NO_EDGE`] for a
    /// self-loop. Duplicate rows share one id. In an undirected graph the opposite entry is
    /// `graph.reverse()` of it.
    pub entry_of_row: Vec<u32>,
}

/// What became of the rows of an edge list: `rows = edges of the graph + duplicates + self_loops`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// Rows given.
    pub rows: usize,
    /// Rows that repeat an earlier edge. In an undirected graph `(a, b)` and `(b, a)` are the same edge.
    pub duplicates: usize,
    /// Rows whose source is their target, set apart whether or not they repeat.
    pub self_loops: usize,
}

/// Builds a graph of `nodes` nodes from `rows` of `(source, target)` in any order.
///
/// The target receives from the source; in an undirected graph also the other way round. Duplicates are
/// merged and self-loops left out, both counted in the report. Nodes without an edge stay, with an empty
/// row. The graph depends on the set of edges alone, not on the order of the rows nor on the threads.
///
/// Rows are dealt into buckets of neighbouring targets by counting, and every bucket is sorted by itself.
///
/// # Errors
/// An id that is not below `nodes` (the first such row is named), or more nodes or entries than `u32` counts.
pub fn build(nodes: usize, rows: &[(u32, u32)], direction: Direction) -> Result<Built, GraphError> {
    let graph = graph_from_rows(nodes, rows, direction)?;
    let self_loops = rows.iter().filter(|row| row.0 == row.1).count();
    let report = BuildReport { rows: rows.len(), duplicates: rows.len() - self_loops - graph.edges(), self_loops };
    let entry_of_row = entries_of(&graph, rows);
    Ok(Built { graph, report, entry_of_row })
}

/// The graph of [`build`] without the account of its rows.
pub(crate) fn graph_from_rows(nodes: usize, rows: &[(u32, u32)], direction: Direction) -> Result<Graph, GraphError> {
    check_nodes(nodes)?;
    check_rows(nodes, rows)?;
    let (offsets, sources) = sorted_rows(nodes, rows, direction);
    Graph::from_rows(direction, offsets, sources)
}

fn check_rows(nodes: usize, rows: &[(u32, u32)]) -> Result<(), GraphError> {
    let outside = |id: u32| id as usize >= nodes;
    // The largest id tells whether anything is wrong, without a branch per row.
    let largest = rows.par_chunks(1 << 16).flat_map_iter(|rows| rows.iter().map(|row| row.0.max(row.1)).max()).max();
    if !largest.is_some_and(outside) {
        return Ok(());
    }
    for (row, &(source, target)) in rows.iter().enumerate() {
        for (end, value) in [("source", source), ("target", target)] {
            if outside(value) {
                return Err(GraphError::NodeOutOfRange { row, end, value, nodes });
            }
        }
    }
    Ok(())
}

/// The rows of the graph: sorted, without duplicates and self-loops.
fn sorted_rows(nodes: usize, rows: &[(u32, u32)], direction: Direction) -> (Vec<usize>, Vec<u32>) {
    let keys = match direction {
        Direction::Undirected => Keys::BothUnlessLoop,
        Direction::Directed => Keys::OneUnlessLoop,
    };
    let partition = Partition::new(nodes, rows, keys);
    let mut dealt = partition.deal();
    // Buckets hold ascending stretches of targets, so sorted buckets make a sorted whole.
    let kept: Vec<&[u64]> = partition
        .buckets_mut(&mut dealt)
        .into_par_iter()
        .map(|bucket| {
            if bucket.len() > LARGE_BUCKET {
                bucket.par_sort_unstable();
            } else {
                bucket.sort_unstable();
            }
            let kept = merge_equal(bucket);
            &bucket[..kept]
        })
        .collect();
    let mut offsets = vec![0usize; nodes + 1];
    let mut sources = Vec::with_capacity(kept.iter().map(|bucket| bucket.len()).sum());
    for &key in kept.into_iter().flatten() {
        let (source, target) = ends_of(key);
        offsets[target as usize + 1] += 1;
        sources.push(source);
    }
    running_sum(&mut offsets);
    (offsets, sources)
}

/// Moves the different keys of a sorted bucket to its front; says how many they are.
fn merge_equal(bucket: &mut [u64]) -> usize {
    let mut kept = bucket.len().min(1);
    for place in 1..bucket.len() {
        if bucket[place] != bucket[kept - 1] {
            bucket[kept] = bucket[place];
            kept += 1;
        }
    }
    kept
}

/// For every edge row the id of the entry `target <- source`, or [`NO_EDGE`] for a self-loop.
fn entries_of(graph: &Graph, rows: &[(u32, u32)]) -> Vec<u32> {
    let partition = Partition::new(graph.nodes(), rows, Keys::One);
    let dealt = partition.deal();
    let entries: Vec<u32> = dealt.par_iter().map(|&key| entry_of(graph, key)).collect();
    partition.collect(&entries)
}

fn entry_of(graph: &Graph, key: u64) -> u32 {
    let (source, target) = ends_of(key);
    // A self-loop is not stored, so the search does not find it.
    match graph.neighbours(target as usize).binary_search(&source) {
        Ok(place) => (graph.offsets()[target as usize] + place) as u32,
        Err(_) => NO_EDGE,
    }
}
