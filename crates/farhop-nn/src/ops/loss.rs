//! The loss of outputs towards targets, as one number.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::dense::cross_entropy::{self, Labels};
use farhop_kernels::dense::element_loss::{self, ElementLoss, Values};
use farhop_kernels::dense::pair_loss;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};
use crate::Targets;

#[derive(Debug)]
struct LossOp {
    targets: Arc<Targets>,
    /// What the loss is multiplied by.
    share: f32,
}

/// The targets as the kernels read them.
enum Kind<'a> {
    Labels(Labels<'a>),
    Values(ElementLoss, Values<'a>),
    Pairs(pair_loss::Pairs<'a>),
}

impl LossOp {
    fn kind(&self) -> Kind<'_> {
        let of_rows = self.targets.row_weights();
        let values = |rows, values| Values { rows, values, weights: of_rows };
        match self.targets.plain() {
            Targets::Classes { rows, classes, weights } => {
                Kind::Labels(Labels { rows, classes, weights: weights.as_deref(), of_rows })
            }
            Targets::Binary { rows, values: all } => Kind::Values(ElementLoss::Binary, values(rows, all)),
            Targets::Numbers { rows, values: all, loss } => Kind::Values((*loss).into(), values(rows, all)),
            Targets::Pairs { pairs, together } => Kind::Pairs(pair_loss::Pairs { pairs, together }),
            // What is weighed is never weighed again.
            Targets::Weighed { .. } => unreachable!("weights of weights"),
        }
    }
}

impl Operation for LossOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "loss"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (outputs, width) = (inputs[0].data, inputs[0].columns());
        let loss = match self.kind() {
            Kind::Labels(labels) => cross_entropy::forward(outputs, width, labels),
            Kind::Values(loss, values) => element_loss::forward(loss, outputs, width, values),
            Kind::Pairs(pairs) => pair_loss::forward(outputs, width, pairs),
        };
        (Output { data: vec![loss * self.share], shape: vec![1] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (outputs, width) = (step.input(0).data, step.input(0).columns());
        let scale = step.gradient[0] * self.share;
        let mut gradient = buffers::take(outputs.len());
        match self.kind() {
            Kind::Labels(labels) => cross_entropy::backward(outputs, width, labels, scale, &mut gradient),
            Kind::Values(loss, values) => {
                element_loss::backward(loss, outputs, width, values, scale, &mut gradient);
            }
            Kind::Pairs(pairs) => pair_loss::backward(outputs, width, pairs, scale, &mut gradient),
        }
        vec![Some(gradient)]
    }
}

/// The mean loss of `outputs` `[rows, width]` towards the targets, as a tensor of one number.
///
/// # Panics
/// If a target is out of range; see [`Targets::check`].
pub fn loss(outputs: Tensor<2>, targets: Arc<Targets>) -> Tensor<1> {
    loss_share(outputs, targets, 1.0)
}

/// The mean loss times `share`: the part of it that belongs to these targets, where there are others elsewhere.
///
/// # Panics
/// As [`loss`].
pub fn loss_share(outputs: Tensor<2>, targets: Arc<Targets>, share: f32) -> Tensor<1> {
    apply(LossOp { targets, share }, [Input::from(outputs)])
}
