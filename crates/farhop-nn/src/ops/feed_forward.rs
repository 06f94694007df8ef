//! The feed-forward block with its residual as one operation: keeps only x and computes the hidden layer again.

use burn::tensor::Tensor;
use farhop_kernels::dense::feed_forward::{self as kernel, Parameters};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// The tensors of [`feed_forward`].
#[derive(Debug)]
pub struct FeedForwardInputs {
    /// `[N, width]`.
    pub x: Tensor<2>,
    /// `[width, hidden]`.
    pub w1: Tensor<2>,
    /// `[hidden]`.
    pub b1: Tensor<1>,
    /// `[hidden, width]`.
    pub w2: Tensor<2>,
    /// `[width]`.
    pub b2: Tensor<1>,
}

#[derive(Debug)]
struct FeedForwardOp;

fn parameters<'a>(inputs: [Array<'a>; 4]) -> Parameters<'a> {
    let [w1, b1, w2, b2] = inputs.map(|input| input.data);
    Parameters { w1, b1, w2, b2 }
}

impl Operation for FeedForwardOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "feed_forward"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let x = inputs[0];
        let mut y = buffers::take(x.data.len());
        kernel::forward(x.data, parameters([inputs[1], inputs[2], inputs[3], inputs[4]]), x.rows(), &mut y);
        (Output { data: y, shape: x.shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let x = step.input(0);
        let parameters = parameters([1, 2, 3, 4].map(|i| step.input(i)));
        let mut dx = buffers::take(x.data.len());
        let gradients = kernel::backward(x.data, parameters, &step.gradient, x.rows(), &mut dx);
        buffers::give(step.gradient);
        let all = [dx, gradients.w1, gradients.b1, gradients.w2, gradients.b2];
        all.into_iter().zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// `x + relu(x W1 + b1) W2 + b2`.
pub fn feed_forward(inputs: FeedForwardInputs) -> Tensor<2> {
    let FeedForwardInputs { x, w1, b1, w2, b2 } = inputs;
    apply(FeedForwardOp, [Input::from(x), w1.into(), b1.into(), w2.into(), b2.into()])
}
