//! Where a run is kept.

use std::path::{Path, PathBuf};

use crate::{Recipe, RunFolder, RunRecord, TrainError};

/// Where a run is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Nowhere.
    #[default]
    Nowhere,
    /// In this folder.
    In {
        /// The folder.
        path: PathBuf,
        /// Whether a run that is there is replaced.
        overwrite: bool,
    },
    /// In the first `DATASET-MODEL-N` (for tables `MODEL-N`) below a folder that is free.
    Fresh {
        /// The folder.
        below: PathBuf,
    },
}

impl Keep {
    /// Makes the folder.
    pub(super) fn create(&self, recipe: &Recipe, record: RunRecord) -> Result<Option<RunFolder>, TrainError> {
        match self {
            Keep::Nowhere => Ok(None),
            Keep::In { path, overwrite } => RunFolder::create(path, *overwrite, recipe, record).map(Some),
            Keep::Fresh { below } => fresh(below, recipe, &record).map(Some),
        }
    }
}

/// The first `DATASET-MODEL-N` (for tables `MODEL-N`) below a folder that is free.
pub fn free_path(below: &Path, recipe: &Recipe) -> PathBuf {
    let name = |number: u64| below.join(format!("{}{}-{number}", prefix(recipe), recipe.model.name()));
    (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| below.to_path_buf())
}

fn fresh(below: &Path, recipe: &Recipe, record: &RunRecord) -> Result<RunFolder, TrainError> {
    loop {
        let path = free_path(below, recipe);
        match RunFolder::create(&path, false, recipe, record.clone()) {
            // Another process was faster.
            Err(TrainError::RunExists { .. } | TrainError::InUse { .. }) => {}
            created => return created,
        }
    }
}

/// The name of the dataset or file, as far as it can be part of a folder's name.
fn prefix(recipe: &Recipe) -> String {
    let data = &recipe.data;
    let path = data.molecules.clone().or(data.dataset.as_ref().map(PathBuf::from));
    let stem = path.as_deref().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let plain: String =
        stem.chars().filter(|letter| letter.is_ascii_alphanumeric() || "-_".contains(*letter)).collect();
    if plain.is_empty() { plain } else { format!("{}-", plain.to_ascii_lowercase()) }
}
