//! The loop itself: one step an epoch, evaluation, checkpoints, and the ways to end.

use std::sync::atomic::Ordering;
use std::time::Instant;

use farhop_data::metrics::largest;
use farhop_nn::{Learner, ModelConfig, Targets};

use super::{NodeTask, Outcome, Session};
use crate::run::{Checkpoint, Progress};
use crate::score::{accuracy, mean_cross_entropy};
use crate::{CheckpointEvery, EpochReport, RunFolder, Status, TrainConfig, TrainError};

pub(super) struct Trainer<'a, 's> {
    task: &'a NodeTask<'a>,
    config: &'a TrainConfig,
    session: &'a mut Session<'s>,
    targets: Targets,
    learner: Learner,
    progress: Progress,
    /// The best weights by validation; none before the first evaluation, or without validation nodes.
    best: Option<Vec<u8>>,
    /// Epoch and time of the last save.
    saved: (usize, Instant),
}

impl<'a, 's> Trainer<'a, 's> {
    /// Builds the model and, where the folder has a checkpoint, puts everything back to where it was.
    pub(super) fn start(
        task: &'a NodeTask<'a>,
        settings: &ModelConfig,
        config: &'a TrainConfig,
        session: &'a mut Session<'s>,
    ) -> Result<Self, TrainError> {
        let model = settings.init(task.batch.width(), task.classes, config.seed)?;
        let mut checkpoint = None;
        if let Some(folder) = session.folder.as_deref_mut() {
            let recipe = folder.recipe();
            if recipe.model != *settings || recipe.train != *config {
                return Err(TrainError::Task(format!(
                    "the settings are not those of {}. Train with the recipe of the folder.",
                    folder.path().display()
                )));
            }
            describe(folder, task, model.config().name(), model.parameters(), config)?;
            for note in folder.take_notes() {
                session.observer.message(&note);
            }
            checkpoint = folder.take_checkpoint();
        }
        let mut learner = Learner::new(model, config.optimizer.clone(), config.seed);
        let mut progress = Progress::default();
        let mut best = None;
        let resumed = checkpoint.is_some();
        if let Some(checkpoint) = checkpoint {
            learner.model_mut().load_safetensors(&checkpoint.weights)?;
            learner.load_state(&checkpoint.optimizer)?;
            progress = checkpoint.progress;
            best = progress.stopping.best.map(|_| checkpoint.best);
        }
        let parameters = learner.model().parameters();
        session.observer.started(progress.epoch, config.epochs, parameters);
        let mut trainer = Trainer {
            task,
            config,
            session,
            targets: task.targets(),
            learner,
            saved: (progress.epoch, Instant::now()),
            progress,
            best,
        };
        if !resumed {
            // The first checkpoint, before any epoch: a folder that can't be written shows now, not after an hour.
            trainer.save()?;
        }
        Ok(trainer)
    }

    /// Runs epochs until there is a reason to end.
    pub(super) fn run(&mut self) -> Result<Outcome, TrainError> {
        loop {
            let epoch = self.progress.epoch;
            let outcome = if epoch >= self.config.epochs {
                Some(Outcome::Finished)
            } else if self.progress.stopping.should_stop(epoch, self.config.patience) {
                Some(Outcome::StoppedEarly)
            } else if self.session.stop.load(Ordering::SeqCst) {
                Some(Outcome::Interrupted)
            } else {
                None
            };
            if let Some(outcome) = outcome {
                self.save_at_end()?;
                return Ok(outcome);
            }
            let evaluated = self.epoch(epoch + 1)?;
            if evaluated && self.save_is_due() {
                self.save()?;
            }
        }
    }

    /// How far the run has come.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Epoch of the weights that are kept.
    pub(super) fn best_epoch(&self) -> Option<usize> {
        match self.progress.stopping.best {
            Some(best) => Some(best.epoch),
            None if self.task.split.valid.is_empty() && self.progress.epoch > 0 => Some(self.progress.epoch),
            None => None,
        }
    }

    /// The weights to keep, and the folder to keep them in. Everything else of the loop is freed.
    pub(super) fn into_best(self) -> (Vec<u8>, Option<&'a mut RunFolder>) {
        let best = self.best.unwrap_or_else(|| self.learner.model().to_safetensors());
        (best, self.session.folder.as_deref_mut())
    }

    /// Writes down that the run failed. What was saved before stays, and the error to be reported is the first one.
    pub(super) fn fail(&mut self, error: &TrainError) {
        let best_epoch = self.best_epoch();
        if let Some(folder) = self.session.folder.as_deref_mut() {
            let record = folder.record_mut();
            record.status = Status::Failed;
            record.error = Some(error.to_string());
            record.epochs = self.progress.epoch;
            record.best_epoch = best_epoch;
            record.seconds = self.progress.seconds;
            let _ = folder.end(self.best.as_deref());
        }
    }

