//! Orders of the nodes that put what is used together close together in memory.
//!
//! Every order is given as [`relabel`](crate::relabel()) takes it: `new_id_of[v]` is the place of node `v`. Edges count
//! both ways. All of them are the same for any number of threads.
//!
//! ```
//! use farhop_graph::{generate, order, relabel};
//!
//! let graph = generate::grid(4, 50)?;
//! let narrow = relabel(&graph, &order::reverse_cuthill_mckee(&graph))?;
//! assert!(order::bandwidth(&narrow) < order::bandwidth(&graph));
//! # Ok::<(), farhop_graph::GraphError>(())
//! ```

mod cuthill_mckee;

pub use cuthill_mckee::reverse_cuthill_mckee;

use rayon::prelude::*;

use crate::graph::Graph;

/// Nodes that many receive from come first: descending by the number of receivers, equal ones by id.
///
/// The features of the first nodes are then gathered so often that they stay in the cache.
pub fn by_degree(graph: &Graph) -> Vec<u32> {
    let columns = graph.transposed();
    let receivers = |node: u32| columns.offsets[node as usize + 1] - columns.offsets[node as usize];
    places_sorted_by(graph.nodes(), |node| std::cmp::Reverse(receivers(node)))
}

/// The nodes of a cluster come together, clusters by their number, the nodes within one by id.
///
/// `of_node` is the cluster of every node, such as [`Clusters::of_node`](crate::Clusters::of_node). For another order within the clusters relabel by that order first: nodes of
/// one cluster keep the order of their ids.
pub fn by_clusters(of_node: &[u32]) -> Vec<u32> {
    places_sorted_by(of_node.len(), |node| of_node[node as usize])
}

/// The largest distance of the ids of two joined nodes, `max |i - j|`; 0 for a graph without entries.
pub fn bandwidth(graph: &Graph) -> usize {
    let widest = |node: usize| {
        let row = graph.neighbours(node);
        let ends = row.first().into_iter().chain(row.last());
        ends.map(|&end| node.abs_diff(end as usize)).max().unwrap_or(0)
    };
    (0..graph.nodes()).into_par_iter().map(widest).max().unwrap_or(0)
}

/// The place of every node when they stand by key, equal keys by id.
fn places_sorted_by<K: Ord + Send>(nodes: usize, key: impl Fn(u32) -> K + Sync) -> Vec<u32> {
    let mut sequence: Vec<u32> = (0..nodes as u32).collect();
    sequence.par_sort_by_key(|&node| key(node));
    places_in(&sequence)
}

/// The place of every node in a sequence of all nodes: its inverse.
fn places_in(sequence: &[u32]) -> Vec<u32> {
    let mut places = vec![0; sequence.len()];
    for (place, &node) in sequence.iter().enumerate() {
        places[node as usize] = place as u32;
    }
    places
}
