//! Training on the user's tables.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_train::{Recipe, RunFolder, RunRecord, TrainError};

use super::{machine, report};
use crate::arguments::{Common, TrainArguments};
use crate::console::Console;
use crate::data::{self, Nodes};
use crate::failure::Failure;
use crate::settings;

/// Where runs go when the user does not say.
const RUNS: &str = "runs";

pub fn run(
    arguments: &TrainArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let training = arguments.training.settings();
    let recipe = settings::recipe(arguments.recipe.as_deref(), &arguments.data, &arguments.model, training, common)?;
    let dataset = data::load(&recipe)?;
    console.message(dataset.card.to_string().trim_end());
    let plan = data::plan(&recipe.model, &data::shape(&dataset), dataset.graph.is_directed(), true, console)?;
    let nodes = Nodes::from(dataset);
    let record = RunRecord::new(&nodes.sources, machine(threads));
    let mut folder = match &arguments.out {
        Some(out) => RunFolder::create(out, arguments.overwrite, &recipe, record)?,
        None => fresh(&recipe, &record)?,
    };
    folder.write_schema(&nodes.schema)?;
    folder.write_split(&nodes.ids, &nodes.split)?;
    report::train(&mut folder, &nodes, &plan, threads, console)
}

/// The first `runs/MODEL-N` that is free.
fn fresh(recipe: &Recipe, record: &RunRecord) -> Result<RunFolder, Failure> {
    for number in 1u32.. {
        let path = Path::new(RUNS).join(format!("{}-{number}", recipe.model.name()));
        if path.exists() {
            continue;
        }
        match RunFolder::create(&path, false, recipe, record.clone()) {
            // Another process was faster.
            Err(TrainError::RunExists { .. } | TrainError::InUse { .. }) => {}
            created => return Ok(created?),
        }
    }
    let path = PathBuf::from(RUNS);
    Err(Failure::failed(format!("{} is full of runs. Pass --out.", path.display())))
}
