//! The manifest of a folder of parts, and loading one of them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::DatasetPart;
use crate::error::DataError;
use crate::files::hash::sha256_of_reader;
use crate::text::one_line;

/// Its name.
pub(super) const MANIFEST: &str = "manifest.json";
/// What it calls itself.
pub(super) const FORMAT: &str = "farhop parts";
/// The version that is written and read.
pub(super) const VERSION: u32 = 1;

/// What was divided, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Division {
    /// Always `farhop parts`.
    pub format: String,
    /// Of the format.
    pub version: u32,
    /// Names the division: the same in all its parts.
    pub partition: String,
    /// The name of the dataset.
    pub name: String,
    /// Who chose the parts.
    pub how: String,
    /// Nodes of the graph.
    pub nodes: u64,
    /// Its entries.
    pub entries: u64,
    /// Its edges.
    pub edges: u64,
    /// Entries between different parts.
    pub cut: u64,
    /// The parts, in order.
    pub files: Vec<PartEntry>,
}

/// A part as the manifest knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartEntry {
    /// File name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its checksum.
    pub sha256: String,
    /// Nodes of the part.
    pub own: u64,
    /// Nodes of other parts around them.
    pub halo: u64,
    /// Entries of own rows.
    pub entries: u64,
    /// All entries with an end in the part.
    pub local_entries: u64,
    /// Own nodes to learn from.
    pub training: u64,
}

impl Division {
    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.files.len()
    }

    /// Nodes to learn from, of all parts.
    pub fn training(&self) -> u64 {
        self.files.iter().map(|file| file.training).sum()
    }

    /// How many times the mean the largest part's work is: nodes and entries of own rows together.
    pub fn imbalance(&self) -> f64 {
        let work = |file: &PartEntry| (file.own + file.entries) as f64;
        let most = self.files.iter().map(work).fold(0.0, f64::max);
        let all: f64 = self.files.iter().map(work).sum();
        if all == 0.0 { 1.0 } else { most * self.files.len() as f64 / all }
    }
}

/// A folder of parts.
#[derive(Debug, Clone)]
pub struct PartsFolder {
    path: PathBuf,
    /// What it holds.
    pub division: Division,
}

impl PartsFolder {
    /// Whether a path looks like one.
    pub fn is_at(path: &Path) -> bool {
        path.join(MANIFEST).is_file()
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// When it is not there, damaged, or of another version.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let file = path.join(MANIFEST);
        let name = file.display().to_string();
        let wrong = |reason: String| DataError::Array { file: name.clone(), reason };
        let bytes = fs::read(&file).map_err(|source| DataError::Read { file: name.clone(), source })?;
        let damaged = |error: serde_json::Error| {
            wrong(format!("it is damaged ({}). Divide the data again.", one_line(&error.to_string())))
        };
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        if value["format"] != FORMAT || value["version"] != VERSION {
            let found = &value["version"];
            return Err(wrong(format!(
                "written by another version of farhop (format {found}; this one reads {VERSION}). Divide the data again."
            )));
        }
        let division: Division = serde_json::from_value(value).map_err(damaged)?;
        Ok(PartsFolder { path: path.to_path_buf(), division })
    }

    /// Loads a part, after a look at its checksum.
    ///
    /// # Errors
    /// When it is missing, has another checksum, or belongs to another division. Names the file.
    pub fn load(&self, part: usize) -> Result<DatasetPart, DataError> {
        let entry = &self.division.files[part];
        let path = self.path.join(&entry.name);
        let wrong = |reason: &str| DataError::Array {
            file: path.display().to_string(),
            reason: format!("{reason}. Copy the folder again, or divide the data again."),
        };
        let (bytes, sha256) = match checksum(&path) {
            Err(DataError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Err(wrong("it is missing"));
            }
            other => other?,
        };
        if (bytes, &sha256) != (entry.bytes, &entry.sha256) {
            // A part of another division tells so itself, if it can be read.
            if let Ok(other) = DatasetPart::load(&path)
                && other.place.partition != self.division.partition
            {
                return Err(wrong("it is a part of another division than the manifest"));
            }
            return Err(wrong("its contents do not match their checksum in the manifest"));
        }
        let loaded = DatasetPart::load(&path)?;
        let place = &loaded.place;
        if place.partition != self.division.partition || place.part as usize != part {
            return Err(wrong("it is another part than the manifest says"));
        }
        Ok(loaded)
    }
}

/// The name of a part's file.
pub(super) fn part_name(part: u32) -> String {
    format!("part-{part:05}.farhop")
}

/// Size and checksum of a file.
pub(super) fn checksum(path: &Path) -> Result<(u64, String), DataError> {
    let failed = |source| DataError::Read { file: path.display().to_string(), source };
    let mut file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    Ok((bytes, sha256_of_reader(&mut file).map_err(failed)?))
}
