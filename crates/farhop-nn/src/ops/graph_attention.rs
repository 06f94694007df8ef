//! Softmax attention among all nodes of each graph.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::graph_attention::{self as kernel, Inputs, Rows, Settings};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs: q, k and v `[N, H C]`, or all of them in one `[N, 3 H C]` if `packed`.
#[derive(Debug)]
struct GraphAttentionOp {
    offsets: Arc<Vec<usize>>,
    settings: Settings,
    packed: bool,
}

/// The output and the logarithms of the sums of the softmax; empty if nothing will be differentiated.
type Kept = (Vec<f32>, Vec<f32>);

impl GraphAttentionOp {
    fn arrays<'a>(&'a self, input: impl Fn(usize) -> Array<'a>) -> Inputs<'a> {
        let width = self.settings.width();
        if self.packed {
            return Inputs::packed(input(0).data, width, &self.offsets);
        }
        let rows = |at: usize| Rows::whole(input(at).data, width);
        Inputs { q: rows(0), k: rows(1), v: rows(2), offsets: &self.offsets }
    }
}

impl Operation for GraphAttentionOp {
    type Kept = Kept;

    fn name(&self) -> &'static str {
        "graph_attention"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Kept) {
        let (rows, width) = (inputs[0].rows(), self.settings.width());
        let mut y = buffers::take(rows * width);
        let mut log_sums = buffers::take(rows * self.settings.heads);
        kernel::forward(self.arrays(|at| inputs[at]), &self.settings, &mut y, &mut log_sums);
        let kept = if training {
            let mut copy = buffers::take(y.len());
            copy.copy_from_slice(&y);
            (copy, log_sums)
        } else {
            buffers::give(log_sums);
            (Vec::new(), Vec::new())
        };
        (Output { data: y, shape: vec![rows, width] }, kept)
    }

    fn backward(&self, step: Backward<Kept>) -> Vec<Option<Vec<f32>>> {
        let (y, log_sums) = step.kept;
        let width = self.settings.width();
        let inputs = &step.inputs;
        let empty = Array { data: &[], shape: &[] };
        let arrays = self.arrays(|at| inputs[at].unwrap_or(empty));
        let mut packed = buffers::take(3 * step.gradient.len());
        kernel::backward(arrays, &self.settings, &y, &log_sums, &step.gradient, &mut packed);
        let size = step.gradient.len();
        [y, log_sums, step.gradient].into_iter().for_each(buffers::give);
        if self.packed {
            return vec![Some(packed)];
        }
        let mut parts = [(); 3].map(|()| buffers::take(size));
        kernel::split(&packed, width, parts.each_mut().map(|part| &mut part[..]));
        buffers::give(packed);
        parts.into_iter().zip(step.needed).map(|(part, needed)| needed.then_some(part)).collect()
    }
}

/// `y_i^h = sum over the nodes j of the graph of i of softmax_j(scale q_i^h . k_j^h) v_j^h`, with dropout of the
/// weights after the softmax: q, k, v and y `[N, H C]`, head h in columns `h C .. (h + 1) C`; `offsets` `[G + 1]` cut
/// the nodes into graphs.
///
/// Kept: q, k, v, a copy of y, and a number for every node and head. Nothing that grows with the pairs.
pub fn graph_attention(
    q: Tensor<2>,
    k: Tensor<2>,
    v: Tensor<2>,
    offsets: &Arc<Vec<usize>>,
    settings: Settings,
) -> Tensor<2> {
    let operation = GraphAttentionOp { offsets: offsets.clone(), settings, packed: false };
    apply(operation, [q, k, v].map(Input::from))
}

/// As [`graph_attention`], with q, k and v side by side in one array `[N, 3 H C]`, as one linear map writes them. No
/// copies.
pub fn packed_graph_attention(qkv: Tensor<2>, offsets: &Arc<Vec<usize>>, settings: Settings) -> Tensor<2> {
    let operation = GraphAttentionOp { offsets: offsets.clone(), settings, packed: true };
    apply(operation, [Input::from(qkv)])
}
