//! One prediction explained: which nodes it read, at which hop.
//!
//! There are two ways, both exact and without anything random:
//!
//! * **Weights**, for a layer of a GEN: what the node's row of mixed hops is made of. For the coefficients that the layer used, it is a sum over
//!   nodes and hops of features times weights: edge weights along all walks of that many steps that never step straight back, times the weight of
//!   the hop ([`HopReads`](farhop_nn::HopReads)). Where a model has one layer, that is all it read, beside the node's own term.
//! * **Contributions**, for any model: gradient times input ([`Model::contributions`](farhop_nn::Model::contributions)), summed over all that is
//!   known of a node. Hops are distances from the node that is predicted.

use farhop_data::metrics::largest;
use farhop_data::{Level, Target};
use farhop_graph::{UNREACHED, distances};
use farhop_nn::{HopReads, ModelConfig, Sights};

use crate::decisions::choices;
use crate::look::check_finite;
use crate::task::Loaded;
use crate::{Task, TrainError, TrainedRun, probabilities};

/// Weights of walks smaller than this share of the largest one are rounding, and left out.
const ROUNDING: f32 = 1.0 / 1_048_576.0;

/// What is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The prediction for a row of the target: a node, or a graph.
    Row(u32),
    /// The score of a pair of nodes, as numbers within their graph.
    Pair {
        /// The graph.
        graph: u32,
        /// The nodes.
        nodes: [u32; 2],
    },
}

/// How it is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplanationMethod {
    /// The weights with which a layer of a GEN reads nodes at hops.
    Weights,
    /// Gradient times input of every node.
    Contributions,
}

impl ExplanationMethod {
    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            ExplanationMethod::Weights => "weights",
            ExplanationMethod::Contributions => "contributions",
        }
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is explained.
    pub subject: Subject,
    /// The class, label or number that is explained; none: the class that is predicted, the label that is most probable, the first number.
    pub output: Option<usize>,
    /// How; none: weights where they are all that a model read (a GEN of one layer, for nodes), contributions elsewhere.
    pub method: Option<ExplanationMethod>,
    /// The layer whose weights are asked for, from 1; none: the last.
    pub layer: Option<usize>,
}

impl Question {
    /// The usual question about a row.
    pub fn about(row: u32) -> Self {
        Question { subject: Subject::Row(row), output: None, method: None, layer: None }
    }

    /// Whether it may take a backward pass of that model: not where weights are asked for, or are what is usual.
    pub fn walks_back(&self, model: &ModelConfig, level: Level) -> bool {
        let one_layer = || model.weighed_hops().is_some_and(|hops| hops.layers == 1);
        match self.method {
            Some(method) => method == ExplanationMethod::Contributions,
            None => level != Level::Node || !one_layer(),
        }
    }
}

/// What one node has to do with a prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeShare {
    /// The node, as a number in the graph or in the union of all graphs.
    pub node: u32,
    /// Steps of the walks, or the distance to the node that is predicted; none where there is no such node, or no way to it.
    pub hop: Option<u32>,
    /// The contribution, or the weight: the mean over the heads.
    pub weight: f32,
    /// The weight in every head; empty for contributions.
    pub heads: Vec<f32>,
}

/// A prediction with what it read.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What is explained.
    pub subject: Subject,
    /// Which output.
    pub output: usize,
    /// The output itself: a number on the scale of the data, or a score before it becomes a probability.
    pub value: f32,
    /// The probability that it becomes, if it does.
    pub probability: Option<f32>,
    /// How it is explained.
    pub method: ExplanationMethod,
    /// The layer whose weights these are, from 1.
    pub layer: Option<usize>,
    /// How many layers have such weights.
    pub layers: usize,
    /// Those that count, the largest first.
    pub shares: Vec<NodeShare>,
}

/// All that was read of one hop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HopShare {
    /// As in [`NodeShare::hop`].
    pub hop: Option<u32>,
    /// How many nodes.
    pub nodes: usize,
    /// The sum of their weights.
    pub sum: f64,
    /// The sum of their sizes, as a share of that of all nodes.
    pub share: f64,
}

impl Explanation {
    /// The sum over the nodes.
    pub fn sum(&self) -> f64 {
        self.shares.iter().map(|share| f64::from(share.weight)).sum()
    }

    /// Hop by hop, the nearest first.
    pub fn by_hop(&self) -> Vec<HopShare> {
        let size = |share: &NodeShare| f64::from(share.weight.abs());
        let total: f64 = self.shares.iter().map(size).sum();
        let mut hops: Vec<Option<u32>> = self.shares.iter().map(|share| share.hop).collect();
        hops.sort_unstable_by_key(|hop| hop.unwrap_or(u32::MAX));
        hops.dedup();
        let one = |hop: Option<u32>| {
            let there = || self.shares.iter().filter(move |share| share.hop == hop);
            let sum = there().map(|share| f64::from(share.weight)).sum();
            let share = there().map(size).sum::<f64>() / if total > 0.0 { total } else { 1.0 };
            HopShare { hop, nodes: there().count(), sum, share }
        };
        hops.into_iter().map(one).collect()
    }
}

