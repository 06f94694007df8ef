//! The pairs of nodes at each distance, as graphs.

use std::collections::VecDeque;
use std::sync::Arc;

use farhop_graph::Graph;

use crate::Batch;
use crate::ops::EntryWeights;

/// The graph of one hop, with the coefficients that models use on it.
#[derive(Debug)]
pub struct HopSet {
    /// Row i lists the nodes at that distance of i.
    pub graph: Arc<Graph>,
    /// Symmetric normalisation with self-loops.
    pub symmetric: Arc<EntryWeights>,
    /// Ones.
    pub ones: Arc<EntryWeights>,
}

/// The graphs of the hops 1, 2, ..; a distance that no two nodes of the batch have is absent.
#[derive(Debug)]
pub struct HopSets {
    hops: Vec<Option<HopSet>>,
}

impl HopSets {
    /// Those of a batch up to `hops`, made once. A breadth-first search from every node.
    pub fn of(batch: &Batch, hops: usize) -> Arc<HopSets> {
        batch.derived(hops as u64, |batch| HopSets::make(batch.graph(), hops))
    }

    /// The graph of distance `hop`, if any two nodes are so far apart.
    pub fn get(&self, hop: usize) -> Option<&HopSet> {
        self.hops.get(hop.checked_sub(1)?)?.as_ref()
    }

    fn make(graph: &Graph, hops: usize) -> Self {
        let nodes = graph.nodes();
        let mut offsets = vec![vec![0usize]; hops];
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); hops];
        // Which search has seen a node last.
        let mut seen = vec![u32::MAX; nodes];
        let mut queue = VecDeque::new();
        for start in 0..nodes {
            seen[start] = start as u32;
            queue.clear();
            queue.push_back((start as u32, 0));
            while let Some((node, distance)) = queue.pop_front() {
                if distance == hops {
                    break;
                }
                for &next in graph.neighbours(node as usize) {
                    if seen[next as usize] != start as u32 {
                        seen[next as usize] = start as u32;
                        sources[distance].push(next);
                        queue.push_back((next, distance + 1));
                    }
                }
            }
            for (offsets, sources) in offsets.iter_mut().zip(&mut sources) {
                let first = offsets[start];
                sources[first..].sort_unstable();
                offsets.push(sources.len());
            }
        }
        let set = |(offsets, sources): (Vec<usize>, Vec<u32>)| {
            if sources.is_empty() {
                return None;
            }
            // Distances of an undirected graph are the same both ways, and rows are sorted: it is a graph.
            let graph = Arc::new(Graph::from_csr(graph.direction(), offsets, sources).ok()?);
            Some(HopSet {
                symmetric: EntryWeights::symmetric_with_self(&graph, None),
                ones: EntryWeights::sum(&graph),
                graph,
            })
        };
        HopSets { hops: offsets.into_iter().zip(sources).map(set).collect() }
    }
}
