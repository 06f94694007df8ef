//! The loop itself: the steps of an epoch, evaluation, checkpoints, and the ways to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use farhop_data::Part;
use farhop_nn::{Batch, Learner, ModelConfig};

use super::{Outcome, Session};
use crate::run::{Checkpoint, Progress};
use crate::score::{Failed, evaluate_parts};
use crate::task::Task;
use crate::together::{Counted, Reading, agree, asked, checkpoint_of_first};
use crate::{CheckpointEvery, EpochReport, RunFolder, Status, TrainConfig, TrainError};

/// After so many steps nothing is left of where averages started: 0.9 to their power is a two-hundredth.
const YOUNG_STEPS: usize = 50;

pub(super) struct Trainer<'a, 's> {
    task: &'a Task,
    config: &'a TrainConfig,
    session: &'a mut Session<'s>,
    learner: Learner,
    progress: Progress,
    /// Epochs of a first phase of training; 0 if there is one phase only.
    first_epochs: usize,
    /// Whether there is a validation part.
    chooses: bool,
    /// The best weights by validation; none before the first evaluation, or without validation nodes.
    best: Option<Vec<u8>>,
    /// Epoch and time of the last save.
    saved: (usize, Instant),
    /// What talking to other processes took.
    counted: Counted,
}

impl<'a, 's> Trainer<'a, 's> {
    /// Builds the model and, where the folder has a checkpoint, puts everything back to where it was.
    pub(super) fn start(
        task: &'a Task,
        settings: &ModelConfig,
        config: &'a TrainConfig,
        session: &'a mut Session<'s>,
    ) -> Result<Self, TrainError> {
        let model = settings.init(task.input().clone(), *task.output(), config.seed)?;
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
        if let Some(group) = task.group() {
            checkpoint = checkpoint_of_first(group, checkpoint)?;
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
            learner,
            first_epochs: settings.first_epochs(),
            chooses: task.chooses(),
            saved: (progress.epoch, Instant::now()),
            counted: Counted::default(),
            progress,
            best,
        };
        if !resumed {
            // The first checkpoint, before any epoch: a folder that can't be written shows now, not after an hour.
            let saved = trainer.save();
            match task.group() {
                Some(group) => agree(group, saved)?,
                None => saved?,
            }
        }
        Ok(trainer)
    }

    /// Runs epochs until there is a reason to end.
    pub(super) fn run(&mut self) -> Result<Outcome, TrainError> {
        loop {
            let epoch = self.progress.epoch;
            let asked_here = self.session.stop.load(Ordering::SeqCst);
            let stop = self.task.group().map_or(asked_here, |group| asked(group, asked_here));
            self.task.check_others()?;
            let outcome = if epoch >= self.config.epochs {
                Some(Outcome::Finished)
            } else if self.progress.stopping.should_stop(epoch, self.config.patience) {
                Some(Outcome::StoppedEarly)
            } else if stop {
                Some(Outcome::Interrupted)
            } else {
                None
            };
            if let Some(outcome) = outcome {
                self.save_at_end()?;
                return Ok(outcome);
            }
            match self.epoch(epoch + 1)? {
                Epoch::Broken(before) => {
                    // A part of an epoch can't be continued: what stands is the state before it.
                    match before {
                        Some(before) => self.keep(&before)?,
                        // It had not begun.
                        None => self.save_at_end()?,
                    }
                    return Ok(Outcome::Interrupted);
                }
                Epoch::Whole { evaluated } if evaluated && self.save_is_due() => self.save()?,
                Epoch::Whole { .. } => {}
            }
        }
    }

    /// How far the run has come.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// What talking to other processes took in the epochs of this part of the run.
    pub(super) fn counted(&self) -> Counted {
        self.counted
    }

