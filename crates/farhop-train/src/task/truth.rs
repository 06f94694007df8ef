//! The truth on its way to a loss: which rows, which values, on which scale.

use farhop_data::statistics::Moments;
use farhop_data::{Level, Split, Target};
use farhop_graph::GraphSet;
use farhop_nn::exchange::Group;
use farhop_nn::{NumberLoss, Targets};
use serde::{Deserialize, Serialize};

use crate::TrainError;

/// What is minimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKind {
    /// What the target asks for: cross-entropy for classes, binary cross-entropy for labels and pairs, L1 for numbers
    /// that are scored by their absolute error, L2 for other numbers.
    #[default]
    Auto,
    /// Softmax cross-entropy.
    CrossEntropy,
    /// The same with class `c` weighted by `1 - n_c / n` over the training rows, so that rare classes count more.
    WeightedCrossEntropy,
    /// Binary cross-entropy of each label.
    BinaryCrossEntropy,
    /// Mean absolute error.
    L1,
    /// Mean squared error.
    L2,
}

impl LossKind {
    /// As a recipe writes it.
    pub fn name(self) -> &'static str {
        match self {
            LossKind::Auto => "auto",
            LossKind::CrossEntropy => "cross-entropy",
            LossKind::WeightedCrossEntropy => "weighted-cross-entropy",
            LossKind::BinaryCrossEntropy => "binary-cross-entropy",
            LossKind::L1 => "l1",
            LossKind::L2 => "l2",
        }
    }
}

/// Numbers are learned as `(value - shift) / factor`, both over the training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetScale {
    /// Mean of each number.
    pub shift: Vec<f32>,
    /// Deviation of each number; 1 where it does not vary.
    pub factor: Vec<f32>,
}

impl TargetScale {
    /// Whether there is a shift and a factor for each of so many numbers.
    pub(crate) fn is_for(&self, outputs: usize) -> bool {
        (self.shift.len(), self.factor.len()) == (outputs, outputs)
    }

    /// Over the rows of all processes, if there are several.
    fn of(values: &[f32], width: usize, rows: &[u32], weights: &[f32], group: Option<&Group>) -> Self {
        let column = |column: usize| {
            let told =
                rows.iter().map(|row| (f64::from(values[*row as usize * width + column]), weight(weights, *row)));
            let mut moments = Moments::default();
            told.filter(|(value, _)| !value.is_nan()).for_each(|(value, weight)| moments.add_weighed(value, weight));
            if let Some(group) = group {
                moments = Moments::joined(group.numbers(&moments.parts()).iter().map(|numbers| &numbers[..]));
            }
            (moments.mean() as f32, moments.varies_by().unwrap_or(1.0) as f32)
        };
        let (shift, factor) = (0..width).map(column).unzip();
        TargetScale { shift, factor }
    }

    /// From the scale of the model to that of the data, in place.
    pub fn restore(&self, outputs: &mut [f32]) {
        for row in outputs.chunks_exact_mut(self.shift.len().max(1)) {
            for (value, (shift, factor)) in row.iter_mut().zip(self.shift.iter().zip(&self.factor)) {
                *value = *value * factor + shift;
            }
        }
    }

    /// From the scale of the data to that of the model.
    fn apply(&self, column: usize, value: f32) -> f32 {
        (value - self.shift[column]) / self.factor[column]
    }
}

/// The target with everything a loss needs.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    pub level: Level,
    pub target: Target,
    pub scale: Option<TargetScale>,
    loss: LossKind,
    /// Of classes.
    weights: Option<Vec<f32>>,
    /// Of rows; empty: all count the same.
    of_rows: Vec<f32>,
}

/// What is learned from.
pub(crate) struct Lessons<'a> {
    /// The rows of training.
    pub rows: &'a [u32],
    /// The weights of all rows; empty: all count the same.
    pub weights: Vec<f32>,
    /// All processes, where each has rows of its own.
    pub group: Option<&'a Group>,
}

