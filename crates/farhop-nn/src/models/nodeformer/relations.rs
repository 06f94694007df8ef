//! The graphs along which NodeFormer adds values: neighbours, those within two hops, within four, ...

use std::sync::Arc;

use farhop_graph::{Graph, within_two_steps};

use crate::Shape;
use crate::ops::EntryWeights;

/// Graph and coefficients of every order.
pub(super) struct Relations(pub Vec<(Arc<Graph>, Arc<EntryWeights>)>);

impl Relations {
    /// Order 0 is the graph with self-loops, each further one the pattern of the square of the one before. A square
    /// with more entries than a graph can have is left out: the order before it stands in its place.
    pub fn new(graph: &Arc<Graph>, orders: usize) -> Self {
        let mut relations: Vec<(Arc<Graph>, Arc<EntryWeights>)> = Vec::new();
        for _ in 0..orders {
            let next = match relations.last() {
                Some((last, _)) => within_two_steps(last).map_or_else(|_| last.clone(), Arc::new),
                None => graph.clone(),
            };
            let weights = coefficients(&next);
            relations.push((next, weights));
        }
        Relations(relations)
    }

    /// About how many entries an order has: walks spread until they have reached all nodes of their graph.
    pub fn entries(shape: &Shape, order: usize) -> usize {
        if order == 0 {
            return shape.entries;
        }
        let nodes = shape.nodes.max(1) as f64;
        let most = nodes / shape.graphs.max(1) as f64;
        let row = shape.pairs_within_two_steps() as f64 / nodes + 1.0;
        let reached = row.powf((1u64 << (order - 1).min(20)) as f64).min(most);
        ((reached - 1.0).max(0.0) * nodes) as usize
    }
}

/// `1 / sqrt(in_i out_j)` with self-loops: how many nodes i receives from, and how many j sends to.
fn coefficients(graph: &Graph) -> Arc<EntryWeights> {
    let mut sent = vec![1usize; graph.nodes()];
    graph.sources().iter().for_each(|&source| sent[source as usize] += 1);
    let weight = |i: usize, j: usize| (1.0 / (((graph.degree(i) + 1) * sent[j]) as f64).sqrt()) as f32;
    let row = |i: usize| graph.neighbours(i).iter().map(move |&j| weight(i, j as usize));
    let entries = (0..graph.nodes()).flat_map(row).collect();
    let nodes = (0..graph.nodes()).map(|i| weight(i, i)).collect();
    Arc::new(EntryWeights { entries, nodes })
}

#[cfg(test)]
mod tests {
    use farhop_graph::{Direction, build};

    use super::*;

    #[test]
    fn orders_double_the_hops_along_the_entries() {
        // A path 0 -> 1 -> .. -> 7, and a node alone.
        let path: Vec<(u32, u32)> = (0..7).map(|node| (node, node + 1)).collect();
        let graph = Arc::new(build(9, &path, Direction::Directed).unwrap().graph);
        let relations = Relations::new(&graph, 3);
        for (order, (graph, weights)) in relations.0.iter().enumerate() {
            let hops = 1u32 << order;
            let mut at = 0;
            for node in 0..9u32 {
                let first = if node == 8 { 8 } else { node.saturating_sub(hops) };
                assert_eq!(graph.neighbours(node as usize), (first..node).collect::<Vec<_>>(), "{order}, {node}");
                let received = |i: u32| 1 + if i == 8 { 0 } else { i.min(hops) };
                let sent = |j: u32| 1 + if j == 8 { 0 } else { (7 - j).min(hops) };
                let weight = |j: u32| 1.0 / ((received(node) * sent(j)) as f32).sqrt();
                for j in first..node {
                    assert!((weights.entries[at] - weight(j)).abs() < 1e-6);
                    at += 1;
                }
                assert!((weights.nodes[node as usize] - weight(node)).abs() < 1e-6);
            }
        }
    }
}
