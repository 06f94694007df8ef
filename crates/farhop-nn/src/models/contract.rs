//! What a model is: its own settings, and how they become a network.

use std::any::Any;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ModelConfig;
use super::common::Common;
use crate::init::Seeds;
use crate::knobs::{Knob, Knobs};
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, NnError, OutputShape, Shape};

/// What a model is known for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// In full: `Graph convolutional network`.
    pub title: &'static str,
    /// Authors, title, venue and year.
    pub citation: &'static str,
    /// The idea in one line.
    pub idea: &'static str,
    /// What a pass costs in nodes N, entries E, width F and so on: `E F + N F²`.
    pub cost: &'static str,
    /// What it can't do, or what it ignores; empty if there is nothing to say.
    pub limits: &'static str,
}

/// How far an answer looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// So many hops. A part of a graph with a halo this wide gives the answers of the whole graph.
    Hops(usize),
    /// The whole graph.
    WholeGraph,
}

/// What may be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Whether moving nodes moves the answers with them. Models that read nodes in an order, or draw at random, are not.
    pub equivariant: bool,
    /// Whether features of entries are read.
    pub reads_edges: bool,
    /// Whether the answers of a graph do not depend on the other graphs of its batch (in evaluation).
    pub graphs_apart: bool,
    /// The largest graph, in nodes, that the model is made for; none if there is no limit but memory.
    pub most_nodes: Option<usize>,
    /// Whether the nodes of one graph can be divided among processes.
    pub spreads: bool,
    /// Whether the graphs of a batch can be shared out among processes: nothing but the loss and batch norm reaches from one graph to another,
    /// and nothing is kept but weights and running statistics.
    pub shares: bool,
}

impl Properties {
    /// Of most models that pass messages: equivariant, blind for edge features, graphs apart, any size, batches shared.
    ///
    /// Whether it spreads over processes is for each model to say.
    pub const MESSAGE_PASSING: Properties = Properties {
        equivariant: true,
        reads_edges: false,
        graphs_apart: true,
        most_nodes: None,
        spreads: false,
        shares: true,
    };
}

/// A setting with another value, such as one that would need less memory. The command knows how it is written there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Key of `[model]`.
    pub key: &'static str,
    /// The value.
    pub value: Value,
}

impl Change {
    /// `key` set to `value`.
    pub fn new(key: &'static str, value: impl Into<Value>) -> Self {
        Change { key, value: value.into() }
    }
}

/// The hops that a layer weighs for every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeighedHops {
    /// Layers that do.
    pub layers: usize,
    /// Distributions of every node.
    pub heads: usize,
    /// The nearest hop: 0 is the node itself.
    pub first: usize,
    /// How many hops a distribution has.
    pub hops: usize,
}

