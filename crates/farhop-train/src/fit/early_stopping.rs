//! The best epoch so far, and when to give up waiting for a better one.

use farhop_data::metrics::Metric;
use serde::{Deserialize, Serialize};

use crate::TieBreak;

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
    /// Takes note of an evaluation. True when it is the best so far: a better score, or the same with a lower loss where `ties` are
    /// broken by that.
    pub fn observe(&mut self, metric: Metric, ties: TieBreak, epoch: usize, score: f64, loss: f64) -> bool {
        let breaks = |best: Best| ties == TieBreak::LowestLoss && score == best.score && loss < best.loss;
        let better = self.best.is_none_or(|best| metric.is_better(score, best.score) || breaks(best));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_are_told_apart_by_loss_or_by_who_was_first() {
        for (ties, kept) in [(TieBreak::LowestLoss, 3), (TieBreak::First, 2)] {
            let mut stopping = EarlyStopping::default();
            for (epoch, score, loss) in [(1, 0.7, 0.2), (2, 0.8, 0.5), (3, 0.8, 0.4), (4, 0.8, 0.6)] {
                stopping.observe(Metric::Accuracy, ties, epoch, score, loss);
            }
            assert_eq!(stopping.best.map(|best| best.epoch), Some(kept));
        }
    }
}
