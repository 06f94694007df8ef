//! Models compared on one dataset: the same splits, seeds and budget for all. Every run is kept under what it depends on, so that asking
//! again costs nothing, and another model costs its own runs only.

mod identity;
mod kept;
mod standing;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use farhop_data::SourceFile;
use farhop_nn::NnError;

pub use identity::identity;
pub use kept::{KeptComparison, kept, sorted};
pub use standing::{Standing, rank};

use crate::presets::Preset;
use crate::series::{Estimate, Member, Surroundings, TimeLeft, is_done, members, train_all};
use crate::{Material, Observer, Recipe, Settings, Stage, TrainError};

/// Models that are to be compared.
pub struct Comparison<'a> {
    /// The settings of each; their data is the same.
    pub contenders: Vec<Settings>,
    /// The seed of every run.
    pub seeds: Vec<u64>,
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
        let contenders = self.contenders(observer)?;
        let Some(mut left) = self.estimate(&contenders, observer, stop)? else {
            return Ok(Compared { standings: Vec::new(), interrupted: true });
        };
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

    /// Reads the data once, and finds out which runs there are.
    fn contenders(&self, observer: &mut dyn Observer) -> Result<Vec<Contender>, TrainError> {
        let mut found = Vec::new();
        let mut known: Option<(Preset, Vec<SourceFile>)> = None;
        for settings in &self.contenders {
            let (preset, sources) = match &known {
                Some(known) => known,
                None => known.insert(self.look(settings, observer)?),
            };
            let recipe = settings.settle(Some(*preset))?.recipe;
            let members = members(&recipe, &self.seeds);
            let place = |member: &Member| -> Result<PathBuf, TrainError> {
                let name = format!("{}-{}", recipe.model.name(), identity(&member.recipe, sources)?);
                Ok(self.store.join(name))
            };
            let places = members.iter().map(place).collect::<Result<_, _>>()?;
            found.push(Contender { recipe, members, places });
        }
        Ok(found)
    }

    fn look(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<(Preset, Vec<SourceFile>), TrainError> {
        observer.stage(Stage::Reading);
        let (settled, material) = settings.read(self.around.places)?;
        observer.read(&material);
        let Material { dataset, split_file, .. } = material;
        if dataset.split.test.is_empty() {
            return Err(TrainError::NoTest { name: dataset.name });
        }
        Ok((settled.preset, dataset.sources.into_iter().chain(split_file).collect()))
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
            let expected = match Estimate::of(recipe, self.around.places, stop) {
                Ok(None) => return Ok(None),
                Ok(expected) => expected,
                // It will be said where its runs are.
                Err(
                    TrainError::NonFinite { .. }
                    | TrainError::DoesNotFit { .. }
                    | TrainError::Model(NnError::CanNot { .. }),
                ) => None,
                Err(error) => return Err(error),
            };
            left.expect(recipe.model.name(), expected, runs);
        }
        observer.estimated(all, known - all, left.seconds());
        Ok(Some(left))
    }
}
