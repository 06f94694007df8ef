//! What a model saw on the way to its answers: embeddings, and how far its nodes look.

use farhop_data::{Level, Setting};
use farhop_nn::{EdgeSpread, Model, Observation, Sights, WeighedHops};

use crate::score::Places;
use crate::task::{Loaded, Task};
use crate::{TrainError, TrainedRun};

/// What goes into the head of a model, a row for every node or graph that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Embeddings {
    /// Numbers in a row.
    pub width: usize,
    /// `[rows, width]`.
    pub values: Vec<f32>,
}

/// How a model weighs the hops of every node.
#[derive(Clone, Debug, PartialEq)]
pub struct HopWeights {
    /// What is weighed.
    pub hops: WeighedHops,
    /// The nodes, as numbers in the graph or in the union of all graphs.
    pub nodes: Vec<u32>,
    /// `[layers, nodes, heads, hops]`; the weights of a node, layer and head have the sum 1.
    pub weights: Vec<f32>,
}

/// What nodes attend to.
#[derive(Clone, Debug, PartialEq)]
pub struct Attention {
    /// How hops are weighed, if the model weighs them.
    pub hops: Option<HopWeights>,
    /// For every layer that attends to neighbours, how evenly; rows as in [`HopWeights::nodes`].
    pub edges: Vec<EdgeSpread>,
}

impl TrainedRun {
    /// The embeddings of these units: nodes of one graph, or graphs (of which every node, if nodes are predicted).
    ///
    /// # Errors
    /// When the data doesn't have the features the model was trained with, or it is about pairs of nodes.
    pub fn embeddings(&self, task: &Task, units: &[u32]) -> Result<Embeddings, TrainError> {
        self.check(task)?;
        if task.level() == Level::Pair {
            return Err(TrainError::Task(format!(
                "a model of pairs has no head after its embeddings. Take {} out.",
                Setting::named("embeddings")
            )));
        }
        let mut rows = Rows::new(task, units);
        let mut values = Vec::new();
        let mut width = 0;
        look(task, &self.model, units, Sights::default(), |loaded, seen| {
            let batch_rows = seen.outputs.len().checked_div(task.output().outputs).unwrap_or(0);
            width = seen.embedding.len().checked_div(batch_rows).unwrap_or(0);
            rows.take(width, &mut values, loaded, &seen.embedding);
        })?;
        Ok(Embeddings { width, values })
    }

    /// How the model weighs the hops of the nodes of these units.
    ///
    /// # Errors
    /// When the model has no such weights, or the data doesn't have the features it was trained with.
    pub fn hop_weights(&self, task: &Task, units: &[u32]) -> Result<HopWeights, TrainError> {
        let found = self.attention(task, units, Sights { hops: true, ..Sights::default() })?;
        found.hops.ok_or_else(|| {
            TrainError::Task(format!(
                "{} holds a {} without hop attention: it has no weights of hops. Train a gen with hop_attention = true.",
                self.path.display(),
                self.record.model
            ))
        })
    }

    /// What the nodes of these units attend to, as far as it is wanted and the model has such weights.
    ///
    /// # Errors
    /// When the data doesn't have the features the model was trained with.
    pub fn attention(&self, task: &Task, units: &[u32], wants: Sights) -> Result<Attention, TrainError> {
        self.check(task)?;
        let hops = self.recipe.model.weighed_hops().filter(|_| wants.hops);
        let wants = Sights { hops: hops.is_some(), ..wants };
        let mut rows = Rows::new(task, units);
        let mut of_hops = vec![Vec::new(); hops.map_or(0, |hops| hops.layers)];
        let mut edges: Vec<EdgeSpread> = Vec::new();
        look(task, &self.model, units, wants, |loaded, seen| {
            if let Some(hops) = hops {
                for (layer, weights) in of_hops.iter_mut().zip(&seen.hops) {
                    rows.take(hops.heads * hops.hops, layer, loaded, weights);
                }
            }
            for (layer, spread) in seen.edges.iter().enumerate() {
                if edges.len() == layer {
                    edges.push(EdgeSpread { entropies: Vec::new(), ..*spread });
                }
                rows.take(spread.sets * spread.heads, &mut edges[layer].entropies, loaded, &spread.entropies);
            }
        })?;
        let hops = hops.map(|hops| HopWeights { hops, nodes: nodes_of(task, units), weights: of_hops.concat() });
        Ok(Attention { hops, edges })
    }
}

