//! What follows a layer: `y = residual + dropout(activation(norm(x)))`, one pass over memory.

use std::sync::{Arc, Mutex};

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::dense::Finish;
use farhop_kernels::dense::batch_norm::Statistics;

use super::{Layer, Linear};
use crate::config::{ActivationKind, NormKind};
use crate::ops::{Normalisation, bridge, norm_block, norm_linear};
use crate::{Batch, Context, Features, RowsOf, init};

/// Added to the variance before the root.
const EPSILON: f32 = 1e-5;

/// Share of a new batch in the running statistics.
const MOMENTUM: f32 = 0.1;

/// The settings of a [`NormBlock`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockConfig {
    /// Normalisation.
    pub norm: NormKind,
    /// Activation.
    pub activation: ActivationKind,
    /// Probability of dropping an element.
    pub dropout: f32,
}

/// Normalisation, activation and dropout over `[N, width]`.
#[derive(Module, Debug)]
pub struct NormBlock {
    scale: Option<Param<Tensor<1>>>,
    shift: Option<Param<Tensor<1>>>,
    running_mean: Option<Param<Tensor<1>>>,
    running_variance: Option<Param<Tensor<1>>>,
    #[module(skip)]
    config: BlockConfig,
}

impl NormBlock {
    /// Scale 1, shift 0; statistics of mean 0 and variance 1.
    pub fn init(width: usize, config: BlockConfig) -> Self {
        let affine = config.norm != NormKind::None;
        let running = config.norm == NormKind::Batch;
        let stored = |value| running.then(|| init::constant(width, value).set_require_grad(false));
        NormBlock {
            scale: affine.then(|| init::constant(width, 1.0)),
            shift: affine.then(|| init::constant(width, 0.0)),
            running_mean: stored(0.0),
            running_variance: stored(1.0),
            config,
        }
    }

    /// Number of trained parameters.
    pub fn size(width: usize, config: BlockConfig) -> usize {
        if config.norm == NormKind::None { 0 } else { 2 * width }
    }

    /// `residual + dropout(activation(norm(x)))`.
    pub fn apply(&self, x: Tensor<2>, residual: Option<Tensor<2>>, context: &Context) -> Tensor<2> {
        self.apply_rows(RowsOf::Nodes, x, residual, context)
    }

    /// As [`NormBlock::apply`], for rows of entries.
    pub fn apply_entries(&self, x: Tensor<2>, residual: Option<Tensor<2>>, context: &Context) -> Tensor<2> {
        self.apply_rows(RowsOf::Entries(x.dims()[0]), x, residual, context)
    }

    fn apply_rows(&self, rows: RowsOf, x: Tensor<2>, residual: Option<Tensor<2>>, context: &Context) -> Tensor<2> {
        let finish = self.finish(rows, context);
        if residual.is_none() && self.scale.is_none() && finish.is_identity() {
            return x;
        }
        self.normalised(context, |norm| norm_block(x, norm, finish, residual))
    }

    /// `dropout(activation(norm(x))) W + b`; what lies between block and map is not kept.
    pub fn apply_linear(&self, x: Tensor<2>, map: &Linear, context: &Context) -> Tensor<2> {
        let finish = self.finish(RowsOf::Nodes, context);
        if self.scale.is_none() && finish.is_identity() {
            return map.apply(x.into());
        }
        self.normalised(context, |norm| norm_linear(x, norm, finish, map.weight(), Some(map.bias())))
    }

    fn finish(&self, rows: RowsOf, context: &Context) -> Finish {
        let dropout = context.dropout_of(rows, self.config.dropout);
        Finish { activation: self.config.activation.into(), dropout }
    }

    /// Runs an operation with the normalisation of this pass, and takes note of the statistics that it saw.
    fn normalised(&self, context: &Context, run: impl FnOnce(Normalisation) -> Tensor<2>) -> Tensor<2> {
        let (Some(scale), Some(shift)) = (&self.scale, &self.shift) else {
            return run(Normalisation::None);
        };
        let (gamma, beta, epsilon) = (scale.val(), shift.val(), EPSILON);
        let (Some(mean), Some(variance)) = (&self.running_mean, &self.running_variance) else {
            return run(Normalisation::Layer { gamma, beta, epsilon });
        };
        let running = Statistics { mean: bridge::into_vec(mean.val()), variance: bridge::into_vec(variance.val()) };
        if !context.is_training() {
            return run(Normalisation::Running { gamma, beta, epsilon, statistics: running });
        }
        let seen = Arc::new(Mutex::new(None));
        let output = run(Normalisation::Batch { gamma, beta, epsilon, seen: seen.clone(), others: context.others() });
        if let Some((batch, rows)) = seen.lock().ok().and_then(|mut seen| seen.take()) {
            // The running variance estimates that of unseen rows, so it is divided by one row less.
            let unbiased = rows as f32 / rows.saturating_sub(1).max(1) as f32;
            context.update(mean.id, blend(running.mean, &batch.mean, 1.0));
            context.update(variance.id, blend(running.variance, &batch.variance, unbiased));
        }
        output
    }
}

fn blend(mut running: Vec<f32>, batch: &[f32], factor: f32) -> Vec<f32> {
    for (r, b) in running.iter_mut().zip(batch) {
        *r += MOMENTUM * (factor * b - *r);
    }
    running
}

impl Layer for NormBlock {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        self.apply(features.into_dense(batch), None, context)
    }
}
