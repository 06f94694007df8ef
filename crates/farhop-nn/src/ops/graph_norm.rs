//! Layer normalisation over whole graphs.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::dense::graph_norm as kernel;
use farhop_kernels::dense::layer_norm::Affine;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs x `[N, F]`, gamma and beta `[F]`.
#[derive(Debug)]
struct GraphNormOp {
    offsets: Arc<Vec<usize>>,
    epsilon: f32,
}

impl Operation for GraphNormOp {
    /// Mean and inverted root of the variance of each graph.
    type Kept = Vec<f32>;

    fn name(&self) -> &'static str {
        "graph_norm"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, Vec<f32>) {
        let x = inputs[0];
        let affine = Affine { gamma: inputs[1].data, beta: inputs[2].data, epsilon: self.epsilon };
        let mut y = buffers::take(x.data.len());
        let mut statistics = vec![0.0; 2 * self.offsets.len().saturating_sub(1)];
        kernel::forward(x.data, &self.offsets, affine, &mut y, &mut statistics);
        (Output { data: y, shape: x.shape.to_vec() }, statistics)
    }

    fn backward(&self, step: Backward<Vec<f32>>) -> Vec<Option<Vec<f32>>> {
        let x = step.input(0);
        let affine = Affine { gamma: step.input(1).data, beta: step.input(2).data, epsilon: self.epsilon };
        let mut dx = buffers::take(x.data.len());
        let learned = kernel::backward(x.data, &self.offsets, affine, &step.kept, &step.gradient, &mut dx);
        buffers::give(step.gradient);
        let all = [dx, learned.gamma, learned.beta];
        all.into_iter().zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// `gamma (x - mean) / sqrt(variance + epsilon) + beta` with one mean and one variance over all nodes and channels of a graph: x, y
/// `[N, F]`, gamma and beta `[F]`; `offsets` `[G + 1]` cut the nodes into graphs. Keeps x and two numbers a graph.
pub fn graph_norm(
    x: Tensor<2>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    offsets: &Arc<Vec<usize>>,
    epsilon: f32,
) -> Tensor<2> {
    let operation = GraphNormOp { offsets: offsets.clone(), epsilon };
    apply(operation, [Input::from(x), gamma.into(), beta.into()])
}
