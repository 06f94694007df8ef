//! `split.json`: what is for what, by the user's own ids, so that it holds for reordered tables too.

use std::collections::HashMap;
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

pub(super) fn write(path: &Path, task: &Task) -> Result<(), TrainError> {
    let named = |units: &[u32]| units.iter().map(|unit| task.unit_id(*unit).into_owned()).collect();
    let Split { train, valid, test } = task.split();
    let saved = SavedSplit { train: named(train), valid: named(valid), test: named(test) };
    let bytes = serde_json::to_vec(&saved).map_err(std::io::Error::other).map_err(TrainError::io(path, "write"))?;
    durable::replace(path, &bytes)
}

pub(super) fn read(path: &Path, task: &Task) -> Result<Split, TrainError> {
    let saved: SavedSplit = serde_json::from_slice(&durable::read(path)?).map_err(|error| TrainError::Corrupt {
        path: path.to_path_buf(),
        problem: format!("it is not a split: {error}"),
        remedy: "Restore the file from a copy.",
    })?;
    let units = task.units();
    // Without ids of their own, units are their numbers, and a table of millions of names is not needed.
    let numbered = task.ids.is_empty();
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
        remedy: "Restore the file from a copy.",
    })
}
