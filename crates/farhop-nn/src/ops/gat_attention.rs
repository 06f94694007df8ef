//! Graph attention in one operation.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::dense::Dropout;
use farhop_kernels::edges::gat::{self as kernel, Attention};
use farhop_kernels::edges::scores::Pairs;

use super::pair_scores::{PairScores, PairScoresOp};
use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs v `[N, F]`, then those of the scores.
#[derive(Debug)]
struct GatAttentionOp {
    scores: PairScoresOp,
    dropout: Dropout,
}

impl GatAttentionOp {
    fn attention<'a>(&self, pairs: Pairs<'a>) -> Attention<'a> {
        Attention { pairs, own: self.scores.own, dropout: self.dropout }
    }
}

impl Operation for GatAttentionOp {
    /// Largest score and sum of every row, `[N, 2, H]`.
    type Kept = Vec<f32>;

    fn name(&self) -> &'static str {
        "gat_attention"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Vec<f32>) {
        let v = inputs[0];
        let pairs = self.scores.pairs(|input| inputs[1 + input]);
        let mut z = buffers::take(v.data.len());
        let mut statistics = buffers::take(2 * v.rows() * pairs.heads);
        kernel::forward(&self.scores.graph, &self.attention(pairs), v.data, v.columns(), &mut z, &mut statistics);
        if !training {
            buffers::give(std::mem::take(&mut statistics));
        }
        (Output { data: z, shape: v.shape.to_vec() }, statistics)
    }

    fn backward(&self, step: Backward<Vec<f32>>) -> Vec<Option<Vec<f32>>> {
        let (graph, v, dz, statistics) = (&*self.scores.graph, step.input(0), &step.gradient, &step.kept);
        let attention = self.attention(self.scores.pairs(|input| step.input(1 + input)));
        let dv = step.needed[0].then(|| {
            let mut dv = buffers::take(v.data.len());
            kernel::backward_values(graph, &attention, statistics, dz, v.columns(), &mut dv);
            dv
        });
        let mut gradients = vec![dv];
        if step.needed[1..].contains(&true) {
            let mut gradient = buffers::take(self.scores.rows() * attention.pairs.heads);
            kernel::backward_scores(graph, &attention, v.data, statistics, dz, v.columns(), &mut gradient);
            gradients.extend(self.scores.of_parts(gradient, attention.pairs.heads, &step.needed[1..]));
        } else {
            gradients.extend(step.needed[1..].iter().map(|_| None));
        }
        buffers::give(step.gradient);
        buffers::give(step.kept);
        gradients
    }
}

/// The weights of [`gat_attention`] without dropout, `[E, H]` or `[E + N, H]`, entries first: for looking at.
pub fn attention_weights(scores: PairScores, graph: &Arc<Graph>) -> Tensor<2> {
    super::edge_softmax(super::pair_scores(scores, graph), graph, Dropout::NONE)
}

/// [`pair_scores`](super::pair_scores), [`edge_softmax`](super::edge_softmax) and [`attend`](super::attend) in one:
///
/// ```text
/// z_i^h = a_i^h v_i^h + sum over entries e = (i <- j) of a_e^h v_j^h        a = dropout(softmax over the row of the scores)
/// ```
///
/// v and z `[N, H * C]`, without the own term unless `scores.own` is set. Keeps its inputs and two numbers per node and head;
/// weights are computed again. The backward pass has one array `[E + N, H]`.
///
/// # Panics
/// If the shapes do not fit.
pub fn gat_attention(v: Tensor<2>, scores: PairScores, graph: &Arc<Graph>, dropout: Dropout) -> Tensor<2> {
    assert_eq!(v.dims()[0], graph.nodes(), "gat_attention: a row of v for every node");
    let (scores, inputs) = PairScoresOp::new(scores, graph);
    apply(GatAttentionOp { scores, dropout }, std::iter::once(Input::from(v)).chain(inputs))
}
