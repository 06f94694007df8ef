//! Scores of logits against labels.

use farhop_data::Split;
use farhop_data::metrics::largest;
use serde::{Deserialize, Serialize};

/// Accuracy on each part of a split; absent for an empty part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// On the training nodes.
    pub train: Option<f64>,
    /// On the validation nodes.
    pub valid: Option<f64>,
    /// On the test nodes.
    pub test: Option<f64>,
}

/// Accuracy of `logits` `[N, classes]` on every part of `split`. Nodes without a label don't count.
pub fn scores(logits: &[f32], classes: usize, labels: &[Option<u32>], split: &Split) -> Scores {
    let predicted = largest(logits, classes);
    Scores {
        train: accuracy(&predicted, labels, &split.train),
        valid: accuracy(&predicted, labels, &split.valid),
        test: accuracy(&predicted, labels, &split.test),
    }
}

/// Share of the labelled `nodes` whose `predicted` class `[N]` is their label. None without such nodes.
pub fn accuracy(predicted: &[u32], labels: &[Option<u32>], nodes: &[u32]) -> Option<f64> {
    let (mut right, mut counted) = (0usize, 0usize);
    for node in nodes {
        let node = *node as usize;
        if let (Some(Some(label)), Some(class)) = (labels.get(node), predicted.get(node)) {
            right += usize::from(class == label);
            counted += 1;
        }
    }
    (counted > 0).then(|| right as f64 / counted as f64)
}

/// Mean of `-ln softmax(row)[label]` over the labelled `nodes`, summed in f64 in the order of `nodes`. None without such nodes.
///
/// # Panics
/// If a label is not below `classes`.
pub fn mean_cross_entropy(logits: &[f32], classes: usize, labels: &[Option<u32>], nodes: &[u32]) -> Option<f64> {
    let (mut sum, mut counted) = (0f64, 0usize);
    for node in nodes {
        let node = *node as usize;
        let row = logits.get(node * classes..(node + 1) * classes);
        let (Some(Some(label)), Some(row)) = (labels.get(node), row) else {
            continue;
        };
        let label = *label as usize;
        let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f64 = row.iter().map(|value| f64::from(value - highest).exp()).sum();
        sum += total.ln() - f64::from(row[label] - highest);
        counted += 1;
    }
    (counted > 0).then(|| sum / counted as f64)
}

/// Probabilities from `logits` `[N, classes]`: softmax of each row.
pub fn softmax_rows(logits: &[f32], classes: usize) -> Vec<f32> {
    let mut probabilities = logits.to_vec();
    for row in probabilities.chunks_mut(classes.max(1)) {
        let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        row.iter_mut().for_each(|value| *value = (*value - highest).exp());
        let total: f32 = row.iter().sum();
        row.iter_mut().for_each(|value| *value /= total);
    }
    probabilities
}
