//! `split.json`: which node is for what, by the user's own ids, so that it holds for reordered tables too.

use std::collections::HashMap;
use std::path::Path;

use farhop_data::Split;
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::durable;

#[derive(Serialize, Deserialize)]
struct SavedSplit {
    train: Vec<String>,
    valid: Vec<String>,
    test: Vec<String>,
}

pub(super) fn write(path: &Path, ids: &[String], split: &Split) -> Result<(), TrainError> {
    let named = |nodes: &[u32]| {
        nodes
            .iter()
            .map(|node| {
                ids.get(*node as usize).cloned().ok_or_else(|| {
                    TrainError::Task(format!(
                        "the split names node {node}, and there are {} nodes. Make the split again.",
                        ids.len()
                    ))
                })
            })
            .collect::<Result<Vec<String>, TrainError>>()
    };
    let saved = SavedSplit { train: named(&split.train)?, valid: named(&split.valid)?, test: named(&split.test)? };
    let bytes = serde_json::to_vec(&saved).map_err(std::io::Error::other).map_err(TrainError::io(path, "write"))?;
    durable::replace(path, &bytes)
}

pub(super) fn read(path: &Path, ids: &[String]) -> Result<Split, TrainError> {
    let saved: SavedSplit = serde_json::from_slice(&durable::read(path)?).map_err(|error| TrainError::Corrupt {
        path: path.to_path_buf(),
        problem: format!("it is not a split: {error}"),
        remedy: "Restore the file from a copy.",
    })?;
    let places: HashMap<&str, u32> = ids.iter().zip(0u32..).map(|(id, place)| (id.as_str(), place)).collect();
    let placed = |names: &[String]| {
        names
            .iter()
            .map(|name| {
                places.get(name.as_str()).copied().ok_or_else(|| TrainError::DataChanged {
                    path: path.to_path_buf(),
                    problem: format!("node \"{name}\" of the split is not in the data"),
                })
            })
            .collect::<Result<Vec<u32>, TrainError>>()
    };
    let (train, valid, test) = (placed(&saved.train)?, placed(&saved.valid)?, placed(&saved.test)?);
    Split::from_lists(ids.len(), train, valid, test).map_err(|error| TrainError::Corrupt {
        path: path.to_path_buf(),
        problem: error.to_string(),
        remedy: "Restore the file from a copy.",
    })
}
