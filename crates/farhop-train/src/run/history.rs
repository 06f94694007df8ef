//! What a run folder says without its weights: settings, record, and every epoch.

use std::path::{Path, PathBuf};

use super::folder::require;
use super::{RunRecord, metrics, names};
use crate::{EpochReport, Recipe, TrainError};

/// The course of a run, also of one that has not ended. Reading takes no lock.
#[derive(Clone, Debug)]
pub struct RunHistory {
    /// Where it lies.
    pub path: PathBuf,
    /// Its settings.
    pub recipe: Recipe,
    /// What is known of it.
    pub record: RunRecord,
    /// Every epoch that was written.
    pub epochs: Vec<EpochReport>,
}

impl RunHistory {
    /// Whether a folder holds a run.
    pub fn is(path: &Path) -> bool {
        path.join(names::RECORD).is_file() && path.join(names::RECIPE).is_file()
    }

    /// Reads the folder of a run.
    ///
    /// # Errors
    /// When this is not a run folder, or a file in it is damaged.
    pub fn read(path: &Path) -> Result<Self, TrainError> {
        require(path, names::RECORD)?;
        require(path, names::RECIPE)?;
        Ok(RunHistory {
            path: path.to_path_buf(),
            recipe: Recipe::read(&path.join(names::RECIPE))?,
            record: RunRecord::read(&path.join(names::RECORD))?,
            epochs: metrics::read(&path.join(names::METRICS))?,
        })
    }
}
