//! How long runs will take: a few epochs are timed before anything is trained in earnest.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::{Job, Material, Outcome, Places, Recipe, Silent, TrainError};

/// Epochs that are timed; the first one warms up.
const TIMED: usize = 3;

/// How long a run will take at most: a run may stop early.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Seconds of a run with all its epochs.
    pub seconds: f64,
}

impl Estimate {
    /// Times a few epochs of a run that is thrown away. None when it was asked to stop.
    ///
    /// # Errors
    /// As those of the run.
    pub fn of(recipe: &Recipe, places: &Places, stop: &AtomicBool) -> Result<Option<Self>, TrainError> {
        let start = Instant::now();
        let material = Material::read(recipe, places)?;
        let mut short = recipe.clone();
        short.train.epochs = TIMED.min(recipe.train.epochs);
        let trained = Job::new(short, material, places).train(&mut Silent, stop)?;
        let summary = &trained.fitted.summary;
        if summary.outcome == Outcome::Interrupted {
            return Ok(None);
        }
        let epoch = summary.seconds_per_epoch.unwrap_or(0.0);
        let around = (start.elapsed().as_secs_f64() - summary.seconds).max(0.0);
        Ok(Some(Estimate { seconds: around + epoch * recipe.train.epochs as f64 }))
    }
}

impl Estimate {
    /// As [`Estimate::of`], but what is wrong with the run itself gives no estimate: it will be said where the run is. None when it was
    /// asked to stop.
    ///
    /// # Errors
    /// When the data can't be read.
    pub fn or_none(recipe: &Recipe, places: &Places, stop: &AtomicBool) -> Result<Option<Option<Self>>, TrainError> {
        match Self::of(recipe, places, stop) {
            Ok(expected) => Ok(expected.map(Some)),
            Err(error) if error.is_of_run() => Ok(Some(None)),
            Err(error) => Err(error),
        }
    }
}

/// The time that is left of several runs, corrected by every one that ends.
#[derive(Clone, Debug, Default)]
pub struct TimeLeft {
    /// Model or cell, expected seconds of a run, runs that are left.
    models: Vec<(String, Option<f64>, usize)>,
}

impl TimeLeft {
    /// So many runs of a model are to come; `expected` is what one will take, if that is known.
    pub fn expect(&mut self, model: &str, expected: Option<Estimate>, runs: usize) {
        self.models.push((model.to_string(), expected.map(|expected| expected.seconds), runs));
    }

    /// A run of a model has ended; `seconds` is what it took, none if it was there before.
    pub fn done(&mut self, model: &str, seconds: Option<f64>) {
        if let Some((_, expected, left)) = self.models.iter_mut().find(|(name, ..)| name == model) {
            let counted = seconds.is_some();
            *expected = seconds.or(*expected);
            *left = left.saturating_sub(usize::from(counted));
        }
    }

    /// A run that was expected will take no time: it failed, or somebody else has done it.
    pub fn given_up(&mut self, model: &str) {
        if let Some((_, _, left)) = self.models.iter_mut().find(|(name, ..)| name == model) {
            *left = left.saturating_sub(1);
        }
    }

    /// Seconds that are left, as far as anything is known.
    pub fn seconds(&self) -> Option<f64> {
        let known: Vec<f64> = self
            .models
            .iter()
            .filter(|(_, _, left)| *left > 0)
            .filter_map(|(_, seconds, left)| Some(seconds.as_ref()? * *left as f64))
            .collect();
        (!known.is_empty()).then(|| known.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_what_runs_really_take() {
        let mut left = TimeLeft::default();
        assert_eq!(left.seconds(), None);
        left.expect("gen", Some(Estimate { seconds: 100.0 }), 3);
        left.expect("gcn", Some(Estimate { seconds: 10.0 }), 2);
        assert_eq!(left.seconds(), Some(320.0));
        left.done("gen", Some(40.0));
        assert_eq!(left.seconds(), Some(100.0));
        // What was there before took no time, and was not counted.
        left.done("gcn", None);
        assert_eq!(left.seconds(), Some(100.0));
        left.done("gcn", Some(10.0));
        left.given_up("gcn");
        assert_eq!(left.seconds(), Some(80.0));
    }
}
