//! Continuing a run.

use std::path::Path;
use std::process::ExitCode;

use farhop_data::NodeDataset;
use farhop_train::run::names;
use farhop_train::{Recipe, RunFolder, RunRecord, TrainError};

use super::report;
use crate::arguments::{Common, TrainArguments};
use crate::console::Console;
use crate::data::{self, Nodes};
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
    // Data first: a run whose tables have changed stays as it is.
    let mut recipe = Recipe::read(&path.join(names::RECIPE))?;
    recipe.data.nodes = arguments.data.nodes.clone().or(recipe.data.nodes);
    recipe.data.edges = arguments.data.edges.clone().or(recipe.data.edges);
    let dataset = data::load(&recipe)?;
    RunRecord::read(&path.join(names::RECORD))?.check_data(&dataset.sources)?;

    let mut folder = RunFolder::resume(path)?;
    if let Some(epochs) = arguments.training.epochs {
        folder.set_epochs(epochs)?;
    }
    let plan = data::plan(&recipe.model, &data::shape(&dataset), dataset.graph.is_directed(), true, console)?;
    let split = split_of(&folder, &dataset)?;
    let mut nodes = Nodes::from(dataset);
    nodes.split = split;
    report::train(&mut folder, &nodes, &plan, threads, console)
}

/// The split of the run; one that was killed before it was written makes the same again.
fn split_of(folder: &RunFolder, dataset: &NodeDataset) -> Result<farhop_data::Split, Failure> {
    if folder.path().join(names::SPLIT).is_file() {
        return Ok(folder.read_split(&dataset.ids)?);
    }
    let split = dataset.split.clone().unwrap_or_default();
    folder.write_schema(&dataset.schema)?;
    folder.write_split(&dataset.ids, &split)?;
    Ok(split)
}

/// A run that goes on keeps its settings: anything else would be another run.
fn refuse_changes(arguments: &TrainArguments, common: &Common) -> Result<(), Failure> {
    let changed = !arguments.model.is_empty()
        || !arguments.demonstration.is_empty()
        || arguments.training.is_more_than_epochs()
        || arguments.data.says_how()
        || common.seed.is_some();
    if changed {
        return Err(Failure::usage(
            "--resume continues a run with its own settings; only --epochs, --nodes and --edges may be given with it. Start a new run for others.",
        ));
    }
    Ok(())
}
