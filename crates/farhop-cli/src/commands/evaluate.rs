//! `farhop evaluate`: how good a run is, overall and class by class.

use std::process::ExitCode;

use farhop_data::metrics::{Confusion, Metric, largest};
use farhop_data::text::thousands;
use farhop_data::{Level, Split, Target};
use farhop_train::{Outputs, Task, TrainedRun, score};
use serde_json::{Value, json};

use crate::arguments::{EvaluateArguments, SplitName};
use crate::console::Console;
use crate::data::{self, Applied};
use crate::failure::Failure;
use crate::join::Join;
use crate::table::TextTable;

/// The scores of one class.
struct ClassScores {
    class: String,
    rows: u64,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
}

impl ClassScores {
    /// As JSON; `rows` is what the task calls its rows.
    fn object(&self, rows: &str) -> Value {
        json!({ "class": self.class, rows: self.rows, "precision": self.precision, "recall": self.recall, "f1": self.f1 })
    }
}

/// Runs the command.
pub fn run(arguments: &EvaluateArguments, console: &Console) -> Result<ExitCode, Failure> {
    let run = TrainedRun::open(&arguments.run)?;
    let Applied { recipe, task, split, join, changed } = data::apply(&run, &arguments.new, console)?;
    let part = arguments.split.unwrap_or(if split.is_some() { SplitName::Test } else { SplitName::All });
    data::plan(&recipe, &task, false, console)?;
    let units = match &join {
        Some(join) if part == SplitName::All => join.new_nodes.clone(),
        _ => chosen(part, task.split(), task.units()),
    };
    let outputs = run.outputs_of(&task, &units)?;
    let known = outputs.rows.iter().filter(|row| task.target().is_known(**row as usize)).count();
    let count = if task.level() == Level::Pair { outputs.ranks.len() } else { known };
    if count == 0 {
        return Err(Failure::failed(format!(
            "nothing in part {} has a label that the model knows, so there is nothing to score. Pass another --split, or data with labels.",
            part.name()
        )));
    }
    let metrics: Vec<(Metric, Option<f64>)> =
        task.metrics().into_iter().map(|metric| (metric, score(metric, task.target(), &outputs))).collect();
    let classes = class_table(task.target(), &outputs)?;
    let mut object = json!({
        "run": run.path,
        "task": run.record.task,
        "model": run.record.model,
        "split": part.name(),
        rows_name(&task): count,
        "metric": task.metric,
        "score": metrics.first().and_then(|(_, value)| *value),
        "classes": classes.iter().map(|one| one.object(rows_name(&task))).collect::<Vec<_>>(),
        "joined": join.as_ref().map(Join::object),
        "data_changed": changed,
    });
    for (metric, value) in &metrics {
        object[metric.name().replace('-', "_")] = json!(value);
    }
    console.result(&object, || {
        let part = if part == SplitName::All { "labelled" } else { part.name() };
        let scores: Vec<String> =
            metrics.iter().map(|(metric, value)| format!("{} {}", metric.name(), metric.shown(*value))).collect();
        let rows = thousands(count as u64);
        let first = format!("{} on {rows} {part} {}", scores.join(", "), rows_name(&task));
        if classes.is_empty() { first } else { format!("{first}\n\n{}", class_lines(&classes, &task, console)) }
    })?;
    Ok(ExitCode::SUCCESS)
}

fn rows_name(task: &Task) -> &'static str {
    match task.level() {
        Level::Node => "nodes",
        Level::Graph | Level::Pair => "graphs",
    }
}

fn chosen(part: SplitName, split: &Split, units: usize) -> Vec<u32> {
    match part {
        SplitName::Train => split.train.clone(),
        SplitName::Valid => split.valid.clone(),
        SplitName::Test => split.test.clone(),
        SplitName::All => (0..units as u32).collect(),
    }
}

/// The scores of every class; empty where there are none.
fn class_table(target: &Target, outputs: &Outputs) -> Result<Vec<ClassScores>, Failure> {
    let Target::Class { labels, classes } = target else {
        return Ok(Vec::new());
    };
    let predicted = largest(&outputs.values, classes.len());
    let (truth, guess): (Vec<u32>, Vec<u32>) =
        outputs.rows.iter().zip(predicted).filter_map(|(row, guess)| Some((labels[*row as usize]?, guess))).unzip();
    let confusion = Confusion::new(&truth, &guess, classes.len())?;
    Ok(classes.iter().enumerate().map(|(number, name)| class_scores(&confusion, number, name)).collect())
}

fn class_lines(classes: &[ClassScores], task: &Task, console: &Console) -> String {
    let mut table = TextTable::new(&["class", rows_name(task), "precision", "recall", "F1"]);
    for one in classes {
        let share = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{value:.3}"));
        let name = farhop_data::text::quoted(&one.class).trim_matches('"').to_string();
        table.row([name, thousands(one.rows), share(one.precision), share(one.recall), share(one.f1)]);
    }
    console.lines(&table)
}

fn class_scores(confusion: &Confusion, class: usize, name: &str) -> ClassScores {
    let right = confusion.count(class, class);
    let all = 0..confusion.classes();
    let rows: u64 = all.clone().map(|guess| confusion.count(class, guess)).sum();
    let named: u64 = all.map(|truth| confusion.count(truth, class)).sum();
    let share = |of: u64| (of > 0).then(|| right as f64 / of as f64);
    ClassScores { class: name.to_string(), rows, precision: share(named), recall: share(rows), f1: confusion.f1(class) }
}
