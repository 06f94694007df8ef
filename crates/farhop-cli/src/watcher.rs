//! What a run tells on its way, as lines in line with the data card, and the progress of its training.

use std::path::Path;

use farhop_data::metrics::Metric;
use farhop_data::text::{counted, thousands};
use farhop_kernels::allocator;
use farhop_train::memory::{Plan, bytes_text};
use farhop_train::series::{Member, Row};
use farhop_train::study::Trial;
use farhop_train::{EncodingConfig, EpochReport, Material, Observer, Origins, Parting, Recipe, Stage, Task};

use crate::arguments::TrainArguments;
use crate::commands::tune::trial_line;
use crate::console::Console;
use crate::data;
use crate::interrupt::Saving;
use crate::origins;
use crate::progress::Progress;
use crate::table::duration;
use crate::together;
use crate::without_effect;

/// Listens to one run.
pub struct Watcher<'a> {
    console: &'a Console,
    /// Whether only the progress of training is shown.
    brief: bool,
    /// Whether it is one of several runs.
    several: bool,
    /// Whether the data was shown: once is enough.
    shown: bool,
    /// Where the settings come from, and the options that were given.
    settings: Option<(&'a Origins, &'a TrainArguments)>,
    metric: Metric,
    /// The cell of a table that runs are for.
    cell: Option<String>,
    /// Which of several runs it is, and how long all that are left will take.
    title: String,
    left: Option<f64>,
    progress: Option<Progress>,
    saving: Option<Saving>,
}

impl<'a> Watcher<'a> {
    /// Tells everything.
    pub fn new(console: &'a Console) -> Self {
        Watcher {
            console,
            brief: false,
            several: false,
            shown: false,
            settings: None,
            metric: Metric::Accuracy,
            cell: None,
            title: String::new(),
            left: None,
            progress: None,
            saving: None,
        }
    }

    /// Shows the progress of training, and nothing else.
    pub fn brief(console: &'a Console) -> Self {
        Watcher { brief: true, ..Watcher::new(console) }
    }

    /// Tells of every run in a line, and shows the progress of its training.
    pub fn of_several(console: &'a Console) -> Self {
        Watcher { several: true, ..Watcher::new(console) }
    }

    /// Tells also where the settings come from, and which options have no effect.
    pub fn with_settings(console: &'a Console, origins: &'a Origins, arguments: &'a TrainArguments) -> Self {
        Watcher { settings: Some((origins, arguments)), ..Watcher::new(console) }
    }

    /// What is trained: the cell of a table, or the model.
    fn subject(&self, recipe: &Recipe) -> String {
        self.cell.clone().unwrap_or_else(|| recipe.model.name().to_string())
    }

    fn say(&self, text: &str) {
        if !self.brief && !self.several {
            self.console.message(text);
        }
    }
}

