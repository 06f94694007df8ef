//! Attention among all nodes of each graph in linear time.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::linear_attention::{self as kernel, Inputs, Settings};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs q, k `[N, H M]` and v `[N, H C]` or `[N, C]`.
#[derive(Debug)]
struct LinearAttentionOp {
    offsets: Arc<Vec<usize>>,
    settings: Settings,
    key_weights: Option<Arc<Vec<f32>>>,
}

impl LinearAttentionOp {
    fn arrays<'a>(&'a self, q: Array<'a>, k: Array<'a>, v: Array<'a>) -> Inputs<'a> {
        let key_weights = self.key_weights.as_ref().map(|weights| &weights[..]);
        Inputs { q: q.data, k: k.data, v: v.data, offsets: &self.offsets, key_weights }
    }
}

impl Operation for LinearAttentionOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "linear_attention"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (rows, width) = (inputs[0].rows(), self.settings.width());
        let mut y = buffers::take(rows * width);
        kernel::forward(self.arrays(inputs[0], inputs[1], inputs[2]), &self.settings, &mut y);
        (Output { data: y, shape: vec![rows, width] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let inputs = [0, 1, 2].map(|at| step.input(at));
        let mut gradients = inputs.map(|input| buffers::take(input.data.len()));
        let [q, k, v] = inputs;
        let outputs = gradients.each_mut().map(|gradient| &mut gradient[..]);
        kernel::backward(self.arrays(q, k, v), &self.settings, &step.gradient, outputs);
        buffers::give(step.gradient);
        gradients.into_iter().zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// `y_i^h = (q_i^h (sum_j w_jh k_j^h v_j^h) + a v_i^h) / (q_i^h . sum_j w_jh k_j^h + a + epsilon)`, sums over the nodes
/// j of the graph of i, `a = own n` for a graph of n nodes: q and k `[N, H M]` after their feature map, v `[N, H C]`
/// (or `[N, C]` for all heads), y `[N, H C]`. `key_weights` w `[draws, N, H]` have no gradient; y is the mean over the
/// draws.
///
/// SGFormer: `own` 1, `normalise`. Polynormer: `interleaved`. NodeFormer: `key_weights` in training. Kept: q, k and v.
pub fn linear_attention(
    q: Tensor<2>,
    k: Tensor<2>,
    v: Tensor<2>,
    offsets: &Arc<Vec<usize>>,
    settings: Settings,
    key_weights: Option<Arc<Vec<f32>>>,
) -> Tensor<2> {
    let operation = LinearAttentionOp { offsets: offsets.clone(), settings, key_weights };
    apply(operation, [q, k, v].map(Input::from))
}