/// A model: its own settings, and how they become a network. The settings that all models share are [`Common`].
///
/// To add one: a file in `models/` with its settings (`knobs!`) and this trait, and a line in the registry of `models/mod.rs`.
pub trait Architecture:
    Knobs + Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Name in recipes and messages.
    const NAME: &'static str;

    /// What it is known for.
    const ABOUT: About;

    /// Shared settings that have no meaning for it; setting one to another value than its default is an error.
    const IDLE: &'static [&'static str] = &[];

    /// Whether its last layer can answer by itself: `head_layers = 0`.
    const HEADLESS: bool = false;

    /// How names of weights begin, and how they began in runs of before, which load all the same.
    const FORMER_NAMES: &'static [(&'static str, &'static str)] = &[];

    /// The shared settings where this model differs.
    fn defaults() -> Common {
        Common::default()
    }

    /// Whether the settings go together; every range was looked at before.
    ///
    /// # Errors
    /// Names the setting that is not possible.
    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(Self::NAME, 1)
    }

    /// Whether it can read `inputs` and give `outputs`.
    ///
    /// # Errors
    /// Says what it can't do.
    fn accepts(&self, common: &Common, inputs: &InputShape, outputs: &OutputShape) -> Result<(), NnError> {
        let _ = (common, inputs, outputs);
        Ok(())
    }

    /// The network, from the seeds alone.
    fn build(&self, common: &Common, inputs: &InputShape, outputs: &OutputShape, seeds: &mut Seeds)
    -> Box<dyn Network>;

    /// The network's forward pass, written into the ledger: weights, what is held, and every operation in its order. Gives the outputs.
    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked;

    /// How far an answer looks.
    fn reach(&self, common: &Common) -> Reach;

    /// What may be relied on.
    fn properties(&self, common: &Common) -> Properties;

    /// Numbers that a process sends of each of its nodes to each process that has it in its halo, in a forward pass and in a backward one; for
    /// models that [spread](Properties::spreads). Of `shape` only the widths count.
    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2] {
        let _ = (common, shape);
        [0, 0]
    }

    /// How often a process waits for others in a forward pass and in a backward one; for models that [spread](Properties::spreads).
    fn halo_rounds(&self, common: &Common) -> [usize; 2] {
        [common.layers; 2]
    }

    /// Changes that need less memory, each a list that goes together, in the order they are to be tried: what costs time before
    /// what costs quality.
    fn smaller(&self, common: &Common, training: bool) -> Vec<Vec<Change>> {
        let _ = training;
        narrower(common.width)
    }

    /// What a graph of so many nodes would take, for a model that is made for [fewer](Properties::most_nodes): the end of a sentence that begins
    /// with "it".
    fn burden(&self, common: &Common, nodes: usize) -> String {
        let _ = common;
        format!("works on all pairs of nodes, {} of them in every layer", (nodes as u128).pow(2))
    }

    /// The hops that a layer weighs for every node; none if it has no such weights.
    fn weighed_hops(&self, common: &Common) -> Option<WeighedHops> {
        let _ = common;
        None
    }

    /// Settings that were chosen for it over the datasets at hand, where those of its authors are not kept: as in a recipe, for one
    /// graph or for many.
    fn general(many_graphs: bool) -> Value {
        let _ = many_graphs;
        Value::Object(Map::new())
    }

    /// The same for one graph whose nodes have many numbers and few labels, laid over [`Architecture::general`]: what learns much from few examples needs other
    /// means against learning them by heart.
    fn few_labels() -> Value {
        Value::Object(Map::new())
    }

    /// Epochs of a first phase of training; 0 if there is one phase only. After them the best weights so far are taken, and the network is
    /// asked for what changes ([`Layer::next_phase`](crate::layers::Layer::next_phase)) with the first batch of the next epoch.
    fn first_epochs(&self) -> usize {
        0
    }

    /// Settings that make a small and smooth model for tests, as a JSON object, beside those of [`Registration::small_config`].
    fn small() -> Value {
        Value::Object(Map::new())
    }
}

/// The width halved again and again, down to 8.
pub fn narrower(width: usize) -> Vec<Vec<Change>> {
    let widths = std::iter::successors(Some(width / 2), |width| Some(width / 2)).take_while(|width| *width >= 8);
    widths.map(|width| vec![Change::new("width", width)]).collect()
}

/// [`Architecture`] behind one object-safe face. Implemented for all of them.
pub(super) trait AnyArchitecture: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn boxed_clone(&self) -> Box<dyn AnyArchitecture>;
    fn same(&self, other: &dyn AnyArchitecture) -> bool;
    fn settings(&self) -> Map<String, Value>;
    fn validate(&self, common: &Common) -> Result<(), NnError>;
    fn accepts(&self, common: &Common, inputs: &InputShape, outputs: &OutputShape) -> Result<(), NnError>;
    fn build(&self, common: &Common, inputs: &InputShape, outputs: &OutputShape, seeds: &mut Seeds)
    -> Box<dyn Network>;
    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked;
    fn reach(&self, common: &Common) -> Reach;
    fn properties(&self, common: &Common) -> Properties;
    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2];
    fn halo_rounds(&self, common: &Common) -> [usize; 2];
    fn smaller(&self, common: &Common, training: bool) -> Vec<Vec<Change>>;
    fn burden(&self, common: &Common, nodes: usize) -> String;
    fn weighed_hops(&self, common: &Common) -> Option<WeighedHops>;
    fn first_epochs(&self) -> usize;
}

impl<A: Architecture> AnyArchitecture for A {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed_clone(&self) -> Box<dyn AnyArchitecture> {
        Box::new(self.clone())
    }

    fn same(&self, other: &dyn AnyArchitecture) -> bool {
        other.as_any().downcast_ref::<A>() == Some(self)
    }

