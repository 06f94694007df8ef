//! The run folder as the training loop sees it.

use std::fs;
use std::path::{Path, PathBuf};

use farhop_data::hash::sha256_hex;
use farhop_data::save::same_file;
use farhop_data::text::counted;
use farhop_data::{Dataset, Split};

use super::lock::FolderLock;
use super::metrics::Metrics;
use super::record::{RunRecord, Status};
use super::{Checkpoint, checkpoint, names, split};
use crate::durable;
use crate::{EpochReport, Recipe, SavedSchema, Task, TrainError};

/// A run folder that this process may write to.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    recipe: Recipe,
    record: RunRecord,
    metrics: Metrics,
    last: Option<Checkpoint>,
    notes: Vec<String>,
    lock: FolderLock,
}

impl RunFolder {
    /// Begins a run in a new or empty folder; with `overwrite`, in the place of the run that is there.
    ///
    /// # Errors
    /// When the folder holds a run (unless `overwrite`), something that is not a run, or a working process.
    pub fn create(path: &Path, overwrite: bool, recipe: &Recipe, record: RunRecord) -> Result<Self, TrainError> {
        let text = recipe.to_toml()?;
        refuse_foreign(path)?;
        // What is read may not be what is replaced.
        let owned = |file: &&super::RecordedFile| super::owner(&file.path).is_some_and(|run| same_file(&run, path));
        if let Some(file) = record.data.iter().find(owned) {
            return Err(TrainError::IsRead { path: file.path.clone(), run: path.to_path_buf() });
        }
        fs::create_dir_all(path).map_err(TrainError::io(path, "create"))?;
        let lock = FolderLock::take(path)?;
        let record_path = path.join(names::RECORD);
        if record_path.exists() && !overwrite {
            let finished = RunRecord::read(&record_path).is_ok_and(|record| record.status == Status::Finished);
            let what = if finished { "a finished run" } else { "an unfinished run" };
            return Err(TrainError::RunExists { path: path.to_path_buf(), what });
        }
        remove_run(path)?;
        durable::replace(&path.join(names::RECIPE), text.as_bytes())?;
        record.write(&record_path)?;
        Ok(RunFolder {
            path: path.to_path_buf(),
            recipe: recipe.clone(),
            record,
            metrics: Metrics::open(&path.join(names::METRICS), 0)?,
            last: None,
            notes: Vec::new(),
            lock,
        })
    }

    /// Continues a run from its newest whole checkpoint, or from the beginning when it was stopped before the first.
    ///
    /// # Errors
    /// When there is no run, another process works on it, or all checkpoints are damaged.
    pub fn resume(path: &Path) -> Result<Self, TrainError> {
        require(path, names::RECORD)?;
        require(path, names::RECIPE)?;
        let lock = FolderLock::take(path)?;
        let recipe = Recipe::read(&path.join(names::RECIPE))?;
        let mut record = RunRecord::read(&path.join(names::RECORD))?;
        let mut notes = Vec::new();
        let last = checkpoint::load(&path.join(names::CHECKPOINT))?.map(|found| {
            notes.extend(found.damaged.iter().map(|error| format!("{error} The checkpoint before it is used.")));
            found.checkpoint
        });
        let epoch = last.as_ref().map_or(0, |last| last.progress.epoch);
        let metrics = Metrics::open(&path.join(names::METRICS), epoch)?;
        record.status = Status::Running;
        record.error = None;
        record.model_sha256 = None;
        record.write(&path.join(names::RECORD))?;
        Ok(RunFolder { path: path.to_path_buf(), recipe, record, metrics, last, notes, lock })
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings of the run.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// What is known of the run so far.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Lets the run go on for more epochs than it was started with, and says so in the recipe.
    ///
    /// # Errors
    /// When the run has done more epochs already, or the recipe can't be written.
    pub fn set_epochs(&mut self, epochs: usize) -> Result<(), TrainError> {
        self.check_place()?;
        if let Some(done) = self.last.as_ref().map(|last| last.progress.epoch).filter(|done| *done > epochs) {
            let allowed =
                format!("the run has done {} already; give at least as many.", counted(done as u64, "epoch", "epochs"));
            return Err(TrainError::Setting { name: "epochs", value: epochs.to_string(), allowed });
        }
        self.recipe.train.epochs = epochs;
        let text = self.recipe.to_toml()?;
        durable::replace(&self.path.join(names::RECIPE), text.as_bytes())
    }

    /// Keeps how the columns were read.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write_schema(&self, schema: &SavedSchema) -> Result<(), TrainError> {
        // TOML, since its numbers come back exactly as they were: new rows must be treated as the old ones.
        let path = self.path.join(names::SCHEMA);
        let text = toml::to_string(schema).map_err(std::io::Error::other).map_err(TrainError::io(&path, "write"))?;
        durable::replace(&path, text.as_bytes())
    }

