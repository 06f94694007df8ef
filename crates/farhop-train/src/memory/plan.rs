//! The memory plan: what a run will need, before anything is allocated.

use farhop_data::Setting;
use farhop_nn::{Change, ModelConfig, Shape};
use serde::Serialize;
use serde_json::Value;

use super::{Limit, bytes_text};
use crate::TrainError;

/// Program, stacks and allocator: what a run on a thousand nodes takes beyond its arrays.
const PROGRAM_BYTES: u64 = 18 << 20;

/// One line of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// What needs it.
    pub name: String,
    /// How much.
    pub bytes: u64,
}

/// The setting that costs time only.
const RECOMPUTE: &str = "recompute";

/// A setting of a recipe: its key and the value it should have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advised {
    /// As in a recipe: `model.width`.
    pub key: String,
    /// The value; null switches the setting off.
    pub value: Value,
}

impl Advised {
    fn new(key: &str, value: impl Into<Value>) -> Self {
        Advised { key: key.to_string(), value: value.into() }
    }

    fn all(changes: &[Change]) -> Vec<Self> {
        changes.iter().map(|change| Advised::new(&format!("model.{}", change.key), change.value.clone())).collect()
    }
}

impl std::fmt::Display for Advised {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = match &self.value {
            Value::Null => "none".to_string(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        Setting::to(self.key.clone(), value).fmt(formatter)
    }
}

/// Settings that would make a run fit, together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The settings.
    pub settings: Vec<Advised>,
    /// Bytes the run needs with them.
    pub total: u64,
}

impl Advice {
    /// The number of parts, if it is that alone.
    pub(crate) fn parts(&self) -> Option<usize> {
        match self.settings.as_slice() {
            [one] if one.key == PARTS => usize::try_from(one.value.as_u64()?).ok(),
            _ => None,
        }
    }
}

const PARTS: &str = "train.parts";

/// What a run needs and what there is.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
        Err(TrainError::DoesNotFit {
            needed: bytes_text(self.total),
            available: bytes_text(limit),
            advice: self.advice.clone(),
        })
    }
}

/// What the data holds, whatever the model: bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DataBytes {
    /// The arrays of the graph, or of all graphs.
    pub graph: u64,
    /// Features that are not those of the one batch: all graphs of which batches are cut.
    pub features: u64,
    /// Which node belongs to which part, where one graph is divided.
    pub parts: u64,
    /// Batches that wait ready for the model.
    pub waiting: u64,
    /// Whether an epoch has several steps: the state before the first is then kept, to be saved if it is broken off.
    pub several_steps: bool,
    /// Rows that an evaluation answers, where they are more than those of a batch.
    pub rows: usize,
}

impl DataBytes {
    /// One graph in memory: `nodes` nodes and `entries` entries.
    pub fn one_graph(nodes: usize, entries: usize, directed: bool) -> Self {
        let arrays = if directed { 2 } else { 1 };
        // Offsets of eight bytes; a source and a reverse id of four per entry; the columns of a directed graph once more.
        let graph = arrays * (8 * (nodes as u64 + 1) + 8 * entries as u64);
        DataBytes { graph, ..DataBytes::default() }
    }
}

/// What a run needs when its graph is divided into so many parts with a halo of so many hops; none where it can't be.
pub type Divided<'a> = &'a dyn Fn(usize, Option<usize>) -> Option<(Shape, DataBytes)>;

/// Plans a run of `config` on batches of that shape. `training` includes what the backward pass, the optimiser and a
/// checkpoint need.
pub fn plan(config: &ModelConfig, shape: &Shape, held: DataBytes, training: bool, limit: Option<&Limit>) -> Plan {
    plan_divisible(config, shape, held, training, limit, None)
}

/// As [`plan`], for a graph that can also be seen part by part: if the run does not fit, and computing again what the
/// backward pass needs does not make it fit, the smallest number of parts that does is the advice, with the halo `halo` or
/// without one.
pub fn plan_divisible(
    config: &ModelConfig,
    shape: &Shape,
    held: DataBytes,
    training: bool,
    limit: Option<&Limit>,
    divided: Option<(Divided<'_>, Option<usize>)>,
) -> Plan {
    let parts = parts_of(config, shape, held, training);
    let total = sum(&parts);
    let fits = limit.is_none_or(|limit| total <= limit.bytes);
    let advice = limit.filter(|_| !fits).and_then(|limit| {
        let fitting = |changes: Vec<Change>| {
            let smaller = config.with_all(&changes).ok()?;
            let total = sum(&parts_of(&smaller, shape, held, training));
            (total <= limit.bytes).then(|| Advice { settings: Advised::all(&changes), total })
        };
        let only_time = |changes: &Vec<Change>| changes.iter().all(|change| change.key == RECOMPUTE);
        let (again, smaller): (Vec<_>, Vec<_>) = config.smaller(training).into_iter().partition(only_time);
        let in_parts = || {
            let (divided, halo) = divided?;
            let needs = |parts, halo| {
                let (shape, held) = divided(parts, halo)?;
                Some(sum(&parts_of(config, &shape, held, training)))
            };
            let with = fewest_parts(|parts| needs(parts, halo), limit.bytes);
            let with = with.map(|(parts, total)| Advice { settings: vec![Advised::new(PARTS, parts)], total });
            with.or_else(|| {
                let (parts, total) = fewest_parts(|parts| needs(parts, None), limit.bytes)?;
                let settings = vec![Advised::new(PARTS, parts), Advised::new("train.halo", Value::Null)];
                Some(Advice { settings, total })
            })
        };
        again.into_iter().find_map(fitting).or_else(in_parts).or_else(|| smaller.into_iter().find_map(fitting))
    });
    Plan {
        parts,
        total,
        limit: limit.map(|limit| limit.bytes),
        limit_source: limit.map(|limit| limit.source),
        fits,
        advice,
    }
}

/// The smallest number of parts that needs at most `most` bytes, and what it needs.
fn fewest_parts(needs: impl Fn(usize) -> Option<u64>, most: u64) -> Option<(usize, u64)> {
    let fits = |parts: usize| needs(parts).filter(|total| *total <= most);
    let (mut too_few, mut enough) = (1, 2);
    while fits(enough).is_none() {
        // Where the graph can't be divided further there is no answer.
        needs(enough)?;
        (too_few, enough) = (enough, enough * 2);
    }
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if fits(middle).is_some() { enough = middle } else { too_few = middle }
    }
    fits(enough).map(|total| (enough, total))
}

fn parts_of(config: &ModelConfig, shape: &Shape, held: DataBytes, training: bool) -> Vec<Part> {
    let part = |name: &str, bytes: u64| Part { name: name.to_string(), bytes };
    let estimate = config.memory(shape, training);
    let mut parts = vec![part("program", PROGRAM_BYTES), part("graph", held.graph)];
    // Answers to more rows than a batch has are collected, as logits and as scores or probabilities.
    let collected = if held.rows > shape.nodes { 2 * 4 * held.rows as u64 * shape.outputs as u64 } else { 0 };
    let others = [
        ("data set", held.features),
        ("parts", held.parts),
        ("batches that wait", held.waiting),
        ("answers", collected),
    ];
    for (name, bytes) in others {
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
    if held.several_steps {
        // Weights, best weights and two moments.
        parts.push(part("state before the epoch", 4 * copy));
    }
    parts.push(part("buffers that wait", estimate.waiting()));
    parts
}

fn sum(parts: &[Part]) -> u64 {
    parts.iter().fold(0, |total, part| total.saturating_add(part.bytes))
}
