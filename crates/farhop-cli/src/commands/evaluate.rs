//! `farhop evaluate`: how good a run is, overall and class by class.

use std::process::ExitCode;

use farhop_data::metrics::Metric;
use farhop_data::text::thousands;
use farhop_data::{Level, Split};
use farhop_train::{Confusions, Task, TrainedRun, score};
use serde_json::json;

use crate::arguments::{EvaluateArguments, SplitName};
use crate::confusion::ConfusionReport;
use crate::console::Console;
use crate::data::{self, Applied};
use crate::failure::Failure;
use crate::join::Join;
use crate::table::TextTable;
use crate::thresholds::Thresholds;

/// Runs the command.
pub fn run(arguments: &EvaluateArguments, console: &Console) -> Result<ExitCode, Failure> {
    let run = TrainedRun::open(&arguments.run)?;
    let Applied { recipe, task, split, join, changed, .. } = data::apply(&run, &arguments.new, console)?;
    let part = arguments.split.unwrap_or(if split.is_some() { SplitName::Test } else { SplitName::All });
    data::plan_answers(&recipe, &task, console)?;
    let units = match &join {
        Some(join) if part == SplitName::All => join.new_nodes.clone(),
        _ => chosen(part, task.split(), task.units()),
    };
    let Some((target, outputs)) = task.rows_of_all(run.outputs_of(&task, &units)?)? else {
        // The first of several processes tells what came out.
        return Ok(ExitCode::SUCCESS);
    };
    let target = &*target;
    let known = outputs.rows.iter().filter(|row| target.is_known(**row as usize)).count();
    let count = if task.level() == Level::Pair { outputs.ranks.len() } else { known };
    if count == 0 {
        return Err(Failure::failed(format!(
            "nothing in part {} has a label that the model knows, so there is nothing to score. Pass another --split, or data with labels.",
            part.name()
        )));
    }
    let thresholds = Thresholds::new(arguments.threshold, run.record.thresholds.as_deref(), target)?;
    let decided = thresholds.values.as_deref();
    let metrics: Vec<(Metric, Option<f64>)> =
        task.metrics().into_iter().map(|metric| (metric, score(metric, target, &outputs, decided))).collect();
    let found = Confusions::of(target, &outputs, decided);
    let report = found.as_ref().map(|of| ConfusionReport { of, part: part.name(), rows: rows_name(&task) });
    let mut object = json!({
        "run": run.path,
        "task": run.record.task,
        "model": run.record.model,
        "split": part.name(),
        rows_name(&task): count,
        "metric": task.metric,
        "score": metrics.first().and_then(|(_, value)| *value),
        "threshold": thresholds.object(),
        "classes": report.as_ref().map(ConfusionReport::classes).unwrap_or_default(),
        "confusion": report.as_ref().map(ConfusionReport::object),
        "joined": join.as_ref().map(Join::object),
        "data_changed": changed,
    });
    for (metric, value) in &metrics {
        object[metric.name().replace('-', "_")] = json!(value);
    }
    if let Some(line) = thresholds.line(target) {
        console.message(&line);
    }
    console.result(&object, || {
        let part = if part == SplitName::All { "labelled" } else { part.name() };
        let mut scores = metrics.iter().map(|(metric, value)| format!("{} {}", metric.name(), metric.shown(*value)));
        let score = scores.next().unwrap_or_default();
        let rows = thousands(count as u64);
        let mut first = format!("{score} on {rows} {part} {}", rows_name(&task));
        lines_of(scores.collect()).iter().for_each(|line| first.push_str(&format!("\n{line}")));
        match &report {
            None => first,
            Some(report) => format!("{first}\n\n{}\n\n{}", class_lines(report, console), report.text(console)),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What a task calls its rows.
pub fn rows_name(task: &Task) -> &'static str {
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

/// Scores beside one another, in lines of up to 80 columns.
fn lines_of(scores: Vec<String>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for score in scores {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + score.chars().count() <= 80 => {
                line.push_str(&format!(", {score}"))
            }
            _ => lines.push(score),
        }
    }
    lines
}

/// A line of scores for each class.
fn class_lines(report: &ConfusionReport<'_>, console: &Console) -> String {
    let mut table = TextTable::new(&["class", report.rows, "precision", "recall", "F1"]);
    let share = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{value:.3}"));
    let counts = &report.of.counts;
    for (class, name) in report.of.names.iter().enumerate() {
        let name = farhop_data::text::quoted(name).trim_matches('"').to_string();
        let (precision, recall) = (share(counts.precision(class)), share(counts.recall(class)));
        table.row([name, thousands(report.rows_of(class)), precision, recall, share(counts.f1(class))]);
    }
    console.lines(&table)
}
