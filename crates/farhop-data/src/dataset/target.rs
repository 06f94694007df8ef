//! What is to be predicted, and of what.

use std::cmp::Reverse;

use crate::dataset::labels::class_counts;
use crate::error::DataError;
use crate::scores::metrics::Metric;

/// The truth. A row is a node or a graph, as the level says.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// One class of several.
    Class {
        /// The class of every row; `None` where it is unknown.
        labels: Vec<Option<u32>>,
        /// The names of the classes.
        classes: Vec<String>,
    },
    /// Several yes-or-no questions.
    Binary {
        /// `[rows, names.len()]`: 0, 1, or NaN where the answer is unknown.
        values: Vec<f32>,
        /// The names of the questions.
        names: Vec<String>,
    },
    /// Numbers.
    Number {
        /// `[rows, names.len()]`, NaN where unknown.
        values: Vec<f32>,
        /// The names of the numbers.
        names: Vec<String>,
    },
    /// Which pairs of nodes belong together.
    Pair {
        /// Node ids in the union of all graphs; both of one graph.
        pairs: Vec<[u32; 2]>,
        /// Whether they belong together, one per pair.
        together: Vec<bool>,
        /// `[G + 1]`: the pairs of graph `g` are `offsets[g]..offsets[g + 1]`.
        offsets: Vec<usize>,
    },
}

impl Target {
    /// Nothing to predict: a target of no classes.
    pub fn none(rows: usize) -> Target {
        Target::Class { labels: vec![None; rows], classes: Vec::new() }
    }

    /// The usual score: accuracy for classes (where they are far from even, ROC AUC for two and balanced accuracy for
    /// more), ROC AUC for one question, average precision for several, mean absolute error for numbers, filtered mean
    /// reciprocal rank for pairs.
    pub fn usual_metric(&self) -> Metric {
        match self {
            Target::Class { classes, .. } if self.dominant_class().is_some() => {
                if classes.len() == 2 {
                    Metric::RocAuc
                } else {
                    Metric::BalancedAccuracy
                }
            }
            Target::Class { .. } => Metric::Accuracy,
            Target::Binary { names, .. } if names.len() == 1 => Metric::RocAuc,
            Target::Binary { .. } => Metric::AveragePrecision,
            Target::Number { .. } => Metric::Mae,
            Target::Pair { .. } => Metric::MrrFiltered,
        }
    }

    /// The most frequent class and its share of the rows, if always naming it would look good by accuracy: 80 % of the rows
    /// of two classes, 60 % of more.
    pub fn dominant_class(&self) -> Option<(&str, f64)> {
        let Target::Class { labels, classes } = self else {
            return None;
        };
        let counts = class_counts(labels, classes.len());
        let (class, most) = counts.iter().enumerate().max_by_key(|(class, count)| (**count, Reverse(*class)))?;
        let share = *most as f64 / counts.iter().sum::<usize>().max(1) as f64;
        let limit = if classes.len() == 2 { 0.8 } else { 0.6 };
        (classes.len() > 1 && share >= limit).then_some((&classes[class], share))
    }

    /// Numbers that a model gives per row: classes, questions, numbers; for pairs 1.
    pub fn outputs(&self) -> usize {
        match self {
            Target::Class { classes, .. } => classes.len(),
            Target::Binary { names, .. } | Target::Number { names, .. } => names.len(),
            Target::Pair { .. } => 1,
        }
    }

    /// The names of the outputs; none for pairs.
    pub fn names(&self) -> &[String] {
        match self {
            Target::Class { classes, .. } => classes,
            Target::Binary { names, .. } | Target::Number { names, .. } => names,
            Target::Pair { .. } => &[],
        }
    }

    /// How many rows there are; `None` where the target does not say: pairs, and no answers or numbers at all.
    pub(crate) fn rows(&self) -> Option<usize> {
        match self {
            Target::Class { labels, .. } => Some(labels.len()),
            Target::Binary { values, names } | Target::Number { values, names } => {
                values.len().checked_div(names.len())
            }
            Target::Pair { .. } => None,
        }
    }

