//! Continuing a run.

use std::path::Path;
use std::process::ExitCode;

use farhop_data::parts::PartsFolder;
use farhop_train::Resume;
use farhop_train::series::SeriesFolder;

use super::{report, series};
use crate::arguments::{Common, TrainArguments};
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt;
use crate::together;
use crate::watcher::Watcher;

pub fn run(
    path: &Path,
    arguments: &TrainArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    refuse_changes(arguments, common)?;
    if SeriesFolder::is(path) {
        return resume_series(path, arguments, threads, console);
    }
    let resume = Resume {
        path,
        nodes: arguments.data.nodes.clone(),
        edges: arguments.data.edges.clone(),
        data_dir: arguments.data.data_dir.clone(),
        epochs: arguments.training.epochs,
        dataset: arguments.data.what.clone(),
        group: together::group().cloned(),
    };
    let mut watcher = Watcher::new(console);
    let trained = resume.train(&mut watcher, interrupt::asked());
    drop(watcher);
    report::tell(&trained?, threads, console)
}

/// Several runs go on, each with its own settings and data.
fn resume_series(
    path: &Path,
    arguments: &TrainArguments,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let given = [("--epochs", arguments.training.epochs.is_some())];
    let moved = [("--nodes", arguments.data.nodes.is_some()), ("--edges", arguments.data.edges.is_some())];
    if let Some((flag, _)) = given.iter().chain(&moved).find(|(_, given)| *given) {
        return Err(Failure::usage(format!(
            "{flag} is for one run, and {} holds several. Take it out.",
            path.display()
        )));
    }
    series::resume(path, arguments.data.data_dir.as_deref(), threads, console)
}

/// A run that goes on keeps its settings: anything else would be another run.
fn refuse_changes(arguments: &TrainArguments, common: &Common) -> Result<(), Failure> {
    let changed = !arguments.model.is_empty()
        || !arguments.demonstration.is_empty()
        || arguments.training.is_more_than_epochs()
        || arguments.data.says_how()
        || arguments.data.what.as_ref().is_some_and(|what| !PartsFolder::is_at(Path::new(what)))
        || !arguments.several.is_empty()
        || common.seed.is_some();
    if changed {
        return Err(Failure::usage(
            "--resume continues a run with its own settings; only --epochs, --nodes, --edges and --data-dir may be given with it. Start a new run for others.",
        ));
    }
    Ok(())
}
