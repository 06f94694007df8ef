//! What a target looks like.

use serde::{Deserialize, Serialize};

use crate::dataset::Target;
use crate::dataset::labels::class_counts;
use crate::dataset::statistics::Moments;

/// What a target looks like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TargetSummary {
    /// One class of several.
    Classes {
        /// The classes and how many rows each has.
        classes: Vec<ClassCount>,
    },
    /// Yes-or-no questions.
    Labels {
        /// The questions and their answers.
        labels: Vec<LabelCount>,
    },
    /// Numbers.
    Numbers {
        /// The numbers and their range.
        numbers: Vec<NumberSummary>,
    },
    /// Pairs of nodes.
    Pairs {
        /// How many pairs.
        pairs: usize,
        /// How many of them belong together.
        together: usize,
    },
}

/// A class and how many rows have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCount {
    /// The class.
    pub name: String,
    /// How many rows have it.
    pub rows: usize,
}

/// A question and its answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelCount {
    /// The question.
    pub name: String,
    /// Rows with the answer 1.
    pub yes: usize,
    /// Rows with the answer 0.
    pub no: usize,
    /// Rows without an answer.
    pub missing: usize,
}

/// A number to predict and its range; all 0 if it is known nowhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberSummary {
    /// Its name.
    pub name: String,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// The deviation from the mean, `sqrt(sum (x - mean)^2 / n)`.
    pub deviation: f64,
    /// Rows without it.
    pub missing: usize,
}

impl TargetSummary {
    pub(super) fn of(target: &Target) -> TargetSummary {
        match target {
            Target::Class { labels, classes } => {
                let counts = class_counts(labels, classes.len());
                let named = classes.iter().zip(counts);
                TargetSummary::Classes {
                    classes: named.map(|(name, rows)| ClassCount { name: name.clone(), rows }).collect(),
                }
            }
            Target::Binary { values, names } => {
                let of = |(place, name): (usize, &String)| {
                    let mut count = LabelCount { name: name.clone(), yes: 0, no: 0, missing: 0 };
                    for value in values.iter().skip(place).step_by(names.len()) {
                        count.yes += usize::from(*value == 1.0);
                        count.no += usize::from(*value == 0.0);
                        count.missing += usize::from(value.is_nan());
                    }
                    count
                };
                TargetSummary::Labels { labels: names.iter().enumerate().map(of).collect() }
            }
            Target::Number { values, names } => {
                let of = |(place, name): (usize, &String)| {
                    number_summary(name, values.iter().skip(place).step_by(names.len()))
                };
                TargetSummary::Numbers { numbers: names.iter().enumerate().map(of).collect() }
            }
            Target::Pair { pairs, together, .. } => TargetSummary::Pairs {
                pairs: pairs.len(),
                together: together.iter().filter(|together| **together).count(),
            },
        }
    }
}

fn number_summary<'a>(name: &str, values: impl Iterator<Item = &'a f32>) -> NumberSummary {
    let mut moments = Moments::default();
    let (mut min, mut max, mut missing, mut known) = (f64::INFINITY, f64::NEG_INFINITY, 0, false);
    for value in values {
        let value = f64::from(*value);
        if value.is_nan() {
            missing += 1;
            continue;
        }
        known = true;
        moments.add(value);
        (min, max) = (min.min(value), max.max(value));
    }
    let (min, max) = if known { (min, max) } else { (0.0, 0.0) };
    NumberSummary { name: name.to_string(), min, max, mean: moments.mean(), deviation: moments.deviation(), missing }
}
