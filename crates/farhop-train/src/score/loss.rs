//! The loss in evaluation, on the scale of training.

use farhop_data::Target;

use super::Outputs;
use crate::task::{LossKind, Truth};

/// Mean loss of the known rows, summed in f64 in the order of the rows. Class weights do not count here. None without such rows.
pub(super) fn mean_loss(truth: &Truth, outputs: &Outputs) -> Option<f64> {
    let Outputs { rows, values, .. } = outputs;
    let (mut sum, mut counted) = (0f64, 0usize);
    let mut add = |loss: f64| {
        sum += loss;
        counted += 1;
    };
    match &truth.target {
        Target::Class { labels, classes } => {
            for (row, values) in rows.iter().zip(values.chunks_exact(classes.len().max(1))) {
                if let Some(label) = labels[*row as usize] {
                    add(cross_entropy(values, label as usize));
                }
            }
        }
        Target::Binary { values: all, names } => {
            for (truth, value) in selected(all, names.len(), rows).iter().zip(values) {
                if !truth.is_nan() {
                    add(binary_loss(f64::from(*value), *truth == 1.0));
                }
            }
        }
        Target::Number { values: all, names } => {
            let width = names.len();
            for (at, (known, value)) in selected(all, width, rows).iter().zip(values).enumerate() {
                if known.is_nan() {
                    continue;
                }
                let factor = truth.scale.as_ref().map_or(1.0, |scale| f64::from(scale.factor[at % width]));
                let error = (f64::from(*known) - f64::from(*value)) / factor;
                add(if truth.loss() == LossKind::L1 { error.abs() } else { error * error });
            }
        }
        Target::Pair { .. } => {}
    }
    (counted > 0).then(|| sum / counted as f64)
}

/// `-ln softmax(row)[label]`.
fn cross_entropy(row: &[f32], label: usize) -> f64 {
    let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f64 = row.iter().map(|value| f64::from(value - highest).exp()).sum();
    total.ln() - f64::from(row[label] - highest)
}

/// `ln(1 + exp(-z))` for a yes, `ln(1 + exp(z))` for a no.
pub(super) fn binary_loss(score: f64, yes: bool) -> f64 {
    let z = if yes { -score } else { score };
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

/// Rows out of `[N, width]`.
pub(super) fn selected(all: &[f32], width: usize, rows: &[u32]) -> Vec<f32> {
    rows.iter().flat_map(|row| &all[*row as usize * width..(*row as usize + 1) * width]).copied().collect()
}
