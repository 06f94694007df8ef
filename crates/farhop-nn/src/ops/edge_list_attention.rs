//! Attention along a list of edges, scores clamped.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::edges::clamped::{self as kernel, EdgeList, Inputs, Settings};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs q, k, v `[N, F]` and f `[rows, F]`.
#[derive(Debug)]
struct EdgeListAttentionOp {
    edges: Arc<EdgeList>,
    settings: Settings,
}

fn arrays<'a>(input: impl Fn(usize) -> Array<'a>) -> Inputs<'a> {
    Inputs { q: input(0).data, k: input(1).data, v: input(2).data, f: input(3).data }
}

impl Operation for EdgeListAttentionOp {
    /// The output and the inverted sums of weights; empty if nothing will be differentiated.
    type Kept = (Vec<f32>, Vec<f32>);

    fn name(&self) -> &'static str {
        "edge_list_attention"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Self::Kept) {
        let shape = inputs[0].shape.to_vec();
        let mut y = buffers::take(inputs[0].data.len());
        let mut inverse = buffers::take(self.edges.nodes() * self.settings.heads.count);
        kernel::forward(&self.edges, &self.settings, arrays(|at| inputs[at]), &mut y, &mut inverse);
        let kept = if training {
            let mut copy = buffers::take(y.len());
            copy.copy_from_slice(&y);
            (copy, inverse)
        } else {
            buffers::give(inverse);
            Default::default()
        };
        (Output { data: y, shape }, kept)
    }

    fn backward(&self, step: Backward<Self::Kept>) -> Vec<Option<Vec<f32>>> {
        let (y, inverse) = step.kept;
        let inputs = &step.inputs;
        let empty = Array { data: &[], shape: &[] };
        let inputs = arrays(|at| inputs[at].unwrap_or(empty));
        let found = kernel::backward(&self.edges, &self.settings, inputs, &y, &inverse, &step.gradient);
        [y, inverse, step.gradient].into_iter().for_each(buffers::give);
        let all = [found.q, found.k, found.v, found.f];
        all.into_iter().zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// `y_i^h = (sum of w_x^h v_j^h) / (sum of w_x^h + epsilon)` over the edges x = (i <- j) of the list, with
/// `w_x^h = exp(clamp(scale sum over c of q_ic k_jc f_rc))`, r the row of f that the edge has: q, k, v and y `[N, F]`, f `[rows, F]`.
///
/// Keeps its inputs, the result and a number for every node and head; nothing that grows with edges.
///
/// # Panics
/// If the shapes do not fit.
pub fn edge_list_attention(
    [q, k, v]: [Tensor<2>; 3],
    f: Tensor<2>,
    edges: &Arc<EdgeList>,
    settings: Settings,
) -> Tensor<2> {
    let fits = [&q, &k, &v].iter().all(|x| x.dims() == [edges.nodes(), settings.heads.width]);
    assert!(fits && f.dims() == [edges.rows(), settings.heads.width], "edge_list_attention: [N, F] and [rows, F]");
    apply(EdgeListAttentionOp { edges: edges.clone(), settings }, [q, k, v, f].map(Input::from))
}
