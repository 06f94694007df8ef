//! The best epoch so far, and when to give up waiting for a better one.

use farhop_data::metrics::Metric;
use serde::{Deserialize, Serialize};

/// The best evaluation so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// Its epoch, counted from 1.
    pub epoch: usize,
    /// Its validation score.
    pub score: f64,
    /// Its validation loss, which decides between equal scores.
    pub loss: f64,
}

/// What early stopping remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EarlyStopping {
    /// The best evaluation; none before the first.
    pub best: Option<Best>,
}

impl EarlyStopping {
    /// Takes note of an evaluation. True when it is the best so far: a better score, or the same with a lower loss.
    pub fn observe(&mut self, metric: Metric, epoch: usize, score: f64, loss: f64) -> bool {
        let better = self
            .best
            .is_none_or(|best| metric.is_better(score, best.score) || (score == best.score && loss < best.loss));
        if better {
            self.best = Some(Best { epoch, score, loss });
        }
        better
    }

    /// Whether `patience` epochs have passed since the best one.
    pub fn should_stop(&self, epoch: usize, patience: Option<usize>) -> bool {
        match (self.best, patience) {
            (Some(best), Some(patience)) => epoch.saturating_sub(best.epoch) >= patience,
            _ => false,
        }
    }
}
