//! What a model's outputs are worth: the score of the task, and the loss in evaluation.

mod loss;
mod outputs;

use std::sync::atomic::AtomicBool;

use farhop_data::metrics::ranking::{hits_at, mrr};
use farhop_data::metrics::{
    Confusion, Metric, average_precision, label_accuracy, label_balanced_accuracy, mean_absolute_error, r2, roc_auc,
    root_mean_squared_error,
};
use farhop_data::{Part, Target};
use farhop_nn::Model;
use serde::{Deserialize, Serialize};

use self::loss::{mean_loss, selected};
pub use self::outputs::Outputs;
pub(crate) use self::outputs::{Failed, Places, outputs_of_parts};
use crate::TrainError;
use crate::decisions::choices;
use crate::task::{Task, Truth};
use crate::together::evaluate_together;

/// The score on each part of a split; absent for an empty part, or where the metric has no value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// On what the model learned from.
    pub train: Option<f64>,
    /// On what chose the weights.
    pub valid: Option<f64>,
    /// On what was only scored.
    pub test: Option<f64>,
}

/// The score and the mean loss on some rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// By the metric of the task.
    pub score: Option<f64>,
    /// In evaluation mode, on the scale of training.
    pub loss: Option<f64>,
}

/// Score and loss of outputs.
pub(crate) fn evaluate(task: &Task, outputs: &Outputs) -> Evaluation {
    evaluate_rows(task.metric, task.truth(), outputs)
}

/// As [`evaluate`], by a truth of its own.
pub(crate) fn evaluate_rows(metric: Metric, truth: &Truth, outputs: &Outputs) -> Evaluation {
    let loss = match &truth.target {
        Target::Pair { .. } => {
            let (sum, count) = outputs.pair_loss;
            (count > 0).then(|| sum / count as f64)
        }
        _ => mean_loss(truth, outputs),
    };
    Evaluation { score: score(metric, &truth.target, outputs, None), loss }
}

/// The score of outputs by any metric that the target allows. Thresholds as in a [`RunRecord`](crate::RunRecord); without
/// them the most probable class is chosen, and a probability above one half is a yes.
pub fn score(metric: Metric, target: &Target, outputs: &Outputs, thresholds: Option<&[f32]>) -> Option<f64> {
    let Outputs { rows, values, .. } = outputs;
    match target {
        Target::Class { labels, classes } => {
            let count = classes.len();
            let known: Vec<(usize, u32)> =
                rows.iter().enumerate().filter_map(|(at, row)| Some((at, labels[*row as usize]?))).collect();
            if matches!(metric, Metric::RocAuc | Metric::AveragePrecision) {
                let truth: Vec<f32> = known.iter().map(|(_, label)| *label as f32).collect();
                let margin = |at: usize| f64::from(values[at * count + 1]) - f64::from(values[at * count]);
                let margins: Vec<f64> = known.iter().map(|(at, _)| margin(*at)).collect();
                return if metric == Metric::RocAuc {
                    roc_auc(&truth, &margins, 1)
                } else {
                    average_precision(&truth, &margins, 1)
                };
            }
            let predicted = choices(target, values, thresholds);
            let (truth, guess): (Vec<u32>, Vec<u32>) = known.iter().map(|(at, label)| (*label, predicted[*at])).unzip();
            let confusion = Confusion::new(&truth, &guess, count).ok()?;
            match metric {
                Metric::MacroF1 => confusion.macro_f1(),
                Metric::BalancedAccuracy => confusion.balanced_accuracy(),
                _ => confusion.accuracy(),
            }
        }
        Target::Binary { values: all, names } => {
            let truth = selected(all, names.len(), rows);
            let answers = || -> Vec<f32> {
                choices(target, values, thresholds).into_iter().map(|answer| answer as f32).collect()
            };
            match metric {
                Metric::RocAuc => roc_auc(&truth, values, names.len()),
                Metric::AveragePrecision => average_precision(&truth, values, names.len()),
                Metric::BalancedAccuracy => label_balanced_accuracy(&truth, &answers(), names.len(), 0.5),
                _ => label_accuracy(&truth, &answers(), names.len(), 0.5),
            }
        }
        Target::Number { values: all, names } => {
            let truth = selected(all, names.len(), rows);
            match metric {
                Metric::R2 => r2(&truth, values, names.len()),
                Metric::Rmse => root_mean_squared_error(&truth, values, names.len()),
                _ => mean_absolute_error(&truth, values, names.len()),
            }
        }
        Target::Pair { .. } => {
            let candidates = metric.candidates()?;
            match metric {
                Metric::HitsAt(k) => hits_at(&outputs.ranks, candidates, k),
                _ => mrr(&outputs.ranks, candidates),
            }
        }
    }
}

/// Evaluates a model on these parts. A wait for a batch ends when it is asked to stop.
pub(crate) fn evaluate_parts<const N: usize>(
    task: &Task,
    model: &Model,
    parts: [Part; N],
    stop: Option<&AtomicBool>,
) -> Result<[Evaluation; N], Failed> {
    let outputs = outputs_of_parts(task, model, parts, stop)?;
    let Some(group) = task.group() else { return Ok(outputs.map(|outputs| evaluate(task, &outputs))) };
    let mut found = [Evaluation::default(); N];
    for (place, outputs) in found.iter_mut().zip(outputs) {
        *place = evaluate_together(group, task, outputs)?;
    }
    Ok(found)
}

/// Scores of a model on every part.
///
/// # Errors
/// When an output is not finite.
pub fn scores(task: &Task, model: &Model) -> Result<Scores, TrainError> {
    let found = evaluate_parts(task, model, Part::ALL, None).map_err(Failed::into_error)?;
    let [train, valid, test] = found.map(|found| found.score);
    Ok(Scores { train, valid, test })
}

/// What is told to a user: probabilities of classes, labels and pairs; numbers as they are.
pub fn probabilities(target: &Target, values: &[f32]) -> Vec<f32> {
    match target {
        Target::Class { classes, .. } => softmax_rows(values, classes.len()),
        Target::Binary { .. } | Target::Pair { .. } => {
            values.iter().map(|value| 1.0 / (1.0 + (-value).exp())).collect()
        }
        Target::Number { .. } => values.to_vec(),
    }
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
