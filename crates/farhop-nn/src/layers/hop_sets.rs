//! The pairs of nodes at each distance, as graphs.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use farhop_graph::Graph;

use crate::memory::floats;
use crate::ops::EntryWeights;
use crate::{Batch, Shape};

/// The graph of one hop, with the coefficients that are asked for on it.
#[derive(Debug)]
pub struct HopSet {
    /// Row i lists the nodes at that distance of i.
    pub graph: Arc<Graph>,
    symmetric: OnceLock<Arc<EntryWeights>>,
    ones: OnceLock<Arc<EntryWeights>>,
}

impl HopSet {
    /// Symmetric normalisation with self-loops.
    pub fn symmetric(&self) -> &Arc<EntryWeights> {
        self.symmetric.get_or_init(|| EntryWeights::symmetric_with_self(&self.graph, None))
    }

    /// Ones.
    pub fn ones(&self) -> &Arc<EntryWeights> {
        self.ones.get_or_init(|| EntryWeights::sum(&self.graph))
    }
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

    /// About how many pairs of nodes are exactly 1, 2, .. hops apart. A hop reaches as many times more nodes as the second does, and of those that it
    /// finds by chance in a graph of that size, some were there before.
    pub fn expected(shape: &Shape, hops: usize) -> Vec<usize> {
        let (nodes, entries) = (shape.nodes.max(1) as f64, shape.entries as f64);
        let in_graph = nodes / shape.graphs.max(1) as f64;
        let growth = (shape.pairs_within_two_steps() as f64 / entries.max(1.0) - 1.0).max(0.0);
        let (mut new, mut found, mut before) = (entries / nodes, 0.0, 0.0);
        let mut pairs = Vec::with_capacity(hops);
        for _ in 0..hops {
            found += new;
            let reached = in_graph * -(-found / in_graph).exp_m1();
            pairs.push(((reached - before) * nodes) as usize);
            (before, new) = (reached, new * growth);
        }
        pairs
    }

    /// Bytes of the sets of so many pairs: sources, reverse entries and `weights` numbers for each.
    pub fn bytes(pairs: &[usize], nodes: usize, weights: usize) -> u64 {
        let set = |count: &usize| floats((2 + weights) * count) + floats((2 + weights) * nodes);
        pairs.iter().map(set).sum()
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
        let set = |(offsets, mut sources): (Vec<usize>, Vec<u32>)| {
            if sources.is_empty() {
                return None;
            }
            sources.shrink_to_fit();
            // Distances of an undirected graph are the same both ways, and rows are sorted: it is a graph.
            let graph = Arc::new(Graph::from_csr(graph.direction(), offsets, sources).ok()?);
            Some(HopSet { graph, symmetric: OnceLock::new(), ones: OnceLock::new() })
        };
        HopSets { hops: offsets.into_iter().zip(sources).map(set).collect() }
    }
}
