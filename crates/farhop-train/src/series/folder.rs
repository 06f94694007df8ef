//! The folder of several runs: what was asked, a folder for each run, and what came out.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Rows, Spread};
use crate::durable;
use crate::run::{FolderLock, RunHistory};
use crate::{Recipe, Scores, TrainError};

const FORMAT: u32 = 1;
const SERIES: &str = "series.json";
const RECIPE: &str = "recipe.toml";
const SUMMARY: &str = "summary.json";

/// What was asked.
#[derive(Serialize, Deserialize)]
struct Asked {
    format: u32,
    seeds: Vec<u64>,
    data_dir: Option<PathBuf>,
}

/// A folder of several runs that this process works on.
#[derive(Debug)]
pub struct SeriesFolder {
    path: PathBuf,
    /// The settings that all runs share.
    pub recipe: Recipe,
    /// The seed of every run.
    pub seeds: Vec<u64>,
    /// The folder of datasets that was named.
    pub data_dir: Option<PathBuf>,
    _lock: FolderLock,
}

/// What came out of several runs, as it is kept.
#[derive(Serialize)]
struct Summary<'a> {
    model: &'a str,
    metric: Option<String>,
    runs: usize,
    failed: usize,
    train: Option<Spread>,
    valid: Option<Spread>,
    test: Option<Spread>,
}

impl SeriesFolder {
    /// Whether a folder is one of several runs.
    pub fn is(path: &Path) -> bool {
        path.join(SERIES).is_file()
    }

    /// The folders of its runs that were begun. Reading takes no lock.
    ///
    /// # Errors
    /// When it does not say which runs there are.
    pub fn runs(path: &Path) -> Result<Vec<PathBuf>, TrainError> {
        let places = asked(path)?.seeds.into_iter().map(|seed| place_of(path, seed));
        Ok(places.filter(|place| RunHistory::is(place)).collect())
    }

    /// Begins in a folder that is new or empty.
    ///
    /// # Errors
    /// When there is something, or it can't be written.
    pub fn create(path: &Path, recipe: &Recipe, seeds: &[u64], data_dir: Option<PathBuf>) -> Result<Self, TrainError> {
        let text = recipe.to_toml()?;
        if SeriesFolder::is(path) {
            return Err(TrainError::RunExists { path: path.to_path_buf(), what: "several runs" });
        }
        let taken = std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if taken {
            return Err(TrainError::NotARun { path: path.to_path_buf() });
        }
        std::fs::create_dir_all(path).map_err(TrainError::io(path, "create"))?;
        let lock = FolderLock::take(path)?;
        durable::replace(&path.join(RECIPE), text.as_bytes())?;
        let asked = Asked { format: FORMAT, seeds: seeds.to_vec(), data_dir: data_dir.clone() };
        write(&path.join(SERIES), &asked)?;
        Ok(SeriesFolder {
            path: path.to_path_buf(),
            recipe: recipe.clone(),
            seeds: seeds.to_vec(),
            data_dir,
            _lock: lock,
        })
    }

    /// Goes on where it stopped.
    ///
    /// # Errors
    /// When it can't be read, or another process works there.
    pub fn resume(path: &Path) -> Result<Self, TrainError> {
        let lock = FolderLock::take(path)?;
        let asked = asked(path)?;
        let recipe = Recipe::read(&path.join(RECIPE))?;
        Ok(SeriesFolder { path: path.to_path_buf(), recipe, seeds: asked.seeds, data_dir: asked.data_dir, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps what came out.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write_summary(&self, rows: &Rows) -> Result<(), TrainError> {
        let failed = rows.rows.iter().filter(|row| row.result.is_err()).count();
        let part = |of: fn(&Scores) -> Option<f64>| rows.spread(of);
        let summary = Summary {
            model: self.recipe.model.name(),
            metric: rows.metric().map(|metric| metric.name()),
            runs: rows.rows.len(),
            failed,
            train: part(|scores| scores.train),
            valid: part(|scores| scores.valid),
            test: part(|scores| scores.test),
        };
        write(&self.path.join(SUMMARY), &summary)
    }
}

/// The folder of the run with a seed.
pub(super) fn place_of(series: &Path, seed: u64) -> PathBuf {
    series.join(format!("seed-{seed}"))
}

fn asked(path: &Path) -> Result<Asked, TrainError> {
    let file = path.join(SERIES);
    serde_json::from_slice(&durable::read(&file)?).map_err(|error| TrainError::Corrupt {
        path: file,
        problem: format!("it does not say which runs there are: {error}"),
        remedy: "Restore the file from a copy.".to_string(),
    })
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), TrainError> {
    let bytes =
        serde_json::to_vec_pretty(value).map_err(std::io::Error::other).map_err(TrainError::io(path, "write"))?;
    durable::replace(path, &bytes)
}
