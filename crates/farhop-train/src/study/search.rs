//! Working on a study: trials are taken, trained, ended early where they are hopeless, and written down.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::folder::{Claim, Study};
use super::median::{Curve, MedianRule};
use super::trial::{State, Trial};
use crate::run::names;
use crate::series::Surroundings;
use crate::{EpochReport, Material, Observer, Outcome, Recipe, Resume, TrainError, Trained};

/// Hears how a search goes.
pub trait Listener {
    /// A trial begins, or goes on after its process was killed.
    fn begun(&mut self, trial: &Trial, taken_over: bool) {
        let _ = (trial, taken_over);
    }
    /// An epoch of it ended.
    fn epoch(&mut self, trial: &Trial, report: &EpochReport) {
        let _ = (trial, report);
    }
    /// It ended, one way or another; `best` is the best that is known.
    fn ended(&mut self, trial: &Trial, best: Option<&Trial>) {
        let _ = (trial, best);
    }
}

/// A search by this process. Others may work on the same study.
pub struct Search<'a> {
    /// The study.
    pub study: &'a Study,
    /// What all trials start from.
    pub base: &'a Recipe,
    /// The data. What is kept for the test is taken out before a trial sees it.
    pub material: &'a Material,
    /// Where things are.
    pub around: Surroundings<'a>,
    /// Trials of the study, those of other processes among them.
    pub trials: usize,
    /// When a trial is hopeless; none: all are trained to their end.
    pub rule: Option<MedianRule>,
}

impl Search<'_> {
    /// Works until all trials are taken, or `stop` is set: then the trial in work is saved and can be gone on with. Says whether all were
    /// taken.
    ///
    /// # Errors
    /// When the study can't be read or written. A trial that fails is written down as failed, and the search goes on.
    pub fn run(&self, listener: &mut dyn Listener, stop: &AtomicBool) -> Result<bool, TrainError> {
        let own = self.study.space().of_recipe(self.base);
        while !stop.load(Ordering::SeqCst) {
            let Some(claim) = self.study.claim(self.trials, Some(&own))? else { return Ok(true) };
            if !self.work(claim, listener, stop)? {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// One trial. False when it was interrupted.
    fn work(&self, mut claim: Claim, listener: &mut dyn Listener, asked: &AtomicBool) -> Result<bool, TrainError> {
        let goes_on = claim.run.join(names::RECORD).is_file();
        claim.trial.curve = if goes_on { curve_so_far(&claim.run, self.study) } else { Curve::new() };
        listener.begun(&claim.trial, goes_on);
        let others: Vec<Curve> = claim.others.iter().map(|trial| trial.curve.clone()).collect();
        let end = AtomicBool::new(false);
        let trial = &mut claim.trial;
        let mut watch = Watch {
            study: self.study,
            rule: self.rule,
            others: &others,
            trial,
            listener,
            asked,
            end: &end,
            hopeless: false,
        };
        let trained = self.train(&claim.run, goes_on, &mut watch, &end);
        let hopeless = watch.hopeless;
        let trial = &mut claim.trial;
        match trained {
            Ok(trained) => {
                let summary = &trained.fitted.summary;
                (trial.epochs, trial.seconds) = (summary.epochs, summary.seconds);
                trial.state = match summary.outcome {
                    Outcome::Interrupted if hopeless => State::Pruned,
                    Outcome::Interrupted => return claim.save().map(|()| false),
                    Outcome::Finished | Outcome::StoppedEarly => State::Finished,
                };
                if trial.state == State::Finished {
                    trial.score = summary.scores.valid;
                }
            }
            // A disk that is full, or a folder that is gone, concerns the whole study.
            Err(error @ (TrainError::Io { .. } | TrainError::FolderGone { .. })) => return Err(error),
            Err(error) => {
                trial.state = State::Failed;
                trial.error = Some(error.to_string());
            }
        }
        claim.save()?;
        listener.ended(&claim.trial, self.study.best(claim.others.iter().chain([&claim.trial])));
        Ok(true)
    }

    fn train(&self, run: &Path, goes_on: bool, watch: &mut Watch<'_>, end: &AtomicBool) -> Result<Trained, TrainError> {
        if goes_on {
            return Resume { data_dir: self.around.data_dir.clone(), ..Resume::new(run) }.train(watch, end);
        }
        let recipe = self.study.space().recipe(self.base, &watch.trial.settings)?;
        let mut material = self.material.clone();
        // Nobody can look at what is not there.
        material.dataset.split.test.clear();
        self.around.job(recipe, material, run, true).train(watch, end)
    }
}

/// Follows one trial, and ends it where that is due.
struct Watch<'a> {
    study: &'a Study,
    rule: Option<MedianRule>,
    others: &'a [Curve],
    trial: &'a mut Trial,
    listener: &'a mut dyn Listener,
    /// Set when the whole search is to stop.
    asked: &'a AtomicBool,
    /// Ends the training loop of this trial.
    end: &'a AtomicBool,
    hopeless: bool,
}

impl Observer for Watch<'_> {
    fn step(&mut self, _: usize, _: usize, _: usize, _: f32) {
        if self.asked.load(Ordering::SeqCst) {
            self.end.store(true, Ordering::SeqCst);
        }
    }

    fn epoch(&mut self, report: &EpochReport) {
        self.step(report.epoch, 0, 0, report.loss);
        self.trial.epochs = report.epoch;
        if let Some(valid) = report.valid {
            let worth = add(&mut self.trial.curve, report.epoch, self.study.worth(Some(valid)));
            self.trial.score = Some(self.study.score(worth));
            if self.rule.is_some_and(|rule| rule.is_hopeless(report.epoch, worth, self.others)) {
                self.hopeless = true;
                self.end.store(true, Ordering::SeqCst);
            }
        }
        self.listener.epoch(self.trial, report);
    }
}

/// Adds what an epoch reached to a curve of the best so far; what was heard of later epochs is forgotten. Gives the best so far.
fn add(curve: &mut Curve, epoch: usize, worth: f64) -> f64 {
    curve.retain(|(reached, _)| *reached < epoch);
    let best = curve.last().map_or(worth, |(_, before)| before.max(worth));
    curve.push((epoch, best));
    best
}

/// The curve of a run that goes on, from its record of epochs; what can't be read is left out.
fn curve_so_far(run: &Path, study: &Study) -> Curve {
    let text = std::fs::read_to_string(run.join(names::METRICS)).unwrap_or_default();
    let mut curve = Curve::new();
    for line in text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
        if let (Some(epoch), Some(valid)) = (line["epoch"].as_u64(), line["valid"].as_f64()) {
            add(&mut curve, epoch as usize, study.worth(Some(valid)));
        }
    }
    curve
}
