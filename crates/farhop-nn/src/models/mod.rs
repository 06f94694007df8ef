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
use crate::{InputShape, Level, MemoryEstimate, Model, NnError, OutputShape, Shape};

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