    /// One epoch, counted from 1. True when it was evaluated.
    fn epoch(&mut self, epoch: usize) -> Result<bool, TrainError> {
        let start = Instant::now();
        let learning_rate = self.config.learning_rate_at(epoch);
        let step = self.learner.step(self.task.batch, &self.targets, learning_rate);
        if !step.is_finite() {
            let otherwise = if step.loss.is_finite() { "the gradient" } else { "the loss" };
            return Err(self.non_finite(epoch, otherwise));
        }
        let evaluated = epoch.is_multiple_of(self.config.evaluate_every) || epoch == self.config.epochs;
        let mut report = EpochReport {
            epoch,
            loss: step.loss,
            gradient_norm: step.gradient_norm,
            learning_rate,
            train: None,
            valid: None,
            valid_loss: None,
            seconds: 0.0,
        };
        if evaluated {
            self.evaluate(&mut report)?;
        }
        report.seconds = start.elapsed().as_secs_f64();
        self.progress.epoch = epoch;
        self.progress.seconds += report.seconds;
        if let Some(folder) = self.session.folder.as_deref_mut() {
            folder.add_epoch(&report)?;
        }
        self.session.observer.epoch(&report);
        Ok(evaluated)
    }

    /// Scores the weights after the step, and keeps them when they are the best so far.
    fn evaluate(&mut self, report: &mut EpochReport) -> Result<(), TrainError> {
        let NodeTask { batch, labels, classes, split } = *self.task;
        let logits = self.learner.model().outputs(batch);
        if !logits.iter().all(|value| value.is_finite()) {
            return Err(self.non_finite(report.epoch, "the output"));
        }
        let predicted = largest(&logits, classes);
        report.train = accuracy(&predicted, labels, &split.train);
        report.valid = accuracy(&predicted, labels, &split.valid);
        report.valid_loss = mean_cross_entropy(&logits, classes, labels, &split.valid);
        if let (Some(score), Some(loss)) = (report.valid, report.valid_loss)
            && self.progress.stopping.observe(report.epoch, score, loss)
        {
            self.best = Some(self.learner.model().to_safetensors());
        }
        Ok(())
    }

    fn save_is_due(&self) -> bool {
        let (epoch, time) = self.saved;
        match self.config.checkpoint_every {
            CheckpointEvery::Epochs(epochs) => self.progress.epoch - epoch >= epochs,
            CheckpointEvery::Seconds(seconds) => time.elapsed().as_secs_f64() >= seconds,
        }
    }

    fn save(&mut self) -> Result<(), TrainError> {
        self.saved = (self.progress.epoch, Instant::now());
        let Some(folder) = self.session.folder.as_deref_mut() else {
            return Ok(());
        };
        let weights = self.learner.model().to_safetensors();
        let best = self.best.clone().unwrap_or_else(|| weights.clone());
        folder.save_checkpoint(&Checkpoint {
            progress: self.progress.clone(),
            weights,
            best,
            optimizer: self.learner.state_to_safetensors(),
        })
    }

    /// Saves the last state, unless it is saved already. Weights of an epoch without an evaluation are looked at first:
    /// a checkpoint is a state that training can go on from.
    fn save_at_end(&mut self) -> Result<(), TrainError> {
        let epoch = self.progress.epoch;
        if self.saved.0 == epoch || self.session.folder.is_none() {
            return Ok(());
        }
        let evaluated = epoch.is_multiple_of(self.config.evaluate_every) || epoch == self.config.epochs;
        if !evaluated && self.learner.model().first_non_finite(self.task.batch).is_some() {
            return Err(self.non_finite(epoch, "the output"));
        }
        self.save()
    }

    fn non_finite(&self, epoch: usize, otherwise: &str) -> TrainError {
        let layer = self.learner.model().first_non_finite(self.task.batch);
        let kept = match &self.session.folder {
            Some(folder) => format!("The checkpoint of epoch {} is kept in {}", self.saved.0, folder.path().display()),
            None => "Nothing was saved, since there is no run folder".to_string(),
        };
        TrainError::NonFinite {
            epoch,
            place: layer.map_or_else(|| otherwise.to_string(), |layer| format!("the output of {layer}")),
            learning_rate: self.config.learning_rate_at(epoch),
            kept,
        }
    }
}

/// Writes the sizes and the model into the record, or checks them against the run that is continued.
fn describe(
    folder: &mut RunFolder,
    task: &NodeTask<'_>,
    model: &str,
    parameters: usize,
    config: &TrainConfig,
) -> Result<(), TrainError> {
    let graph = task.batch.graph();
    let sizes = [
        ("features", task.batch.width()),
        ("classes", task.classes),
        ("nodes", graph.nodes()),
        ("edges", graph.edges()),
    ];
    let path = folder.path().to_path_buf();
    let record = folder.record_mut();
    let then = [record.inputs, record.outputs, record.nodes, record.edges];
    // A record without a model is one of a run that never began.
    if !record.model.is_empty() {
        for ((name, now), then) in sizes.into_iter().zip(then) {
            if now != then {
                let problem = format!("the run was started with {then} {name}, now there are {now}");
                return Err(TrainError::DataChanged { path, problem });
            }
        }
    }
    [record.inputs, record.outputs, record.nodes, record.edges] = sizes.map(|(_, size)| size);
    record.model = model.to_string();
    record.parameters = parameters;
    record.seed = config.seed;
    folder.write_record()
}