impl Truth {
    /// The target, and what a loss needs that follows from the rows of training.
    pub fn new(
        level: Level,
        target: Target,
        loss: LossKind,
        absolute: bool,
        lessons: Lessons<'_>,
        scale: Option<TargetScale>,
    ) -> Result<Self, TrainError> {
        let Lessons { rows, weights: of_rows, group } = lessons;
        // Of several processes, another may have rows that count.
        if group.is_none()
            && !of_rows.is_empty()
            && !rows.is_empty()
            && rows.iter().all(|row| of_rows[*row as usize] == 0.0)
        {
            let what = "every row of the training part has the weight 0, so there is nothing to learn from. Give one a larger weight.";
            return Err(TrainError::Task(what.to_string()));
        }
        let loss = match (&target, loss) {
            (Target::Class { .. }, LossKind::Auto) => LossKind::CrossEntropy,
            (Target::Binary { .. } | Target::Pair { .. }, LossKind::Auto) => LossKind::BinaryCrossEntropy,
            (Target::Number { .. }, LossKind::Auto) => {
                if absolute {
                    LossKind::L1
                } else {
                    LossKind::L2
                }
            }
            (Target::Class { .. }, LossKind::CrossEntropy | LossKind::WeightedCrossEntropy)
            | (Target::Binary { .. } | Target::Pair { .. }, LossKind::BinaryCrossEntropy)
            | (Target::Number { .. }, LossKind::L1 | LossKind::L2) => loss,
            (target, _) => {
                let (what, allowed) = match target {
                    Target::Class { .. } => ("classes", "cross-entropy or weighted-cross-entropy"),
                    Target::Binary { .. } => ("yes-or-no labels", "binary-cross-entropy"),
                    Target::Pair { .. } => ("pairs", "binary-cross-entropy"),
                    Target::Number { .. } => ("numbers", "l1 or l2"),
                };
                let name = loss.name();
                return Err(TrainError::Task(format!("loss {name} is not for {what}. Allowed: auto, {allowed}.")));
            }
        };
        let weights = match &target {
            Target::Class { labels, classes } if loss == LossKind::WeightedCrossEntropy => {
                Some(class_weights(labels, classes.len(), rows, &of_rows, group))
            }
            _ => None,
        };
        let scale = match &target {
            Target::Number { values, names } => {
                Some(scale.unwrap_or_else(|| TargetScale::of(values, names.len(), rows, &of_rows, group)))
            }
            _ => None,
        };
        Ok(Truth { level, target, scale, loss, weights, of_rows })
    }

    /// What a loss needs of these rows: (row of the target, row of the batch).
    pub fn targets(&self, rows: &[(u32, u32)]) -> Targets {
        let plain = self.plain_targets(rows);
        if self.of_rows.is_empty() {
            return plain;
        }
        let known = rows.iter().filter(|(row, _)| self.target.is_known(*row as usize));
        let weights = known.map(|(row, _)| self.of_rows[*row as usize]).collect();
        Targets::Weighed { targets: Box::new(plain), weights }
    }

    fn plain_targets(&self, rows: &[(u32, u32)]) -> Targets {
        let known: Vec<(u32, u32)> =
            rows.iter().copied().filter(|(row, _)| self.target.is_known(*row as usize)).collect();
        let places = known.iter().map(|(_, place)| *place).collect();
        let values = |values: &[f32], width: usize| -> Vec<f32> {
            let row = |row: &(u32, u32)| {
                let start = row.0 as usize * width;
                values[start..start + width].to_vec()
            };
            known.iter().flat_map(row).collect()
        };
        match &self.target {
            Target::Class { labels, .. } => {
                let classes = known.iter().filter_map(|(row, _)| labels[*row as usize]).collect();
                Targets::Classes { rows: places, classes, weights: self.weights.clone() }
            }
            Target::Binary { values: all, names } => Targets::Binary { rows: places, values: values(all, names.len()) },
            Target::Number { values: all, names } => {
                let width = names.len();
                let mut values = values(all, width);
                if let Some(scale) = &self.scale {
                    values.iter_mut().enumerate().for_each(|(at, value)| *value = scale.apply(at % width, *value));
                }
                let loss = if self.loss == LossKind::L1 { NumberLoss::L1 } else { NumberLoss::L2 };
                Targets::Numbers { rows: places, values, loss }
            }
            // Pairs are gathered by graph.
            Target::Pair { .. } => Targets::Pairs { pairs: Vec::new(), together: Vec::new() },
        }
    }