impl TrainedRun {
    /// Explains one prediction.
    ///
    /// # Errors
    /// When there is no such row, output or layer, the model has no weights that are asked for, the data doesn't have the features the model was
    /// trained with, or an output is not finite.
    pub fn explain(&self, task: &Task, question: &Question) -> Result<Explanation, TrainError> {
        self.check(task)?;
        check_question(task, question)?;
        let mut found = None;
        task.batches(
            &[unit_of(task, question.subject)],
            || Ok::<(), TrainError>(()),
            |loaded| {
                found = Some(self.explain_in(task, loaded, question)?);
                Ok(())
            },
        )?;
        found.ok_or_else(|| TrainError::Task("no batch holds what is to be explained.".to_string()))
    }

    fn explain_in(&self, task: &Task, loaded: &Loaded, question: &Question) -> Result<Explanation, TrainError> {
        let places = Places::new(task, loaded, question.subject);
        let reads_of = places.node.filter(|_| question.method != Some(ExplanationMethod::Contributions));
        let seen = self.model.look(&loaded.batch, Sights { reads_of, ..Sights::default() });
        check_finite(&self.model, loaded, &seen.outputs)?;
        let layers = seen.reads.len();
        let method = question.method.unwrap_or(match layers {
            1 => ExplanationMethod::Weights,
            _ => ExplanationMethod::Contributions,
        });
        let (output, value, probability) = self.answer(task, &seen.outputs, &places, question.output);
        let (layer, mut shares) = match method {
            ExplanationMethod::Weights => {
                let (layer, reads) = self.layer(seen.reads, question.layer)?;
                (Some(layer), weights(&reads))
            }
            ExplanationMethod::Contributions => (None, self.contributions(task, loaded, &places, output)),
        };
        shares.iter_mut().for_each(|share| share.node = places.in_data(share.node));
        shares.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()).then((a.node, a.hop).cmp(&(b.node, b.hop))));
        Ok(Explanation { subject: question.subject, output, value, probability, method, layer, layers, shares })
    }

    /// Which output is explained, with its number and its probability.
    fn answer(&self, task: &Task, outputs: &[f32], places: &Places, asked: Option<usize>) -> (usize, f32, Option<f32>) {
        if let Some([one, other]) = places.pair {
            // An embedding of every node.
            let width = outputs.len() / places.loaded.batch.nodes();
            let row = |node: usize| &outputs[node * width..(node + 1) * width];
            let score = row(one).iter().zip(row(other)).map(|(a, b)| a * b).sum::<f32>();
            return (0, score, probabilities(task.target(), &[score]).first().copied());
        }
        let width = task.output().outputs;
        let mut row = outputs[places.row * width..(places.row + 1) * width].to_vec();
        let shares = probabilities(task.target(), &row);
        let output = asked.unwrap_or_else(|| match task.target() {
            Target::Class { .. } => {
                choices(task.target(), &row, self.record.thresholds.as_deref()).first().copied().unwrap_or(0) as usize
            }
            Target::Number { .. } => 0,
            Target::Binary { .. } | Target::Pair { .. } => largest(&row, width).first().copied().unwrap_or(0) as usize,
        });
        let probability = match task.target() {
            Target::Number { .. } => None,
            _ => Some(shares[output]),
        };
        if let Some(scale) = task.scale() {
            scale.restore(&mut row);
        }
        (output, row[output], probability)
    }

    fn layer(&self, mut reads: Vec<HopReads>, asked: Option<usize>) -> Result<(usize, HopReads), TrainError> {
        if reads.is_empty() {
            return Err(TrainError::Task(format!(
                "{} holds a {}, whose layers have no weights of walks. Ask for contributions.",
                self.path.display(),
                self.record.model
            )));
        }
        let layer = asked.unwrap_or(reads.len());
        if !(1..=reads.len()).contains(&layer) {
            let last = reads.len();
            return Err(TrainError::Task(format!("layer {layer} is not there. Allowed: 1 to {last}.")));
        }
        Ok((layer, reads.swap_remove(layer - 1)))
    }

    fn contributions(&self, task: &Task, loaded: &Loaded, places: &Places, output: usize) -> Vec<NodeShare> {
        let found = match places.pair {
            Some(pair) => self.model.pair_contributions(&loaded.batch, pair),
            None => self.model.contributions(&loaded.batch, places.row, output),
        };
        let factor = task.scale().map_or(1.0, |scale| scale.factor[output]);
        let hops = places.node.and_then(|node| distances(loaded.batch.graph(), node).ok());
        let hop = |node: usize| hops.as_ref().map(|hops| hops[node]).filter(|hop| *hop != UNREACHED);
        let share = |(node, value): (usize, &f32)| NodeShare {
            node: node as u32,
            hop: hop(node),
            weight: value * factor,
            heads: Vec::new(),
        };
        found.iter().enumerate().filter(|(_, value)| **value != 0.0).map(share).collect()
    }
}

