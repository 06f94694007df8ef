//! The settings of any model.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::contract::{AnyArchitecture, Change, Properties, Reach, Registration, WeighedHops};
use super::{Common, REGISTRY};
use crate::arrays::total_width;
use crate::config::{InitialWeights, nearest};
use crate::init::Seeds;
use crate::knobs::{Knob, Knobs};
use crate::ledger::Ledger;
use crate::store::Reader;
use crate::{InputShape, Level, MemoryEstimate, Model, NnError, OutputShape, Shape};

/// Features of entries that a model may have without a weight for each.
const MOST_UNREAD: u64 = 1 << 20;

/// Shared settings that count layers.
const COUNTS: [&str; 2] = ["layers", "head_layers"];

/// The settings of any model. In a recipe, `kind` says which; shared settings and the model's own stand side by side.
///
/// ```
/// use farhop_nn::ModelConfig;
/// let config = ModelConfig::from_name("gen")?.with("hops", 8)?.with("width", 64)?;
/// assert_eq!(config.get("hops"), Some(8.into()));
/// assert_eq!(config.common().width, 64);
/// assert!(config.with("hopps", 8).is_err());
/// # Ok::<(), farhop_nn::NnError>(())
/// ```
pub struct ModelConfig {
    registration: &'static Registration,
    common: Common,
    own: Box<dyn AnyArchitecture>,
}

impl ModelConfig {
    /// The default settings of the model of that name.
    ///
    /// # Errors
    /// When there is no such model; the nearest name is suggested.
    pub fn from_name(name: &str) -> Result<Self, NnError> {
        let registration = registered(name)?;
        Self::read(registration, Map::new()).map_err(|error| problem(name, &error.to_string()))
    }

