//! The memory plan: what a run will need, before anything is allocated.

use farhop_nn::{ModelConfig, Shape};
use serde::Serialize;

use super::{Limit, bytes_text, variants};
use crate::TrainError;

/// Program, stacks and allocator: what a run on a thousand nodes takes beyond its arrays (on a hundred, two MiB less).
const PROGRAM_BYTES: u64 = 14 << 20;

/// One line of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// What needs it.
    pub name: String,
    /// How much.
    pub bytes: u64,
}

/// A setting that would make a run fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// As the user writes it, such as `--hidden 64`.
    pub setting: String,
    /// Bytes the run needs with it.
    pub total: u64,
}

/// What a run needs and what there is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The parts, in the order of a run.
    pub parts: Vec<Part>,
    /// Their sum: the predicted peak.
    pub total: u64,
    /// Bytes the process may have; none where the system does not tell.
    pub limit: Option<u64>,
    /// Who sets the limit.
    pub limit_source: Option<&'static str>,
    /// Whether it fits. An unknown limit never refuses.
    pub fits: bool,
    /// The least change that makes it fit, when it does not and one was found.
    pub advice: Option<Advice>,
}

impl Plan {
    /// Refuses a run that does not fit.
    ///
    /// # Errors
    /// Says what is needed, what there is, and which setting would do.
    pub fn check(&self) -> Result<(), TrainError> {
        let (false, Some(limit)) = (self.fits, self.limit) else {
            return Ok(());
        };
        let remedy = match &self.advice {
            Some(advice) => format!(
                "Pass {} (needs {}).",
                advice.setting,
                bytes_text(advice.total)
            ),
            None => "No smaller setting of this model fits: use a smaller graph, fewer features, or a machine with more memory.".to_string(),
        };
        Err(TrainError::DoesNotFit(format!(
            "this run needs {} and {} are available. {remedy}",
            bytes_text(self.total),
            bytes_text(limit),
        )))
    }
}

/// What the data holds, whatever the model: bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Held {
    /// The arrays of the graph, or of all graphs.
    pub graph: u64,
    /// Features that are not those of the one batch: all graphs of which batches are cut.
    pub features: u64,
    /// Batches that wait ready for the model.
    pub waiting: u64,
}

impl Held {
    /// One graph in memory: `nodes` nodes and `entries` entries.
    pub fn one_graph(nodes: usize, entries: usize, directed: bool) -> Self {
        let arrays = if directed { 2 } else { 1 };
        // Offsets of eight bytes; a source and a reverse id of four per entry; the columns of a directed graph once more.
        let graph = arrays * (8 * (nodes as u64 + 1) + 8 * entries as u64);
        Held { graph, features: 0, waiting: 0 }
    }
}

/// Plans a run of `config` on batches of that shape. `training` includes what the backward pass, the optimiser and a
/// checkpoint need.
pub fn plan(config: &ModelConfig, shape: &Shape, held: Held, training: bool, limit: Option<&Limit>) -> Plan {
    let parts = parts_of(config, shape, held, training);
    let total = sum(&parts);
    let fits = limit.is_none_or(|limit| total <= limit.bytes);
    let advice = match limit {
        Some(limit) if !fits => variants(config, training).into_iter().find_map(|(setting, smaller)| {
            let total = sum(&parts_of(&smaller, shape, held, training));
            (total <= limit.bytes).then_some(Advice { setting, total })
        }),
        _ => None,
    };
    Plan {
        parts,
        total,
        limit: limit.map(|limit| limit.bytes),
        limit_source: limit.map(|limit| limit.source),
        fits,
        advice,
    }
}

fn parts_of(config: &ModelConfig, shape: &Shape, held: Held, training: bool) -> Vec<Part> {
    let part = |name: &str, bytes: u64| Part { name: name.to_string(), bytes };
    let estimate = config.memory(shape, training);
    let mut parts = vec![part("program", PROGRAM_BYTES), part("graph", held.graph)];
    for (name, bytes) in [("data set", held.features), ("batches that wait", held.waiting)] {
        if bytes > 0 {
            parts.push(part(name, bytes));
        }
    }
    if !training {
        parts.push(part("weights", estimate.parameters));
        parts.push(part("kept", estimate.kept));
        parts.push(part("working space", estimate.transient));
        return parts;
    }
    parts.push(part("weights and optimiser", estimate.parameters));
    parts.push(part("kept for the backward pass", estimate.kept));
    // Between two steps the memory of a step serves others: the evaluation, which may need more, and a checkpoint. Four copies
    // of the weights are above (weights, gradients, two moments); the best weights are a fifth, and while they are saved the
    // weights, the best weights and the moments are there once more.
    let copy = estimate.parameters / 4;
    let evaluation = config.memory(shape, false);
    let step = (estimate.kept + estimate.transient).saturating_sub(evaluation.kept);
    let working = step.max(evaluation.transient).max(4 * copy);
    parts.push(part("working space", estimate.transient + (working - step)));
    parts.push(part("best weights", copy));
    parts
}

fn sum(parts: &[Part]) -> u64 {
    parts.iter().fold(0, |total, part| total.saturating_add(part.bytes))
}
