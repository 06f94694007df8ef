//! Full-batch node classification.

mod early_stopping;
mod task;
mod trainer;

use std::sync::atomic::AtomicBool;

use farhop_nn::{Model, ModelConfig};
use serde::Serialize;

pub use early_stopping::{Best, EarlyStopping};
pub use task::NodeTask;

use crate::memory::peak_rss_bytes;
use crate::{Observer, RunFolder, Scores, Status, TrainConfig, TrainError, scores};
use trainer::Trainer;

/// What surrounds a training loop: where it saves, who listens, who may stop it.
pub struct Session<'a> {
    /// Where the run is kept; none: nothing is written.
    pub folder: Option<&'a mut RunFolder>,
    /// Hears about every epoch.
    pub observer: &'a mut dyn Observer,
    /// Set from anywhere, such as a signal handler: the loop saves and returns after the epoch it is in.
    pub stop: &'a AtomicBool,
}

/// Why a training loop ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All epochs were done.
    Finished,
    /// The validation score had not improved for `patience` epochs.
    StoppedEarly,
    /// It was asked to stop; with a run folder, it can be continued.
    Interrupted,
}

/// What came out of a run, in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Why it ended.
    pub outcome: Outcome,
    /// Epochs done, over all parts of the run.
    pub epochs: usize,
    /// Epoch of the weights that are kept; none before the first evaluation.
    pub best_epoch: Option<usize>,
    /// Scores of the weights that are kept; empty when interrupted.
    pub scores: Scores,
    /// Seconds of training, over all parts of the run.
    pub seconds: f64,
    /// Mean seconds of an epoch, evaluation included.
    pub seconds_per_epoch: Option<f64>,
    /// Number of weights.
    pub parameters: usize,
    /// Largest resident memory of this process, where the system tells.
    pub peak_rss_bytes: Option<u64>,
}

/// A trained model with the weights that were best on the validation nodes.
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// What came out.
    pub summary: Summary,
}

/// Trains a model on one graph.
///
/// Every epoch is one AdamW step on the mean cross-entropy of the training nodes, with warm-up, schedule and clipping as
/// configured. The weights with the highest validation accuracy (among equals, the lowest validation loss, then the
/// earliest) are kept and are those of the model returned. Without validation nodes the last weights are.
///
/// With a run folder that has a checkpoint, training continues there and ends with the same bits as if it had never
/// stopped.
///
/// # Errors
/// When the task does not hold together, a number stops being finite, or the folder can't be written. What was saved
/// stays.
pub fn fit(
    task: &NodeTask<'_>,
    model: &ModelConfig,
    config: &TrainConfig,
    session: &mut Session<'_>,
) -> Result<Fitted, TrainError> {
    config.validate()?;
    task.check()?;
    let mut trainer = Trainer::start(task, model, config, session)?;
    match trainer.run() {
        Ok(outcome) => end(task, model, config, trainer, outcome),
        Err(error) => {
            trainer.fail(&error);
            Err(error)
        }
    }
}

fn end(
    task: &NodeTask<'_>,
    model: &ModelConfig,
    config: &TrainConfig,
    trainer: Trainer<'_, '_>,
    outcome: Outcome,
) -> Result<Fitted, TrainError> {
    let progress = trainer.progress().clone();
    let best_epoch = trainer.best_epoch();
    let (best, folder) = trainer.into_best();
    let mut best_model = model.init(task.batch.width(), task.classes, config.seed)?;
    best_model.load_safetensors(&best)?;
    let scores = if outcome == Outcome::Interrupted {
        // Whoever interrupts is waiting.
        Scores::default()
    } else {
        let logits = best_model.outputs(task.batch);
        scores(&logits, task.classes, task.labels, task.split)
    };
    let summary = Summary {
        outcome,
        epochs: progress.epoch,
        best_epoch,
        scores,
        seconds: progress.seconds,
        seconds_per_epoch: (progress.epoch > 0).then(|| progress.seconds / progress.epoch as f64),
        parameters: best_model.parameters(),
        peak_rss_bytes: peak_rss_bytes(),
    };
    if let Some(folder) = folder {
        let record = folder.record_mut();
        record.status = match outcome {
            Outcome::Interrupted => Status::Interrupted,
            Outcome::Finished | Outcome::StoppedEarly => Status::Finished,
        };
        record.epochs = summary.epochs;
        record.best_epoch = summary.best_epoch;
        record.scores = summary.scores;
        record.seconds = summary.seconds;
        record.seconds_per_epoch = summary.seconds_per_epoch;
        record.peak_rss_bytes = summary.peak_rss_bytes;
        folder.end(Some(&best))?;
    }
    Ok(Fitted { model: best_model, summary })
}
