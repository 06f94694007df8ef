//! A run folder, read to predict or to evaluate.

use std::path::{Path, PathBuf};

use farhop_data::hash::sha256_hex;
use farhop_data::{Dataset, Split};
use farhop_nn::Model;

use super::folder::require;
use super::{RunRecord, checkpoint, names, split};
use crate::durable;
use crate::error::resume;
use crate::{Outputs, Recipe, SavedSchema, Scores, Task, TrainError, scores};

/// The settings, the record and the best weights of a run. Reading takes no lock: a run can be used while it goes on.
pub struct TrainedRun {
    /// Where it lies.
    pub path: PathBuf,
    /// Its settings.
    pub recipe: Recipe,
    /// What is known of it.
    pub record: RunRecord,
    /// The model with its best weights.
    pub model: Model,
}

impl TrainedRun {
    /// Loads a run: the best weights of an ended run from `model.safetensors`, of any other from its checkpoint. Both are
    /// checked against their checksums.
    ///
    /// # Errors
    /// When this is not a run folder, or a file in it is damaged or absent.
    pub fn open(path: &Path) -> Result<Self, TrainError> {
        require(path, names::RECORD)?;
        require(path, names::RECIPE)?;
        let recipe = Recipe::read(&path.join(names::RECIPE))?;
        let record = RunRecord::read(&path.join(names::RECORD))?;
        let weights = best_weights(path, &record)?;
        let damaged = |problem: String| TrainError::Corrupt {
            path: path.join(names::RECORD),
            problem,
            remedy: "Restore the file from a copy.".to_string(),
        };
        let model = recipe.model.load(record.input.clone(), record.output, &weights);
        let model = model.map_err(|error| damaged(error.to_string().trim_end_matches('.').to_string()))?;
        let outputs = record.output.outputs;
        if record.scale.as_ref().is_some_and(|scale| !scale.is_for(outputs)) {
            return Err(damaged(format!("it has no scale for each of its {outputs} outputs")));
        }
        Ok(TrainedRun { path: path.to_path_buf(), recipe, record, model })
    }

    /// How the columns of the training data were read, to treat new rows the same; none where the data has no columns.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn schema(&self) -> Result<Option<SavedSchema>, TrainError> {
        let path = self.path.join(names::SCHEMA);
        if !path.is_file() {
            return Ok(None);
        }
        let bytes = durable::read(&path)?;
        toml::from_slice(&bytes).map(Some).map_err(|error| TrainError::Corrupt {
            path,
            problem: format!("it is not a schema: {}", error.message().replace('\n', "; ")),
            remedy: "Restore the file from a copy.".to_string(),
        })
    }

    /// The split of the run, as places in the data.
    ///
    /// # Errors
    /// When the run has none, or one of its members is not in the data.
    pub fn split(&self, dataset: &Dataset) -> Result<Split, TrainError> {
        require(&self.path, names::SPLIT)?;
        let units = if dataset.splits_nodes() { dataset.graphs.union().nodes() } else { dataset.graphs.len() };
        split::read(&self.path.join(names::SPLIT), units, &dataset.ids)
    }

    /// What the model gives for every row of the task: see [`Outputs`].
    ///
    /// # Errors
    /// When the data doesn't have the features the model was trained with.
    pub fn outputs(&self, task: &Task) -> Result<Outputs, TrainError> {
        self.check(task)?;
        Outputs::of_all(task, &self.model)
    }

    /// As [`TrainedRun::outputs`], for some nodes of one graph or some graphs of many.
    ///
    /// # Errors
    /// As [`TrainedRun::outputs`].
    pub fn outputs_of(&self, task: &Task, units: &[u32]) -> Result<Outputs, TrainError> {
        self.check(task)?;
        Outputs::of_units(task, &self.model, units)
    }

    /// The score on each part of the task's split.
    ///
    /// # Errors
    /// As [`TrainedRun::outputs`].
    pub fn evaluate(&self, task: &Task) -> Result<Scores, TrainError> {
        self.check(task)?;
        scores(task, &self.model)
    }

    pub(crate) fn check(&self, task: &Task) -> Result<(), TrainError> {
        if *task.input() == self.record.input && *task.output() == self.record.output {
            return Ok(());
        }
        Err(TrainError::Task(format!(
            "the data does not have the features and targets that {} was trained with. Read it the way the run did.",
            self.path.display(),
        )))
    }
}

fn best_weights(path: &Path, record: &RunRecord) -> Result<Vec<u8>, TrainError> {
    let Some(expected) = &record.model_sha256 else {
        return match checkpoint::load(&path.join(names::CHECKPOINT))? {
            Some(found) => Ok(found.checkpoint.best),
            None => Err(TrainError::NoWeights { path: path.to_path_buf() }),
        };
    };
    let file = path.join(names::MODEL);
    let bytes = durable::read(&file)?;
    if sha256_hex(&bytes) != *expected {
        return Err(TrainError::Corrupt {
            path: file,
            problem: "its contents don't match their checksum in run.json".to_string(),
            remedy: format!("Write it again from the checkpoint with {}.", resume(path)),
        });
    }
    Ok(bytes)
}
