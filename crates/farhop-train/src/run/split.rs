//! `split.json`: what is for what, by the user's own ids, so that it holds for reordered tables too.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use farhop_data::Split;
use serde::{Deserialize, Serialize};

use crate::durable;
use crate::{Task, TrainError};

#[derive(Serialize, Deserialize)]
struct SavedSplit {
    train: Vec<String>,
    valid: Vec<String>,
    test: Vec<String>,
}

/// Whether units are called by their numbers: they have no ids of their own (a table of millions of names is not needed then),
/// or ids that repeat, as names of molecules may.
fn is_numbered(ids: &[String]) -> bool {
    let mut seen = HashSet::with_capacity(ids.len());
    ids.is_empty() || !ids.iter().all(|id| seen.insert(id.as_str()))
}

pub(super) fn write_named(path: &Path, [train, valid, test]: [Vec<String>; 3]) -> Result<(), TrainError> {
    put(path, &SavedSplit { train, valid, test })
}

pub(super) fn write(path: &Path, task: &Task) -> Result<(), TrainError> {
    let numbered = is_numbered(&task.ids);
    let name = |unit: &u32| if numbered { unit.to_string() } else { task.unit_id(*unit).into_owned() };
    let named = |units: &[u32]| units.iter().map(name).collect();
    let Split { train, valid, test } = task.split();
    let saved = SavedSplit { train: named(train), valid: named(valid), test: named(test) };
    put(path, &saved)
}

fn put(path: &Path, saved: &SavedSplit) -> Result<(), TrainError> {
    let bytes = serde_json::to_vec(saved).map_err(std::io::Error::other).map_err(TrainError::io(path, "write"))?;
    durable::replace(path, &bytes)
}

/// The split of so many units with these ids; units without ids are called by their numbers.
pub(super) fn read(path: &Path, units: usize, ids: &[String]) -> Result<Split, TrainError> {
    let saved: SavedSplit = serde_json::from_slice(&durable::read(path)?).map_err(|error| TrainError::Corrupt {
        path: path.to_path_buf(),
        problem: format!("it is not a split: {error}"),
        remedy: "Restore the file from a copy.".to_string(),
    })?;
    // Of many graphs whose nodes are predicted, the ids are those of the nodes, and graphs are called by their numbers.
    let ids = if ids.len() == units { ids } else { &[] };
    let numbered = is_numbered(ids);
    let names = if numbered { &[] } else { ids };
    let places: HashMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
    let place = |name: &str| match numbered {
        true => name.parse().ok().filter(|unit| (*unit as usize) < units),
        false => places.get(name).copied(),
    };
    let placed = |names: &[String]| {
        names
            .iter()
            .map(|name| {
                place(name).ok_or_else(|| TrainError::DataChanged {
                    path: path.to_path_buf(),
                    problem: format!("\"{name}\" of the split is not in the data"),
                })
            })
            .collect::<Result<Vec<u32>, TrainError>>()
    };
    let (train, valid, test) = (placed(&saved.train)?, placed(&saved.valid)?, placed(&saved.test)?);
    Split::from_lists(units, train, valid, test).map_err(|error| TrainError::Corrupt {
        path: path.to_path_buf(),
        problem: error.to_string(),
        remedy: "Restore the file from a copy.".to_string(),
    })
}
