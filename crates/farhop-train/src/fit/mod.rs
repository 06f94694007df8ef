//! The training loop, from a task to the best weights.

mod early_stopping;
mod trainer;

use std::sync::atomic::AtomicBool;

use farhop_data::Part;
use farhop_nn::{Model, ModelConfig};
use serde::Serialize;

pub use early_stopping::{Best, EarlyStopping};

use crate::decisions::{Confusions, Ending};
use crate::memory::peak_rss_bytes;
use crate::task::Task;
use crate::together::Figures;
use crate::{Observer, RunFolder, Scores, Status, TrainConfig, TrainError};
use trainer::Trainer;

/// What surrounds a training loop: where it saves, who listens, who may stop it.
pub struct Session<'a> {
    /// Where the run is kept; none: nothing is written.
    pub folder: Option<&'a mut RunFolder>,
    /// Hears about every epoch.
    pub observer: &'a mut dyn Observer,
    /// Set from anywhere, such as a signal handler: the loop returns after the step it is in, with everything up to the
    /// last whole epoch saved.
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
    /// For each yes-or-no label, or for the second of two classes: the probability above which the answer is yes, chosen on
    /// the validation part by balanced accuracy. None: one half, or other targets.
    pub thresholds: Option<Vec<f32>>,
    /// What was taken for what in the test part (in the validation part if there is no other), where there are classes or a
    /// single question.
    #[serde(skip)]
    pub confusion: Option<(Part, Confusions)>,
    /// Seconds of training, over all parts of the run.
    pub seconds: f64,
    /// Mean seconds of an epoch, evaluation included.
    pub seconds_per_epoch: Option<f64>,
    /// Share of the training time in which the model waited for batches.
    pub loading_share: Option<f64>,
    /// Number of weights.
    pub parameters: usize,
    /// Largest resident memory of this process, where the system tells.
    pub peak_rss_bytes: Option<u64>,
    /// Of several processes: what an epoch took in each of them, since the run was started or continued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<Figures>,
}

/// A trained model with the weights that were best on the validation part.
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// What came out.
    pub summary: Summary,
}

/// Trains a model.
///
/// An epoch is one step on all training nodes of one graph, or a step for each batch of graphs, with warm-up, schedule
/// and clipping as configured. The weights with the best validation score (among equals, as `ties` says) are kept and are those of the model returned. Without a validation part the last weights are.
///
/// With a run folder that has a checkpoint, training continues there and ends with the same bits as if it had never
/// stopped.
///
/// # Errors
/// When the task does not hold together, a number stops being finite, or the folder can't be written. What was saved
/// stays.
pub fn fit(
    task: &Task,
    model: &ModelConfig,
    config: &TrainConfig,
    session: &mut Session<'_>,
) -> Result<Fitted, TrainError> {
    config.validate()?;
    task.check_model(model)?;
    if !task.learns() {
        return Err(TrainError::NothingToLearn { distance: None });
    }
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
    task: &Task,
    model: &ModelConfig,
    config: &TrainConfig,
    trainer: Trainer<'_, '_>,
    outcome: Outcome,
) -> Result<Fitted, TrainError> {
    let progress = trainer.progress().clone();
    let best_epoch = trainer.best_epoch();
    let counted = trainer.counted();
    let (best, folder) = trainer.into_best();
    let mut best_model = model.init(task.input().clone(), *task.output(), config.seed)?;
    best_model.load_safetensors(&best)?;
    let ending = match outcome {
        // Whoever interrupts is waiting.
        Outcome::Interrupted => None,
        Outcome::Finished | Outcome::StoppedEarly => Some(Ending::of(task, &best_model)?),
    };
    let (scores, thresholds, confusion) =
        ending.map_or_else(Default::default, |ending| (ending.scores, ending.thresholds, ending.confusion));
    let summary = Summary {
        outcome,
        epochs: progress.epoch,
        best_epoch,
        scores,
        thresholds,
        confusion,
        seconds: progress.seconds,
        seconds_per_epoch: (progress.epoch > 0).then(|| progress.seconds / progress.epoch as f64),
        loading_share: (progress.seconds > 0.0).then(|| progress.loading_seconds / progress.seconds),
        parameters: best_model.parameters(),
        peak_rss_bytes: peak_rss_bytes(),
        together: Figures::of(task, &counted)?,
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
        record.thresholds.clone_from(&summary.thresholds);
        record.seconds = summary.seconds;
        record.seconds_per_epoch = summary.seconds_per_epoch;
        record.peak_rss_bytes = summary.peak_rss_bytes;
        record.together.clone_from(&summary.together);
        folder.end(Some(&best))?;
    }
    Ok(Fitted { model: best_model, summary })
}
