//! The folder of a study, which any number of processes may work on at once.
//!
//! ```text
//! study.json            what is searched: base settings, space, seed, data
//! farhop.lock           held for the moment in which a trial is taken
//! trials/0007/          held by whoever works on trial 7
//!     trial.json        settings, state, score, curve
//!     run/              its run folder, with checkpoints
//! ```
//!
//! Every file is replaced in one step. A trial whose state says that it runs, but whose folder nobody holds, was killed: the next
//! process that asks for work goes on with it from its last checkpoint.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::importance::importance;
use super::sampler::{self, Known, Standing};
use super::space::{Point, Space};
use super::trial::{State, Trial};
use crate::run::{FolderLock, names};
use crate::{Material, Recipe, TrainError, durable};

const DESCRIPTION: &str = "study.json";
const TRIALS: &str = "trials";
const TRIAL: &str = "trial.json";
const RUN: &str = "run";

/// What a study is about. Two processes work on one study only if they agree on all of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The data: its name and the hashes of its files.
    pub data: String,
    /// The recipe that all trials start from, as TOML.
    pub base: String,
    /// The space, as text.
    pub space: String,
    /// The score's name.
    pub metric: String,
    /// Whether more of it is better.
    pub higher_is_better: bool,
    /// Seed of the proposals.
    pub seed: u64,
}

impl Description {
    /// Of a search that starts from a recipe, over the space of that text.
    ///
    /// # Errors
    /// When the recipe can't be written.
    pub fn of(base: &Recipe, material: &Material, space: String) -> Result<Self, TrainError> {
        let metric = material.dataset.metric;
        Ok(Description {
            data: material.dataset.sources.iter().map(|source| format!("{}\n", source.sha256)).collect(),
            base: base.to_toml()?,
            space,
            metric: metric.name(),
            higher_is_better: metric.higher_is_better(),
            seed: base.train.seed,
        })
    }
}

/// A study.
#[derive(Debug)]
pub struct Study {
    path: PathBuf,
    description: Description,
    space: Space,
}

/// A trial that this process may work on, until it is dropped.
#[derive(Debug)]
pub struct Claim {
    /// The trial.
    pub trial: Trial,
    /// All others, as they were when it was taken.
    pub others: Vec<Trial>,
    /// Where its run is, or is to be.
    pub run: PathBuf,
    file: PathBuf,
    _lock: FolderLock,
}

impl Claim {
    /// Writes down how the trial stands.
    ///
    /// # Errors
    /// When the file can't be written; the one before stays.
    pub fn save(&self) -> Result<(), TrainError> {
        write(&self.file, &self.trial)
    }
}

