//! `farhop tune`: a search for settings, by validation alone.

mod tell;

pub use tell::trial_line;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_data::save::write_atomically;
use farhop_train::series::Surroundings;
use farhop_train::study::{Description, Listener, MedianRule, Search, Space, State, Study, Trial, default_space};
use farhop_train::{EpochReport, GivenSetting, Material, Observer, Places, Recipe};

use crate::arguments::{Common, TuneArguments};
use crate::console::Console;
use crate::data;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt::{self, Saving};
use crate::machine::machine;
use crate::picture::search_alone;
use crate::progress::Progress;
use crate::settings;

/// Where studies go when the user does not say.
const STUDIES: &str = "studies";

/// Runs the command.
pub fn run(arguments: &TuneArguments, common: &Common, threads: usize, console: &Console) -> Result<ExitCode, Failure> {
    if arguments.data.is_empty() && arguments.recipe.is_none() {
        return Err(Failure::usage(
            "there is nothing to search on. Name a dataset, or give --nodes, --edges and --target.",
        ));
    }
    let file = arguments.recipe.as_deref();
    let asked = settings::asked(file, &arguments.data, &arguments.model, arguments.training.settings(), common)?;
    let places = Places::usual(arguments.data.data_dir.as_deref());
    let (settled, material) = data::read(&asked, &places)?;
    let base = settled.recipe;
    let (text, space) = space(arguments, &base, &asked.given)?;
    if arguments.show_space {
        console.result(&space, || text.trim_end().to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    data::show_card(&material, console);
    check(&material)?;
    let out = arguments.out.clone().unwrap_or_else(|| usual_place(&base));
    let metric = material.dataset.metric;
    let study = Study::open(&out, Description::of(&base, &material, text)?, space)?;
    let known = study.trials()?.len();
    console.message(&tell::beginning(&study, known, arguments.trials));
    let data_dir = arguments.data.data_dir.as_ref().and_then(|folder| std::path::absolute(folder).ok());
    let search = Search {
        study: &study,
        base: &base,
        material: &material,
        around: Surroundings { places: &places, machine: machine(threads), data_dir },
        trials: arguments.trials,
        rule: (!arguments.no_pruning).then(|| MedianRule::for_epochs(base.train.epochs)),
    };
    let saving = Saving::begin();
    let all = search.run(
        &mut Teller { console, metric, wanted: arguments.trials, epochs: base.train.epochs, progress: None },
        interrupt::asked(),
    )?;
    drop(saving);
    let trials = study.trials()?;
    write(&out.join("study.svg"), &search_alone(&study, &trials, metric))?;
    if !all {
        console.warning(&format!(
            "interrupted; everything is saved. Give the same command again to go on with {}.",
            out.display()
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let Some(best) = study.best(&trials) else {
        let reason = trials.iter().rev().find_map(|trial| trial.error.clone()).unwrap_or_default();
        return Err(Failure::failed(format!("no trial was trained to its end. The last one failed: {reason}")));
    };
    let recipe = study.space().recipe(&base, &best.settings)?;
    let file = out.join("best.toml");
    write(&file, &format!("{}{}", tell::heading(&study, best, &trials, metric), recipe.to_toml()?))?;
    tell::ending(&study, &trials, best, metric, &file, console)?;
    Ok(ExitCode::SUCCESS)
}

/// The text of the space, and what it says. What was given as an option is not searched.
fn space(arguments: &TuneArguments, base: &Recipe, given: &[GivenSetting]) -> Result<(String, Space), Failure> {
    let Some(file) = &arguments.space else {
        let fixed: Vec<String> = given.iter().map(GivenSetting::key).collect();
        return Ok(default_space(base, &fixed)?);
    };
    let read = fs::read_to_string(file);
    let text = read.map_err(|error| Failure::failed(format!("{}: can't read: {error}.", file.display())))?;
    let space = Space::parse(&text, file, base)?;
    let searched = |setting: &&GivenSetting| space.dimensions.iter().any(|dimension| dimension.key == setting.key());
    match given.iter().find(searched) {
        None => Ok((text, space)),
        Some(setting) => Err(Failure::usage(format!(
            "{} fixes {}, and {} searches it. Take one of them out.",
            setting.origin(),
            setting.key(),
            file.display()
        ))),
    }
}

/// A search needs something to learn from and something to judge by.
fn check(material: &Material) -> Result<(), Failure> {
    let split = &material.dataset.split;
    for (rows, name) in [(&split.train, "training"), (&split.valid, "validation")] {
        if rows.is_empty() {
            return Err(Failure::failed(format!(
                "the {name} part is empty, and a search needs it. Mark rows as train and valid, or take the split out so that one is made."
            )));
        }
    }
    Ok(())
}

/// `studies/cora-gen`.
fn usual_place(recipe: &Recipe) -> PathBuf {
    let data = &recipe.data;
    let named = data.dataset.as_ref().map(PathBuf::from).or(data.molecules.clone()).or(data.nodes.clone());
    let stem = named.as_deref().and_then(Path::file_stem).map_or("data".into(), |stem| stem.to_string_lossy());
    Path::new(STUDIES).join(format!("{stem}-{}", recipe.model.name()))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    Ok(write_atomically(file, |writer| std::io::Write::write_all(writer, text.as_bytes()))?)
}

/// Tells how the search goes, a line a trial.
struct Teller<'a> {
    console: &'a Console,
    metric: farhop_data::metrics::Metric,
    wanted: usize,
    epochs: usize,
    /// Of the trial in work.
    progress: Option<Progress>,
}

impl Listener for Teller<'_> {
    fn begun(&mut self, trial: &Trial, goes_on: bool) {
        if goes_on {
            self.console.message(&format!("trial {}: goes on where its process was stopped", trial.number));
        }
        let mut progress = Progress::new(self.console, &format!("trial {}", trial.number), self.metric);
        progress.started(0, self.epochs, 0);
        self.progress = Some(progress);
    }

    fn epoch(&mut self, _: &Trial, report: &EpochReport) {
        if let Some(progress) = &mut self.progress {
            progress.epoch(report);
        }
    }

    fn ended(&mut self, trial: &Trial, best: Option<&Trial>) {
        self.progress = None;
        self.console.message(&tell::trial_line(trial, best, self.wanted, self.metric));
        if trial.state == State::Failed {
            self.console.warning(&format!("trial {}: {}", trial.number, trial.error.as_deref().unwrap_or("it failed")));
        }
    }
}
