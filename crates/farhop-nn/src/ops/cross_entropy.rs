//! Mean softmax cross-entropy over chosen rows.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::dense::cross_entropy as kernel;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};
use crate::Targets;

#[derive(Debug)]
struct CrossEntropyOp {
    targets: Arc<Targets>,
}

impl Operation for CrossEntropyOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "cross_entropy"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let logits = inputs[0];
        let loss = kernel::forward(logits.data, logits.columns(), &self.targets.rows, &self.targets.classes);
        (Output { data: vec![loss], shape: vec![1] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let logits = step.input(0);
        let mut gradient = buffers::take(logits.data.len());
        let Targets { rows, classes } = &*self.targets;
        kernel::backward(logits.data, logits.columns(), rows, classes, step.gradient[0], &mut gradient);
        vec![Some(gradient)]
    }
}

/// The mean loss of the target rows of `logits` `[N, classes]`, as a tensor of one number.
pub fn cross_entropy(logits: Tensor<2>, targets: Arc<Targets>) -> Tensor<1> {
    apply(CrossEntropyOp { targets }, [Input::from(logits)])
}