    /// Epoch of the weights that are kept.
    pub(super) fn best_epoch(&self) -> Option<usize> {
        match self.progress.stopping.best {
            Some(best) => Some(best.epoch),
            None if !self.chooses && self.progress.epoch > 0 => Some(self.progress.epoch),
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

    /// One epoch, counted from 1.
    fn epoch(&mut self, epoch: usize) -> Result<Epoch, TrainError> {
        let start = Instant::now();
        let before_it = self.task.group().map(|group| Reading::of(group));
        let steps = self.task.steps();
        // One step is short enough to wait for; of many, the state before the first has to be at hand.
        let before = (steps > 1 && self.session.folder.is_some()).then(|| self.state());
        let mut report = EpochReport {
            epoch,
            loss: 0.0,
            gradient_norm: 0.0,
            learning_rate: 0.0,
            train: None,
            valid: None,
            valid_loss: None,
            seconds: 0.0,
            loading_seconds: 0.0,
        };
        if self.begins_phase(epoch)
            && let Some(best) = &self.best
        {
            self.learner.model_mut().load_safetensors(best)?;
        }
        match self.steps(&mut report, steps) {
            Ok(()) => {}
            Err(Stop::Asked) => return Ok(Epoch::Broken(before.map(Box::new))),
            Err(Stop::NonFinite(otherwise, batch)) => return Err(self.non_finite(epoch, otherwise, &batch)),
            Err(Stop::Failed(error)) => return Err(*error),
        }
        let evaluated = epoch.is_multiple_of(self.config.evaluate_every) || epoch == self.config.epochs;
        if evaluated {
            // Several processes are at different batches: none of them leaves.
            let stop = (before.is_some() && self.task.group().is_none()).then_some(self.session.stop);
            match self.evaluate(&mut report, stop) {
                Ok(()) => {}
                Err(Failed::Asked) => return Ok(Epoch::Broken(before.map(Box::new))),
                // No score, and no reason to stop.
                Err(Failed::NonFinite(_)) if self.averages_are_young(epoch) && epoch < self.config.epochs => {}
                Err(Failed::NonFinite(layer)) if self.averages_are_young(epoch) => {
                    let place = layer.map_or("the output".to_string(), |layer| format!("the output of {layer}"));
                    return Err(TrainError::Unsettled { steps: epoch * self.task.steps(), place, epochs: epoch });
                }
                Err(Failed::NonFinite(layer)) => return Err(self.failed_at(epoch, layer, "the output")),
                Err(Failed::Error(error)) => return Err(*error),
            }
        }
        report.seconds = start.elapsed().as_secs_f64();
        if let (Some(group), Some(before)) = (self.task.group(), before_it) {
            self.counted.add(group, before, report.seconds);
        }
        self.progress.epoch = epoch;
        self.progress.seconds += report.seconds;
        self.progress.loading_seconds += report.loading_seconds;
        if let Some(folder) = self.session.folder.as_deref_mut() {
            folder.add_epoch(&report)?;
        }
        self.session.observer.epoch(&report);
        Ok(Epoch::Whole { evaluated })
    }

    /// Whether the averages that evaluation reads are still far from what training sees: they start at 0 and 1 and move by a tenth a step. A deep network multiplies the
    /// difference from layer to layer, up to infinity, while training itself is well.
    fn averages_are_young(&self, epoch: usize) -> bool {
        epoch * self.task.steps() < YOUNG_STEPS && self.learner.model().keeps_averages()
    }

    /// Whether the second phase of training begins with this epoch.
    fn begins_phase(&self, epoch: usize) -> bool {
        self.first_epochs > 0 && epoch == self.first_epochs + 1
    }

    /// The steps of an epoch.
    fn steps(&mut self, report: &mut EpochReport, steps: usize) -> Result<(), Stop> {
        let epoch = report.epoch;
        let mut begins = self.begins_phase(epoch);
        let (learner, config, stop) = (&mut self.learner, self.config, self.session.stop);
        let observer = &mut self.session.observer;
        let mut losses = 0f64;
        let task = self.task;
        let wanted = || if stop.load(Ordering::SeqCst) { Err(Stop::Asked) } else { Ok(()) };
        // Several processes stop at the same step.
        let waits = || if task.group().is_some() { Ok(()) } else { wanted() };
        let goes_on = || match task.group() {
            Some(group) if asked(group, stop.load(Ordering::SeqCst)) => Err(Stop::Asked),
            Some(_) => Ok(()),
            None => wanted(),
        };
        let time = task.train_batches(config.seed, epoch, waits, |number, loaded| {
            if number > 0 {
                goes_on()?;
            }
            if std::mem::take(&mut begins) {
                learner.next_phase(&loaded.batch, &loaded.targets);
            }
            report.learning_rate = config.learning_rate_at(epoch, number, steps);
            let step = learner.step(&loaded.batch, &loaded.targets, report.learning_rate);
            task.check_others()?;
            if !step.is_finite() {
                let otherwise = if step.loss.is_finite() { "the gradient" } else { "the loss" };
                return Err(Stop::NonFinite(otherwise, Box::new(loaded.batch)));
            }
            losses += f64::from(step.loss);
            report.gradient_norm = step.gradient_norm;
            observer.step(epoch, number + 1, steps, step.loss);
            Ok(())
        })?;
        report.loss = (losses / steps.max(1) as f64) as f32;
        report.loading_seconds = time.waited.as_secs_f64();
        Ok(())
    }

    /// Scores the weights after the epoch, and keeps them when they are the best so far.
    /// Without effect when it is asked to stop.
    fn evaluate(&mut self, report: &mut EpochReport, stop: Option<&AtomicBool>) -> Result<(), Failed> {
        let (task, model) = (self.task, self.learner.model());
        // The training nodes of one graph come with the pass; training graphs would be a pass of their own.
        let found = if task.graph_set().is_none() {
            evaluate_parts(task, model, [Part::Valid, Part::Train], stop).map(|[valid, train]| (valid, train.score))
        } else {
            evaluate_parts(task, model, [Part::Valid], stop).map(|[valid]| (valid, None))
        };
        let (valid, train) = found?;
        report.train = train;
        (report.valid, report.valid_loss) = (valid.score, valid.loss);
        if let (Some(score), Some(loss)) = (report.valid, report.valid_loss)
            && self.progress.stopping.observe(self.task.metric, self.config.ties, report.epoch, score, loss)
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

    /// Everything that is needed to go on from here.
    fn state(&self) -> Checkpoint {
        let weights = self.learner.model().to_safetensors();
        let best = self.best.clone().unwrap_or_else(|| weights.clone());
        let optimizer = self.learner.state_to_safetensors();
        Checkpoint { progress: self.progress.clone(), weights, best, optimizer }
    }

    fn save(&mut self) -> Result<(), TrainError> {
        self.saved = (self.progress.epoch, Instant::now());
        let state = self.session.folder.is_some().then(|| self.state());
        match (self.session.folder.as_deref_mut(), state) {
            (Some(folder), Some(state)) => folder.save_checkpoint(&state),
            _ => Ok(()),
        }
    }

    /// Saves the state before an epoch that was broken off, unless it is saved already.
    fn keep(&mut self, before: &Checkpoint) -> Result<(), TrainError> {
        match self.session.folder.as_deref_mut() {
            Some(folder) if self.saved.0 != before.progress.epoch => folder.save_checkpoint(before),
            _ => Ok(()),
        }
    }

    /// Saves the last state, unless it is saved already. Weights of an epoch without an evaluation are looked at first:
    /// a checkpoint is a state that training can go on from.
    fn save_at_end(&mut self) -> Result<(), TrainError> {
        let epoch = self.progress.epoch;
        if self.saved.0 == epoch || self.session.folder.is_none() {
            return Ok(());
        }
        let evaluated = epoch.is_multiple_of(self.config.evaluate_every) || epoch == self.config.epochs;
        // Of several processes only the first one saves, and a pass takes all of them.
        if !evaluated && self.task.group().is_none() && !self.averages_are_young(epoch) {
            let batch = self.task.some_batch()?;
            if self.learner.model().first_non_finite(&batch).is_some() {
                return Err(self.non_finite(epoch, "the output", &batch));
            }
        }
        self.save()
    }

    fn non_finite(&self, epoch: usize, otherwise: &str, batch: &Batch) -> TrainError {
        self.failed_at(epoch, self.learner.model().first_non_finite(batch), otherwise)
    }

    fn failed_at(&self, epoch: usize, layer: Option<String>, otherwise: &str) -> TrainError {
        let kept = match &self.session.folder {
            Some(folder) => format!("The checkpoint of epoch {} is kept in {}", self.saved.0, folder.path().display()),
            None => "Nothing was saved, since there is no run folder".to_string(),
        };
        TrainError::NonFinite {
            epoch,
            place: layer.map_or_else(|| otherwise.to_string(), |layer| format!("the output of {layer}")),
            learning_rate: self.config.learning_rate_at(epoch, 0, self.task.steps()),
            kept,
        }
    }
}

/// How an epoch ended.
enum Epoch {
    Whole {
        evaluated: bool,
    },
    /// It was asked to stop; the state before the epoch, if there is a folder and it had more than one step.
    Broken(Option<Box<Checkpoint>>),
}

/// Why the steps of an epoch ended before the last.
enum Stop {
    Asked,
    /// What was not finite, and on which batch.
    NonFinite(&'static str, Box<Batch>),
    /// A batch could not be made.
    Failed(Box<TrainError>),
}

impl From<TrainError> for Stop {
    fn from(error: TrainError) -> Self {
        Stop::Failed(Box::new(error))
    }
}

/// Writes the task and the model into the record, or checks them against the run that is continued.
fn describe(
    folder: &mut RunFolder,
    task: &Task,
    model: &str,
    parameters: usize,
    config: &TrainConfig,
) -> Result<(), TrainError> {
    let [nodes, edges] = task.whole_sizes();
    let sizes = [("graphs", task.graphs()), ("nodes", nodes), ("edges", edges)];
    let path = folder.path().to_path_buf();
    let record = folder.record_mut();
    let then = [record.graphs, record.nodes, record.edges];
    // A record without a model is one of a run that never began.
    if !record.model.is_empty() {
        let changed = |problem| Err(TrainError::DataChanged { path: path.clone(), problem });
        for ((name, now), then) in sizes.into_iter().zip(then) {
            if now != then {
                return changed(format!("the run was started with {then} {name}, now there are {now}"));
            }
        }
        if record.input != *task.input() || record.output != *task.output() {
            return changed("the run was started with other features or targets".to_string());
        }
    }
    [record.graphs, record.nodes, record.edges] = sizes.map(|(_, size)| size);
    record.input = task.input().clone();
    record.output = *task.output();
    record.scale = task.scale().cloned();
    record.task = task.kind().to_string();
    record.metric = task.metric;
    record.model = model.to_string();
    record.parameters = parameters;
    record.seed = config.seed;
    folder.write_record()
}