    fn settings(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(settings)) => settings,
            _ => Map::new(),
        }
    }

    fn validate(&self, common: &Common) -> Result<(), NnError> {
        common.check_ranges(A::NAME)?;
        self.check_ranges(A::NAME)?;
        // Without a head the last layer answers, so that there has to be one: what is said of layers comes first.
        if common.head_layers == 0 && common.layers == 0 {
            common.at_least_layers(A::NAME, 1)?;
        }
        let least = usize::from(!A::HEADLESS);
        crate::config::Checks(A::NAME).count("head_layers", common.head_layers, least, 16)?;
        self.check(common)
    }

    fn accepts(&self, common: &Common, inputs: &InputShape, outputs: &OutputShape) -> Result<(), NnError> {
        Architecture::accepts(self, common, inputs, outputs)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        Architecture::build(self, common, inputs, outputs, seeds)
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        Architecture::cost(self, common, shape, ledger)
    }

    fn reach(&self, common: &Common) -> Reach {
        Architecture::reach(self, common)
    }

    fn properties(&self, common: &Common) -> Properties {
        Architecture::properties(self, common)
    }

    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2] {
        Architecture::halo_numbers(self, common, shape)
    }

    fn halo_rounds(&self, common: &Common) -> [usize; 2] {
        Architecture::halo_rounds(self, common)
    }

    fn smaller(&self, common: &Common, training: bool) -> Vec<Vec<Change>> {
        Architecture::smaller(self, common, training)
    }

    fn burden(&self, common: &Common, nodes: usize) -> String {
        Architecture::burden(self, common, nodes)
    }

    fn weighed_hops(&self, common: &Common) -> Option<WeighedHops> {
        Architecture::weighed_hops(self, common)
    }

    fn first_epochs(&self) -> usize {
        Architecture::first_epochs(self)
    }
}

/// Makes a model's own settings from their keys.
type Read = fn(Map<String, Value>) -> Result<Box<dyn AnyArchitecture>, serde_json::Error>;

/// A model in the registry: what is known of it without its settings.
pub struct Registration {
    /// Name in recipes and messages.
    pub name: &'static str,
    /// What it is known for.
    pub about: About,
    /// Shared settings that have no meaning for it.
    pub idle: &'static [&'static str],
    /// Whether its last layer can answer by itself.
    pub headless: bool,
    /// How names of weights begin, and how they began before.
    pub former_names: &'static [(&'static str, &'static str)],
    /// Its own settings, with their meaning.
    pub knobs: fn() -> Vec<Knob>,
    /// Its defaults of the shared settings.
    pub common: fn() -> Common,
    /// Settings that were chosen for it, as in a recipe: for many graphs, or for one.
    pub general: fn(many_graphs: bool) -> Value,
    /// What is laid over them for one graph with few labelled nodes.
    pub few_labels: fn() -> Value,
    /// Settings that make it small, for tests.
    pub small: fn() -> Value,
    pub(super) read: Read,
}

impl Registration {
    /// The line of a model.
    pub const fn of<A: Architecture>() -> Self {
        Registration {
            name: A::NAME,
            about: A::ABOUT,
            idle: A::IDLE,
            headless: A::HEADLESS,
            former_names: A::FORMER_NAMES,
            knobs: A::knobs,
            common: A::defaults,
            general: A::general,
            few_labels: A::few_labels,
            small: A::small,
            read: read::<A>,
        }
    }
}

impl Registration {
    /// What runs of before call the weight `name`, if another name.
    pub fn former_name(&self, name: &str) -> Option<String> {
        let former = |(now, then): &(&str, &str)| name.strip_prefix(now).map(|rest| format!("{then}{rest}"));
        self.former_names.iter().find_map(former)
    }

    /// A small and smooth model of this kind, for tests: width 8, two layers, gelu, no dropout, and what the model itself says.
    ///
    /// # Errors
    /// When the settings do not fit the model.
    pub fn small_config(&self) -> Result<ModelConfig, NnError> {
        let shared =
            [("width", Value::from(8)), ("layers", 2.into()), ("activation", "gelu".into()), ("dropout", 0.0.into())];
        let shared = shared.into_iter().filter(|(key, _)| !self.idle.contains(key));
        let mut config = ModelConfig::from_name(self.name)?;
        for (key, value) in shared {
            config = config.with(key, value)?;
        }
        let own = match (self.small)() {
            Value::Object(own) => own,
            _ => Map::new(),
        };
        own.into_iter().try_fold(config, |config, (key, value)| config.with(&key, value))
    }
}

fn read<A: Architecture>(settings: Map<String, Value>) -> Result<Box<dyn AnyArchitecture>, serde_json::Error> {
    serde_json::from_value::<A>(Value::Object(settings)).map(|own| Box::new(own) as Box<dyn AnyArchitecture>)
}
