//! Normalisation, activation, dropout and residual as one operation.

use std::sync::{Arc, Mutex};

use burn::tensor::Tensor;
use farhop_kernels::dense::batch_norm::{self, Statistics};
use farhop_kernels::dense::layer_norm::{self, Affine};
use farhop_kernels::dense::{Finish, finish};
use farhop_kernels::exchange::Group;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Which normalisation comes first, with its learned scale and shift `[width]`.
#[derive(Debug)]
pub enum Normalisation {
    /// None.
    None,
    /// Over the channels of each row.
    Layer {
        /// Scale.
        gamma: Tensor<1>,
        /// Shift.
        beta: Tensor<1>,
        /// Added to the variance.
        epsilon: f32,
    },
    /// Over the rows, by the statistics of the batch; they are left in `seen`.
    Batch {
        /// Scale.
        gamma: Tensor<1>,
        /// Shift.
        beta: Tensor<1>,
        /// Added to the variance.
        epsilon: f32,
        /// Receives the statistics of this batch, and of how many rows they are.
        seen: Arc<Mutex<Option<(Statistics, usize)>>>,
        /// The processes among which the rows are divided, if they are.
        others: Option<Others>,
    },
    /// Over the rows, by given statistics.
    Running {
        /// Scale.
        gamma: Tensor<1>,
        /// Shift.
        beta: Tensor<1>,
        /// Added to the variance.
        epsilon: f32,
        /// Means and variances of the columns.
        statistics: Statistics,
    },
}

/// The processes among which the rows of an array are divided.
#[derive(Clone, Debug)]
pub struct Others {
    /// All of them.
    pub group: Arc<Group>,
    /// Whether the rows of this one count.
    pub counts: bool,
}

#[derive(Debug)]
enum Kind {
    None,
    Layer,
    Batch(Arc<Mutex<Option<(Statistics, usize)>>>, Option<Others>),
    Running(Statistics),
}

/// Inputs x, then gamma and beta unless the kind is `None`, then the residual if there is one.
#[derive(Debug)]
pub(super) struct NormBlockOp {
    kind: Kind,
    epsilon: f32,
    finish: Finish,
    residual: bool,
}

pub(super) enum Kept {
    Nothing,
    PerRow(Vec<f32>),
    PerColumn(Statistics),
}

impl NormBlockOp {
    fn affine<'a>(&self, gamma: Array<'a>, beta: Array<'a>) -> Affine<'a> {
        Affine { gamma: gamma.data, beta: beta.data, epsilon: self.epsilon }
    }

    pub(super) fn parameters(&self) -> usize {
        if matches!(self.kind, Kind::None) { 0 } else { 2 }
    }

    /// The output, written into `y`. `known` are the statistics of the batch, if it was seen before.
    fn write(&self, inputs: &[Array], known: Option<&Statistics>, y: &mut [f32]) -> Kept {
        let x = inputs[0];
        let (rows, width) = (x.rows(), x.columns());
        let residual = self.residual.then(|| inputs[1 + self.parameters()].data);
        let by_columns = |statistics: &Statistics, y: &mut [f32]| {
            let affine = self.affine(inputs[1], inputs[2]);
            batch_norm::forward(x.data, residual, affine, statistics, rows, &self.finish, y);
        };
        match (&self.kind, known) {
            (Kind::None, _) => {
                finish::forward(x.data, residual, rows, width, &self.finish, y);
                Kept::Nothing
            }
            (Kind::Layer, _) => {
                let affine = self.affine(inputs[1], inputs[2]);
                let mut statistics = buffers::take(rows * 2);
                layer_norm::forward(x.data, residual, affine, rows, &self.finish, y, &mut statistics);
                Kept::PerRow(statistics)
            }
            (Kind::Batch(..), Some(statistics)) | (Kind::Running(statistics), _) => {
                by_columns(statistics, y);
                Kept::Nothing
            }
            (Kind::Batch(seen, others), None) => {
                let (statistics, rows) = match others {
                    None => (batch_norm::statistics(x.data, rows, width), rows),
                    Some(others) => statistics_of_all(x, others),
                };
                by_columns(&statistics, y);
                if let Ok(mut seen) = seen.lock() {
                    *seen = Some((statistics.clone(), rows));
                }
                Kept::PerColumn(statistics)
            }
        }
    }

    /// The output of a pass that kept `kept`, once more: the same bits.
    pub(super) fn again(&self, inputs: &[Array], kept: &Kept) -> Vec<f32> {
        let mut y = buffers::take(inputs[0].data.len());
        let known = match kept {
            Kept::PerColumn(statistics) => Some(statistics),
            Kept::Nothing | Kept::PerRow(_) => None,
        };
        if let Kept::PerRow(statistics) = self.write(inputs, known, &mut y) {
            buffers::give(statistics);
        }
        y
    }
}