    /// The names of all models, in the order of the registry.
    pub fn names() -> impl Iterator<Item = &'static str> {
        REGISTRY.iter().map(|registration| registration.name)
    }

    /// What is known of the model whatever its settings.
    pub fn registration(&self) -> &'static Registration {
        self.registration
    }

    /// The name of the model.
    pub fn name(&self) -> &'static str {
        self.registration.name
    }

    /// The shared settings.
    pub fn common(&self) -> &Common {
        &self.common
    }

    /// Every setting with its meaning, the shared ones first.
    pub fn knobs(&self) -> Vec<Knob> {
        let shared = Common::knobs().into_iter().filter(|knob| !self.registration.idle.contains(&knob.key));
        // Not every model does without layers, or without a head.
        let of_model = |mut knob: Knob| {
            let none = || self.with(knob.key, 0).is_ok_and(|config| config.validate().is_ok());
            if let Some(most) = knob.allowed.strip_prefix("0 to ").filter(|_| COUNTS.contains(&knob.key) && !none()) {
                knob.allowed = format!("1 to {most}");
            }
            knob
        };
        shared.map(of_model).chain((self.registration.knobs)()).collect()
    }

    /// The value of a setting, shared or own.
    pub fn get(&self, key: &str) -> Option<Value> {
        self.tree().remove(key)
    }

    /// The same with one setting changed.
    ///
    /// # Errors
    /// When there is no such setting (the nearest is suggested), or it can't have that value.
    pub fn with(&self, key: &str, value: impl Into<Value>) -> Result<Self, NnError> {
        let mut tree = self.tree();
        tree.insert(key.to_string(), value.into());
        serde_json::from_value(Value::Object(tree))
            .map_err(|error| problem(self.name(), &crate::explain_unknown_key(&error.to_string())))
    }

    /// The same with several settings changed: [`ModelConfig::smaller`] gives such changes.
    ///
    /// # Errors
    /// As [`ModelConfig::with`].
    pub fn with_all(&self, changes: &[Change]) -> Result<Self, NnError> {
        changes.iter().try_fold(self.clone(), |config, change| config.with(change.key, change.value.clone()))
    }

    /// Whether all settings are in range and go together.
    ///
    /// # Errors
    /// Names the first that is not.
    pub fn validate(&self) -> Result<(), NnError> {
        self.own.validate(&self.common)
    }

    /// Whether the model can read `inputs` and give `outputs`.
    ///
    /// # Errors
    /// Says what it can't do.
    pub fn accepts(&self, inputs: &InputShape, outputs: &OutputShape) -> Result<(), NnError> {
        self.own.accepts(&self.common, inputs, outputs)
    }

    /// The model that reads `inputs` and gives `outputs`; a number stands for that many numbers of a node, or classes of one.
    /// The weights depend on the seed, the settings and the shapes alone.
    ///
    /// # Errors
    /// When a setting is not possible, or the model can't do what is asked.
    pub fn init(
        &self,
        inputs: impl Into<InputShape>,
        outputs: impl Into<OutputShape>,
        seed: u64,
    ) -> Result<Model, NnError> {
        let (inputs, mut outputs) = (inputs.into(), outputs.into());
        self.validate()?;
        if inputs.numbers == 0 && !inputs.needs_encoder() {
            return Err(NnError::NoInputs);
        }
        self.accepts(&inputs, &outputs)?;
        if outputs.level == Level::Pair {
            outputs.outputs = self.common.width;
        }
        let mut network = self.own.build(&self.common, &inputs, &outputs, &mut Seeds::new(seed));
        if self.common.initial_weights == InitialWeights::Uniform {
            network.start_uniformly(seed);
        }
        Ok(Model::new(self.clone(), network, inputs, outputs))
    }

    /// The hops that a layer weighs for every node; none if the model has no such weights.
    pub fn weighed_hops(&self) -> Option<WeighedHops> {
        self.own.weighed_hops(&self.common)
    }

    /// How far an answer looks.
    pub fn reach(&self) -> Reach {
        self.own.reach(&self.common)
    }

    /// Epochs of a first phase of training; 0 if there is one phase only.
    pub fn first_epochs(&self) -> usize {
        self.own.first_epochs()
    }

    /// What may be relied on.
    pub fn properties(&self) -> Properties {
        self.own.properties(&self.common)
    }

    /// See [`Architecture::halo_numbers`](super::Architecture::halo_numbers).
    pub fn halo_numbers(&self, shape: &Shape) -> [usize; 2] {
        self.own.halo_numbers(&self.common, shape)
    }

    /// See [`Architecture::halo_rounds`](super::Architecture::halo_rounds).
    pub fn halo_rounds(&self) -> [usize; 2] {
        self.own.halo_rounds(&self.common)
    }

    /// Whether the model is made for graphs of so many nodes.
    ///
    /// # Errors
    /// Says how large a graph may be, and which models see a whole graph without such a limit.
    pub fn check_nodes(&self, nodes: usize) -> Result<(), NnError> {
        let Some(most) = self.properties().most_nodes.filter(|most| nodes > *most) else { return Ok(()) };
        let others = Self::names().filter_map(|name| Self::from_name(name).ok());
        let free = others.filter(|other| other.reach() == Reach::WholeGraph && other.properties().most_nodes.is_none());
        let free: Vec<&str> = free.map(|other| other.name()).collect();
        let also =
            if free.is_empty() { String::new() } else { format!(" ({} see the whole graph, too)", free.join(", ")) };
        Err(NnError::CanNot {
            model: self.name(),
            what: format!(
                "read a graph of {nodes} nodes: it {}, and takes graphs of at most {most}",
                self.own.burden(&self.common, nodes)
            ),
            remedy: format!("Take a model without that limit, such as gen{also}, or divide the graph into parts."),
        })
    }

    /// Changes that need less memory, in the order they are to be tried; each is possible.
    pub fn smaller(&self, training: bool) -> Vec<Vec<Change>> {
        let possible = |changes: &Vec<Change>| self.with_all(changes).is_ok_and(|config| config.validate().is_ok());
        self.own.smaller(&self.common, training).into_iter().filter(possible).collect()
    }

    /// The model that reads `inputs` and gives `outputs`, with weights that [`Model::to_safetensors`] wrote. The shapes may come
    /// from a file as well: they are held against the weights before anything is allocated.
    ///
    /// # Errors
    /// When the weights are not those of such a model.
    pub fn load(&self, inputs: InputShape, outputs: OutputShape, weights: &[u8]) -> Result<Model, NnError> {
        self.validate()?;
        let held = Reader::new(weights)?.numbers();
        let sizes = [("numbers", inputs.numbers), ("node arrays", total_width(&inputs.arrays))];
        let rows = |counts: &[u32]| counts.iter().map(|count| u64::from(*count)).sum::<u64>();
        let edges = inputs.edge_numbers as u64;
        let sizes = sizes.into_iter().map(|(what, size)| (what, size as u64)).chain([
            ("categories", rows(&inputs.categories)),
            ("outputs", outputs.outputs as u64),
            // Not all models read entries.
            ("edge numbers", edges.saturating_sub(MOST_UNREAD)),
            ("edge categories", rows(&inputs.edge_categories).saturating_sub(MOST_UNREAD)),
        ]);
        // Each has a weight of its own.
        for (what, size) in sizes {
            if size > held {
                return Err(NnError::Weights { what, size, held });
            }
        }
        let shape = Shape::of(&inputs, &outputs, 1, 1, 0);
        let size = self.memory(&shape, false).parameters / size_of::<f32>() as u64;
        if size > held.saturating_mul(2).saturating_add(MOST_UNREAD) {
            return Err(NnError::Weights { what: "parameters", size, held });
        }
        let mut model = self.init(inputs, outputs, 0)?;
        model.load_safetensors(weights)?;
        Ok(model)
    }

    /// What the model will need on a batch of that shape.
    pub fn memory(&self, shape: &Shape, training: bool) -> MemoryEstimate {
        let mut shape = shape.clone();
        if shape.level == Level::Pair {
            shape.outputs = self.common.width;
        }
        let ledger = Ledger::new(training);
        let outputs = self.own.cost(&self.common, &shape, &ledger);
        ledger.finish(outputs)
    }

    fn read(registration: &'static Registration, settings: Map<String, Value>) -> Result<Self, serde_json::Error> {
        let mut shared = map_of(&(registration.common)());
        let known = (registration.knobs)();
        let mut own = Map::new();
        for (key, value) in settings {
            let idle = registration.idle.contains(&key.as_str());
            match shared.get_mut(&key) {
                Some(place) if !idle => *place = value,
                _ if known.iter().any(|knob| knob.key == key) => {
                    own.insert(key, value);
                }
                _ => return Err(unknown_key(registration, &key)),
            }
        }
        let common = serde_json::from_value(Value::Object(shared))?;
        Ok(ModelConfig { registration, common, own: (registration.read)(own)? })
    }

    /// All settings by their keys, `kind` among them.
    fn tree(&self) -> Map<String, Value> {
        let mut tree = Map::new();
        tree.insert("kind".into(), self.name().into());
        let idle = |key: &str| self.registration.idle.contains(&key);
        tree.extend(map_of(&self.common).into_iter().filter(|(key, _)| !idle(key)));
        tree.extend(self.own.settings());
        tree
    }
}

