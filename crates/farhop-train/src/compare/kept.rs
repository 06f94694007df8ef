//! The comparisons that a folder of kept runs holds: it may have served any number of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::identity::placeless;
use super::{Standing, rank};
use crate::run::{RecordedFile, RunHistory};
use crate::series::{Member, Row, Rows};
use crate::{SplitSetting, Status, TrainError};

/// Models that were trained on the same data and are scored the same way.
#[derive(Clone, Debug)]
pub struct KeptComparison {
    /// Every model with its settings, the best first; the runs of each that ended, by seed and split.
    pub standings: Vec<Standing>,
    /// All runs, in the order of the standings; behind them those that have not ended.
    pub runs: Vec<RunHistory>,
}

/// Reads the runs in a folder that comparisons were kept in, and [sorts](sorted) them. Takes no lock.
///
/// # Errors
/// When the folder has no runs, or one of them is damaged.
pub fn kept(store: &Path) -> Result<Vec<KeptComparison>, TrainError> {
    let entries = fs::read_dir(store).map_err(TrainError::io(store, "read"))?;
    let mut places: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    places.sort();
    let runs = places.iter().filter(|place| RunHistory::is(place)).map(|place| RunHistory::read(place));
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    if runs.is_empty() {
        return Err(TrainError::NoComparison { path: store.to_path_buf() });
    }
    sorted(runs)
}

/// Finds out which runs belong together: those whose settings differ in seed and split alone are of one model; models with the same data, split
/// and score are compared.
///
/// # Errors
/// When settings can't be written.
pub fn sorted(runs: Vec<RunHistory>) -> Result<Vec<KeptComparison>, TrainError> {
    let mut found: BTreeMap<String, BTreeMap<String, Vec<RunHistory>>> = BTreeMap::new();
    for run in runs {
        let (data, model) = keys(&run)?;
        found.entry(data).or_default().entry(model).or_default().push(run);
    }
    Ok(found.into_values().map(compared).collect())
}

/// What a run has in common with those it is compared with, and with those of its model.
fn keys(run: &RunHistory) -> Result<(String, String), TrainError> {
    let mut tree = placeless(&run.recipe)?;
    if matches!(run.recipe.data.split, SplitSetting::Number(_)) {
        tree["data"]["split"] = "numbered".into();
    }
    tree["train"]["seed"] = Value::Null;
    let record = &run.record;
    let hashes: Vec<&RecordedFile> = record.data.iter().chain(&record.split_file).collect();
    let hashes: Vec<&str> = hashes.iter().map(|file| file.sha256.as_str()).collect();
    let data = format!("{} {} {hashes:?}", tree["data"], record.metric);
    Ok((data, tree.to_string()))
}

fn compared(models: BTreeMap<String, Vec<RunHistory>>) -> KeptComparison {
    let has_ended = |run: &RunHistory| matches!(run.record.status, Status::Finished | Status::Failed);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for mut runs in models.into_values() {
        runs.sort_by_key(|run| (run.recipe.train.seed, run.recipe.data.split.to_string(), run.path.clone()));
        let (ended, not): (Vec<_>, Vec<_>) = runs.into_iter().partition(has_ended);
        open.extend(not);
        let Some(recipe) = ended.first().map(|run| run.recipe.clone()) else { continue };
        let rows = ended.iter().enumerate().map(|(number, run)| row(run, number, ended.len())).collect();
        found.push((Standing::of(recipe, Rows { rows, interrupted: false }), ended));
    }
    let mut standings: Vec<Standing> = found.iter().map(|(standing, _)| standing.clone()).collect();
    rank(&mut standings);
    let mut both: Vec<(Standing, Vec<RunHistory>)> =
        standings.into_iter().zip(found.into_iter().map(|(_, runs)| runs)).collect();
    both.sort_by_key(|(one, _)| (one.rank.unwrap_or(usize::MAX), one.model()));
    let (standings, runs): (Vec<Standing>, Vec<Vec<RunHistory>>) = both.into_iter().unzip();
    KeptComparison { standings, runs: runs.into_iter().flatten().chain(open).collect() }
}

fn row(run: &RunHistory, number: usize, of: usize) -> Row {
    let record = &run.record;
    let result = match record.status {
        Status::Failed => Err(record.error.clone().unwrap_or_else(|| "it failed".to_string())),
        _ => Ok(record.clone()),
    };
    Row { member: Member { recipe: run.recipe.clone(), number, of }, path: Some(run.path.clone()), result }
}
