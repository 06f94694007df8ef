//! Models: one file each, one line in the list below.

mod gcn;
mod gen_model;
mod mlp;
mod settings;
mod trunk;

#[cfg(test)]
mod tests;

pub use gcn::GcnConfig;
pub use gen_model::GenConfig;
pub use mlp::MlpConfig;
pub use settings::{Common, LayerBytes, LayerSettings, ModelSettings, WeighedHops};
pub use trunk::Trunk;

use serde::{Deserialize, Serialize};

use crate::config::nearest;
use crate::store::Reader;
use crate::{InputShape, Level, MemoryEstimate, Model, NnError, OutputShape, Shape};

/// Features of entries that a model may have without a weight for each.
const MOST_UNREAD: u64 = 1 << 20;

/// Defines [`ModelConfig`] from lines `Variant(Config) = "name"`.
macro_rules! models {
    ($($(#[$doc:meta])* $variant:ident($config:ty) = $name:literal,)*) => {
        /// The settings of any model; in a recipe, `kind` says which.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum ModelConfig {
            $($(#[$doc])* #[serde(rename = $name)] $variant($config),)*
        }

        impl ModelConfig {
            /// The names of all models.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The default settings of the model of that name.
            pub fn from_name(name: &str) -> Result<Self, NnError> {
                match name {
                    $($name => Ok(ModelConfig::$variant(Default::default())),)*
                    _ => Err(unknown_model(name)),
                }
            }

            /// The name of the model.
            pub fn name(&self) -> &'static str {
                match self {
                    $(ModelConfig::$variant(_) => $name,)*
                }
            }

            fn settings(&self) -> &dyn ModelSettings {
                match self {
                    $(ModelConfig::$variant(config) => config,)*
                }
            }
        }
    };
}

models! {
    /// Graph elimination network.
    Gen(GenConfig) = "gen",
    /// Graph convolutions.
    Gcn(GcnConfig) = "gcn",
    /// Each node by itself.
    Mlp(MlpConfig) = "mlp",
}

impl ModelConfig {
    /// Whether all settings are in range.
    pub fn validate(&self) -> Result<(), NnError> {
        self.settings().validate()
    }

    /// The model that reads `inputs` and gives `outputs`; a number stands for that many numbers of a node, or classes of one.
    /// The weights depend on the seed, the settings and the shapes alone.
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
        if outputs.level == Level::Pair {
            outputs.outputs = self.settings().width();
        }
        Ok(Model::new(self.clone(), self.settings().build(&inputs, &outputs, seed), inputs, outputs))
    }

    /// The hops that a layer weighs for every node; none if the model has no such weights.
    pub fn weighed_hops(&self) -> Option<WeighedHops> {
        self.settings().weighed_hops()
    }

    /// The model that reads `inputs` and gives `outputs`, with weights that [`Model::to_safetensors`] wrote. The shapes may come
    /// from a file as well: they are held against the weights before anything is allocated.
    ///
    /// # Errors
    /// When the weights are not those of such a model.
    pub fn load(&self, inputs: InputShape, outputs: OutputShape, weights: &[u8]) -> Result<Model, NnError> {
        self.validate()?;
        let held = Reader::new(weights)?.numbers();
        let sizes = [("numbers", inputs.numbers), ("walk", inputs.walk), ("laplacian", inputs.laplacian)];
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
        let shape = Shape::of(&inputs, &outputs, 1, 0, 0);
        let size = self.memory(&shape, false).parameters / size_of::<f32>() as u64;
        if size > held.saturating_mul(2).saturating_add(MOST_UNREAD) {
            return Err(NnError::Weights { what: "parameters", size, held });
        }
        let mut model = self.init(inputs, outputs, 0)?;
        model.load_safetensors(weights)?;
        Ok(model)
    }

    /// What the model will need on a graph of that shape.
    pub fn memory(&self, shape: &Shape, training: bool) -> MemoryEstimate {
        self.settings().memory(shape, training)
    }
}

fn unknown_model(name: &str) -> NnError {
    let near = nearest(name, ModelConfig::NAMES.iter().copied());
    NnError::UnknownModel {
        name: name.to_string(),
        suggestion: near.map_or(".".into(), |near| format!("; did you mean \"{near}\"?")),
        known: ModelConfig::NAMES.join(", "),
    }
}
