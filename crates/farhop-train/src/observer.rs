//! How training tells what it is doing without knowing who listens.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::memory::Plan;
use crate::series::{Member, Row};
use crate::study::Trial;
use crate::{EncodingConfig, Material, Recipe, Task};

/// What a run is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading files.
    Reading,
    /// Making a task of them.
    Preparing,
    /// Planning and training.
    Training,
    /// Planning and computing answers.
    Answering,
}

/// One epoch, as reported to the [`Observer`] and written as one line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// Receives what happens during a run, in the order of the methods. Every one has an empty default.
pub trait Observer {
    /// A few epochs are about to be timed, to say how long runs will take.
    fn timing(&mut self, recipe: &Recipe) {
        let _ = recipe;
    }
    /// So many runs are to be trained and so many are there already; `seconds` is what they will take, if that is known.
    fn estimated(&mut self, runs: usize, done: usize, seconds: Option<f64>) {
        let _ = (runs, done, seconds);
    }
    /// A trial of a search for settings has ended, of so many; `best` is the best that is known.
    fn trial(&mut self, recipe: &Recipe, trial: &Trial, best: Option<&Trial>, of: usize) {
        let _ = (recipe, trial, best, of);
    }
    /// What follows is about a cell of a table.
    fn cell(&mut self, row: &str, column: &str) {
        let _ = (row, column);
    }
    /// One of several runs is next; `left` are the seconds that it and those after it will take, if that is known.
    fn run(&mut self, member: &Member, left: Option<f64>) {
        let _ = (member, left);
    }
    /// One of several runs has ended, now or before.
    fn ran(&mut self, row: &Row) {
        let _ = row;
    }
    /// The run begins with something else.
    fn stage(&mut self, stage: Stage) {
        let _ = stage;
    }
    /// The data was read.
    fn read(&mut self, material: &Material) {
        let _ = material;
    }
    /// Positional encodings are about to be computed, if there are any.
    fn encoding(&mut self, config: &EncodingConfig) {
        let _ = config;
    }
    /// The data is ready for the model.
    fn prepared(&mut self, recipe: &Recipe, task: &Task) {
        let _ = (recipe, task);
    }
    /// The memory was planned, and is there.
    fn planned(&mut self, plan: &Plan) {
        let _ = plan;
    }
    /// The training loop comes next. From here on the run can be stopped and continued, if it has a folder.
    fn training(&mut self, recipe: &Recipe, folder: Option<&Path>) {
        let _ = (recipe, folder);
    }
    /// One of several processes trains, and this is the folder of the first: all may keep there what they have to say.
    fn shares(&mut self, folder: &Path) {
        let _ = folder;
    }
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
