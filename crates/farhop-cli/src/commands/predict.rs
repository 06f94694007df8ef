//! `farhop predict`: classes and probabilities under the user's ids.

use std::path::Path;
use std::process::ExitCode;

use farhop_data::predictions::Predictions;
use farhop_data::text::counted;
use farhop_train::TrainedRun;
use serde_json::json;

use crate::arguments::PredictArguments;
use crate::console::{Console, write_table};
use crate::data::{self, Nodes};
use crate::failure::Failure;

/// Runs the command.
pub fn run(arguments: &PredictArguments, console: &Console) -> Result<ExitCode, Failure> {
    let to_stdout = arguments.out.as_deref() == Some(Path::new("-"));
    if to_stdout && console.is_json() {
        return Err(Failure::usage("--out - and --json both want standard output. Give --out a file."));
    }
    let run = TrainedRun::open(&arguments.run)?;
    let applied = data::apply(&run, &arguments.tables, console)?;
    data::notes(&applied.dataset, console);
    let shape = data::shape(&applied.dataset);
    data::plan(&run.recipe.model, &shape, applied.dataset.graph.is_directed(), false, console)?;
    let nodes = Nodes::from(applied.dataset);
    let probabilities = run.probabilities(&nodes.batch)?;
    let predictions = Predictions { ids: &nodes.ids, classes: &nodes.classes, probabilities: &probabilities };
    if to_stdout {
        write_table(|writer| predictions.write("standard output", writer))?;
        return Ok(ExitCode::SUCCESS);
    }
    let out = arguments.out.clone().unwrap_or_else(|| run.path.join("predictions.csv"));
    predictions.save(&out)?;
    let object = json!({
        "run": run.path,
        "predictions": out,
        "nodes": nodes.ids.len(),
        "classes": nodes.classes,
        "data_changed": applied.changed,
    });
    console.result(&object, || {
        let count = counted(nodes.ids.len() as u64, "node", "nodes");
        format!("{} ({count})", out.display())
    })?;
    Ok(ExitCode::SUCCESS)
}