    /// The same over other rows, which all count the same.
    pub fn with_target(&self, target: Target) -> Truth {
        let Truth { level, scale, loss, weights, .. } = self;
        Truth {
            level: *level,
            target,
            scale: scale.clone(),
            loss: *loss,
            weights: weights.clone(),
            of_rows: Vec::new(),
        }
    }

    /// What is minimised, resolved.
    pub fn loss(&self) -> LossKind {
        self.loss
    }
}

/// The weight of a row; 1 if none are given.
fn weight(of_rows: &[f32], row: u32) -> f64 {
    of_rows.get(row as usize).map_or(1.0, |weight| f64::from(*weight))
}

fn class_weights(
    labels: &[Option<u32>],
    classes: usize,
    rows: &[u32],
    of_rows: &[f32],
    group: Option<&Group>,
) -> Vec<f32> {
    let mut counts = vec![0.0f64; classes];
    for row in rows {
        if let Some(class) = labels[*row as usize] {
            counts[class as usize] += weight(of_rows, *row);
        }
    }
    if let Some(group) = group {
        counts = group.sums(&counts);
    }
    let total: f64 = counts.iter().sum();
    counts.iter().map(|&count| if count == 0.0 { 0.0 } else { ((total - count) / total) as f32 }).collect()
}

/// The target rows of these graphs with their places in the batch of them.
pub(super) fn within(set: &GraphSet, level: Level, graphs: &[u32]) -> Vec<(u32, u32)> {
    match level {
        Level::Graph | Level::Pair => graphs.iter().copied().zip(0..).collect(),
        Level::Node => {
            let nodes = graphs.iter().flat_map(|graph| set.nodes_of(*graph as usize));
            nodes.map(|node| node as u32).zip(0..).collect()
        }
    }
}

/// The target rows that belong to a part of the split.
pub(super) fn rows_of(set: Option<&GraphSet>, level: Level, units: &[u32]) -> Vec<u32> {
    match set {
        Some(set) => within(set, level, units).into_iter().map(|(row, _)| row).collect(),
        None => units.to_vec(),
    }
}

/// A split without units whose truth is unknown altogether: there is nothing to learn from them or to score.
pub(super) fn known_only(split: Split, target: &Target, set: Option<&GraphSet>, level: Level) -> Split {
    let known = |unit: &u32| match (target, set) {
        (Target::Pair { .. }, _) => true,
        (_, Some(set)) => within(set, level, &[*unit]).iter().any(|(row, _)| target.is_known(*row as usize)),
        (_, None) => target.is_known(*unit as usize),
    };
    let keep = |units: Vec<u32>| units.into_iter().filter(known).collect();
    Split { train: keep(split.train), valid: keep(split.valid), test: keep(split.test) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_standardised_whatever_their_size() {
        for size in [1e-30f32, 1e-15, 1e-3, 1.0, 1e12] {
            for centre in [0.0, 100.0] {
                let values: Vec<f32> = (0..60).map(|row| (centre + row as f32) * size).collect();
                let rows: Vec<u32> = (0..60).collect();
                let scale = TargetScale::of(&values, 1, &rows, &[], None);
                let scaled: Vec<f64> = values.iter().map(|value| f64::from(scale.apply(0, *value))).collect();
                let mean = scaled.iter().sum::<f64>() / 60.0;
                let variance = scaled.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 60.0;
                assert!(mean.abs() < 1e-4 && (variance - 1.0).abs() < 1e-4, "{size}: {mean}, {variance}");
            }
        }
    }

    #[test]
    fn numbers_that_are_all_the_same_are_only_shifted() {
        for constant in [0.0f32, 0.1, -5e5, 1e-15, 3e38] {
            let scale = TargetScale::of(&[constant; 37], 1, &(0..37).collect::<Vec<u32>>(), &[], None);
            assert_eq!(scale.factor, [1.0]);
            assert_eq!(scale.apply(0, constant), 0.0);
        }
    }
}