impl Observer for Watcher<'_> {
    fn timing(&mut self, recipe: &Recipe) {
        self.console.message(&format!("timing {}", self.subject(recipe)));
    }

    fn estimated(&mut self, runs: usize, done: usize, seconds: Option<f64>) {
        let there = if done > 0 { format!(", {done} there already") } else { String::new() };
        let time = seconds.map_or(String::new(), |seconds| format!(": at most {}", about(seconds)));
        self.console.message(&format!("{} to train{there}{time}", counted(runs as u64, "run", "runs")));
    }

    fn run(&mut self, member: &Member, left: Option<f64>) {
        // The data of the next run is that of the first, but for its split.
        self.shown = true;
        self.progress = None;
        self.left = left;
        self.title = format!("{}, {}", self.subject(&member.recipe), member.title());
    }

    fn trial(&mut self, recipe: &Recipe, trial: &Trial, best: Option<&Trial>, of: usize) {
        self.console.message(&format!("{}, {}", recipe.model.name(), trial_line(trial, best, of, self.metric)));
    }

    fn cell(&mut self, row: &str, column: &str) {
        self.cell = Some(format!("{row} on {column}"));
    }

    fn ran(&mut self, row: &Row) {
        self.progress = None;
        let told = match &row.result {
            Ok(record) => {
                format!("test {} after {}", record.metric.shown(record.scores.test), duration(record.seconds))
            }
            Err(_) => "failed".to_string(),
        };
        self.console.message(&format!("{}: {told}", self.title));
    }

    fn stage(&mut self, stage: Stage) {
        allocator::doing(match stage {
            Stage::Reading => &"reading the data",
            Stage::Preparing => &"preparing the data",
            Stage::Training => &"training",
            Stage::Answering => &"computing answers",
        });
        if matches!(stage, Stage::Training | Stage::Answering) {
            // What reading left behind is free again.
            allocator::give_back();
        }
    }

    fn read(&mut self, material: &Material) {
        self.metric = material.dataset.metric;
        if !self.brief && !std::mem::replace(&mut self.shown, true) {
            data::show_card(material, self.console);
        }
    }

    fn encoding(&mut self, config: &EncodingConfig) {
        if config.asked().next().is_some() {
            self.say(&format!("encodings   {}", encodings_text(config)));
        }
    }

    fn prepared(&mut self, recipe: &Recipe, task: &Task) {
        self.metric = task.metric;
        if let Some((parting, halo)) = task.parting() {
            self.say(&parts_line(task, parting, halo));
        }
        if let Some((found, arguments)) = self.settings {
            origins::say(found, self.console);
            without_effect::say_idle(arguments, recipe, task, self.console);
        }
    }

    fn planned(&mut self, plan: &Plan) {
        self.say(&plan_line(plan));
    }

    fn training(&mut self, recipe: &Recipe, folder: Option<&Path>) {
        let model = recipe.model.name();
        if let Some(folder) = folder {
            self.say(&format!("training {model} in {}", folder.display()));
        }
        if self.several {
            let left = self.left.map_or(String::new(), |left| format!(" ({} left)", about(left)));
            self.console.message(&format!("{}{left}", self.title));
        }
        self.progress = Some(Progress::new(self.console, model, self.metric));
        self.saving = Some(Saving::begin());
    }

    fn shares(&mut self, folder: &Path) {
        together::keep_lines_in(folder);
    }

    fn started(&mut self, done: usize, epochs: usize, parameters: usize) {
        if let Some(progress) = &mut self.progress {
            progress.started(done, epochs, parameters);
        }
    }

    fn step(&mut self, epoch: usize, step: usize, steps: usize, loss: f32) {
        if let Some(progress) = &mut self.progress {
            progress.step(epoch, step, steps, loss);
        }
    }

    fn epoch(&mut self, report: &EpochReport) {
        if let Some(progress) = &mut self.progress {
            progress.epoch(report);
        }
    }

    fn message(&mut self, text: &str) {
        match &mut self.progress {
            Some(progress) => progress.message(text),
            None => self.console.warning(text),
        }
    }
}

/// `about 3 min 20 s`.
fn about(seconds: f64) -> String {
    format!("about {}", duration(seconds.ceil().max(1.0)).replace(".00", ""))
}

/// `memory      340 MiB at the peak, 21.4 GiB available (the machine)`.
pub fn plan_line(plan: &Plan) -> String {
    let peak = bytes_text(plan.total);
    match (plan.limit, plan.limit_source) {
        (Some(limit), Some(source)) => {
            format!("memory      {peak} at the peak, {} available ({source})", bytes_text(limit))
        }
        _ => format!("memory      {peak} at the peak, limit unknown"),
    }
}

/// `parts       64, 1 hop around each: at most 31,020 nodes and 402,118 entries in a batch`.
fn parts_line(task: &Task, parting: &Parting, halo: usize) -> String {
    let around = match halo {
        0 => "each cut off from the rest".to_string(),
        hops => format!("{} around each", counted(hops as u64, "hop", "hops")),
    };
    let shape = task.shape();
    let (nodes, entries) = (thousands(shape.nodes as u64), thousands(shape.entries as u64));
    let parts = thousands(parting.parts() as u64);
    format!("parts       {parts}, {around}: at most {nodes} nodes and {entries} entries in a batch")
}

fn encodings_text(config: &EncodingConfig) -> String {
    config.asked().map(|(encoding, width)| format!("{width} {}", encoding.columns)).collect::<Vec<_>>().join(", ")
}
