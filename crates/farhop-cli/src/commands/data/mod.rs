//! `farhop data`: the catalogue, cards, imports and downloads.

mod fetch;
mod import;
mod info;
mod list;
mod partition;

use std::process::ExitCode;

use crate::arguments::{Common, DataCommand, ModelArguments};
use crate::console::Console;
use crate::failure::Failure;
use crate::settings;

/// Runs the command.
pub fn run(command: &DataCommand, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    match command {
        DataCommand::List(arguments) => list::run(arguments, console),
        DataCommand::Info(arguments) => info::run(arguments, common, console),
        DataCommand::Import(arguments) => import::run(arguments, common, console),
        DataCommand::Fetch(arguments) => fetch::run(arguments, console),
        DataCommand::Partition(arguments) => partition::run(arguments, common, console),
    }
}

/// What the arguments say about data, as a recipe does.
fn recipe(data: &crate::arguments::DataArguments, common: &Common) -> Result<farhop_train::Recipe, Failure> {
    Ok(settings::asked(None, data, &ModelArguments::default(), Vec::new(), common)?.settle(None)?.recipe)
}