impl Study {
    /// Begins a study in a new or empty folder, or joins the one that is there.
    ///
    /// # Errors
    /// When the folder holds something else, or a study of other data, settings or space.
    pub fn open(path: &Path, description: Description, space: Space) -> Result<Self, TrainError> {
        let file = path.join(DESCRIPTION);
        if !file.exists() {
            let foreign = fs::read_dir(path)
                .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| !is_ours(&entry.path()))));
            if foreign {
                return Err(TrainError::NotARun { path: path.to_path_buf() });
            }
            fs::create_dir_all(path.join(TRIALS)).map_err(TrainError::io(path, "create"))?;
        }
        let _moment = FolderLock::wait(path)?;
        if file.exists() {
            let there: Description = read(&file)?;
            if let Some(what) = difference(&there, &description) {
                return Err(TrainError::Task(format!(
                    "{} is a study with {what}. Give what it was started with, or choose another folder.",
                    path.display()
                )));
            }
        } else {
            write(&file, &description)?;
        }
        Ok(Study { path: path.to_path_buf(), description, space })
    }

    /// Reads the study in a folder, to look at. Takes no lock, and begins nothing.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn read(path: &Path) -> Result<Self, TrainError> {
        let file = path.join(DESCRIPTION);
        if !file.is_file() {
            return Err(TrainError::NoStudy { path: path.to_path_buf() });
        }
        let description: Description = read(&file)?;
        let base = Recipe::parse(&description.base, &file)?;
        let space = Space::parse(&description.space, &file, &base)?;
        Ok(Study { path: path.to_path_buf(), description, space })
    }

    /// The recipe that all trials start from.
    ///
    /// # Errors
    /// When the description does not hold one.
    pub fn base(&self) -> Result<Recipe, TrainError> {
        Recipe::parse(&self.description.base, &self.path.join(DESCRIPTION))
    }

    /// What the study is about.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What is searched.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Where the study is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every trial so far, by number.
    ///
    /// # Errors
    /// When one can't be read.
    pub fn trials(&self) -> Result<Vec<Trial>, TrainError> {
        let folder = self.path.join(TRIALS);
        let mut trials = Vec::new();
        for entry in fs::read_dir(&folder).map_err(TrainError::io(&folder, "read"))? {
            let file = entry.map_err(TrainError::io(&folder, "read"))?.path().join(TRIAL);
            // A folder without it: whoever made it was killed before anything was tried.
            if file.exists() {
                trials.push(read::<Trial>(&file)?);
            }
        }
        trials.sort_by_key(|trial| trial.number);
        Ok(trials)
    }

    /// Where the run of a trial is.
    pub fn run_of(&self, number: usize) -> PathBuf {
        self.folder(number).join(RUN)
    }

    /// The next trial to work on: one whose process was killed, or a new one while there are fewer than `wanted`. None if there is nothing
    /// left to begin. `first` is what the very first one tries, if anything is given.
    ///
    /// # Errors
    /// When the folder can't be read or written.
    pub fn claim(&self, wanted: usize, first: Option<&Point>) -> Result<Option<Claim>, TrainError> {
        let _moment = FolderLock::wait(&self.path)?;
        let mut trials = self.trials()?;
        let running = (0..trials.len()).filter(|place| trials[*place].state == State::Running);
        for place in running.collect::<Vec<_>>() {
            match FolderLock::take(&self.folder(trials[place].number)) {
                Ok(lock) => {
                    let trial = trials.remove(place);
                    return Ok(Some(self.claimed(trial, trials, lock)));
                }
                Err(TrainError::InUse { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if trials.len() >= wanted {
            return Ok(None);
        }
        let number = trials.last().map_or(0, |last| last.number + 1);
        let settings = match first {
            Some(first) if trials.is_empty() => first.clone(),
            _ => self.propose(&trials, number),
        };
        let folder = self.folder(number);
        fs::create_dir_all(&folder).map_err(TrainError::io(&folder, "create"))?;
        let claim = self.claimed(Trial::begun(number, settings), trials, FolderLock::take(&folder)?);
        claim.save()?;
        Ok(Some(claim))
    }

    fn claimed(&self, trial: Trial, others: Vec<Trial>, lock: FolderLock) -> Claim {
        let folder = self.folder(trial.number);
        Claim { run: folder.join(RUN), file: folder.join(TRIAL), trial, others, _lock: lock }
    }

    /// The trial with the best validation score among those that were trained to their end.
    pub fn best<'a>(&self, trials: impl IntoIterator<Item = &'a Trial>) -> Option<&'a Trial> {
        let finished = trials.into_iter().filter(|trial| trial.state == State::Finished && trial.score.is_some());
        // Among equals the first.
        finished.max_by(|a, b| self.worth(a.score).total_cmp(&self.worth(b.score)).then(b.number.cmp(&a.number)))
    }

    /// The score with more as better.
    pub fn worth(&self, score: Option<f64>) -> f64 {
        match score {
            Some(score) if self.description.higher_is_better => score,
            Some(score) => -score,
            None => f64::NEG_INFINITY,
        }
    }

    /// The score of a worth.
    pub fn score(&self, worth: f64) -> f64 {
        if self.description.higher_is_better { worth } else { -worth }
    }

    /// For every setting of the space, how much of the differences between scores its value explains, from 0 to 1.
    pub fn importance(&self, trials: &[Trial]) -> Vec<(String, f64)> {
        let shares = importance(&self.known(trials), &self.space.axes());
        self.space.dimensions.iter().map(|dimension| dimension.key.clone()).zip(shares).collect()
    }

    /// What the proposals go by.
    fn known(&self, trials: &[Trial]) -> Vec<Known> {
        let standing = |trial: &Trial| match (trial.state, trial.score) {
            (State::Finished, Some(_)) => Standing::Ended(self.worth(trial.score)),
            (State::Pruned, Some(_)) => Standing::Pruned { epochs: trial.epochs, score: self.worth(trial.score) },
            _ => Standing::Unknown,
        };
        let known = |trial: &Trial| Known { place: self.space.place(&trial.settings), standing: standing(trial) };
        trials.iter().map(known).collect()
    }

    /// The settings of the next trial.
    fn propose(&self, trials: &[Trial], number: usize) -> Point {
        let known = self.known(trials);
        let axes = self.space.axes();
        let open = |full: &[f64]| self.space.open(full);
        let seed = self.description.seed;
        // On a small space the same settings may come again; some more tries, then they may.
        let mut settings = Point::new();
        for again in 0..20u64 {
            let seed = farhop_graph::random::mix(seed, again);
            settings = self.space.settings(&sampler::propose(&axes, &known, seed, number, open));
            if trials.iter().all(|trial| trial.settings != settings) {
                break;
            }
        }
        settings
    }

    fn folder(&self, number: usize) -> PathBuf {
        self.path.join(TRIALS).join(format!("{number:04}"))
    }
}

/// Whether an entry of a folder without a description may be what a killed process left.
fn is_ours(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name == TRIALS || name == names::LOCK || name.to_string_lossy().starts_with(DESCRIPTION))
}

/// What two descriptions do not agree on, in words.
fn difference(there: &Description, asked: &Description) -> Option<&'static str> {
    let pairs = [
        (there.data != asked.data, "other data"),
        (there.metric != asked.metric, "another score"),
        (there.space != asked.space, "another space"),
        (there.base != asked.base, "other settings"),
        (there.seed != asked.seed, "another seed"),
    ];
    pairs.into_iter().find_map(|(differs, what)| differs.then_some(what))
}

fn write(file: &Path, what: &impl Serialize) -> Result<(), TrainError> {
    let text = serde_json::to_vec_pretty(what).map_err(std::io::Error::other).map_err(TrainError::io(file, "write"))?;
    durable::replace(file, &text)
}

fn read<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<T, TrainError> {
    serde_json::from_slice(&durable::read(file)?).map_err(|error| TrainError::Corrupt {
        path: file.to_path_buf(),
        problem: format!("this is not what farhop wrote: {error}"),
        remedy: "Remove the folder it is in; the other trials stay.".to_string(),
    })
}

#[cfg(test)]
mod tests;
