//! Several runs of one recipe, and what is said at their end.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_train::series::{
    Estimate, Member, Row, Rows, SeriesFolder, Spread, Surroundings, TimeLeft, folder_of, is_done, members, train_all,
};
use farhop_train::{Observer, Places, Recipe, SplitSetting};
use serde_json::{Value, json};

use super::report::shell_word;
use crate::console::Console;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt;
use crate::machine::machine;
use crate::spread::{row_object, spread_text};
use crate::table::{TextTable, duration};
use crate::watcher::Watcher;

/// Begins several runs in a folder.
pub fn begin(
    recipe: &Recipe,
    seeds: &[u64],
    out: &Path,
    data_dir: Option<PathBuf>,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let folder = SeriesFolder::create(out, recipe, seeds, data_dir)?;
    go_on(&folder, threads, console)
}

/// Goes on with several runs where they stopped.
pub fn resume(path: &Path, data_dir: Option<&Path>, threads: usize, console: &Console) -> Result<ExitCode, Failure> {
    let mut folder = SeriesFolder::resume(path)?;
    if let Some(given) = data_dir {
        folder.data_dir = std::path::absolute(given).ok();
    }
    go_on(&folder, threads, console)
}

fn go_on(folder: &SeriesFolder, threads: usize, console: &Console) -> Result<ExitCode, Failure> {
    let places = Places::usual(folder.data_dir.as_deref());
    let around = Surroundings { places: &places, machine: machine(threads), data_dir: folder.data_dir.clone() };
    let members = members(&folder.recipe, &folder.seeds);
    let place_of = |member: &Member| folder_of(folder.path(), member);
    let mut watcher = Watcher::of_several(console);
    let left = members.iter().filter(|member| !is_done(&folder_of(folder.path(), member))).count();
    let mut time = TimeLeft::default();
    if left > 0 {
        watcher.timing(&folder.recipe);
        let expected = Estimate::of(&members[0].recipe, &places, interrupt::asked())?;
        time.expect(folder.recipe.model.name(), expected, left);
        watcher.estimated(left, members.len() - left, time.seconds());
    }
    let rows = train_all(&members, &place_of, &around, &mut time, &mut watcher, interrupt::asked());
    drop(watcher);
    let rows = rows?;
    folder.write_summary(&rows)?;
    tell(folder, &rows, console)
}

fn tell(folder: &SeriesFolder, rows: &Rows, console: &Console) -> Result<ExitCode, Failure> {
    if !rows.rows.is_empty() || console.is_json() {
        console.result(&object(folder, rows), || table(rows, console))?;
    }
    let word = shell_word(folder.path());
    if rows.interrupted {
        console.warning(&format!(
            "interrupted; {} of {} runs are done. Continue with: farhop train --resume {word}",
            rows.rows.len(),
            folder.seeds.len()
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    for row in &rows.rows {
        if let Err(problem) = &row.result {
            console.warning(&format!("seed {}: {problem}", row.member.recipe.train.seed));
        }
    }
    console.message(&format!("saved in {}", folder.path().display()));
    let first = rows.rows.iter().find(|row| row.result.is_ok());
    if let Some(path) = first.and_then(|row| row.path.as_deref()) {
        console.message(&format!("next: farhop evaluate {}", shell_word(path)));
    }
    Ok(if rows.records().next().is_none() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn table(rows: &Rows, console: &Console) -> String {
    let Some(metric) = rows.metric() else { return "no run has ended".to_string() };
    let mut table = TextTable::new(&["run", "train", "valid", "test", "best epoch", "time"]);
    for row in &rows.rows {
        let name = name_of(row);
        match &row.result {
            Ok(record) => table.row([
                name,
                metric.shown(record.scores.train),
                metric.shown(record.scores.valid),
                metric.shown(record.scores.test),
                record.best_epoch.map_or("-".to_string(), |epoch| epoch.to_string()),
                duration(record.seconds),
            ]),
            Err(_) => table.row([name, "failed".into(), "-".into(), "-".into(), "-".into(), "-".into()]),
        }
    }
    let told = |spread: Option<Spread>| spread.map_or("-".to_string(), |spread| spread_text(metric, &spread));
    let all: f64 = rows.records().map(|record| record.seconds).sum();
    table.row([
        "mean".to_string(),
        told(rows.spread(|scores| scores.train)),
        told(rows.spread(|scores| scores.valid)),
        told(rows.spread(|scores| scores.test)),
        "-".to_string(),
        duration(all),
    ]);
    console.lines(&table)
}

fn name_of(row: &Row) -> String {
    let seed = row.member.recipe.train.seed;
    match row.member.recipe.data.split {
        SplitSetting::Number(split) => format!("seed {seed}, split {split}"),
        _ => format!("seed {seed}"),
    }
}

fn object(folder: &SeriesFolder, rows: &Rows) -> Value {
    json!({
        "run": folder.path(),
        "model": folder.recipe.model.name(),
        "metric": rows.metric(),
        "interrupted": rows.interrupted,
        "train": rows.spread(|scores| scores.train),
        "valid": rows.spread(|scores| scores.valid),
        "test": rows.spread(|scores| scores.test),
        "runs": rows.rows.iter().map(row_object).collect::<Vec<_>>(),
    })
}
