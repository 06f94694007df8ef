//! What a model's outputs are worth: the score of the task, and the loss in evaluation.

use std::sync::atomic::{AtomicBool, Ordering};

use farhop_data::metrics::ranking::{PairRanks, hits_at, mrr};
use farhop_data::metrics::{
    Confusion, Metric, average_precision, label_accuracy, label_balanced_accuracy, mean_absolute_error, r2, roc_auc,
    root_mean_squared_error,
};
use farhop_data::{Level, Part, Target};
use farhop_nn::Model;
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::decisions::choices;
use crate::task::{Loaded, LossKind, Task, Truth};
use crate::together::{asked, check, evaluate_together};

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

/// What a model gives for rows of the target (`[rows, outputs]`, numbers on the scale of the data), or for pairs.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Rows of the target, in the order of `values`.
    pub rows: Vec<u32>,
    /// `[rows, outputs]`; for pairs, the score of each.
    pub values: Vec<f32>,
    /// For pairs, their ranks, one per graph.
    pub ranks: Vec<PairRanks>,
    /// Sum and count of the loss of pairs.
    pub(crate) pair_loss: (f64, usize),
}

impl Outputs {
    /// Outputs that are at hand, `[rows, outputs]`.
    pub(crate) fn of_rows(rows: Vec<u32>, values: Vec<f32>) -> Self {
        Outputs { rows, values, ..Outputs::default() }
    }

    /// Of the model for the units of one part; of several processes that share graphs, each has some of them, in the order of the ranks. A wait for a batch ends when it is asked to stop.
    ///
    /// # Errors
    /// Names the batch's first stage that is not finite.
    pub(crate) fn of(task: &Task, model: &Model, units: &[u32], stop: Option<&AtomicBool>) -> Result<Self, Failed> {
        let wanted = || match stop {
            Some(stop) if stop.load(Ordering::SeqCst) => Err(Failed::Asked),
            _ => Ok(()),
        };
        let mut found = Outputs::default();
        let mut lost = None;
        let width = task.output().outputs;
        let places = task.is_parted().then(|| Places::new(task, units));
        if places.is_some() {
            found.rows = units.to_vec();
            found.values = vec![0.0; units.len() * width];
        }
        task.outputs(model, units, wanted, |loaded, outputs| {
            let mut finite = outputs.iter().all(|value| value.is_finite());
            if let Some(part) = task.own_part() {
                finite = !asked(part.group(), !finite);
                check(part.group())?;
            }
            if !finite && task.graph_set().is_some() && task.group().is_some() {
                // The others are not at the same batch: all of them hear of it at the end.
                lost.get_or_insert_with(|| model.first_non_finite(&loaded.batch));
                return Ok(());
            }
            if !finite {
                return Err(Failed::NonFinite(model.first_non_finite(&loaded.batch)));
            }
            match &places {
                Some(places) => places.put(width, &mut found.values, loaded, &outputs),
                None => found.take(task, loaded, outputs, units),
            }
            Ok(())
        })?;
        if let Some(group) = task.group().filter(|_| task.graph_set().is_some()) {
            let lost_somewhere = asked(group, lost.is_some());
            check(group)?;
            if lost_somewhere {
                return Err(Failed::NonFinite(lost.flatten()));
            }
        }
        if let Some(scale) = task.scale() {
            scale.restore(&mut found.values);
        }
        Ok(found)
    }

    /// Of the model for all rows of the task.
    ///
    /// # Errors
    /// When an output is not finite.
    pub fn of_all(task: &Task, model: &Model) -> Result<Self, TrainError> {
        let units: Vec<u32> = (0..task.units() as u32).collect();
        Outputs::of_units(task, model, &units)
    }

    /// Of the model for some nodes of one graph or some graphs of many.
    ///
    /// # Errors
    /// When an output is not finite.
    pub fn of_units(task: &Task, model: &Model, units: &[u32]) -> Result<Self, TrainError> {
        Outputs::of(task, model, units, None).map_err(Failed::into_error)
    }

    /// The outputs of these rows, of outputs for all rows in order.
    fn select(&self, rows: &[u32]) -> Outputs {
        let width = self.values.len().checked_div(self.rows.len()).unwrap_or(0);
        let row = |row: &u32| &self.values[*row as usize * width..(*row as usize + 1) * width];
        Outputs { rows: rows.to_vec(), values: rows.iter().flat_map(row).copied().collect(), ..Outputs::default() }
    }

    fn take(&mut self, task: &Task, loaded: &Loaded, outputs: Vec<f32>, units: &[u32]) {
        if let Target::Pair { pairs, together, offsets } = task.target() {
            self.take_pairs(task, loaded, &outputs, (pairs, together, offsets));
            return;
        }
        let width = task.output().outputs;
        match task.graph_set() {
            None => {
                self.rows.extend_from_slice(units);
                let row = |node: &u32| &outputs[*node as usize * width..(*node as usize + 1) * width];
                self.values.extend(units.iter().flat_map(row));
            }
            Some(set) => {
                for graph in &loaded.units {
                    match task.level() {
                        Level::Node => self.rows.extend(set.nodes_of(*graph as usize).map(|node| node as u32)),
                        Level::Graph | Level::Pair => self.rows.push(*graph),
                    }
                }
                self.values.extend_from_slice(&outputs);
            }
        }
    }

