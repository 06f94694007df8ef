//! Convolution along sequences that looks back only.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::causal_convolution as kernel;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs x `[T, D]`, weight `[D, W]`, bias `[D]`.
#[derive(Debug)]
struct CausalConvolutionOp {
    offsets: Arc<Vec<usize>>,
}

impl Operation for CausalConvolutionOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "causal_convolution"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let mut y = buffers::take(inputs[0].data.len());
        kernel::forward(inputs[0].data, inputs[1].data, inputs[2].data, &self.offsets, &mut y);
        (Output { data: y, shape: inputs[0].shape.to_vec() }, ())
    }

    fn keeps(&self, input: usize) -> bool {
        input < 2
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (x, weight) = (step.input(0), step.input(1));
        let mut dx = buffers::take(x.data.len());
        let (dw, db) = kernel::backward(x.data, weight.data, weight.rows(), &self.offsets, &step.gradient, &mut dx);
        buffers::give(step.gradient);
        [dx, dw, db].into_iter().zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// `y_t = b + sum over w of weight[:, w] x_(t - W + 1 + w)`, every channel by itself, zeros before the start of a
/// sequence: x and y `[T, D]`, weight `[D, W]` whose last tap is the present, b `[D]`; `offsets` cut the T rows into
/// sequences. Kept: x and weight.
pub fn causal_convolution(x: Tensor<2>, weight: Tensor<2>, bias: Tensor<1>, offsets: &Arc<Vec<usize>>) -> Tensor<2> {
    let operation = CausalConvolutionOp { offsets: offsets.clone() };
    apply(operation, [Input::from(x), weight.into(), bias.into()])
}
