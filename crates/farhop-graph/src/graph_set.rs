//! Many graphs held as one.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::GraphError;
use crate::graph::Graph;

/// Many graphs as one disjoint union with the ranges of their nodes.
///
/// Node `v` of graph `g` is node `offsets[g] + v` of the union. The entries of a graph lie together too, in the
/// order they have in the graph alone, so that arrays over nodes or entries are cut into graphs by ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphSet {
    union: Graph,
    /// `[G + 1]`, ascending from 0 to the nodes of the union.
    offsets: Vec<usize>,
}

impl GraphSet {
    /// A set of one graph.
    pub fn single(graph: Graph) -> Self {
        let offsets = vec![0, graph.nodes()];
        Self { union: graph, offsets }
    }

    /// A set from a union and the `[G + 1]` places where the nodes of its graphs begin and end. Graphs may have
    /// no nodes; `offsets = [0]` is a set without graphs.
    ///
    /// # Errors
    /// Offsets that do not ascend from 0 to the number of nodes, or an entry between two graphs.
    pub fn new(union: Graph, offsets: Vec<usize>) -> Result<Self, GraphError> {
        check_offsets(&offsets, union.nodes())?;
        check_entries_stay(&union, &offsets)?;
        Ok(Self { union, offsets })
    }

    /// Number of graphs, `G`.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no graphs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All graphs as one.
    pub fn union(&self) -> &Graph {
        &self.union
    }

    /// All graphs as one, owned.
    pub fn into_union(self) -> Graph {
        self.union
    }

    /// Where the nodes of the graphs begin and end, `[G + 1]`.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The nodes of graph `g` in the union.
    ///
    /// # Panics
    /// If `g` is not below [`len`](Self::len), as indexing a slice does.
    pub fn nodes_of(&self, g: usize) -> Range<usize> {
        self.offsets[g]..self.offsets[g + 1]
    }

    /// The entries of graph `g` in the union: entry `e` of the graph alone is entry `entries_of(g).start + e`.
    ///
    /// # Panics
    /// If `g` is not below [`len`](Self::len), as indexing a slice does.
    pub fn entries_of(&self, g: usize) -> Range<usize> {
        let nodes = self.nodes_of(g);
        self.union.offsets()[nodes.start]..self.union.offsets()[nodes.end]
    }

    /// Graph `g` alone.
    ///
    /// # Panics
    /// If `g` is not below [`len`](Self::len), as indexing a slice does.
    pub fn graph(&self, g: usize) -> Graph {
        self.union.gather(&[self.nodes_of(g)])
    }

    /// The set of these graphs, in this order; a graph may be named more than once.
    ///
    /// Costs the size of the result: rows are copied with their ids moved, and nothing is sorted or searched.
    /// Copy arrays over nodes by [`nodes_of`](Self::nodes_of) and arrays over entries by
    /// [`entries_of`](Self::entries_of), graph by graph, and they fit the result.
    ///
    /// # Panics
    /// If a graph is not below [`len`](Self::len), as indexing a slice does, or if repeated graphs add up to more
    /// nodes or entries than `u32` counts.
    pub fn pick(&self, graphs: &[u32]) -> GraphSet {
        let ranges: Vec<Range<usize>> = graphs.iter().map(|&g| self.nodes_of(g as usize)).collect();
        let mut offsets = Vec::with_capacity(ranges.len() + 1);
        let mut nodes = 0;
        offsets.push(nodes);
        for range in &ranges {
            nodes += range.len();
            offsets.push(nodes);
        }
        GraphSet { union: self.union.gather(&ranges), offsets }
    }
}

fn check_offsets(offsets: &[usize], nodes: usize) -> Result<(), GraphError> {
    let wrong = |place, value, allowed| Err(GraphError::SetOffset { place, value, allowed, nodes });
    match offsets.first() {
        None => return wrong(0, None, "0"),
        Some(&first) if first != 0 => return wrong(0, Some(first), "0"),
        _ => {}
    }
    if let Some(place) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        return wrong(place + 1, Some(offsets[place + 1]), "no less than the offset before");
    }
    match offsets.last() {
        Some(&last) if last != nodes => wrong(offsets.len() - 1, Some(last), "the number of nodes"),
        _ => Ok(()),
    }
}

/// Rows ascend, so the first and the last source of a row tell whether it stays in its graph.
fn check_entries_stay(union: &Graph, offsets: &[usize]) -> Result<(), GraphError> {
    let leaves = |g: usize| {
        let nodes = offsets[g]..offsets[g + 1];
        nodes.clone().find_map(|receiver| {
            let row = union.neighbours(receiver);
            let outside = |sender: &&u32| !nodes.contains(&(**sender as usize));
            let sender = row.first().filter(outside).or_else(|| row.last().filter(outside))?;
            Some(GraphError::EntryLeavesGraph { sender: *sender as usize, receiver, graph: g, nodes: nodes.clone() })
        })
    };
    match (0..offsets.len() - 1).into_par_iter().find_map_first(leaves) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