    fn take_pairs(
        &mut self,
        task: &Task,
        loaded: &Loaded,
        embeddings: &[f32],
        (pairs, together, offsets): (&[[u32; 2]], &[bool], &[usize]),
    ) {
        let Some(set) = task.graph_set() else { return };
        let nodes: usize = loaded.units.iter().map(|graph| set.nodes_of(*graph as usize).len()).sum();
        let width = embeddings.len().checked_div(nodes).unwrap_or(0);
        let mut start = 0;
        for graph in loaded.units.iter().map(|graph| *graph as usize) {
            let range = set.nodes_of(graph);
            let rows = &embeddings[start * width..(start + range.len()) * width];
            start += range.len();
            let row = |node: u32| &rows[node as usize * width..(node as usize + 1) * width];
            let score =
                |a: u32, b: u32| -> f64 { row(a).iter().zip(row(b)).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum() };
            let mut positive = Vec::new();
            for at in offsets[graph]..offsets[graph + 1] {
                let [a, b] = pairs[at].map(|node| node - range.start as u32);
                let found = score(a, b);
                self.values.push(found as f32);
                self.pair_loss.0 += binary_loss(found, together[at]);
                self.pair_loss.1 += 1;
                if together[at] {
                    positive.push((a, b));
                }
            }
            // Pairs are inside their graph: the data was checked.
            self.ranks.extend(PairRanks::new(range.len(), score, &positive).ok());
        }
    }
}

/// Where rows of nodes belong that come part by part.
pub(crate) struct Places {
    /// For every node its row among those that were asked for; none: it was not.
    of_node: Vec<u32>,
}

impl Places {
    const NONE: u32 = u32::MAX;

    pub fn new(task: &Task, units: &[u32]) -> Self {
        let mut of_node = vec![Self::NONE; task.units()];
        units.iter().zip(0..).for_each(|(unit, place)| of_node[*unit as usize] = place);
        Places { of_node }
    }

    /// Takes what the batch says of its own nodes; what it says of those around them is for other batches to say.
    pub fn put(&self, width: usize, found: &mut [f32], loaded: &Loaded, rows: &[f32]) {
        for &(node, place) in &loaded.own {
            let row = self.of_node[node as usize] as usize;
            if row != Self::NONE as usize {
                let from = place as usize * width;
                found[row * width..(row + 1) * width].copy_from_slice(&rows[from..from + width]);
            }
        }
    }
}

/// Why there are no outputs.
pub(crate) enum Failed {
    /// One was not finite; the first stage that was not, where it is known.
    NonFinite(Option<String>),
    /// A batch could not be made.
    Error(Box<TrainError>),
    /// It was asked to stop.
    Asked,
}

impl From<TrainError> for Failed {
    fn from(error: TrainError) -> Self {
        Failed::Error(Box::new(error))
    }
}

impl Failed {
    pub(crate) fn into_error(self) -> TrainError {
        let place = match self {
            Failed::Error(error) => return *error,
            Failed::NonFinite(place) => place,
            Failed::Asked => return TrainError::Task("asked to stop before there was a score.".to_string()),
        };
        let place = place.map_or("an output".to_string(), |place| format!("the output of {place}"));
        TrainError::Task(format!("{place} is NaN or infinite for this data. Look for extreme values in the features."))
    }
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

fn selected(all: &[f32], width: usize, rows: &[u32]) -> Vec<f32> {
    rows.iter().flat_map(|row| &all[*row as usize * width..(*row as usize + 1) * width]).copied().collect()
}

/// Mean loss of the known rows, summed in f64 in the order of the rows. Class weights do not count here. None without such rows.
fn mean_loss(truth: &Truth, outputs: &Outputs) -> Option<f64> {
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
fn binary_loss(score: f64, yes: bool) -> f64 {
    let z = if yes { -score } else { score };
    z.max(0.0) + (-z.abs()).exp().ln_1p()
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

/// What a model gives for these parts: of one graph in one pass, of many graphs in a pass over the graphs of each part.
pub(crate) fn outputs_of_parts<const N: usize>(
    task: &Task,
    model: &Model,
    parts: [Part; N],
    stop: Option<&AtomicBool>,
) -> Result<[Outputs; N], Failed> {
    if task.graph_set().is_none() {
        let units: Vec<u32> = (0..task.units() as u32).collect();
        let outputs = Outputs::of(task, model, &units, stop)?;
        return Ok(parts.map(|part| outputs.select(task.split().part(part))));
    }
    let mut found = std::array::from_fn(|_| Outputs::default());
    for (place, part) in found.iter_mut().zip(parts) {
        let units = task.split().part(part);
        if !units.is_empty() {
            *place = Outputs::of(task, model, units, stop)?;
        }
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
