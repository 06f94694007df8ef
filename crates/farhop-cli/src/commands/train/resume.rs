//! Continuing a run.

use std::path::Path;
use std::process::ExitCode;

use farhop_train::Resume;

use super::report;
use crate::arguments::{Common, TrainArguments};
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt;
use crate::watcher::Watcher;

pub fn run(
    path: &Path,
    arguments: &TrainArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    refuse_changes(arguments, common)?;
    let resume = Resume {
        path,
        nodes: arguments.data.nodes.clone(),
        edges: arguments.data.edges.clone(),
        data_dir: arguments.data.data_dir.clone(),
        epochs: arguments.training.epochs,
    };
    let mut watcher = Watcher::new(console);
    let trained = resume.train(&mut watcher, interrupt::asked());
    drop(watcher);
    report::tell(&trained?, threads, console)
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
