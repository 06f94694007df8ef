//! The settings of the built-in demonstration: the task, the three models, the training loop.

use farhop_data::synthetic::HopMajorityOptions;
use farhop_nn::{CoefficientKind, GcnConfig, GenConfig, HopReading, MlpConfig, ModelConfig, NormKind};
use farhop_train::TrainConfig;

/// The distance when none is asked for.
pub const DISTANCE: usize = 4;

/// The distances of the picture when none are asked for.
pub const DISTANCES: [usize; 6] = [1, 2, 3, 4, 5, 6];

/// Channels of every model.
const WIDTH: usize = 32;

/// The task.
pub fn task(distance: usize, nodes: Option<usize>, seed: u64) -> HopMajorityOptions {
    let default = HopMajorityOptions::default();
    HopMajorityOptions { nodes: nodes.unwrap_or(default.nodes), distance, seed, ..default }
}

/// The three models, the graph-blind one first. Those that see the graph may look as far as the task needs.
///
/// The GCN has the settings that did best of those tried: batch norm and an input projection (with layer norm it stays at
/// guessing). The GEN counts what it sees (coefficients of 1) and reads hops apart (increments), as the task suggests.
pub fn models(distance: usize) -> [ModelConfig; 3] {
    [
        ModelConfig::Mlp(MlpConfig { layers: 2, width: WIDTH, dropout: 0.0, ..MlpConfig::default() }),
        ModelConfig::Gcn(GcnConfig {
            layers: distance,
            width: WIDTH,
            input_projection: true,
            norm: NormKind::Batch,
            dropout: 0.0,
            ..GcnConfig::default()
        }),
        ModelConfig::Gen(GenConfig {
            layers: 1,
            width: WIDTH,
            hops: distance,
            coefficients: CoefficientKind::Ones,
            hop_reading: HopReading::Increment,
            dropout: 0.0,
            ..GenConfig::default()
        }),
    ]
}

/// The training loop, the same for all three.
pub fn training(seed: u64) -> TrainConfig {
    TrainConfig { epochs: 300, learning_rate: 0.01, patience: Some(150), seed, ..TrainConfig::default() }
}
