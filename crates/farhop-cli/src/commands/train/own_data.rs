//! Training on data that the user names: a dataset, molecules, or tables of nodes and edges.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_train::presets::Preset;
use farhop_train::{Job, Keep, Settled, free_path};
use serde_json::json;

use super::{report, series};
use crate::arguments::{Common, TrainArguments};
use crate::console::Console;
use crate::data;
use crate::failure::Failure;
use crate::interrupt;
use crate::machine::machine;
use crate::origins;
use crate::settings;
use crate::together;
use crate::watcher::Watcher;
use crate::without_effect;

/// Where runs go when the user does not say.
const RUNS: &str = "runs";

pub fn run(
    arguments: &TrainArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let seeds = arguments.several.list(common, 1)?;
    if arguments.overwrite && !arguments.several.is_empty() {
        return Err(Failure::usage("--overwrite can't replace several runs. Take it out, or choose another --out."));
    }
    let asked = settings::of_training(arguments, common)?;
    let expected = asked.settle(None)?;
    without_effect::refuse_parts(&expected.recipe, &arguments.training.settings())?;
    if arguments.overwrite && arguments.out.is_none() {
        return Err(Failure::usage("--overwrite is for --out, which is missing. Name the run folder to replace."));
    }
    let places = together::places(arguments.data.data_dir.as_deref());
    // With a recipe, or where the catalogue tells what the data is, nothing has to be read for it.
    let known = asked.base.is_some() || Preset::expected(&expected.recipe.data).is_some();
    if arguments.show_settings && known {
        return show(&expected, console);
    }
    let (settled, material) = data::read(&asked, &places)?;
    if arguments.show_settings {
        return show(&settled, console);
    }
    together::refuse_whole(material.part.is_some(), &material.dataset)?;
    if (material.part.is_some() || together::group().is_some()) && !arguments.several.is_empty() {
        return Err(Failure::usage("--runs and --seeds are for one process. Start one run after the other."));
    }
    let data_dir = arguments.data.data_dir.as_ref().and_then(|folder| std::path::absolute(folder).ok());
    if !arguments.several.is_empty() {
        data::show_card(&material, console);
        origins::say(&settled.origins, console);
        // Every run reads its own: splits may differ.
        drop(material);
        let out = arguments.out.clone().unwrap_or_else(|| free_path(Path::new(RUNS), &settled.recipe));
        return series::begin(&settled.recipe, &seeds, &out, data_dir, threads, console);
    }
    let job = Job {
        keep: match &arguments.out {
            Some(out) => Keep::In { path: out.clone(), overwrite: arguments.overwrite },
            None => Keep::Fresh { below: PathBuf::from(RUNS) },
        },
        machine: machine(threads),
        data_dir,
        ..Job::new(settled.recipe, material, &places)
    };
    let mut watcher = Watcher::with_settings(console, &settled.origins, arguments);
    let trained = job.train(&mut watcher, interrupt::asked());
    drop(watcher);
    report::tell(&trained?, threads, console)
}

/// The settings that would be used.
fn show(settled: &Settled, console: &Console) -> Result<ExitCode, Failure> {
    let object = json!({ "model": settled.recipe.model.name(), "settings": origins::object(&settled.origins) });
    console.result(&object, || origins::table(&settled.origins, console))?;
    Ok(ExitCode::SUCCESS)
}