/// Shows what the model sees in every batch that holds the units.
fn look(
    task: &Task,
    model: &Model,
    units: &[u32],
    wants: Sights,
    mut each: impl FnMut(&Loaded, Observation),
) -> Result<(), TrainError> {
    task.batches(
        units,
        || Ok(()),
        |loaded| {
            let seen = model.look(&loaded.batch, wants);
            check_finite(model, loaded, &seen.outputs)?;
            each(loaded, seen);
            Ok(())
        },
    )
}

/// Names the first stage that is not finite if an output is not.
pub(crate) fn check_finite(model: &Model, loaded: &Loaded, outputs: &[f32]) -> Result<(), TrainError> {
    if outputs.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    let place = model.first_non_finite(&loaded.batch).unwrap_or_else(|| "an output".into());
    Err(TrainError::Task(format!("{place} is NaN or infinite for this data. Look for extreme values in the features.")))
}

/// The nodes of units.
fn nodes_of(task: &Task, units: &[u32]) -> Vec<u32> {
    match task.graph_set() {
        None => units.to_vec(),
        Some(set) => units.iter().flat_map(|graph| set.nodes_of(*graph as usize)).map(|node| node as u32).collect(),
    }
}

/// Brings the rows of batches into the order of the units.
struct Rows<'a> {
    units: &'a [u32],
    /// Where the rows belong if the graph comes part by part.
    places: Option<Places>,
    /// Whether a batch holds whole graphs.
    graphs: bool,
}

impl<'a> Rows<'a> {
    fn new(task: &Task, units: &'a [u32]) -> Self {
        let places = task.is_parted().then(|| Places::new(task, units));
        Rows { units, places, graphs: task.graph_set().is_some() }
    }

    fn take(&mut self, width: usize, found: &mut Vec<f32>, loaded: &Loaded, rows: &[f32]) {
        match &self.places {
            Some(places) => {
                found.resize(self.units.len() * width, 0.0);
                places.put(width, found, loaded, rows);
            }
            None if self.graphs => found.extend_from_slice(rows),
            None => {
                let row = |node: &u32| &rows[*node as usize * width..(*node as usize + 1) * width];
                found.extend(self.units.iter().flat_map(row));
            }
        }
    }
}

impl Task {
    /// What names a row that is predicted: `id`.
    pub fn row_id(&self, row: u32) -> String {
        self.ids.get(row as usize).cloned().unwrap_or_else(|| row.to_string())
    }

    /// The row with this name, or with this number if rows have no names.
    pub fn find_row(&self, name: &str) -> Option<u32> {
        let found = match self.ids.is_empty() {
            true => name.parse().ok().filter(|row| *row < self.rows()),
            false => self.ids.iter().position(|id| id == name),
        };
        found.map(|row| row as u32)
    }

    /// The names of what [`Task::node_key`] gives.
    pub fn node_keys(&self) -> &'static [&'static str] {
        if self.level() == Level::Node { &["id"] } else { &["graph", "node"] }
    }

    /// What names a node: its id if nodes are predicted, else its graph and its number there.
    pub fn node_key(&self, node: u32) -> Vec<String> {
        match self.graph_set() {
            Some(set) if self.level() != Level::Node => {
                let graph = set.offsets().partition_point(|start| *start <= node as usize) - 1;
                vec![self.row_id(graph as u32), (node as usize - set.offsets()[graph]).to_string()]
            }
            _ => vec![self.row_id(node)],
        }
    }
}
