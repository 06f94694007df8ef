//! The memory plan of a task, with advice that knows its graph.

use farhop_graph::Graph;
use farhop_nn::{BUFFER_SLACK, ModelConfig, REGISTRY};

use super::order::Batching;
use super::parted::largest;
use super::parting::divided;
use super::{Parting, Source, Task};
use crate::memory::{Advice, DataBytes, Division, Limit, Plan, plan, plan_divisible};
use crate::{TrainConfig, TrainError};

/// A part has at least this many nodes, or it is not worth a batch.
const LEAST_NODES: usize = 16;
/// Divisions that are tried to find a number of parts that really fits.
const TRIES: usize = 3;
/// Standard deviations that a sum of many exceeds once in a thousand times.
const DEVIATIONS: f64 = 3.1;

impl Task {
    /// Whether the model can learn this at all: before anything is planned or allocated.
    ///
    /// # Errors
    /// Says what the model can't do, and which models can.
    pub fn check_model(&self, model: &ModelConfig) -> Result<(), TrainError> {
        model.accepts(self.input(), self.output())?;
        if self.own_part().is_some() && !model.properties().spreads {
            let able: Vec<&str> = REGISTRY
                .iter()
                .filter(|registered| {
                    ModelConfig::from_name(registered.name).is_ok_and(|model| model.properties().spreads)
                })
                .map(|registered| registered.name)
                .collect();
            return Err(TrainError::Task(format!(
                "{} can't be spread over several processes. Those that can: {}.",
                model.name(),
                able.join(", ")
            )));
        }
        if self.shared.is_some() && !model.properties().shares {
            return Err(TrainError::Task(format!(
                "{} can't share a batch of graphs with other processes, since more than the loss and batch norm is over all of them. Train in one process.",
                model.name()
            )));
        }
        let largest = match &self.source {
            Source::Divided(_, size) => size.nodes,
            _ => self.graph_set().map_or(self.graph().nodes(), |set| {
                (0..set.len()).map(|graph| set.nodes_of(graph).len()).max().unwrap_or(0)
            }),
        };
        Ok(model.check_nodes(largest)?)
    }

    /// What a run of the model on this data needs. `config` says how a graph is divided, or would be.
    pub fn plan(&self, model: &ModelConfig, config: &TrainConfig, training: bool, limit: Option<&Limit>) -> Plan {
        match &self.source {
            Source::Graphs(_) => plan(model, &self.shape(), self.data_bytes(), training, limit),
            Source::Whole(_) => plan_whole(model, &self.division, self.graph(), config, training, limit),
            Source::Divided(parted, size) => {
                let (shape, held) = self.division.with_batch(size.nodes, size.entries);
                let growth = growth(&self.division, size.nodes * parted.parting.parts() / parted.batching.size.max(1));
                let estimate = |parts: usize, halo: Option<usize>| {
                    let known = (halo.unwrap_or(0) == parted.halo).then_some(growth);
                    estimated(&self.division, parts, halo, known)
                };
                plan_divisible(model, &shape, held, training, limit, Some((&estimate, config.halo)))
            }
        }
    }
}

/// What a run on the whole graph needs; if that is too much, into how many parts it is to be divided. The graph is divided
/// a few times to find out.
pub fn plan_whole(
    model: &ModelConfig,
    division: &Division,
    graph: &Graph,
    config: &TrainConfig,
    training: bool,
    limit: Option<&Limit>,
) -> Plan {
    let held = DataBytes { graph: division.graph, ..DataBytes::default() };
    let mut known = None;
    let mut found = None;
    for _ in 0..=TRIES {
        let estimate = |parts: usize, halo: Option<usize>| {
            estimated(division, parts, halo, known.filter(|_| halo == config.halo && halo.is_some()))
        };
        let plan = plan_divisible(model, &division.shape, held, training, limit, Some((&estimate, config.halo)));
        let parts = plan.advice.as_ref().and_then(Advice::parts);
        let Some(parts) = parts.filter(|_| config.halo.is_some() && found != Some(plan.advice.clone())) else {
            return plan;
        };
        found = Some(plan.advice.clone());
        match measured(graph, parts, config) {
            Some(nodes) => known = Some(growth(division, nodes * parts).max(known.unwrap_or(1.0))),
            None => return plan,
        }
    }
    let estimate =
        |parts: usize, halo: Option<usize>| estimated(division, parts, halo, known.filter(|_| halo == config.halo));
    plan_divisible(model, &division.shape, held, training, limit, Some((&estimate, config.halo)))
}

/// How many times the nodes of a part a batch has, from the nodes of the largest times the number of batches.
fn growth(division: &Division, nodes: usize) -> f64 {
    (nodes as f64 / division.shape.nodes.max(1) as f64 / Division::SLACK).max(1.0)
}

fn estimated(
    division: &Division,
    parts: usize,
    halo: Option<usize>,
    growth: Option<f64>,
) -> Option<(farhop_nn::Shape, DataBytes)> {
    let enough = parts <= division.shape.nodes / LEAST_NODES;
    enough.then(|| division.estimate(parts, halo.unwrap_or(0), growth))
}

/// Nodes of the largest batch when the graph is really divided.
fn measured(graph: &Graph, parts: usize, config: &TrainConfig) -> Option<usize> {
    let parting = Parting::new(divided(graph, parts, config).ok()?, parts)?;
    let batching = Batching { size: 1, by_size: false };
    Some(largest(graph, &parting, config.halo.unwrap_or(0), batching, config.seed).ok()?.nodes)
}

/// The sum of `count` of the sizes, drawn at random, that one draw in a thousand exceeds; never more than that of the largest. Sums
/// that change from draw to draw are used with buffers of others, which are larger by [`BUFFER_SLACK`] at most.
pub(super) fn largest_sum(mut sizes: Vec<usize>, count: usize) -> usize {
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let count = count.min(sizes.len());
    let most = sizes[..count].iter().sum::<usize>();
    let all = sizes.len().max(1) as f64;
    let mean = sizes.iter().sum::<usize>() as f64 / all;
    let variance = sizes.iter().map(|&size| (size as f64 - mean).powi(2)).sum::<f64>() / all;
    // Without putting back: the last of all can't be anything but the rest.
    let left = (all - count as f64) / (all - 1.0).max(1.0);
    let drawn = count as f64 * mean + DEVIATIONS * (count as f64 * variance * left).sqrt();
    let slack = if count < sizes.len() { BUFFER_SLACK } else { 1.0 };
    ((most as f64).min(drawn) * slack).ceil() as usize
}
