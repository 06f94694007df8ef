//! `y = X W + b` for features X that are data and mostly zeros.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::dense::{Write, product};
use farhop_kernels::sparse_features::SparseFeatures;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs W `[columns, outputs]` and, if `bias`, b `[outputs]`.
#[derive(Debug)]
struct SparseLinearOp {
    features: Arc<SparseFeatures>,
    outputs: usize,
    bias: bool,
}

impl Operation for SparseLinearOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "sparse_linear"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let mut y = buffers::take(self.features.rows() * self.outputs);
        self.features.matmul(inputs[0].data, self.bias.then(|| inputs[1].data), self.outputs, &mut y);
        (Output { data: y, shape: vec![self.features.rows(), self.outputs] }, ())
    }

    /// Linear in its inputs: none is needed again.
    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let dw = step.needed[0].then(|| {
            let mut dw = buffers::take(self.features.columns() * self.outputs);
            self.features.weight_gradient(&step.gradient, self.outputs, &mut dw);
            dw
        });
        let mut gradients = vec![dw];
        if self.bias {
            gradients.push(step.needed[1].then(|| {
                let mut db = vec![0.0; self.outputs];
                product::column_sums(&step.gradient, self.features.rows(), self.outputs, Write::Replace, &mut db);
                db
            }));
        }
        buffers::give(step.gradient);
        gradients
    }
}

/// `X W + b`: W `[columns, outputs]`, b `[outputs]` if there is one.
pub fn sparse_linear(features: &Arc<SparseFeatures>, weight: Tensor<2>, bias: Option<Tensor<1>>) -> Tensor<2> {
    let operation = SparseLinearOp { features: features.clone(), outputs: weight.dims()[1], bias: bias.is_some() };
    apply(operation, [Some(Input::from(weight)), bias.map(Input::from)].into_iter().flatten())
}