    /// Keeps the data itself, as it was before it was scaled.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write_data(&self, dataset: &Dataset) -> Result<(), TrainError> {
        self.check_place()?;
        Ok(dataset.save(&self.path.join(names::DATA))?)
    }

    /// Keeps how the data was divided, under the user's ids.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write_split(&self, task: &Task) -> Result<(), TrainError> {
        split::write(&self.path.join(names::SPLIT), task)
    }

    /// Keeps how the data of several processes was divided into training, validation and test.
    ///
    /// # Errors
    /// When it can't be written.
    pub(crate) fn write_named_split(&self, named: [Vec<String>; 3]) -> Result<(), TrainError> {
        split::write_named(&self.path.join(names::SPLIT), named)
    }

    /// The split of the run, as places in the task.
    ///
    /// # Errors
    /// When there is none, or one of its members is not in the task.
    pub fn read_split(&self, task: &Task) -> Result<Split, TrainError> {
        split::read(&self.path.join(names::SPLIT), task.units(), &task.ids)
    }

    /// The state to continue from, once.
    pub(crate) fn take_checkpoint(&mut self) -> Option<Checkpoint> {
        self.last.take()
    }

    /// What a reader should know about how the folder was found, once.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    pub(crate) fn record_mut(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    /// Adds the line of an epoch to the metrics.
    pub(crate) fn add_epoch(&mut self, report: &EpochReport) -> Result<(), TrainError> {
        self.check_place()?;
        self.metrics.add(report)
    }

    /// Saves the state; the lines of its epochs are on the disk first.
    pub(crate) fn save_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), TrainError> {
        self.check_place()?;
        self.metrics.sync()?;
        checkpoint::save(&self.path.join(names::CHECKPOINT), checkpoint)
    }

    /// Writes the best weights, then the record that has their checksum. Killed in between, the record has none, and the
    /// weights of the checkpoint are used.
    pub(crate) fn end(&mut self, best: Option<&[u8]>) -> Result<(), TrainError> {
        self.check_place()?;
        self.metrics.sync()?;
        if let Some(best) = best {
            durable::replace(&self.path.join(names::MODEL), best)?;
            self.record.model_sha256 = Some(sha256_hex(best));
        }
        self.write_record()
    }

    pub(crate) fn write_record(&self) -> Result<(), TrainError> {
        self.check_place()?;
        self.record.write(&self.path.join(names::RECORD))
    }

    /// What is written by name must not end up in a folder that only has the name of this one.
    fn check_place(&self) -> Result<(), TrainError> {
        if self.lock.is_in(&self.path) { Ok(()) } else { Err(TrainError::FolderGone { path: self.path.clone() }) }
    }
}

/// Errors unless the file is in the folder.
pub(super) fn require(path: &Path, name: &'static str) -> Result<(), TrainError> {
    if path.join(name).is_file() { Ok(()) } else { Err(TrainError::NoRun { path: path.to_path_buf(), missing: name }) }
}

/// A folder with contents is ours when it has a record, or a lock: a run killed before its record was written has that.
fn refuse_foreign(path: &Path) -> Result<(), TrainError> {
    let entries = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => return Err(TrainError::io(path, "read")(error)),
    };
    let ours = path.join(names::RECORD).exists() || path.join(names::LOCK).exists();
    if entries && !ours {
        return Err(TrainError::NotARun { path: path.to_path_buf() });
    }
    Ok(())
}

/// Removes the files of a run, and nothing else that may lie in the folder. The record goes first: without it there is
/// no run to be mistaken for a whole one.
fn remove_run(path: &Path) -> Result<(), TrainError> {
    for name in [names::RECORD, names::MODEL, names::METRICS, names::RECIPE, names::SCHEMA, names::SPLIT, names::DATA] {
        let file = path.join(name);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(TrainError::io(&file, "remove")(error));
            }
            _ => {}
        }
    }
    let checkpoints = path.join(names::CHECKPOINT);
    match fs::remove_dir_all(&checkpoints) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(TrainError::io(&checkpoints, "remove")(error))
        }
        _ => Ok(()),
    }
}
