//! Kinds of targets, and what follows from them.

use crate::dataset::Target;
use crate::error::DataError;
use crate::metrics::Metric;
use crate::options::SplitChoice;
use crate::split::{Split, SplitFractions};

/// The usual score of a target: accuracy for classes, ROC AUC for one question, average precision for several, mean
/// absolute error for numbers, filtered mean reciprocal rank for pairs.
pub fn usual_metric(target: &Target) -> Metric {
    match target {
        Target::Class { .. } => Metric::Accuracy,
        Target::Binary { names, .. } if names.len() == 1 => Metric::RocAuc,
        Target::Binary { .. } => Metric::AveragePrecision,
        Target::Number { .. } => Metric::Mae,
        Target::Pair { .. } => Metric::MrrFiltered,
    }
}

/// The split of `rows` rows that was chosen: the one that is given, or a seeded one over the rows whose target is known.
/// Classes, and the answers of a single question, get the same shares in all parts; other targets are drawn plainly.
pub fn chosen_split(rows: usize, target: &Target, choice: &SplitChoice) -> Result<Split, DataError> {
    match choice {
        SplitChoice::Given(Split { train, valid, test }) => {
            Ok(Split::from_lists(rows, train.clone(), valid.clone(), test.clone())?)
        }
        SplitChoice::Automatic { fractions, seed } => seeded_split(rows, target, *fractions, *seed),
    }
}

fn seeded_split(rows: usize, target: &Target, fractions: SplitFractions, seed: u64) -> Result<Split, DataError> {
    let plain = || (0..rows).map(|row| target.is_known(row).then_some(0)).collect::<Vec<_>>();
    let (strata, count) = match target {
        Target::Class { labels, classes } => (labels.clone(), classes.len()),
        Target::Binary { values, names } if names.len() == 1 => {
            let answers = [0.0, 1.0].map(|answer| values.iter().filter(|&&value| value == answer).count());
            if answers.contains(&1) {
                (plain(), 1)
            } else {
                (values.iter().map(|value| (!value.is_nan()).then_some(*value as u32)).collect(), 2)
            }
        }
        Target::Binary { .. } | Target::Number { .. } => (plain(), 1),
        Target::Pair { .. } => (vec![Some(0); rows], 1),
    };
    Ok(Split::stratified(&strata, count, fractions, seed)?)
}
