//! Settings without effect, found by trying: nobody has to keep a list of them for every model and task.

use std::sync::Arc;

use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, build};
use serde_json::Value;

use super::ModelConfig;
use crate::{
    Batch, BatchArrays, BatchNumbers, InputShape, Learner, Level, NnError, NodeArray, NumberLoss, OptimizerConfig,
    OutputShape, Shape, StepReport, Targets,
};

/// Nodes of the graph that is tried on: a path with some chords, so that even models that look far see no end of it.
const NODES: usize = 64;

/// More numbers and answers than these show nothing new.
const MOST_NUMBERS: usize = 4;

impl ModelConfig {
    /// Whether the setting `key` changes nothing for a model with these inputs and outputs: with its value and with the default
    /// (the other value of a switch that stands at its default) it reads as far and needs as much, and on a small graph it gives
    /// the same answers and the same steps of training, bit for bit. Where that can't be tried, nothing is said to be idle.
    pub fn is_idle(&self, key: &str, inputs: &InputShape, outputs: &OutputShape) -> bool {
        let usual = ModelConfig::from_name(self.name()).ok().and_then(|usual| usual.get(key));
        let other = match (self.get(key), usual) {
            (Some(Value::Bool(on)), Some(usual)) if usual == Value::Bool(on) => Value::Bool(!on),
            (Some(value), Some(usual)) if value != usual => usual,
            _ => return false,
        };
        let Ok(other) = self.with(key, other) else { return false };
        let limits = |config: &ModelConfig| (config.reach(), config.properties().most_nodes);
        if other.validate().is_err() || limits(self) != limits(&other) {
            return false;
        }
        let inputs = InputShape { numbers: inputs.numbers.min(MOST_NUMBERS), ..inputs.clone() };
        let outputs = OutputShape { outputs: outputs.outputs.min(MOST_NUMBERS), ..*outputs };
        let batch = trial(&inputs);
        let shape = Shape::of(&inputs, &outputs, batch.graphs(), batch.nodes(), batch.graph().entries());
        let needs_as_much = |training| self.memory(&shape, training) == other.memory(&shape, training);
        if !(needs_as_much(false) && needs_as_much(true)) {
            return false;
        }
        let answers = |config: &ModelConfig| config.answers(&batch, &inputs, &outputs).ok();
        answers(self).is_some_and(|answers_of_self| answers(&other) == Some(answers_of_self))
    }

    /// The bits of the answers, of two steps of training, and of the answers after them.
    fn answers(&self, batch: &Batch, inputs: &InputShape, outputs: &OutputShape) -> Result<Vec<u32>, NnError> {
        let model = self.init(inputs, *outputs, 1)?;
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
        let mut all = bits(&model.outputs(batch));
        let rows = if outputs.level == Level::Graph { batch.graphs() } else { batch.nodes() } as u32;
        let targets = match outputs.level {
            Level::Pair => {
                let pairs: Vec<[u32; 2]> = (1..rows).map(|node| [node - 1, node]).collect();
                Targets::Pairs { together: pairs.iter().map(|pair| pair[0] % 3 == 0).collect(), pairs }
            }
            Level::Node | Level::Graph => {
                let values = (0..rows as usize * outputs.outputs).map(|at| (at % 7) as f32 - 3.0).collect();
                Targets::Numbers { rows: (0..rows).collect(), values, loss: NumberLoss::L2 }
            }
        };
        let mut learner = Learner::new(model, OptimizerConfig::default(), 2);
        for _ in 0..2 {
            let StepReport { loss, gradient_norm } = learner.step(batch, &targets, 0.01);
            all.extend(bits(&[loss, gradient_norm]));
        }
        all.extend(bits(&learner.model().outputs(batch)));
        Ok(all)
    }
}