    /// Whether anything is known about the row. Pairs have no rows.
    pub fn is_known(&self, row: usize) -> bool {
        match self {
            Target::Class { labels, .. } => labels.get(row).is_some_and(Option::is_some),
            Target::Binary { values, names } | Target::Number { values, names } => {
                let width = names.len();
                values.get(row * width..(row + 1) * width).is_some_and(|row| row.iter().any(|value| !value.is_nan()))
            }
            Target::Pair { .. } => false,
        }
    }

    /// Checks the target of `rows` rows in graphs whose nodes begin at `starts`.
    pub(super) fn check(&self, rows: usize, starts: &[usize]) -> Result<(), DataError> {
        let wrong = |what: String| Err(DataError::Mismatch { what });
        match self {
            Target::Class { labels, classes } => {
                if labels.len() != rows {
                    return wrong(format!("{} labels for {rows} rows.", labels.len()));
                }
                match labels.iter().flatten().find(|label| **label as usize >= classes.len()) {
                    Some(label) => wrong(format!("label {label} of {} classes.", classes.len())),
                    None => Ok(()),
                }
            }
            Target::Binary { values, names } => {
                if values.len() != rows * names.len() {
                    return wrong(format!("{} answers to {} questions for {rows} rows.", values.len(), names.len()));
                }
                match values.iter().find(|value| !(value.is_nan() || **value == 0.0 || **value == 1.0)) {
                    Some(value) => wrong(format!("answer {value} is neither 0 nor 1.")),
                    None => Ok(()),
                }
            }
            Target::Number { values, names } => {
                if values.len() != rows * names.len() {
                    return wrong(format!("{} values of {} targets for {rows} rows.", values.len(), names.len()));
                }
                match values.iter().find(|value| value.is_infinite()) {
                    Some(value) => wrong(format!("target {value} is not a finite number.")),
                    None => Ok(()),
                }
            }
            Target::Pair { pairs, together, offsets } => {
                let ends = offsets.first() == Some(&0) && offsets.last() == Some(&pairs.len());
                if pairs.len() != together.len() || offsets.len() != starts.len() || !ends {
                    return wrong(format!("{} pairs and {} answers do not fit together.", pairs.len(), together.len()));
                }
                for (graph, (range, nodes)) in offsets.windows(2).zip(starts.windows(2)).enumerate() {
                    let pairs = pairs.get(range[0]..range[1]).unwrap_or(&[]);
                    let outside = |end: &u32| (*end as usize) < nodes[0] || *end as usize >= nodes[1];
                    if range[0] > range[1] || pairs.iter().flatten().any(outside) {
                        return wrong(format!("a pair of graph {graph} names a node outside it."));
                    }
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(rows: &[usize]) -> Target {
        let labels = rows.iter().zip(0..).flat_map(|(&count, class)| vec![Some(class); count]);
        Target::Class { labels: labels.collect(), classes: (0..rows.len()).map(|class| class.to_string()).collect() }
    }

    #[test]
    fn classes_far_from_even_are_not_scored_by_accuracy() {
        for (rows, metric) in [
            (&[50, 50][..], Metric::Accuracy),
            (&[79, 21], Metric::Accuracy),
            (&[80, 20], Metric::RocAuc),
            (&[3, 97], Metric::RocAuc),
            (&[40, 30, 30], Metric::Accuracy),
            (&[10, 80, 10], Metric::BalancedAccuracy),
            (&[100], Metric::Accuracy),
            (&[], Metric::Accuracy),
        ] {
            assert_eq!(classes(rows).usual_metric(), metric, "{rows:?}");
        }
        assert_eq!(classes(&[10, 80, 10]).dominant_class(), Some(("1", 0.8)));
    }
}