impl Operation for NormBlockOp {
    type Kept = Kept;

    fn name(&self) -> &'static str {
        "norm_block"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Kept) {
        let x = inputs[0];
        let mut y = buffers::take(x.data.len());
        let kept = match self.write(inputs, None, &mut y) {
            Kept::PerRow(statistics) if !training => {
                buffers::give(statistics);
                Kept::Nothing
            }
            kept => kept,
        };
        (Output { data: y, shape: x.shape.to_vec() }, kept)
    }

    fn keeps(&self, input: usize) -> bool {
        input <= self.parameters()
    }

    fn backward(&self, step: Backward<Kept>) -> Vec<Option<Vec<f32>>> {
        let x = step.input(0);
        let (rows, width) = (x.rows(), x.columns());
        let dy = &step.gradient;
        let mut dx = buffers::take(x.data.len());
        let by_columns = |statistics: &Statistics, through: bool, dx: &mut [f32]| {
            let affine = self.affine(step.input(1), step.input(2));
            match &self.kind {
                Kind::Batch(_, Some(Others { group, counts })) => {
                    let whole = |sums: &[f32]| {
                        let own = sums.iter().map(|sum| f64::from(*sum)).chain([rows as f64]);
                        let own: Vec<f64> = own.map(|number| if *counts { number } else { 0.0 }).collect();
                        let mut all = group.sums(&own);
                        let rows = all.pop().unwrap_or(0.0);
                        (all.into_iter().map(|sum| sum as f32).collect(), rows)
                    };
                    batch_norm::backward_within(x.data, affine, statistics, through, dy, rows, &self.finish, dx, whole)
                }
                _ => batch_norm::backward(x.data, affine, statistics, through, dy, rows, &self.finish, dx),
            }
        };
        let affine_gradient = match (&self.kind, &step.kept) {
            (Kind::Layer, Kept::PerRow(statistics)) => {
                let affine = self.affine(step.input(1), step.input(2));
                Some(layer_norm::backward(x.data, statistics, affine, dy, rows, &self.finish, &mut dx))
            }
            (_, Kept::PerColumn(statistics)) => Some(by_columns(statistics, true, &mut dx)),
            (Kind::Running(statistics), _) => Some(by_columns(statistics, false, &mut dx)),
            _ => {
                finish::backward(x.data, dy, rows, width, &self.finish, &mut dx);
                None
            }
        };
        let mut gradients = vec![Some(dx)];
        if let Some(gradient) = affine_gradient {
            gradients.extend([Some(gradient.gamma), Some(gradient.beta)]);
        }
        if let Kept::PerRow(statistics) = step.kept {
            buffers::give(statistics);
        }
        if self.residual {
            gradients.push(Some(step.gradient));
        } else {
            buffers::give(step.gradient);
        }
        gradients
    }
}

/// The statistics of the rows of all processes, joined in the order of the ranks, and how many there are.
fn statistics_of_all(x: Array, others: &Others) -> (Statistics, usize) {
    let width = x.columns();
    let own = match others.counts {
        true => batch_norm::moments(x.data, x.rows(), width),
        false => batch_norm::Moments::none(width),
    };
    let said: Vec<f64> = std::iter::once(own.count).chain(own.mean).chain(own.squares).collect();
    let mut all = batch_norm::Moments::none(width);
    for numbers in others.group.numbers(&said) {
        let (mean, squares) = numbers[1..].split_at(width);
        all.join(numbers[0], mean, squares);
    }
    let rows = all.count as usize;
    (all.statistics(), rows)
}

impl NormBlockOp {
    /// The operation, and its scale and shift.
    pub(super) fn new(norm: Normalisation, finish: Finish, residual: bool) -> (Self, Option<[Tensor<1>; 2]>) {
        let (kind, epsilon, affine) = match norm {
            Normalisation::None => (Kind::None, 0.0, None),
            Normalisation::Layer { gamma, beta, epsilon } => (Kind::Layer, epsilon, Some([gamma, beta])),
            Normalisation::Batch { gamma, beta, epsilon, seen, others } => {
                (Kind::Batch(seen, others), epsilon, Some([gamma, beta]))
            }
            Normalisation::Running { gamma, beta, epsilon, statistics } => {
                (Kind::Running(statistics), epsilon, Some([gamma, beta]))
            }
        };
        (NormBlockOp { kind, epsilon, finish, residual }, affine)
    }
}

/// `residual + dropout(activation(norm(x)))`, all `[N, width]`.
pub fn norm_block(x: Tensor<2>, norm: Normalisation, finish: Finish, residual: Option<Tensor<2>>) -> Tensor<2> {
    let (operation, affine) = NormBlockOp::new(norm, finish, residual.is_some());
    let affine = affine.into_iter().flatten().map(Input::from);
    apply(operation, std::iter::once(Input::from(x)).chain(affine).chain(residual.map(Input::from)))
}
