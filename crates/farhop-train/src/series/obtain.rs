//! A run in its folder: done before, to be continued, or to be begun.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use farhop_nn::NnError;

use crate::memory::reset_peak_rss;
use crate::run::names;
use crate::{
    Job, Keep, Machine, Material, Observer, Outcome, Places, Recipe, Resume, RunRecord, Status, TrainError, Trained,
};

/// What all runs of a series have in common.
pub struct Surroundings<'a> {
    /// Where datasets are, and the cache.
    pub places: &'a Places,
    /// For the records: the machine.
    pub machine: Machine,
    /// For the records: the folder of datasets that was named.
    pub data_dir: Option<PathBuf>,
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
    let record_path = path.join(names::RECORD);
    let there = if record_path.is_file() { Some(RunRecord::read(&record_path)?) } else { None };
    let trained = match there {
        Some(record) if record.status == Status::Finished => {
            return Ok(Obtained::Finished { record: Box::new(record), seconds: None });
        }
        Some(record) if record.status == Status::Failed => {
            return Ok(Obtained::Failed(record.error.unwrap_or_else(|| "it failed".to_string())));
        }
        Some(_) => {
            reset_peak_rss();
            Resume { data_dir: around.data_dir.clone(), ..Resume::new(path) }.train(observer, stop)
        }
        None => {
            reset_peak_rss();
            begin(recipe, path, around, observer, stop)
        }
    };
    match trained {
        Ok(trained) if trained.fitted.summary.outcome == Outcome::Interrupted => Ok(Obtained::Interrupted),
        Ok(trained) => Ok(Obtained::Finished {
            record: Box::new(RunRecord::read(&record_path)?),
            seconds: Some(trained.fitted.summary.seconds),
        }),
        // Its own fault: the data, the disk and the other runs have no part in it.
        Err(
            error @ (TrainError::NonFinite { .. }
            | TrainError::DoesNotFit { .. }
            | TrainError::Model(NnError::CanNot { .. })),
        ) => Ok(Obtained::Failed(error.to_string())),
        Err(error) => Err(error),
    }
}

fn begin(
    recipe: Recipe,
    path: &Path,
    around: &Surroundings<'_>,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Trained, TrainError> {
    observer.stage(crate::Stage::Reading);
    let material = Material::read(&recipe, around.places)?;
    let job = Job {
        keep: Keep::In { path: path.to_path_buf(), overwrite: false },
        machine: around.machine.clone(),
        data_dir: around.data_dir.clone(),
        ..Job::new(recipe, material, around.places)
    };
    job.train(observer, stop)
}
