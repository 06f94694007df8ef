//! `farhop train`: the demonstration, the user's own data, or a run that goes on.

mod demonstrate;
mod own_data;
pub mod report;
mod resume;
mod series;
mod tables;

use std::process::ExitCode;

use crate::arguments::{Common, TrainArguments};
use crate::console::Console;
use crate::failure::Failure;

/// Runs the command.
pub fn run(
    arguments: &TrainArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let own = !arguments.data.is_empty() || arguments.recipe.is_some() || arguments.show_settings;
    if let Some(folder) = &arguments.resume {
        resume::run(folder, arguments, common, threads, console)
    } else if own {
        refuse_demonstration(arguments)?;
        own_data::run(arguments, common, threads, console)
    } else {
        refuse_settings(arguments)?;
        demonstrate::run(arguments, common, threads, console)
    }
}

/// What belongs to the demonstration has no meaning for the user's data.
fn refuse_demonstration(arguments: &TrainArguments) -> Result<(), Failure> {
    let asked = &arguments.demonstration;
    // Datasets that are made have a distance, too.
    let distance = asked.distance.is_some() && arguments.data.what.is_none();
    let given = [
        (distance, "--distance"),
        (asked.picture.is_some(), "--picture"),
        (asked.tree_nodes.is_some(), "--tree-nodes"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, flag)) => Err(Failure::usage(format!(
            "{flag} belongs to the demonstration, which has its own data. Take it out, or the data that you named."
        ))),
    }
}

/// The demonstration has its own models; only the number of epochs may be changed.
fn refuse_settings(arguments: &TrainArguments) -> Result<(), Failure> {
    let named = arguments.model.model.is_some().then_some("--model");
    let folder = arguments.data.data_dir.is_some().then_some("--data-dir");
    let settings = arguments.model.settings().into_iter().chain(arguments.training.settings());
    let other = settings.map(|setting| setting.origin().to_string()).find(|flag| flag != "--epochs");
    if !arguments.several.is_empty() {
        return Err(Failure::usage(
            "--runs and --seeds are for your own data or a dataset. Name one, or take them out.",
        ));
    }
    let idle = arguments.overwrite && arguments.out.is_none() && arguments.demonstration.picture.is_none();
    if idle {
        return Err(Failure::usage("--overwrite is for --out and --picture. Take it out, or name what to replace."));
    }
    match named.map(str::to_string).or(other).or(folder.map(str::to_string)) {
        None => Ok(()),
        Some(flag) => Err(Failure::usage(format!(
            "{flag} is for your own data: give --nodes, --edges and --target with it. The demonstration has fixed models."
        ))),
    }
}