/// Two graphs side by side with something of everything that is read.
fn trial(inputs: &InputShape) -> Batch {
    let graph = chorded_path();
    let (nodes, entries) = (graph.nodes(), graph.entries());
    let mut stream = Stream::new(3);
    let mut some = |count: usize| (0..count).map(|_| stream.normal() as f32).collect::<Vec<f32>>();
    let numbers = BatchNumbers::Dense(some(nodes * inputs.numbers));
    let edge_numbers = some(entries * inputs.edge_numbers);
    let arrays = inputs.arrays.iter().map(|array| NodeArray::new(&array.name, array.width, some(nodes * array.width)));
    let arrays = arrays.collect();
    let pick = |rows: usize, counts: &[u32]| -> Vec<u16> {
        (0..rows).flat_map(|row| counts.iter().map(move |count| (row as u32 % (*count).max(1)) as u16)).collect()
    };
    let (categories, edge_categories) = (pick(nodes, &inputs.categories), pick(entries, &inputs.edge_categories));
    let offsets = vec![0, NODES / 4, NODES];
    let graph = Arc::new(graph);
    let arrays = BatchArrays { graph, offsets, numbers, categories, edge_numbers, edge_categories, arrays };
    Batch::from_arrays(arrays, inputs)
}

/// A path with a chord at every seventh node, cut at a quarter: two graphs.
fn chorded_path() -> Graph {
    let nodes = NODES as u32;
    let path = (1..nodes).filter(|node| *node != nodes / 4).map(|node| (node - 1, node));
    let chords = (0..nodes - 3).step_by(7).map(|node| (node, node + 3));
    let apart = |&(from, to): &(u32, u32)| (from < nodes / 4) == (to < nodes / 4);
    let rows: Vec<(u32, u32)> = path.chain(chords).filter(apart).collect();
    match build(NODES, &rows, Direction::Undirected) {
        Ok(built) => built.graph,
        Err(error) => unreachable!("these edges are between nodes that there are: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle(config: &ModelConfig, key: &str, inputs: &InputShape, level: Level) -> bool {
        config.is_idle(key, inputs, &OutputShape { level, outputs: 2 })
    }

    fn small(name: &str, key: &str, value: impl Into<Value>) -> Option<ModelConfig> {
        let small = crate::models::REGISTRY.iter().find(|one| one.name == name)?.small_config().ok()?;
        let knows = small.knobs().iter().any(|knob| knob.key == key);
        knows.then(|| small.with(key, value).ok()).flatten().filter(|config| config.validate().is_ok())
    }

    /// What only graphs have means nothing for nodes, whatever the model; what every model reads is never idle.
    #[test]
    fn how_nodes_are_joined_means_nothing_where_answers_are_about_nodes() {
        let (inputs, mut tried) = (InputShape::from(3), 0);
        for name in ModelConfig::names() {
            let Some(config) = small(name, "readout", "max") else { continue };
            if config.accepts(&inputs, &OutputShape { level: Level::Node, outputs: 2 }).is_ok() {
                assert!(idle(&config, "readout", &inputs, Level::Node), "{name}");
                tried += 1;
            }
        }
        assert!(tried > 20, "only {tried} models were tried");
        for name in ["gen", "gcn", "gat", "gin"] {
            let config = small(name, "readout", "max").unwrap();
            assert!(!idle(&config, "readout", &inputs, Level::Graph), "{name}");
            assert!(!idle(&small(name, "dropout", 0.7).unwrap(), "dropout", &inputs, Level::Node), "{name}");
        }
        let appnp = small("appnp", "hops", 40);
        assert!(appnp.is_none_or(|config| !idle(&config, "hops", &inputs, Level::Node)), "a far hop counts");
    }

    #[test]
    fn what_reads_edges_means_nothing_without_features_of_edges() {
        let (bare, with) = (InputShape::from(3), InputShape { edge_numbers: 2, ..3.into() });
        for name in ["gat", "gatedgcn"] {
            let config = small(name, "edge_features", true).unwrap();
            assert!(idle(&config, "edge_features", &bare, Level::Node), "{name}");
            assert!(!idle(&config, "edge_features", &with, Level::Node), "{name}");
        }
    }
}
