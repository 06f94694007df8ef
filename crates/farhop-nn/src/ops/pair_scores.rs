//! Scores of pairs of neighbours from a number per node.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::edges::scores::{self as kernel, Pairs};
use farhop_kernels::edges::sums;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// What [`pair_scores`] adds up.
#[derive(Clone, Debug)]
pub struct PairScores {
    /// Receiver's part x, `[N, H]`.
    pub receiver: Tensor<2>,
    /// Sender's part y, `[N, H]`.
    pub sender: Tensor<2>,
    /// Entry's part b, `[E, H]`.
    pub entries: Option<Tensor<2>>,
    /// Own part c, `[N, H]`; only with the nodes themselves.
    pub nodes: Option<Tensor<2>>,
    /// Whether nodes score themselves too.
    pub own: bool,
    /// Slope of LeakyReLU below zero; 1 leaves the sum as it is.
    pub slope: f32,
}

/// Inputs x, y, then b and c if they are there.
#[derive(Debug)]
pub(super) struct PairScoresOp {
    pub graph: Arc<Graph>,
    pub own: bool,
    pub entries: bool,
    pub nodes: bool,
    slope: f32,
}

impl PairScoresOp {
    /// The operation and its inputs.
    pub fn new(parts: PairScores, graph: &Arc<Graph>) -> (Self, impl Iterator<Item = Input> + use<>) {
        PairScoresOp::of_own(parts, graph, graph.nodes())
    }

    /// As [`PairScoresOp::new`], where the first `own_nodes` nodes of the graph are own, and arrays have their rows.
    pub fn of_own(
        parts: PairScores,
        graph: &Arc<Graph>,
        own_nodes: usize,
    ) -> (Self, impl Iterator<Item = Input> + use<>) {
        let PairScores { receiver, sender, entries, nodes, own, slope } = parts;
        let [rows, heads] = receiver.dims();
        let of_node = [own_nodes, heads];
        assert!(heads > 0 && rows == own_nodes && sender.dims() == of_node, "scores: x and y must be [N, H]");
        if let Some(entries) = &entries {
            assert_eq!(entries.dims(), [graph.entries(), heads], "scores: b must be [E, H]");
        }
        if let Some(nodes) = &nodes {
            assert!(own && nodes.dims() == of_node, "scores: c must be [N, H], and nodes must score themselves");
        }
        let (graph, b, c) = (graph.clone(), entries.is_some(), nodes.is_some());
        let inputs = [Some(receiver.into()), Some(sender.into()), entries.map(Input::from), nodes.map(Input::from)];
        (PairScoresOp { graph, own, entries: b, nodes: c, slope }, inputs.into_iter().flatten())
    }

    /// Rows of the result: `E`, or `E + N` with the nodes themselves.
    pub fn rows(&self) -> usize {
        self.graph.entries() + if self.own { self.graph.nodes() } else { 0 }
    }

    pub fn pairs<'a>(&self, input: impl Fn(usize) -> Array<'a>) -> Pairs<'a> {
        Pairs {
            heads: input(0).columns(),
            receiver: input(0).data,
            sender: input(1).data,
            entries: self.entries.then(|| input(2).data),
            nodes: self.nodes.then(|| input(2 + usize::from(self.entries)).data),
            slope: self.slope,
        }
    }

    /// The gradients of the inputs from that of the sums before LeakyReLU.
    pub fn of_parts(&self, mut gradient: Vec<f32>, heads: usize, needed: &[bool]) -> Vec<Option<Vec<f32>>> {
        let graph = &*self.graph;
        let (of_entries, of_nodes) = gradient.split_at(graph.entries() * heads);
        let node_sum = |sum: fn(&Graph, usize, &[f32], &mut [f32])| {
            let mut total = buffers::take(graph.nodes() * heads);
            sum(graph, heads, of_entries, &mut total);
            total.iter_mut().zip(of_nodes).for_each(|(total, own)| *total += own);
            total
        };
        let dx = needed[0].then(|| node_sum(sums::to_targets));
        let dy = needed[1].then(|| node_sum(sums::to_sources));
        let dc = (self.nodes && needed[2 + usize::from(self.entries)]).then(|| of_nodes.to_vec());
        let mut gradients = vec![dx, dy];
        if self.entries && needed[2] {
            gradient.truncate(graph.entries() * heads);
            gradients.push(Some(gradient));
        } else {
            buffers::give(gradient);
            gradients.extend(self.entries.then_some(None));
        }
        gradients.extend(self.nodes.then_some(dc));
        gradients
    }
}

impl Operation for PairScoresOp {
    /// Number of heads.
    type Kept = usize;

    fn name(&self) -> &'static str {
        "pair_scores"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, usize) {
        let pairs = self.pairs(|input| inputs[input]);
        let rows = self.rows();
        let mut scores = buffers::take(rows * pairs.heads);
        kernel::forward(&self.graph, &pairs, &mut scores);
        (Output { data: scores, shape: vec![rows, pairs.heads] }, pairs.heads)
    }

    /// A sum without LeakyReLU is linear.
    fn keeps(&self, _input: usize) -> bool {
        self.slope != 1.0
    }

    fn backward(&self, mut step: Backward<usize>) -> Vec<Option<Vec<f32>>> {
        let mut gradient = std::mem::take(&mut step.gradient);
        if self.slope != 1.0 {
            kernel::backward(&self.graph, &self.pairs(|input| step.input(input)), &mut gradient);
        }
        self.of_parts(gradient, step.kept, step.needed)
    }
}

/// `a_e = leaky_relu(x_i + y_j + b_e)` for every entry e = (i <- j) and, if `own`, `a_i = leaky_relu(x_i + y_i + c_i)` for every
/// node: one array `[E, H]` or `[E + N, H]`, entries first, as [`edge_softmax`](super::edge_softmax) takes it.
///
/// Keeps its inputs, and nothing if the slope is 1.
///
/// # Panics
/// If the shapes do not fit, or there is an own part without `own`.
pub fn pair_scores(parts: PairScores, graph: &Arc<Graph>) -> Tensor<2> {
    let (operation, inputs) = PairScoresOp::new(parts, graph);
    apply(operation, inputs)
}