impl std::fmt::Debug for ModelConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("ModelConfig").field(&Value::Object(self.tree())).finish()
    }
}

impl Clone for ModelConfig {
    fn clone(&self) -> Self {
        ModelConfig { registration: self.registration, common: self.common, own: self.own.boxed_clone() }
    }
}

impl PartialEq for ModelConfig {
    fn eq(&self, other: &Self) -> bool {
        self.common == other.common && self.own.same(other.own.as_ref())
    }
}

impl Serialize for ModelConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.tree().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ModelConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut settings = Map::deserialize(deserializer)?;
        let kind = settings.remove("kind").ok_or_else(|| D::Error::missing_field("kind"))?;
        let kind = kind.as_str().ok_or_else(|| D::Error::custom("`kind` is the name of a model, a text"))?;
        let registration = registered(kind).map_err(D::Error::custom)?;
        ModelConfig::read(registration, settings).map_err(D::Error::custom)
    }
}

fn map_of(common: &Common) -> Map<String, Value> {
    match serde_json::to_value(common) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

fn registered(name: &str) -> Result<&'static Registration, NnError> {
    REGISTRY.iter().find(|registration| registration.name == name).ok_or_else(|| {
        let near = nearest(name, ModelConfig::names());
        NnError::UnknownModel {
            name: name.to_string(),
            suggestion: near.map_or(".".into(), |near| format!("; did you mean \"{near}\"?")),
            known: ModelConfig::names().collect::<Vec<_>>().join(", "),
        }
    })
}

/// In serde's words, so that [`crate::explain_unknown_key`] finds the nearest.
fn unknown_key(registration: &Registration, key: &str) -> serde_json::Error {
    let shared = Common::knobs().into_iter().filter(|knob| !registration.idle.contains(&knob.key));
    let known = shared.chain((registration.knobs)()).map(|knob| format!("`{}`", knob.key));
    let known = known.collect::<Vec<_>>().join(", ");
    serde_json::Error::custom(format!("unknown field `{key}`, expected one of {known}"))
}

fn problem(model: &str, problem: &str) -> NnError {
    NnError::Settings { model: model.to_string(), problem: problem.to_string() }
}
