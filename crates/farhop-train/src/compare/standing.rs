//! Where a model stands among others.

use std::collections::BTreeMap;

use farhop_data::metrics::Metric;

use crate::Recipe;
use crate::series::{Row, Rows, Spread, paired_significance};

/// A model with what came out of its runs.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Its settings; seed and split are those of the runs.
    pub recipe: Recipe,
    /// Its runs.
    pub runs: Rows,
    /// Test scores.
    pub test: Option<Spread>,
    /// Validation scores.
    pub valid: Option<Spread>,
    /// Seconds of training.
    pub seconds: Option<Spread>,
    /// Number of weights.
    pub parameters: Option<usize>,
    /// Largest resident memory of a run.
    pub peak_rss_bytes: Option<u64>,
    /// 1 for the best mean test score; none without a score.
    pub rank: Option<usize>,
    /// How likely a difference to the best as large as this would be by chance, over runs with the same seed and split; none for the
    /// best itself and for fewer than two such runs.
    pub significance: Option<f64>,
}

impl Standing {
    /// From runs, not yet ranked.
    pub(super) fn of(recipe: Recipe, runs: Rows) -> Self {
        let last = runs.records().last();
        Standing {
            test: runs.spread(|scores| scores.test),
            valid: runs.spread(|scores| scores.valid),
            seconds: Spread::of(runs.records().map(|record| record.seconds)),
            parameters: last.map(|record| record.parameters),
            peak_rss_bytes: runs.records().filter_map(|record| record.peak_rss_bytes).max(),
            rank: None,
            significance: None,
            recipe,
            runs,
        }
    }

    /// The name of the model.
    pub fn model(&self) -> &'static str {
        self.recipe.model.name()
    }

    /// How it is scored.
    pub fn metric(&self) -> Option<Metric> {
        self.runs.metric()
    }

    /// Why a run failed, if one did.
    pub fn problem(&self) -> Option<&str> {
        self.runs.rows.iter().find_map(|row| row.result.as_ref().err()).map(String::as_str)
    }

    /// Test scores by the seed and the split of the run.
    fn scores(&self) -> BTreeMap<(u64, String), f64> {
        let score = |row: &Row| {
            let Recipe { train, data, .. } = &row.member.recipe;
            Some(((train.seed, data.split.to_string()), row.result.as_ref().ok()?.scores.test?))
        };
        self.runs.rows.iter().filter_map(score).collect()
    }
}

/// Ranks models by their mean test scores, and says how sure the differences to the best are.
pub fn rank(standings: &mut [Standing]) {
    let Some(metric) = standings.iter().find_map(Standing::metric) else { return };
    let means: Vec<Option<f64>> = standings.iter().map(|one| one.test.map(|test| test.mean)).collect();
    let better = |mean: f64| means.iter().flatten().filter(|other| metric.is_better(**other, mean)).count();
    let ranks: Vec<Option<usize>> = means.iter().map(|mean| mean.map(|mean| 1 + better(mean))).collect();
    let best = ranks.iter().position(|rank| *rank == Some(1)).map(|best| standings[best].scores());
    for (standing, rank) in standings.iter_mut().zip(ranks) {
        standing.rank = rank;
        let others = best.as_ref().filter(|_| rank.is_some_and(|rank| rank > 1));
        standing.significance = others.and_then(|best| {
            let pairs = standing.scores().into_iter().filter_map(|(run, score)| Some((score, *best.get(&run)?)));
            paired_significance(&pairs.collect::<Vec<_>>())
        });
    }
}
