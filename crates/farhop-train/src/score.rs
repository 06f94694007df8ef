//! Scores of logits against labels.

use farhop_data::Split;
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
    Scores {
        train: accuracy(logits, classes, labels, &split.train),
        valid: accuracy(logits, classes, labels, &split.valid),
        test: accuracy(logits, classes, labels, &split.test),
    }
}

/// Share of the labelled `nodes` whose largest logit (the first of equal ones) is at their label.
pub fn accuracy(
    logits: &[f32],
    classes: usize,
    labels: &[Option<u32>],
    nodes: &[u32],
) -> Option<f64> {
    let (mut right, mut counted) = (0usize, 0usize);
    for (row, label) in labelled_rows(logits, classes, labels, nodes) {
        let mut best = 0;
        for (class, value) in row.iter().enumerate() {
            if *value > row[best] {
                best = class;
            }
        }
        right += usize::from(best == label);
        counted += 1;
    }
    (counted > 0).then(|| right as f64 / counted as f64)
}

/// Mean of `-ln softmax(row)[label]` over the labelled `nodes`, summed in f64 in the order of `nodes`.
pub fn mean_cross_entropy(
    logits: &[f32],
    classes: usize,
    labels: &[Option<u32>],
    nodes: &[u32],
) -> Option<f64> {
    let (mut sum, mut counted) = (0f64, 0usize);
    for (row, label) in labelled_rows(logits, classes, labels, nodes) {
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f64 = row
            .iter()
            .map(|value| f64::from(value - largest).exp())
            .sum();
        sum += total.ln() - f64::from(row[label] - largest);
        counted += 1;
    }
    (counted > 0).then(|| sum / counted as f64)
}

/// Probabilities from `logits` `[N, classes]`: softmax of each row.
pub fn softmax_rows(logits: &[f32], classes: usize) -> Vec<f32> {
    let mut probabilities = logits.to_vec();
    for row in probabilities.chunks_mut(classes.max(1)) {
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        row.iter_mut()
            .for_each(|value| *value = (*value - largest).exp());
        let total: f32 = row.iter().sum();
        row.iter_mut().for_each(|value| *value /= total);
    }
    probabilities
}

fn labelled_rows<'a>(
    logits: &'a [f32],
    classes: usize,
    labels: &'a [Option<u32>],
    nodes: &'a [u32],
) -> impl Iterator<Item = (&'a [f32], usize)> {
    nodes.iter().filter_map(move |node| {
        let node = *node as usize;
        let label = labels.get(node).copied().flatten()? as usize;
        let row = logits.get(node * classes..(node + 1) * classes)?;
        (label < classes).then_some((row, label))
    })
}
