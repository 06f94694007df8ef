//! `farhop report`: runs, a search or a comparison as one page that needs nothing else.

mod answers;
mod attention;
mod course;
mod date;
mod facts;
mod html;
mod page;
mod run_page;
mod several_page;
mod study_page;
mod view;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_data::save::write_atomically;
use farhop_data::text::counted;
use farhop_train::compare::{KeptComparison, kept, sorted};
use farhop_train::memory::bytes_text;
use farhop_train::run::names;
use farhop_train::series::SeriesFolder;
use farhop_train::study::Study;
use farhop_train::{RunHistory, TrainError};
use serde_json::json;

use crate::arguments::{NewData, ReportArguments};
use crate::commands::train::report::shell_word;
use crate::console::Console;
use crate::failure::Failure;
use crate::output::Output;
use page::Page;
use view::RunView;

/// Runs the command.
pub fn run(arguments: &ReportArguments, console: &Console) -> Result<ExitCode, Failure> {
    let about = About::of(arguments)?;
    let out = Output::new("--out", &place(arguments), arguments.overwrite)?;
    let data = NewData { data_dir: arguments.data_dir.clone(), ..NewData::default() };
    let data = (!arguments.without_data).then_some(&data);
    let (page, runs, missing) = match about {
        About::Study(study) => of_study(&study, data, console)?,
        About::Comparisons(found) => {
            let runs = found.iter().map(|one| one.runs.len()).sum();
            (several_page::page("comparison report", &found, &[])?, runs, Vec::new())
        }
        About::Runs(paths) => of_runs(&paths, data, console)?,
    };
    let html = page.html();
    write_atomically(out.path(), |writer| std::io::Write::write_all(writer, html.as_bytes()))?;
    let object = json!({ "report": out.path(), "bytes": html.len(), "runs": runs, "without": missing });
    console.result(&object, || {
        let runs = counted(runs as u64, "run", "runs");
        format!("{} ({runs}, {})", out.path().display(), bytes_text(html.len() as u64))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What a page is to be about. Looked at before anything else, so that a folder of something else is what is told.
enum About {
    Runs(Vec<PathBuf>),
    Study(Study),
    Comparisons(Vec<KeptComparison>),
}

impl About {
    fn of(arguments: &ReportArguments) -> Result<Self, Failure> {
        match (&arguments.study, &arguments.compare) {
            (Some(folder), _) => Ok(About::Study(Study::read(folder)?)),
            (_, Some(store)) => Ok(About::Comparisons(kept(store)?)),
            _ => Ok(About::Runs(run_folders(&arguments.runs)?)),
        }
    }
}

/// The folders of runs, those of a series one by one, none twice.
fn run_folders(folders: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for folder in folders {
        let runs = if SeriesFolder::is(folder) { SeriesFolder::runs(folder)? } else { vec![folder.clone()] };
        if runs.is_empty() {
            return Err(Failure::failed(format!(
                "{} has no run that was begun. Begin with: farhop train --resume {}",
                folder.display(),
                shell_word(folder)
            )));
        }
        for run in runs {
            check(&run)?;
            let whole = run.canonicalize().unwrap_or_else(|_| run.clone());
            if found.iter().all(|(other, _)| *other != whole) {
                found.push((whole, run));
            }
        }
    }
    Ok(found.into_iter().map(|(_, run)| run).collect())
}

/// Where the page goes: into the folder that it is about, if that is one.
fn place(arguments: &ReportArguments) -> PathBuf {
    let folder = match (&arguments.study, &arguments.compare, arguments.runs.as_slice()) {
        (Some(folder), ..) | (_, Some(folder), _) | (.., [folder]) => folder.clone(),
        _ => PathBuf::new(),
    };
    arguments.out.clone().unwrap_or_else(|| folder.join(names::REPORT))
}

/// A page, how many runs it is about, and why something is missing in it.
type Made = (Page, usize, Vec<String>);

fn of_runs(paths: &[PathBuf], data: Option<&NewData>, console: &Console) -> Result<Made, Failure> {
    let views = paths.iter().map(|path| RunView::open(path, data, console)).collect::<Result<Vec<_>, _>>()?;
    let missing = views.iter().filter_map(|view| view.missing.clone()).collect();
    let page = match views.as_slice() {
        [one] => run_page::page(one)?,
        several => {
            let found = sorted(several.iter().map(|view| view.history.clone()).collect())?;
            several_page::page("report of several runs", &found, several)?
        }
    };
    Ok((page, views.len(), missing))
}

/// Whether a folder is that of a run; if it is another one of ours, how it is to be given.
fn check(folder: &Path) -> Result<(), Failure> {
    if RunHistory::is(folder) {
        return Ok(());
    }
    let asked =
        |what: &str, flag: &str| Err(Failure::usage(format!("{} is {what}. Pass it as {flag} {0}.", folder.display())));
    if study_page::is_study(folder) {
        return asked("the folder of a study", "--study");
    }
    let mut inside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    if inside.any(|place| RunHistory::is(&place)) {
        return asked("a folder with runs in it", "--compare");
    }
    Err(TrainError::NoRun { path: folder.to_path_buf(), missing: names::RECORD }.into())
}

fn of_study(study: &Study, data: Option<&NewData>, console: &Console) -> Result<Made, Failure> {
    let trials = study.trials()?;
    let view = study_page::best_run(study, &trials).map(|run| RunView::open(&run, data, console)).transpose()?;
    let missing = view.iter().filter_map(|view| view.missing.clone()).collect();
    Ok((study_page::page(study, &trials, view.as_ref())?, trials.len(), missing))
}
