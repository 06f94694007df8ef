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
    /// Every model with its settings, the best first.
    pub standings: Vec<Standing>,
    /// Runs that have not ended.
    pub unfinished: Vec<PathBuf>,
}

/// Reads the runs in a folder that comparisons were kept in. Runs whose settings differ in seed and split alone belong to one model; models with
/// the same data, split and score are compared. Takes no lock.
///
/// # Errors
/// When the folder has no runs, or one of them is damaged.
pub fn kept(store: &Path) -> Result<Vec<KeptComparison>, TrainError> {
    let entries = fs::read_dir(store).map_err(TrainError::io(store, "read"))?;
    let mut places: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    places.sort();
    let mut found: BTreeMap<String, BTreeMap<String, Vec<RunHistory>>> = BTreeMap::new();
    for place in places.iter().filter(|place| RunHistory::is(place)) {
        let run = RunHistory::read(place)?;
        let (data, model) = keys(&run)?;
        found.entry(data).or_default().entry(model).or_default().push(run);
    }
    if found.is_empty() {
        return Err(TrainError::NoComparison { path: store.to_path_buf() });
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
    let mut unfinished = Vec::new();
    let mut standings = Vec::new();
    for runs in models.into_values() {
        let (ended, open): (Vec<_>, Vec<_>) =
            runs.into_iter().partition(|run| matches!(run.record.status, Status::Finished | Status::Failed));
        unfinished.extend(open.into_iter().map(|run| run.path));
        let Some(first) = ended.first() else { continue };
        let recipe = first.recipe.clone();
        let mut rows: Vec<Row> = ended.into_iter().map(row).collect();
        rows.sort_by_key(|row| (row.member.recipe.train.seed, row.member.recipe.data.split.to_string()));
        let of = rows.len();
        rows.iter_mut().enumerate().for_each(|(number, row)| (row.member.number, row.member.of) = (number, of));
        standings.push(Standing::of(recipe, Rows { rows, interrupted: false }));
    }
    rank(&mut standings);
    standings.sort_by_key(|one| (one.rank.unwrap_or(usize::MAX), one.model()));
    KeptComparison { standings, unfinished }
}

fn row(run: RunHistory) -> Row {
    let RunHistory { path, recipe, record, .. } = run;
    let result = match record.status {
        Status::Failed => Err(record.error.unwrap_or_else(|| "it failed".to_string())),
        _ => Ok(record),
    };
    Row { member: Member { recipe, number: 0, of: 0 }, path, result }
}
