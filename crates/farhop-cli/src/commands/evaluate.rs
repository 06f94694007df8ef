//! `farhop evaluate`: how good a run is, overall and class by class.

use std::process::ExitCode;

use farhop_data::metrics::{Confusion, largest};
use farhop_data::text::thousands;
use farhop_data::{Part, Split};
use farhop_train::TrainedRun;
use serde::Serialize;
use serde_json::json;

use crate::arguments::{EvaluateArguments, SplitName};
use crate::console::Console;
use crate::data::{self, Nodes};
use crate::failure::Failure;
use crate::table::{TextTable, percent};

/// The scores of one class.
#[derive(Serialize)]
struct ClassScores {
    class: String,
    nodes: u64,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
}

/// Runs the command.
pub fn run(arguments: &EvaluateArguments, console: &Console) -> Result<ExitCode, Failure> {
    let run = TrainedRun::open(&arguments.run)?;
    let applied = data::apply(&run, &arguments.tables, console)?;
    data::notes(&applied.dataset, console);
    let (split, changed) = (applied.split, applied.changed);
    let part = arguments.split.unwrap_or(if split.is_some() { SplitName::Test } else { SplitName::All });
    let shape = data::shape(&applied.dataset);
    data::plan(&run.recipe.model, &shape, applied.dataset.graph.is_directed(), false, console)?;
    let nodes = Nodes::from(applied.dataset);
    let chosen = chosen(part, split.as_ref().unwrap_or(&nodes.split), &nodes.labels);
    let labelled: Vec<(usize, u32)> =
        chosen.into_iter().filter_map(|node| Some((node as usize, (*nodes.labels.get(node as usize)?)?))).collect();
    if labelled.is_empty() {
        return Err(Failure::failed(format!(
            "no node of part {} has a label that the model knows, so there is nothing to score. Pass another --split, or tables with labels.",
            part.name()
        )));
    }
    let predicted = largest(&run.logits(&nodes.batch)?, nodes.classes.len());
    let (truth, guess): (Vec<u32>, Vec<u32>) = labelled.iter().map(|(node, label)| (*label, predicted[*node])).unzip();
    let confusion = Confusion::new(&truth, &guess, nodes.classes.len())?;
    let classes: Vec<ClassScores> =
        nodes.classes.iter().enumerate().map(|(number, name)| class_scores(&confusion, number, name)).collect();
    let object = json!({
        "run": run.path,
        "task": run.record.task,
        "model": run.record.model,
        "split": part.name(),
        "nodes": truth.len(),
        "accuracy": confusion.accuracy(),
        "macro_f1": confusion.macro_f1(),
        "classes": classes,
        "data_changed": changed,
    });
    console.result(&object, || {
        let mut table = TextTable::new(&["class", "nodes", "precision", "recall", "F1"]);
        for one in &classes {
            let share = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{value:.3}"));
            let name = farhop_data::text::quoted(&one.class).trim_matches('"').to_string();
            table.row([name, thousands(one.nodes), share(one.precision), share(one.recall), share(one.f1)]);
        }
        let mut lines = table.lines();
        lines[0] = console.heading(&lines[0]);
        let macro_f1 = confusion.macro_f1().map_or("-".to_string(), |value| format!("{value:.3}"));
        let part = if part == SplitName::All { "labelled" } else { part.name() };
        format!(
            "accuracy {}, macro F1 {macro_f1} on {} {part} nodes\n\n{}",
            percent(confusion.accuracy()),
            thousands(truth.len() as u64),
            lines.join("\n")
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

fn chosen(part: SplitName, split: &Split, labels: &[Option<u32>]) -> Vec<u32> {
    match part {
        SplitName::Train => split.part(Part::Train).to_vec(),
        SplitName::Valid => split.part(Part::Valid).to_vec(),
        SplitName::Test => split.part(Part::Test).to_vec(),
        SplitName::All => (0..labels.len() as u32).collect(),
    }
}

fn class_scores(confusion: &Confusion, class: usize, name: &str) -> ClassScores {
    let right = confusion.count(class, class);
    let all = 0..confusion.classes();
    let nodes: u64 = all.clone().map(|guess| confusion.count(class, guess)).sum();
    let named: u64 = all.map(|truth| confusion.count(truth, class)).sum();
    let share = |of: u64| (of > 0).then(|| right as f64 / of as f64);
    ClassScores {
        class: name.to_string(),
        nodes,
        precision: share(named),
        recall: share(nodes),
        f1: confusion.f1(class),
    }
}
