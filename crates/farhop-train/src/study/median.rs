//! Which trials are not worth going on with: the median rule.
//!
//! After every evaluation the best validation score so far is compared with what other trials had reached by the same epoch. Below
//! their median, the trial ends (Golovin et al., Google Vizier, KDD 2017).

/// The best score so far after each epoch with an evaluation, ascending epochs; more is better.
pub type Curve = Vec<(usize, f64)>;

/// When a trial may be ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MedianRule {
    /// Other trials that have to be known first.
    pub trials: usize,
    /// Epochs that every trial gets.
    pub epochs: usize,
}

impl MedianRule {
    /// For trials of at most `epochs` epochs: a tenth of them, and at least ten, are given to everyone.
    pub fn for_epochs(epochs: usize) -> Self {
        MedianRule { trials: 5, epochs: (epochs / 10).max(10) }
    }

    /// Whether a trial with `score` as its best after `epoch` epochs is hopeless beside the others.
    pub fn is_hopeless(&self, epoch: usize, score: f64, others: &[Curve]) -> bool {
        if epoch < self.epochs {
            return false;
        }
        let mut reached: Vec<f64> = others.iter().filter_map(|curve| at(curve, epoch)).collect();
        if reached.len() < self.trials {
            return false;
        }
        reached.sort_by(f64::total_cmp);
        // The lower of the two in the middle: in doubt a trial goes on.
        score < reached[(reached.len() - 1) / 2]
    }
}

/// The best score by that epoch; of a trial that ended before, its last, since its weights are kept.
fn at(curve: &Curve, epoch: usize) -> Option<f64> {
    curve.iter().take_while(|(reached, _)| *reached <= epoch).last().map(|(_, score)| *score)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(score: f64) -> Curve {
        (1..=50).map(|epoch| (epoch, score)).collect()
    }

    #[test]
    fn below_the_median_ends_and_at_the_median_does_not() {
        let rule = MedianRule { trials: 5, epochs: 10 };
        let others: Vec<Curve> = [0.1, 0.2, 0.3, 0.4, 0.5].map(flat).to_vec();
        assert!(rule.is_hopeless(20, 0.29, &others));
        assert!(!rule.is_hopeless(20, 0.3, &others));
        assert!(!rule.is_hopeless(9, 0.0, &others), "before its epochs are over");
        assert!(!rule.is_hopeless(20, 0.0, &others[..4]), "with too few to compare with");
    }

    #[test]
    fn others_are_seen_as_they_were_at_that_epoch() {
        let rule = MedianRule { trials: 1, epochs: 1 };
        let late: [Curve; 1] = [vec![(1, 0.1), (10, 0.1), (40, 0.9)]];
        assert!(!rule.is_hopeless(20, 0.2, &late));
        assert!(rule.is_hopeless(40, 0.2, &late));
    }
}
