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
fn is_numbered(task: &Task) -> bool {
    let mut seen = HashSet::with_capacity(task.ids.len());
    task.ids.is_empty() || !task.ids.iter().all(|id| seen.insert(id.as_str()))
}

pub(super) fn write(path: &Path, task: &Task) -> Result<(), TrainError> {
    let numbered = is_numbered(task);
    let name = |unit: &u32| if numbered { unit.to_string() } else { task.unit_id(*unit).into_owned() };
    let named = |units: &[u32]| units.iter().map(name).collect();
    let Split { train, valid, test } = task.split();
    let saved = SavedSplit { train: named(train), valid: named(valid), test: named(test) };
    let bytes = serde_json::to_vec(&saved).map_err(std::io::Error::other).map_err(TrainError::io(path, "write"))?;
    durable::replace(path, &bytes)
}

pub(super) fn read(path: &Path, task: &Task) -> Result<Split, TrainError> {
    let saved: SavedSplit = serde_json::from_slice(&durable::read(path)?).map_err(|error| TrainError::Corrupt {
        path: path.to_path_buf(),
        problem: format!("it is not a split: {error}"),
        remedy: "Restore the file from a copy.".to_string(),
    })?;
    let units = task.units();
    let numbered = is_numbered(task);
    let named = if numbered { 0 } else { units as u32 };
    let places: HashMap<_, u32> = (0..named).map(|unit| (task.unit_id(unit), unit)).collect();
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
