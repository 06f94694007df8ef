//! What a model gives, row by row, and why it may give nothing.

use std::sync::atomic::{AtomicBool, Ordering};

use farhop_data::metrics::ranking::PairRanks;
use farhop_data::{Level, Part, Target};
use farhop_nn::Model;

use super::loss::binary_loss;
use crate::TrainError;
use crate::task::{Loaded, Task};
use crate::together::{asked, check};

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
