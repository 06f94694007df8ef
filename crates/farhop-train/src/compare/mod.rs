//! Models compared on one dataset: the same splits, seeds and budget for all. Every run is kept under what it depends on, so that asking
//! again costs nothing, and another model costs its own runs only.

mod identity;
mod kept;
mod search;
mod standing;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use farhop_data::SourceFile;

pub use identity::{identity, place_of};
pub use kept::{KeptComparison, kept, sorted};
pub use standing::{Standing, rank};

use search::Start;

use crate::presets::Preset;
use crate::series::{Estimate, Member, Surroundings, TimeLeft, is_done, members, train_all};
use crate::{GivenSetting, Material, Observer, Recipe, Settings, Stage, TrainError};

/// Where searches lie in a store.
const STUDIES: &str = "studies";

/// Models that are to be compared.
pub struct Comparison<'a> {
    /// The settings of each; their data is the same.
    pub contenders: Vec<Settings>,
    /// The seed of every run.
    pub seeds: Vec<u64>,
    /// Trials of a search for the settings of each model that has no recipe; none: its general settings.
    pub trials: Option<usize>,
    /// The folder that runs are kept in.
    pub store: &'a Path,
    /// What all runs have in common.
    pub around: Surroundings<'a>,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Each model, in the order they were named.
    pub standings: Vec<Standing>,
    /// Whether it was asked to stop before the last run.
    pub interrupted: bool,
}

/// A model with all its runs.
struct Contender {
    recipe: Recipe,
    members: Vec<Member>,
    places: Vec<PathBuf>,
}

impl Comparison<'_> {
    /// Trains what is missing and ranks the models by their test scores.
    ///
    /// # Errors
    /// When the data can't be read or has no test part, or a folder can't be written. What is finished stays.
    pub fn run(&self, observer: &mut dyn Observer, stop: &AtomicBool) -> Result<Compared, TrainError> {
        let stopped = || Compared { standings: Vec::new(), interrupted: true };
        let Some(contenders) = self.contenders(observer, stop)? else { return Ok(stopped()) };
        let Some(mut left) = self.estimate(&contenders, observer, stop)? else { return Ok(stopped()) };
        let mut standings = Vec::new();
        let mut interrupted = false;
        for contender in contenders {
            let place_of = |member: &Member| contender.places[member.number].clone();
            let rows = train_all(&contender.members, &place_of, &self.around, &mut left, observer, stop)?;
            interrupted = rows.interrupted;
            standings.push(Standing::of(contender.recipe, rows));
            if interrupted {
                break;
            }
        }
        rank(&mut standings);
        Ok(Compared { standings, interrupted })
    }

    /// Reads the data once, and finds out which runs there are. None when it was asked to stop.
    fn contenders(&self, observer: &mut dyn Observer, stop: &AtomicBool) -> Result<Option<Vec<Contender>>, TrainError> {
        let mut found = Vec::new();
        let mut known: Option<(Preset, Material, Vec<SourceFile>)> = None;
        for settings in &self.contenders {
            let (preset, material, sources) = match &known {
                Some(known) => known,
                None => known.insert(self.look(settings, observer)?),
            };
            let mut recipe = settings.settle(Some(*preset))?.recipe;
            if let (Some(trials), None) = (self.trials, &settings.base) {
                let fixed: Vec<String> = settings.given.iter().map(GivenSetting::key).collect();
                let folder = place_of(&self.store.join(STUDIES), &recipe, sources)?;
                let start = Start { base: &recipe, fixed: &fixed, material, folder: &folder, trials };
                match start.best(&self.around, observer, stop)? {
                    Some(best) => recipe = best,
                    None => return Ok(None),
                }
            }
            let members = members(&recipe, &self.seeds);
            let place = |member: &Member| place_of(self.store, &member.recipe, sources);
            let places = members.iter().map(place).collect::<Result<_, _>>()?;
            found.push(Contender { recipe, members, places });
        }
        Ok(Some(found))
    }

    fn look(
        &self,
        settings: &Settings,
        observer: &mut dyn Observer,
    ) -> Result<(Preset, Material, Vec<SourceFile>), TrainError> {
        observer.stage(Stage::Reading);
        let (settled, material) = settings.read(self.around.places)?;
        observer.read(&material);
        if material.dataset.split.test.is_empty() {
            return Err(TrainError::NoTest { name: material.dataset.name });
        }
        let sources = material.dataset.sources.iter().chain(&material.split_file).cloned().collect();
        Ok((settled.preset, material, sources))
    }

    /// Times a few epochs of every model that has something to do. None when it was asked to stop.
    fn estimate(
        &self,
        contenders: &[Contender],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<TimeLeft>, TrainError> {
        let mut left = TimeLeft::default();
        let missing = |contender: &Contender| contender.places.iter().filter(|place| !is_done(place)).count();
        let all: usize = contenders.iter().map(missing).sum();
        let known: usize = contenders.iter().map(|contender| contender.places.len()).sum();
        for contender in contenders {
            let (runs, recipe) = (missing(contender), &contender.members[0].recipe);
            if runs == 0 {
                continue;
            }
            observer.timing(recipe);
            let Some(expected) = Estimate::or_none(recipe, self.around.places, stop)? else { return Ok(None) };
            left.expect(recipe.model.name(), expected, runs);
        }
        observer.estimated(all, known - all, left.seconds());
        Ok(Some(left))
    }
}
