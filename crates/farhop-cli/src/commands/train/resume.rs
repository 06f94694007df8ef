//! Continuing a run.

use std::path::Path;
use std::process::ExitCode;

use farhop_train::run::names;
use farhop_train::{Material, Places, Recipe, RunFolder, RunRecord, TrainError};

use super::report;
use crate::arguments::{Common, TrainArguments};
use crate::console::Console;
use crate::data;
use crate::failure::Failure;

pub fn run(
    path: &Path,
    arguments: &TrainArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    refuse_changes(arguments, common)?;
    for missing in [names::RECORD, names::RECIPE] {
        if !path.join(missing).is_file() {
            return Err(TrainError::NoRun { path: path.to_path_buf(), missing }.into());
        }
    }
    // Data first: a run whose data has changed stays as it is.
    let mut recipe = Recipe::read(&path.join(names::RECIPE))?;
    let record = RunRecord::read(&path.join(names::RECORD))?;
    recipe.data = record.found(&recipe.data);
    recipe.data.nodes = arguments.data.nodes.clone().or(recipe.data.nodes);
    recipe.data.edges = arguments.data.edges.clone().or(recipe.data.edges);
    let places = Places::usual(arguments.data.data_dir.as_deref().or(record.data_dir.as_deref()));
    let Material { mut dataset, schema, .. } = data::read(&recipe, &places)?;
    record.check_data(&dataset.sources)?;
    if !record.model.is_empty() {
        // A run that has begun goes on with its score, whatever is usual.
        dataset.metric = record.metric;
    }
    let mut task = data::task(&recipe, dataset, record.scale.clone(), true, &places, console)?;

    let mut folder = RunFolder::resume(path)?;
    if let Some(epochs) = arguments.training.epochs {
        folder.set_epochs(epochs)?;
    }
    if path.join(names::SPLIT).is_file() {
        let split = folder.read_split(&task)?;
        task.set_split(split)?;
    } else {
        // Killed before it was written: the same is made again.
        if let Some(schema) = &schema {
            folder.write_schema(schema)?;
        }
        folder.write_split(&task)?;
    }
    let plan = data::plan(&recipe, &task, true, console)?;
    report::train(&mut folder, &task, &plan, threads, console)
}

/// A run that goes on keeps its settings: anything else would be another run.
fn refuse_changes(arguments: &TrainArguments, common: &Common) -> Result<(), Failure> {
    let changed = !arguments.model.is_empty()
        || !arguments.demonstration.is_empty()
        || arguments.training.is_more_than_epochs()
        || arguments.data.says_how()
        || arguments.data.what.is_some()
        || common.seed.is_some();
    if changed {
        return Err(Failure::usage(
            "--resume continues a run with its own settings; only --epochs, --nodes, --edges and --data-dir may be given with it. Start a new run for others.",
        ));
    }
    Ok(())
}
