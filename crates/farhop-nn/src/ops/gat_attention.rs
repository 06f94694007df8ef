//! Graph attention in one operation.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::dense::Dropout;
use farhop_kernels::edges::gat::{self as kernel, Attention};
use farhop_kernels::edges::gat_within;
use farhop_kernels::edges::scores::Pairs;
use farhop_kernels::exchange::Halo;

use super::pair_scores::{PairScores, PairScoresOp};
use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs v `[N, F]`, then those of the scores.
#[derive(Debug)]
struct GatAttentionOp {
    scores: PairScoresOp,
    dropout: Dropout,
    halo: Option<Arc<Halo>>,
}

/// What the backward pass needs beside inputs.
enum Kept {
    /// Largest score and sum of every row, `[N, 2, H]`.
    Statistics(Vec<f32>),
    /// Where the graph is a part of one.
    Within(gat_within::Kept),
}

impl Default for Kept {
    fn default() -> Self {
        Kept::Statistics(Vec::new())
    }
}

impl GatAttentionOp {
    fn attention<'a>(&self, pairs: Pairs<'a>) -> Attention<'a> {
        Attention { pairs, own: self.scores.own, dropout: self.dropout }
    }
}

impl Operation for GatAttentionOp {
    type Kept = Kept;

    fn name(&self) -> &'static str {
        "gat_attention"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Kept) {
        let v = inputs[0];
        let pairs = self.scores.pairs(|input| inputs[1 + input]);
        let mut z = buffers::take(v.data.len());
        if let Some(halo) = &self.halo {
            let attention = self.attention(pairs);
            let mut kept = gat_within::forward(&self.scores.graph, &attention, v.data, v.columns(), &mut z, halo);
            if !training {
                std::mem::take(&mut kept).give_back();
            }
            return (Output { data: z, shape: v.shape.to_vec() }, Kept::Within(kept));
        }
        let mut statistics = buffers::take(2 * v.rows() * pairs.heads);
        kernel::forward(&self.scores.graph, &self.attention(pairs), v.data, v.columns(), &mut z, &mut statistics);
        if !training {
            buffers::give(std::mem::take(&mut statistics));
        }
        (Output { data: z, shape: v.shape.to_vec() }, Kept::Statistics(statistics))
    }

    fn backward(&self, mut step: Backward<Kept>) -> Vec<Option<Vec<f32>>> {
        let kept = std::mem::take(&mut step.kept);
        let (graph, v, dz) = (&*self.scores.graph, step.input(0), &step.gradient);
        let attention = self.attention(self.scores.pairs(|input| step.input(1 + input)));
        let statistics = match (kept, &self.halo) {
            (Kept::Statistics(statistics), _) => statistics,
            (Kept::Within(_), None) => Vec::new(),
            (Kept::Within(mut kept), Some(halo)) => {
                let found = gat_within::backward(graph, &attention, v.data, v.columns(), &mut kept, dz, halo);
                kept.give_back();
                let mut all = vec![found.v, found.receiver, found.sender];
                all.extend(self.scores.entries.then_some(found.entries));
                all.extend(self.scores.nodes.then_some(found.nodes));
                return all.into_iter().zip(step.needed).map(|(one, needed)| needed.then_some(one)).collect();
            }
        };
        let dv = step.needed[0].then(|| {
            let mut dv = buffers::take(v.data.len());
            kernel::backward_values(graph, &attention, &statistics, dz, v.columns(), &mut dv);
            dv
        });
        let mut gradients = vec![dv];
        if step.needed[1..].contains(&true) {
            let mut gradient = buffers::take(self.scores.rows() * attention.pairs.heads);
            kernel::backward_scores(graph, &attention, v.data, &statistics, dz, v.columns(), &mut gradient);
            gradients.extend(self.scores.of_parts(gradient, attention.pairs.heads, &step.needed[1..]));
        } else {
            gradients.extend(step.needed[1..].iter().map(|_| None));
        }
        buffers::give(step.gradient);
        buffers::give(statistics);
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
    gat_attention_within(v, scores, graph, dropout, None)
}

/// As [`gat_attention`], where the graph may be a part of one: arrays of nodes have the rows of own nodes.
///
/// # Panics
/// If the shapes do not fit.
pub fn gat_attention_within(
    v: Tensor<2>,
    scores: PairScores,
    graph: &Arc<Graph>,
    dropout: Dropout,
    halo: Option<&Arc<Halo>>,
) -> Tensor<2> {
    let own = halo.map_or(graph.nodes(), |halo| halo.own());
    assert_eq!(v.dims()[0], own, "gat_attention: a row of v for every node");
    let (scores, inputs) = PairScoresOp::of_own(scores, graph, own);
    apply(GatAttentionOp { scores, dropout, halo: halo.cloned() }, std::iter::once(Input::from(v)).chain(inputs))
}
