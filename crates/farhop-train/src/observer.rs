//! How training tells what it is doing without knowing who listens.

use serde::Serialize;

/// One epoch, as reported to the [`Observer`] and written as one line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EpochReport {
    /// Counted from 1.
    pub epoch: usize,
    /// Mean cross-entropy on the training nodes, in training mode, before the step of this epoch.
    pub loss: f32,
    /// Euclidean norm of the whole gradient before clipping.
    pub gradient_norm: f32,
    /// Learning rate of the step.
    pub learning_rate: f64,
    /// Accuracy on the training nodes after the step; absent in epochs without an evaluation.
    pub train: Option<f64>,
    /// Accuracy on the validation nodes after the step.
    pub valid: Option<f64>,
    /// Mean cross-entropy on the validation nodes after the step, in evaluation mode.
    pub valid_loss: Option<f64>,
    /// Seconds this epoch took, evaluation included. The only field that differs between two equal runs.
    pub seconds: f64,
}

/// Receives what happens during training. Every method has an empty default.
pub trait Observer {
    /// Training is about to begin (or to continue) after `done` of `epochs` epochs.
    fn started(&mut self, done: usize, epochs: usize, parameters: usize) {
        let _ = (done, epochs, parameters);
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
