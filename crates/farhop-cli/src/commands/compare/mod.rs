//! `farhop compare`: models on one dataset, with the same splits, seeds and budget.

pub mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_data::save::write_atomically;
use farhop_data::text::counted;
use farhop_nn::ModelConfig;
use farhop_train::compare::{Compared, Comparison, Standing};
use farhop_train::series::Surroundings;
use farhop_train::{Places, Recipe, Settings, tuned};
use serde_json::{Value, json};

use crate::arguments::{Common, CompareArguments, ModelArguments, TableFormat};
use crate::console::Console;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt;
use crate::machine::machine;
use crate::output::Output;
use crate::picture::{Mark, score_against_time};
use crate::settings;
use crate::spread::row_object;
use crate::watcher::Watcher;
use crate::without_effect;

/// What is given in place of a folder of recipes where none is to be used.
const NO_RECIPES: &str = "none";

/// Runs when nothing is said.
const RUNS: usize = 3;

/// Runs the command.
pub fn run(
    arguments: &CompareArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let seeds = arguments.seeds.list(common, RUNS)?;
    let picture =
        arguments.picture.as_deref().map(|file| Output::new("--picture", file, arguments.overwrite)).transpose()?;
    let contenders = contenders(arguments)?;
    let places = Places::usual(arguments.data.data_dir.as_deref());
    let data_dir = arguments.data.data_dir.as_ref().and_then(|folder| std::path::absolute(folder).ok());
    let around = Surroundings { places: &places, machine: machine(threads), data_dir };
    say_settings(&contenders, arguments.trials, console);
    let comparison = Comparison { contenders, seeds, trials: arguments.trials, store: &arguments.out, around };
    let mut watcher = Watcher::of_several(console);
    let compared = comparison.run(&mut watcher, interrupt::asked());
    drop(watcher);
    let compared = compared?;
    if let Some(picture) = picture.filter(|_| !compared.standings.is_empty()) {
        draw(picture.path(), &compared)?;
        console.message(&format!("picture: {}", picture.path().display()));
    }
    tell(arguments, &compared, console)
}

/// The settings of every model.
fn contenders(arguments: &CompareArguments) -> Result<Vec<Settings>, Failure> {
    let mut seen = BTreeSet::new();
    if let Some(twice) = arguments.models.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(Failure::usage(format!("--models has {twice} twice. Name every model once.")));
    }
    let training = arguments.training.settings();
    // The seed is that of each run.
    let seedless = Common::default();
    let mut found = Vec::new();
    for name in &arguments.models {
        ModelConfig::from_name(name)?;
        let model = ModelArguments::named(name, &arguments.set);
        let mut asked = settings::asked(None, &arguments.data, &model, training.clone(), &seedless)?;
        asked.data.distance = arguments.distance.or(asked.data.distance);
        // Only the settings of model and training: the data is the same for all.
        asked.base = recipe_of(arguments, asked.data.dataset.as_deref(), name)?;
        without_effect::refuse_parts(&asked.settle(None)?.recipe, &training)?;
        found.push(asked);
    }
    Ok(found)
}

/// The recipe of a model for a dataset or for all, of the folder that was named; else the one that comes with farhop.
fn recipe_of(
    arguments: &CompareArguments,
    dataset: Option<&str>,
    model: &str,
) -> Result<Option<(PathBuf, Recipe)>, Failure> {
    let Some(folder) = arguments.recipes.as_deref() else {
        let tuned = dataset.and_then(|dataset| tuned::get(dataset, model));
        return tuned.map(|one| Ok((one.path(), one.recipe()?))).transpose();
    };
    if folder == Path::new(NO_RECIPES) {
        return Ok(None);
    }
    let name = format!("{model}.toml");
    let files = dataset.map(|dataset| folder.join(dataset).join(&name)).into_iter().chain([folder.join(&name)]);
    files.into_iter().find(|file| file.is_file()).map(|file| settings::base(&file, Some(model))).transpose()
}

/// Says where the settings of every model come from.
fn say_settings(contenders: &[Settings], trials: Option<usize>, console: &Console) {
    let origin = |one: &Settings| match (&one.base, trials) {
        (Some((file, _)), _) => format!("{} {}", one.model, file.display()),
        (None, Some(trials)) => format!("{} by {}", one.model, counted(trials as u64, "trial", "trials")),
        (None, None) => format!("{} general", one.model),
    };
    console.message(&format!("settings    {}", contenders.iter().map(origin).collect::<Vec<_>>().join(", ")));
}

fn tell(arguments: &CompareArguments, compared: &Compared, console: &Console) -> Result<ExitCode, Failure> {
    let standings = &compared.standings;
    let done = standings.iter().any(|one| !one.runs.rows.is_empty());
    if done || console.is_json() {
        console.result(&object(compared), || match arguments.format {
            TableFormat::Text => console.lines(&table::text(standings)),
            TableFormat::Csv => table::csv(standings),
            TableFormat::Markdown => table::markdown(standings),
            TableFormat::Latex => table::latex(standings),
        })?;
    }
    for standing in standings {
        if let Some(problem) = standing.problem() {
            console.warning(&format!("{}: {problem}", standing.model()));
        }
    }
    if compared.interrupted {
        console.warning("interrupted; what is finished is kept. Ask again to go on.");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if let Some(line) = table::conclusion(standings) {
        console.message(&line);
    }
    console.message(&format!("runs are in {}", arguments.out.display()));
    // Asked for models, and none of them could be trained: that is a failure.
    Ok(if standings.iter().all(|one| one.test.is_none()) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn object(compared: &Compared) -> Value {
    let metric = compared.standings.iter().find_map(Standing::metric).map(|metric| metric.name());
    let models: Vec<Value> = compared.standings.iter().map(standing_object).collect();
    json!({ "metric": metric, "interrupted": compared.interrupted, "models": models })
}

fn standing_object(one: &Standing) -> Value {
    json!({
        "model": one.model(),
        "rank": one.rank,
        "test": one.test,
        "valid": one.valid,
        "significance": one.significance,
        "parameters": one.parameters,
        "seconds": one.seconds,
        "peak_rss_bytes": one.peak_rss_bytes,
        "settings": one.recipe.model,
        "runs": one.runs.rows.iter().map(row_object).collect::<Vec<_>>(),
    })
}

fn draw(file: &Path, compared: &Compared) -> Result<(), Failure> {
    let marks = compared.standings.iter().filter_map(|one| {
        let (test, seconds) = (one.test?, one.seconds?);
        Some(Mark { name: one.model().to_string(), seconds: seconds.mean, score: test.mean, deviation: test.deviation })
    });
    let metric = compared.standings.iter().find_map(Standing::metric);
    let name = metric.map_or("score".to_string(), |metric| metric.name());
    let svg =
        score_against_time(&marks.collect::<Vec<_>>(), metric).alone(&format!("Test {name} and time of training"));
    Ok(write_atomically(file, |writer| std::io::Write::write_all(writer, svg.as_bytes()))?)
}
