//! A run folder, read to predict or to evaluate.

use std::path::{Path, PathBuf};

use farhop_data::hash::sha256_hex;
use farhop_data::{Schema, Split};
use farhop_nn::{Batch, Model};

use super::folder::require;
use super::{RunRecord, checkpoint, names, split};
use crate::durable;
use crate::{Recipe, Scores, TrainError, scores, softmax_rows};

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
        let mut model = recipe.model.init(record.inputs, record.outputs, record.seed)?;
        model.load_safetensors(&weights)?;
        Ok(TrainedRun { path: path.to_path_buf(), recipe, record, model })
    }

    /// How the columns of the training data were read, to treat new rows the same.
    ///
    /// # Errors
    /// When the run has no schema (its data was generated), or the file is damaged.
    pub fn schema(&self) -> Result<Schema, TrainError> {
        require(&self.path, names::SCHEMA)?;
        let path = self.path.join(names::SCHEMA);
        let bytes = durable::read(&path)?;
        toml::from_slice(&bytes).map_err(|error| TrainError::Corrupt {
            path,
            problem: format!("it is not a schema: {}", error.message().replace('\n', "; ")),
            remedy: "Restore the file from a copy.",
        })
    }

    /// The split of the run, as places in `ids`.
    ///
    /// # Errors
    /// When the run has none, or one of its nodes is not in `ids`.
    pub fn split(&self, ids: &[String]) -> Result<Split, TrainError> {
        require(&self.path, names::SPLIT)?;
        split::read(&self.path.join(names::SPLIT), ids)
    }

    /// Logits `[N, classes]` of every node.
    ///
    /// # Errors
    /// When the features don't have the width the model was trained with.
    pub fn logits(&self, batch: &Batch) -> Result<Vec<f32>, TrainError> {
        if batch.width() != self.record.inputs {
            return Err(TrainError::Task(format!(
                "the data has {} features a node, and {} was trained with {}. Read it with the run's schema.",
                batch.width(),
                self.path.display(),
                self.record.inputs
            )));
        }
        Ok(self.model.outputs(batch))
    }

    /// Probabilities `[N, classes]` of every node.
    ///
    /// # Errors
    /// As [`TrainedRun::logits`].
    pub fn probabilities(&self, batch: &Batch) -> Result<Vec<f32>, TrainError> {
        Ok(softmax_rows(&self.logits(batch)?, self.record.outputs))
    }

    /// Accuracy on each part of a split.
    ///
    /// # Errors
    /// As [`TrainedRun::logits`].
    pub fn evaluate(&self, batch: &Batch, labels: &[Option<u32>], split: &Split) -> Result<Scores, TrainError> {
        let logits = self.logits(batch)?;
        Ok(scores(&logits, self.record.outputs, labels, split))
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
            remedy: "Write it again from the checkpoint with farhop train --resume.",
        });
    }
    Ok(bytes)
}
