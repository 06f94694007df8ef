//! One trial of a study, and how it stands.

use serde::{Deserialize, Serialize};

use super::median::Curve;
use super::space::Point;

/// How a trial stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Somebody works on it, or did and was killed.
    Running,
    /// It was trained to its end.
    Finished,
    /// It was ended early: others were better at the same epoch.
    Pruned,
    /// It could not be trained: numbers that were not finite, settings that do not go together, memory.
    Failed,
}

/// One trial: settings, and what came of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Counted from 0.
    pub number: usize,
    /// Its settings of the space, under their keys.
    pub settings: Point,
    /// How it stands.
    pub state: State,
    /// Best validation score, as the metric has it; none before the first evaluation.
    pub score: Option<f64>,
    /// The best so far after every epoch with an evaluation, with more as better (errors are negative).
    pub curve: Curve,
    /// Epochs done.
    pub epochs: usize,
    /// Seconds of training.
    pub seconds: f64,
    /// Why it failed.
    pub error: Option<String>,
}

impl Trial {
    /// One that begins.
    pub fn begun(number: usize, settings: Point) -> Self {
        Trial {
            number,
            settings,
            state: State::Running,
            score: None,
            curve: Curve::new(),
            epochs: 0,
            seconds: 0.0,
            error: None,
        }
    }
}