/// Where things are in a batch.
struct Places<'a> {
    /// The node that is predicted, if it is one.
    node: Option<usize>,
    /// The row of the outputs.
    row: usize,
    /// The nodes of a pair.
    pair: Option<[usize; 2]>,
    /// The first node of the batch, in the data.
    start: u32,
    loaded: &'a Loaded,
}

impl<'a> Places<'a> {
    fn new(task: &Task, loaded: &'a Loaded, subject: Subject) -> Self {
        let start = match task.graph_set() {
            Some(set) => set.nodes_of(loaded.units[0] as usize).start as u32,
            None => 0,
        };
        let places = |row: usize| Places { node: None, row, pair: None, start, loaded };
        match subject {
            Subject::Pair { nodes, .. } => Places { pair: Some(nodes.map(|node| node as usize)), ..places(0) },
            Subject::Row(_) if task.level() != Level::Node => places(0),
            Subject::Row(row) => {
                let own = loaded.own.iter().find(|(node, _)| *node == row).map(|(_, place)| *place);
                let node = own.unwrap_or(row - start) as usize;
                Places { node: Some(node), ..places(node) }
            }
        }
    }

    /// A node of the batch as a node of the data.
    fn in_data(&self, node: u32) -> u32 {
        self.loaded.nodes.get(node as usize).copied().unwrap_or(node + self.start)
    }
}

/// The graph, or the node of the only graph, that holds the subject.
fn unit_of(task: &Task, subject: Subject) -> u32 {
    match (subject, task.graph_set()) {
        (Subject::Pair { graph, .. }, _) => graph,
        (Subject::Row(row), Some(set)) if task.level() == Level::Node => {
            set.offsets().partition_point(|start| *start <= row as usize) as u32 - 1
        }
        (Subject::Row(row), _) => row,
    }
}

fn check_question(task: &Task, question: &Question) -> Result<(), TrainError> {
    let refuse = |text: String| Err(TrainError::Task(text));
    let outputs = task.target().outputs();
    match (question.subject, task.level()) {
        (Subject::Pair { graph, nodes }, Level::Pair) => {
            let graphs = task.graphs();
            if graph as usize >= graphs {
                return refuse(format!("there is no graph {graph}. Allowed: 0 to {}.", graphs.saturating_sub(1)));
            }
            let count = task.graph_set().map_or(0, |set| set.nodes_of(graph as usize).len());
            if let Some(node) = nodes.into_iter().find(|node| *node as usize >= count) {
                return refuse(format!("there is no node {node}. Allowed: 0 to {}.", count.saturating_sub(1)));
            }
        }
        (Subject::Pair { .. }, _) => return refuse("the model answers for no pairs. Name one row.".to_string()),
        (_, Level::Pair) => return refuse("the model answers for pairs of nodes. Name a pair.".to_string()),
        (Subject::Row(row), level) if row as usize >= task.rows() => {
            let what = if level == Level::Node { "node" } else { "graph" };
            let last = task.rows().saturating_sub(1);
            return refuse(format!("there is no {what} {row}. Allowed: 0 to {last}."));
        }
        _ => {}
    }
    if let Some(output) = question.output.filter(|output| *output >= outputs.max(1)) {
        return refuse(format!("there is no output {output}. Allowed: 0 to {}.", outputs.saturating_sub(1)));
    }
    match (question.method, question.layer) {
        (Some(ExplanationMethod::Weights), _) if task.level() != Level::Node => refuse(
            "weights of walks are those of a node, and the model does not predict nodes. Ask for contributions."
                .to_string(),
        ),
        (Some(ExplanationMethod::Contributions), Some(_)) => {
            refuse("a layer is chosen for weights; contributions go through all of them. Leave it out.".to_string())
        }
        _ => Ok(()),
    }
}

/// The weights of a layer, a row for every node and hop that count.
fn weights(reads: &HopReads) -> Vec<NodeShare> {
    let HopReads { heads, hops, weights } = reads;
    let most = weights.iter().fold(0.0f32, |most, weight| most.max(weight.abs()));
    let mut found = Vec::new();
    for (node, of_node) in weights.chunks_exact(heads * hops).enumerate() {
        for hop in 0..*hops {
            let heads: Vec<f32> = of_node.iter().skip(hop).step_by(*hops).copied().collect();
            if heads.iter().any(|weight| weight.abs() > ROUNDING * most) {
                let weight = heads.iter().sum::<f32>() / heads.len() as f32;
                found.push(NodeShare { node: node as u32, hop: Some(hop as u32), weight, heads });
            }
        }
    }
    found
}
