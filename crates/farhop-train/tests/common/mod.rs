//! A small task that every test can train on.
#![allow(dead_code)] // Every test file compiles this one, and none uses all of it.

pub mod several;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use farhop_data::metrics::{Metric, largest};
use farhop_data::{Columns, Dataset, Level, SourceFile, Split, Target};
use farhop_graph::random::{mix, unit};
use farhop_graph::{Direction, GraphSet, build};
use farhop_train::{
    CheckpointEvery, Encodings, EpochReport, Fitted, Machine, Observer, Recipe, RunFolder, RunRecord, Session, Silent,
    Task, TrainConfig, TrainError, fit,
};

pub const NODES: usize = 90;
pub const WIDTH: usize = 5;
pub const CLASSES: usize = 3;

/// A ring whose nodes have random features; the class is the place of the largest of the first three.
pub struct Ring {
    pub dataset: Dataset,
}

impl Ring {
    pub fn new() -> Self {
        Self::with_scale(1.0)
    }

    pub fn with_scale(scale: f32) -> Self {
        let features: Vec<f32> =
            (0..NODES * WIDTH).map(|place| scale * (unit(mix(7, place as u64)) as f32 - 0.5)).collect();
        let edges: Vec<(u32, u32)> = (0..NODES as u32).map(|node| (node, (node + 1) % NODES as u32)).collect();
        let graph = build(NODES, &edges, Direction::Undirected).unwrap().graph;
        let labels = features
            .chunks(WIDTH)
            .map(|row| (0..CLASSES as u32).max_by(|a, b| row[*a as usize].total_cmp(&row[*b as usize])))
            .collect();
        let nodes: Vec<u32> = (0..NODES as u32).collect();
        let dataset = Dataset {
            nodes: Columns::dense(WIDTH, features),
            split: Split { train: nodes[..50].to_vec(), valid: nodes[50..70].to_vec(), test: nodes[70..].to_vec() },
            metric: Metric::Accuracy,
            ..Dataset::new(
                "ring",
                GraphSet::single(graph),
                Level::Node,
                Target::Class { labels, classes: ["a", "b", "c"].map(String::from).to_vec() },
            )
        };
        Ring { dataset: dataset.check().unwrap() }
    }

    pub fn task(&self) -> Task {
        Task::new(self.dataset.clone(), Encodings::default(), &TrainConfig::default(), None).unwrap()
    }

    /// Accuracy of outputs `[N, classes]` on some nodes, counted one by one.
    pub fn accuracy(&self, outputs: &[f32], nodes: &[u32]) -> f64 {
        let Target::Class { labels, .. } = &self.dataset.target else { unreachable!() };
        let predicted = largest(outputs, CLASSES);
        let right = nodes.iter().filter(|node| labels[**node as usize] == Some(predicted[**node as usize])).count();
        right as f64 / nodes.len() as f64
    }
}

/// A small model with dropout, so that random state matters, and a checkpoint at the end only.
pub fn recipe(epochs: usize) -> Recipe {
    let mut recipe = Recipe::for_model("mlp").unwrap();
    recipe.model = recipe.model.with("width", 8).unwrap().with("dropout", 0.2).unwrap();
    recipe.train.epochs = epochs;
    recipe.train.learning_rate = 0.05;
    recipe.train.warmup_epochs = 3;
    recipe.train.patience = None;
    recipe.train.checkpoint_every = CheckpointEvery::Seconds(1e6);
    recipe.train.seed = 11;
    recipe
}

pub fn record() -> RunRecord {
    RunRecord::new(&[SourceFile::of("nodes.csv", b"id\n")], Machine::detect(2, "none"))
}

pub fn create(path: &Path, recipe: &Recipe) -> RunFolder {
    RunFolder::create(path, false, recipe, record()).unwrap()
}

/// Trains in a folder until it ends.
pub fn train(ring: &Ring, folder: &mut RunFolder) -> Result<Fitted, TrainError> {
    train_watched(ring, folder, &mut Silent, &AtomicBool::new(false))
}

pub fn train_watched(
    ring: &Ring,
    folder: &mut RunFolder,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Fitted, TrainError> {
    let recipe = folder.recipe().clone();
    let mut session = Session { folder: Some(folder), observer, stop };
    fit(&ring.task(), &recipe.model, &recipe.train, &mut session)
}

/// Trains without a folder.
pub fn train_free(ring: &Ring, recipe: &Recipe, observer: &mut dyn Observer) -> Result<Fitted, TrainError> {
    let stop = AtomicBool::new(false);
    let mut session = Session { folder: None, observer, stop: &stop };
    fit(&ring.task(), &recipe.model, &recipe.train, &mut session)
}

/// Keeps every report, and asks to stop after an epoch when told to.
pub struct Recorder<'a> {
    pub reports: Vec<EpochReport>,
    pub messages: Vec<String>,
    pub stop_after: Option<(usize, &'a AtomicBool)>,
}

impl Recorder<'_> {
    pub fn new() -> Self {
        Recorder { reports: Vec::new(), messages: Vec::new(), stop_after: None }
    }
}

impl Observer for Recorder<'_> {
    fn epoch(&mut self, report: &EpochReport) {
        self.reports.push(report.clone());
        if let Some((epoch, stop)) = self.stop_after
            && report.epoch == epoch
        {
            stop.store(true, Ordering::SeqCst);
        }
    }

    fn message(&mut self, text: &str) {
        self.messages.push(text.to_string());
    }
}

/// The lines of `metrics.jsonl` without their times.
pub fn timeless_metrics(folder: &Path) -> Vec<String> {
    fs::read_to_string(folder.join("metrics.jsonl"))
        .unwrap()
        .lines()
        .map(|line| {
            // Times are the last two fields.
            line.split_once("\"seconds\":").unwrap().0.to_string()
        })
        .collect()
}
