//! What a model is trained towards.

use farhop_kernels::dense::ElementLoss;
use serde::{Deserialize, Serialize};

use crate::{Batch, Level, NnError, OutputShape};

/// The loss of a quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberLoss {
    /// Mean absolute error.
    #[default]
    L1,
    /// Mean squared error.
    L2,
    /// Half the square up to a distance of 1, absolute beyond.
    Huber,
}

impl From<NumberLoss> for ElementLoss {
    fn from(loss: NumberLoss) -> Self {
        match loss {
            NumberLoss::L1 => ElementLoss::Absolute,
            NumberLoss::L2 => ElementLoss::Square,
            NumberLoss::Huber => ElementLoss::Huber { delta: 1.0 },
        }
    }
}

/// Answers that are known. Rows are nodes with [`Level::Node`] and graphs with [`Level::Graph`].
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// One class per row: mean softmax cross-entropy.
    Classes {
        /// Rows.
        rows: Vec<u32>,
        /// Their classes, one per row.
        classes: Vec<u32>,
        /// A weight per class, not negative: the mean is then weighed by the weights of the rows' classes.
        weights: Option<Vec<f32>>,
    },
    /// Several yes-or-no answers per row: mean binary cross-entropy of the known ones.
    Binary {
        /// Rows.
        rows: Vec<u32>,
        /// `[rows, outputs]` in [0, 1], NaN where unknown.
        values: Vec<f32>,
    },
    /// Several quantities per row: mean loss of the known ones.
    Numbers {
        /// Rows.
        rows: Vec<u32>,
        /// `[rows, outputs]`, NaN where unknown.
        values: Vec<f32>,
        /// The loss of one quantity.
        loss: NumberLoss,
    },
    /// Whether pairs of nodes belong together: mean binary cross-entropy of the dot products of their embeddings.
    Pairs {
        /// Two nodes each.
        pairs: Vec<[u32; 2]>,
        /// One answer per pair.
        together: Vec<bool>,
    },
    /// Rows that do not count the same: the mean is weighed by their weights. For classes, labels and numbers.
    Weighed {
        /// The answers.
        targets: Box<Targets>,
        /// One weight per row, not negative.
        weights: Vec<f32>,
    },
}

impl Targets {
    /// Classes of rows, all classes with the same weight.
    pub fn classes(rows: Vec<u32>, classes: Vec<u32>) -> Self {
        Targets::Classes { rows, classes, weights: None }
    }

    /// The answers alone.
    pub fn plain(&self) -> &Targets {
        match self {
            Targets::Weighed { targets, .. } => targets,
            plain => plain,
        }
    }

    /// The weights of the rows, if they do not count the same.
    pub fn row_weights(&self) -> Option<&[f32]> {
        match self {
            Targets::Weighed { weights, .. } => Some(weights),
            _ => None,
        }
    }

    /// Whether everything is in range and of the right length for a model that gives `shape` on `batch`.
    pub fn check(&self, batch: &Batch, shape: &OutputShape) -> Result<(), NnError> {
        let pairs = matches!(self, Targets::Pairs { .. });
        if pairs != (shape.level == Level::Pair) {
            let (found, needed) = if pairs { ("pairs", "rows") } else { ("rows", "pairs") };
            return Err(NnError::TargetKind { found, needed });
        }
        let count = if shape.level == Level::Graph { batch.graphs() } else { batch.nodes() };
        match self {
            Targets::Classes { rows, classes, weights } => {
                same_length("class", "row", classes.len(), rows.len())?;
                in_range("row", rows, count)?;
                in_range("class", classes, shape.outputs)?;
                match weights {
                    Some(weights) => check_weights(weights, shape.outputs),
                    None => Ok(()),
                }
            }
            Targets::Binary { rows, values } => {
                same_length("value", "row and output", values.len(), rows.len() * shape.outputs)?;
                let outside = values.iter().position(|value| *value < 0.0 || *value > 1.0);
                if let Some(index) = outside {
                    return Err(NnError::TargetValue {
                        index,
                        value: values[index],
                        allowed: "0 to 1, or NaN if unknown",
                    });
                }
                in_range("row", rows, count)
            }
            Targets::Numbers { rows, values, .. } => {
                same_length("value", "row and output", values.len(), rows.len() * shape.outputs)?;
                if let Some(index) = values.iter().position(|value| value.is_infinite()) {
                    let allowed = "any finite number, or NaN if unknown";
                    return Err(NnError::TargetValue { index, value: values[index], allowed });
                }
                in_range("row", rows, count)
            }
            Targets::Pairs { pairs, together } => {
                same_length("answer", "pair", together.len(), pairs.len())?;
                in_range("node", pairs.as_flattened(), count)
            }
            Targets::Weighed { targets, weights } => {
                let rows = match targets.as_ref() {
                    Targets::Classes { rows, .. } | Targets::Binary { rows, .. } | Targets::Numbers { rows, .. } => {
                        rows
                    }
                    Targets::Pairs { .. } | Targets::Weighed { .. } => {
                        return Err(NnError::TargetKind { found: "weights", needed: "rows" });
                    }
                };
                same_length("weight", "row", weights.len(), rows.len())?;
                not_negative(weights)?;
                targets.check(batch, shape)
            }
        }
    }
}

fn same_length(what: &'static str, per: &'static str, found: usize, needed: usize) -> Result<(), NnError> {
    if found == needed { Ok(()) } else { Err(NnError::TargetLengths { what, per, found, needed }) }
}

fn in_range(what: &'static str, values: &[u32], count: usize) -> Result<(), NnError> {
    let found = values.iter().position(|&value| value as usize >= count);
    let error = |index: usize| NnError::Target { index, what, value: values[index], last: count.saturating_sub(1) };
    found.map_or(Ok(()), |index| Err(error(index)))
}

fn check_weights(weights: &[f32], classes: usize) -> Result<(), NnError> {
    same_length("weight", "class", weights.len(), classes)?;
    not_negative(weights)
}

fn not_negative(weights: &[f32]) -> Result<(), NnError> {
    let wrong = weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite()));
    let error = |index: usize| NnError::TargetValue { index, value: weights[index], allowed: "finite and not below 0" };
    wrong.map_or(Ok(()), |index| Err(error(index)))
}
