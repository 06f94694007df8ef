//! The softmax of scores over the neighbours of a node.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::dense::Dropout;
use farhop_kernels::edges::softmax as kernel;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Input: scores `[E, H]` or `[E + N, H]`.
#[derive(Debug)]
struct EdgeSoftmaxOp {
    graph: Arc<Graph>,
    dropout: Dropout,
}

impl Operation for EdgeSoftmaxOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "edge_softmax"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let scores = inputs[0];
        let mut weights = buffers::take(scores.data.len());
        kernel::forward(&self.graph, scores.columns(), scores.data, self.dropout, &mut weights);
        (Output { data: weights, shape: scores.shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let scores = step.input(0);
        let mut ds = buffers::take(scores.data.len());
        kernel::backward(&self.graph, scores.columns(), scores.data, self.dropout, &step.gradient, &mut ds);
        buffers::give(step.gradient);
        vec![Some(ds)]
    }
}

/// The softmax of the scores over the entries of each row, head by head, then dropout:
///
/// ```text
/// a_e = m_e exp(s_e) / (sum over the row of exp(s))
/// ```
///
/// Scores `[E, H]` give weights `[E, H]`. Scores `[E + N, H]`, entries first, then the score of every node for itself, give
/// weights `[E + N, H]` that sum to 1 over entries and node; [`attend`](super::attend) takes them as they are, and
/// [`pair_scores`](super::pair_scores) makes such scores. The mask m is a function of seed, row of the array and head. Keeps the
/// scores and computes the softmax again.
///
/// # Panics
/// If the scores have neither shape.
pub fn edge_softmax(scores: Tensor<2>, graph: &Arc<Graph>, dropout: Dropout) -> Tensor<2> {
    let [rows, heads] = scores.dims();
    let fits = rows == graph.entries() || rows == graph.entries() + graph.nodes();
    assert!(heads > 0 && fits, "edge_softmax: scores must be [E, H] or [E + N, H]");
    apply(EdgeSoftmaxOp { graph: graph.clone(), dropout }, [Input::from(scores)])
}
