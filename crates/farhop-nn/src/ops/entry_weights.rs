//! Fixed coefficients of a graph for [`spmm`](super::spmm), made once and shared by all layers.

use std::sync::Arc;

use farhop_graph::Graph;
use farhop_kernels::exchange::Halo;
use farhop_kernels::spmm::Weights;

/// Fixed coefficients of a graph, shared by every layer that uses them.
///
/// Degrees are those of rows: how many nodes a node receives from.
#[derive(Clone, Debug)]
pub struct EntryWeights {
    /// One per entry, `[E]`.
    pub entries: Vec<f32>,
    /// One per node for its own term, `[N]`; empty if there is no own term.
    pub nodes: Vec<f32>,
}

impl EntryWeights {
    /// The sum of neighbours: 1 per entry, no own term.
    pub fn sum(graph: &Graph) -> Arc<Self> {
        Arc::new(EntryWeights { entries: vec![1.0; graph.entries()], nodes: Vec::new() })
    }

    /// The mean of neighbours: `1 / deg_i` per entry, no own term.
    /// Degrees are those of the whole graph where this is a part.
    pub fn mean(graph: &Graph, halo: Option<&Arc<Halo>>) -> Arc<Self> {
        let entries = by_entry(graph, |i, _| 1.0 / degree_of(graph, halo, i) as f64);
        Arc::new(EntryWeights { entries, nodes: Vec::new() })
    }

    /// The mean of neighbours and node: `1 / (deg_i + 1)` per entry and for the node itself.
    pub fn mean_with_self(graph: &Graph, halo: Option<&Arc<Halo>>) -> Arc<Self> {
        let share = |i: usize| 1.0 / (degree_of(graph, halo, i) + 1) as f64;
        let nodes = (0..graph.nodes()).map(|i| share(i) as f32).collect();
        Arc::new(EntryWeights { entries: by_entry(graph, |i, _| share(i)), nodes })
    }

    /// Symmetric normalisation without self-loops: `1 / sqrt(deg_i deg_j)` per entry, 0 where a degree is 0; no own term.
    pub fn symmetric(graph: &Graph) -> Arc<Self> {
        let root = |i: usize| if graph.degree(i) == 0 { 0.0 } else { 1.0 / (graph.degree(i) as f64).sqrt() };
        let roots: Vec<f64> = (0..graph.nodes()).map(root).collect();
        Arc::new(EntryWeights { entries: by_entry(graph, |i, j| roots[i] * roots[j]), nodes: Vec::new() })
    }

    /// Symmetric normalisation with self-loops: `1 / sqrt((deg_i + 1)(deg_j + 1))` per entry, `1 / (deg_i + 1)` for the node itself.
    /// Degrees are those of the whole graph where this is a part.
    pub fn symmetric_with_self(graph: &Graph, halo: Option<&Arc<Halo>>) -> Arc<Self> {
        let degree = |i: usize| degree_of(graph, halo, i);
        let roots: Vec<f64> = (0..graph.nodes()).map(|i| 1.0 / ((degree(i) + 1) as f64).sqrt()).collect();
        let nodes = (0..graph.nodes()).map(|i| (1.0 / (degree(i) + 1) as f64) as f32).collect();
        Arc::new(EntryWeights { entries: by_entry(graph, |i, j| roots[i] * roots[j]), nodes })
    }

    pub(super) fn view(&self) -> Weights<'_> {
        Weights { entries: Some(&self.entries), nodes: (!self.nodes.is_empty()).then_some(&self.nodes) }
    }
}

/// How many nodes a node receives from, in the whole graph.
pub(crate) fn degree_of(graph: &Graph, halo: Option<&Arc<Halo>>, i: usize) -> usize {
    halo.map_or_else(|| graph.degree(i), |halo| halo.degree(graph, i))
}

/// `weight(i, j)` for every entry (i <- j).
fn by_entry(graph: &Graph, weight: impl Fn(usize, usize) -> f64) -> Vec<f32> {
    let mut weights = Vec::with_capacity(graph.entries());
    for i in 0..graph.nodes() {
        weights.extend(graph.neighbours(i).iter().map(|&j| weight(i, j as usize) as f32));
    }
    weights
}
