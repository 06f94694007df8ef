//! Layers: one file each, one contract, one registry line.

mod both_ways;
mod copies;
mod edge_rows;
mod eliminated;
mod encoder;
mod entry_encoder;
mod expander;
mod feed;
mod gat;
mod gated;
mod gated_gcn;
mod gcn;
mod gen_layer;
mod gin;
mod head;
mod hop_sets;
mod laplacian;
mod linear;
mod local;
mod magna;
mod mamba;
mod mixhop;
mod norm;
mod phase;
mod position_columns;
mod sage;
mod state_norm;
mod structure;

#[cfg(test)]
mod tests;

pub(crate) use both_ways::{BothWays, Lines};
pub use edge_rows::EdgeRows;
pub use eliminated::{EliminatedConfig, EliminatedHops, EliminatedLayer, HopJoin};
pub use encoder::{Encoder, EncoderConfig};
pub use entry_encoder::EntryEncoder;
pub use expander::{Expander, ExpanderKind};
pub(crate) use feed::plain;
pub use feed::{Feed, FeedConfig};
pub use gat::{GatConfig, GatLayer};
pub(crate) use gated::GatedMean;
pub use gated_gcn::{GatedGcnConfig, GatedGcnLayer};
pub use gcn::GcnLayer;
pub use gen_layer::{CoefficientKind, EliminationKind, GenConfig, GenLayer, HopReading};
pub use gin::{GinConfig, GinLayer};
pub use head::{Head, HeadConfig, ReadoutKind};
pub use hop_sets::{HopSet, HopSets};
#[cfg(test)]
pub(crate) use laplacian::KeepsSigns;
pub use laplacian::{LaplacianEncoder, LaplacianReading};
pub use linear::Linear;
pub use local::{Local, LocalConfig, LocalKind};
pub use magna::{MagnaLayer, MagnaLayerConfig};
pub(crate) use mamba::{Mamba, MambaConfig, Sequences};
pub use mixhop::{MixHopConfig, MixHopLayer};
pub use norm::{BlockConfig, NormBlock};
pub use phase::Phase;
pub use position_columns::{LaplacianForm, PositionColumns};
pub use sage::{SageConfig, SageLayer};
pub use state_norm::StateNorm;
pub use structure::{Structure, StructureConfig, StructureKind};

use burn::module::{Module, ModuleDisplay, ParamId};
use burn::tensor::Tensor;

use crate::{Batch, Context, Features, Network, Targets};

/// Features in, graph in, features out.
pub trait Layer: Module + ModuleDisplay {
    /// `[N, inputs]` to `[N, outputs]`.
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2>;

    /// The parameters and stored values that change when the first phase of training is over, with their new numbers; see
    /// [`Architecture::first_epochs`](crate::Architecture::first_epochs).
    fn next_phase(&self, batch: &Batch, targets: &Targets) -> Vec<(ParamId, Vec<f32>)> {
        let _ = (batch, targets);
        Vec::new()
    }
}

/// A layer that the common test set runs on.
pub struct Registered {
    /// Its name.
    pub name: &'static str,
    /// Builds it with its default settings from (inputs, outputs, seed).
    pub build: fn(usize, usize, u64) -> Box<dyn Network>,
}

/// All layers. Adding a layer adds one line.
pub const REGISTRY: &[Registered] = &[
    Registered { name: "linear", build: |inputs, outputs, seed| Box::new(Linear::init(inputs, outputs, seed)) },
    Registered { name: "gcn", build: |inputs, outputs, seed| Box::new(GcnLayer::init(inputs, outputs, seed)) },
    Registered { name: "gen", build: |inputs, outputs, seed| gen_layer(inputs, outputs, seed, GenConfig::default()) },
    Registered {
        name: "gen with every option turned",
        build: |inputs, outputs, seed| {
            let config = GenConfig {
                hops: 3,
                heads: 2,
                coefficients: CoefficientKind::AttentionPerLayer,
                hop_reading: HopReading::Increment,
                hop_zero: true,
                feed_forward: false,
                recompute: true,
                ..GenConfig::default()
            };
            gen_layer(inputs, outputs, seed, config)
        },
    },
    Registered {
        name: "gen without attention or elimination",
        build: |inputs, outputs, seed| {
            let config = GenConfig {
                coefficients: CoefficientKind::Gcn,
                elimination: EliminationKind::None,
                hop_attention: false,
                gather_bits: 16,
                own_term: false,
                ..GenConfig::default()
            };
            gen_layer(inputs, outputs, seed, config)
        },
    },
    Registered {
        name: "gen that projects before its rounds",
        build: |inputs, outputs, seed| {
            let config = GenConfig { hops: 3, heads: 2, project_first: true, ..GenConfig::default() };
            gen_layer(inputs, outputs, seed, config)
        },
    },
];

fn gen_layer(inputs: usize, outputs: usize, seed: u64, config: GenConfig) -> Box<dyn Network> {
    Box::new(GenLayer::init(inputs, outputs, &config, seed))
}
