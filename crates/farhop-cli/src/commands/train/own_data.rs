//! Training on data that the user names: a dataset, molecules, or tables of nodes and edges.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_train::presets::Preset;
use farhop_train::{Material, Places, Recipe, RunFolder, RunRecord, TrainError};
use serde_json::json;

use super::{machine, report};
use crate::arguments::{Common, TrainArguments};
use crate::console::Console;
use crate::data;
use crate::failure::Failure;
use crate::origins::Origins;
use crate::settings;
use crate::without_effect;

/// Where runs go when the user does not say.
const RUNS: &str = "runs";

pub fn run(
    arguments: &TrainArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let training = arguments.training.settings();
    let mut given = arguments.model.settings();
    given.extend(training.clone());
    given.extend(common.seed_setting());
    let file = arguments.recipe.as_deref();
    let recipe_for = |preset: Option<Preset>| -> Result<Recipe, Failure> {
        let mut recipe = settings::recipe(file, &arguments.data, &arguments.model, training.clone(), common, preset)?;
        recipe.data.distance = arguments.demonstration.distance.or(recipe.data.distance);
        Ok(recipe)
    };
    let origins_of = |recipe: &Recipe, preset: Preset| Origins::of(recipe, file, &arguments.data, &given, preset);
    let expected = recipe_for(None)?;
    without_effect::refuse_parts(&expected, &training)?;
    if arguments.overwrite && arguments.out.is_none() {
        return Err(Failure::usage("--overwrite is for --out, which is missing. Name the run folder to replace."));
    }
    let places = Places::usual(arguments.data.data_dir.as_deref());
    if let (true, Some(preset)) = (arguments.show_settings, Preset::expected(&expected.data)) {
        return show(&expected, &origins_of(&expected, preset)?, console);
    }
    let material = data::read(&expected, &places)?;
    // How many graphs a file holds is known only now.
    let preset = Preset::of(&material.dataset);
    let recipe = recipe_for(Some(preset))?;
    let origins = origins_of(&recipe, preset)?;
    if arguments.show_settings {
        return show(&recipe, &origins, console);
    }
    data::show_card(&material, console);
    let Material { dataset, schema, features, .. } = material;
    let mut record = RunRecord::new(&dataset.sources, machine(threads));
    record.features = features;
    record.data_dir = arguments.data.data_dir.as_ref().and_then(|folder| std::path::absolute(folder).ok());
    let task = data::task(&recipe, dataset, None, true, &places, console)?;
    if task.split().train.is_empty() {
        return Err(Failure::failed(match recipe.data.distance {
            Some(distance) => format!(
                "no node has another at distance {distance}: there is nothing to learn from. Pass a smaller --distance."
            ),
            None => "there is nothing to learn from: the training part is empty. Mark rows as train.".to_string(),
        }));
    }
    origins.say(console);
    without_effect::say_idle(arguments, &recipe, &task, console);
    let plan = data::plan(&recipe, &task, true, console)?;
    let mut folder = match &arguments.out {
        Some(out) => RunFolder::create(out, arguments.overwrite, &recipe, record)?,
        None => fresh(&recipe, &record)?,
    };
    if let Some(schema) = &schema {
        folder.write_schema(schema)?;
    }
    folder.write_split(&task)?;
    report::train(&mut folder, &task, &plan, threads, console)
}

/// The settings that would be used.
fn show(recipe: &Recipe, origins: &Origins, console: &Console) -> Result<ExitCode, Failure> {
    let object = json!({ "model": recipe.model.name(), "settings": origins.object() });
    console.result(&object, || origins.table(console))?;
    Ok(ExitCode::SUCCESS)
}

/// The first `runs/DATASET-MODEL-N` (for tables `runs/MODEL-N`) that is free.
fn fresh(recipe: &Recipe, record: &RunRecord) -> Result<RunFolder, Failure> {
    for number in 1u32.. {
        let path = Path::new(RUNS).join(format!("{}{}-{number}", prefix(recipe), recipe.model.name()));
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

/// The name of the dataset or file, as far as it can be part of a folder's name.
fn prefix(recipe: &Recipe) -> String {
    let data = &recipe.data;
    let path = data.molecules.clone().or(data.dataset.as_ref().map(PathBuf::from));
    let stem = path.as_deref().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let plain: String =
        stem.chars().filter(|letter| letter.is_ascii_alphanumeric() || "-_".contains(*letter)).collect();
    if plain.is_empty() { plain } else { format!("{}-", plain.to_ascii_lowercase()) }
}
