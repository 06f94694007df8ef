//! A run in its folder: done before, to be continued, or to be begun.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::ended;
use crate::memory::reset_peak_rss;
use crate::run::names;
use crate::{Job, Keep, Machine, Material, Observer, Outcome, Places, Recipe, Resume, RunRecord, Stage, TrainError};

/// What all runs of a series have in common.
#[derive(Clone)]
pub struct Surroundings<'a> {
    /// Where datasets are, and the cache.
    pub places: &'a Places,
    /// For the records: the machine.
    pub machine: Machine,
    /// For the records: the folder of datasets that was named.
    pub data_dir: Option<PathBuf>,
}

impl<'a> Surroundings<'a> {
    /// A run that is kept in a folder; one that is there is replaced if that is said.
    pub fn job(&self, recipe: Recipe, material: Material, path: &Path, overwrite: bool) -> Job<'a> {
        Job {
            keep: Keep::In { path: path.to_path_buf(), overwrite },
            machine: self.machine.clone(),
            data_dir: self.data_dir.clone(),
            ..Job::new(recipe, material, self.places)
        }
    }
}

/// What became of a run.
pub enum Obtained {
    /// It is finished, now or before.
    Finished {
        /// Its record.
        record: Box<RunRecord>,
        /// Seconds that it took just now; none if it was finished before.
        seconds: Option<f64>,
    },
    /// It ended with an error that is its own.
    Failed(String),
    /// It was asked to stop.
    Interrupted,
}

/// The run of a recipe in a folder, trained as far as it is not yet.
///
/// # Errors
/// When the data can't be read, the run does not fit, another process works on it, or its folder can't be written.
pub fn obtain(
    recipe: Recipe,
    path: &Path,
    around: &Surroundings<'_>,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Obtained, TrainError> {
    match ended(path)? {
        Some(Ok(record)) => return Ok(Obtained::Finished { record: Box::new(record), seconds: None }),
        Some(Err(problem)) => return Ok(Obtained::Failed(problem)),
        None => {}
    }
    reset_peak_rss();
    let record_path = path.join(names::RECORD);
    let trained = if record_path.is_file() {
        Resume { data_dir: around.data_dir.clone(), ..Resume::new(path) }.train(observer, stop)
    } else {
        observer.stage(Stage::Reading);
        Material::read(&recipe, around.places)
            .and_then(|material| around.job(recipe, material, path, false).train(observer, stop))
    };
    match trained {
        Ok(trained) if trained.fitted.summary.outcome == Outcome::Interrupted => Ok(Obtained::Interrupted),
        Ok(trained) => Ok(Obtained::Finished {
            record: Box::new(RunRecord::read(&record_path)?),
            seconds: Some(trained.fitted.summary.seconds),
        }),
        // Its own fault: the data, the disk and the other runs have no part in it.
        Err(error) if error.is_of_run() => Ok(Obtained::Failed(error.to_string())),
        Err(error) => Err(error),
    }
}
