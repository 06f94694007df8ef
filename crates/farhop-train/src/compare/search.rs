//! Settings of a model that has no recipe, searched before it is compared.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::series::Surroundings;
use crate::study::{Description, Listener, MedianRule, Search, Study, Trial, default_space};
use crate::{Material, Observer, Recipe, TrainError};

/// What a search starts from, and where it is.
pub(super) struct Start<'a> {
    /// The general settings.
    pub base: &'a Recipe,
    /// Settings that are not searched, by key.
    pub fixed: &'a [String],
    /// The data.
    pub material: &'a Material,
    /// The folder of the study.
    pub folder: &'a Path,
    /// Trials in all.
    pub trials: usize,
}

impl Start<'_> {
    /// The settings with the best validation score; the base itself if no trial came to its end. None when it was asked to stop.
    pub(super) fn best(
        &self,
        around: &Surroundings<'_>,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<Recipe>, TrainError> {
        let Start { base, fixed, material, folder, trials } = *self;
        let (text, space) = default_space(base, fixed)?;
        let study = Study::open(folder, Description::of(base, material, text)?, space)?;
        let search = Search {
            study: &study,
            base,
            material,
            around: around.clone(),
            trials,
            rule: Some(MedianRule::for_epochs(base.train.epochs)),
        };
        if !search.run(&mut Told { recipe: base, trials, observer }, stop)? {
            return Ok(None);
        }
        let trials = study.trials()?;
        match study.best(&trials) {
            Some(best) => study.space().recipe(base, &best.settings).map(Some),
            None => Ok(Some(base.clone())),
        }
    }
}

/// Passes on how a search goes.
struct Told<'a> {
    recipe: &'a Recipe,
    trials: usize,
    observer: &'a mut dyn Observer,
}

impl Listener for Told<'_> {
    fn ended(&mut self, trial: &Trial, best: Option<&Trial>) {
        self.observer.trial(self.recipe, trial, best, self.trials);
    }
}
