//! How training tells what it is doing without knowing who listens.

use serde::Serialize;

/// One epoch, as reported to the [`Observer`] and written as one line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EpochReport {
    /// Counted from 1.
    pub epoch: usize,
    /// Mean loss over the steps of this epoch, in training mode, each before its step.
    pub loss: f32,
    /// Euclidean norm of the whole gradient before clipping, of the last step.
    pub gradient_norm: f32,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Score on the training nodes after the epoch; absent in epochs without an evaluation, and where many graphs are
    /// learned from (they are scored at the end of a run).
    pub train: Option<f64>,
    /// Score on the validation part after the epoch.
    pub valid: Option<f64>,
    /// Mean loss on the validation part after the epoch, in evaluation mode.
    pub valid_loss: Option<f64>,
    /// Seconds this epoch took, evaluation included. Like the next field, it differs between two equal runs.
    pub seconds: f64,
    /// Seconds of it in which the model had to wait for batches to be made.
    pub loading_seconds: f64,
}

/// Receives what happens during training. Every method has an empty default.
pub trait Observer {
    /// Training is about to begin (or to continue) after `done` of `epochs` epochs.
    fn started(&mut self, done: usize, epochs: usize, parameters: usize) {
        let _ = (done, epochs, parameters);
    }
    /// Step `step` of `steps` of an epoch ended.
    fn step(&mut self, epoch: usize, step: usize, steps: usize, loss: f32) {
        let _ = (epoch, step, steps, loss);
    }
    /// An epoch ended.
    fn epoch(&mut self, report: &EpochReport) {
        let _ = report;
    }
    /// Something worth one line to a reader.
    fn message(&mut self, text: &str) {
        let _ = text;
    }
}

/// An [`Observer`] that hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
