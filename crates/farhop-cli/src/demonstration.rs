//! The settings of the built-in demonstration: the task, the three models, the training loop.

use farhop_data::synthetic::HopMajorityOptions;
use farhop_nn::layers::{CoefficientKind, HopReading};
use farhop_nn::{GcnConfig, GenConfig, MlpConfig, ModelConfig};
use farhop_train::TrainConfig;

/// The distance when none is asked for.
pub const DISTANCE: usize = 4;

/// The distances of the picture when none are asked for.
pub const DISTANCES: [usize; 6] = [1, 2, 3, 4, 5, 6];

/// The task.
pub fn task(distance: usize, nodes: Option<usize>, seed: u64) -> HopMajorityOptions {
    let default = HopMajorityOptions::default();
    HopMajorityOptions { nodes: nodes.unwrap_or(default.nodes), distance, seed, ..default }
}

/// The three models, the graph-blind one first. Those that see the graph may look as far as the task needs.
pub fn models(distance: usize) -> [ModelConfig; 3] {
    [
        ModelConfig::Mlp(MlpConfig { layers: 2, width: 32, dropout: 0.0, ..MlpConfig::default() }),
        ModelConfig::Gcn(GcnConfig { layers: distance, width: 32, dropout: 0.0, ..GcnConfig::default() }),
        ModelConfig::Gen(GenConfig {
            layers: e("L", 1.0) as usize,
            width: e("W", 32.0) as usize,
            heads: e("H", 1.0) as usize,
            hop_zero: e("Z", 0.0) > 0.5,
            input_projection: e("IP", 1.0) > 0.5,
            hops: distance,
            coefficients: CoefficientKind::Ones,
            hop_reading: HopReading::Increment,
            gamma: e("G", 0.0) as f32,
            dropout: 0.0,
            ..GenConfig::default()
        }),
    ]
}

/// The training loop, the same for all three.
pub fn training(seed: u64) -> TrainConfig {
    TrainConfig {
        epochs: e("E", 200.0) as usize,
        learning_rate: e("LR", 0.01),
        patience: Some(e("P", 100.0) as usize),
        seed,
        ..TrainConfig::default()
    }
}

fn e(n: &str, d: f64) -> f64 {
    std::env::var(n).ok().and_then(|v| v.parse().ok()).unwrap_or(d)
}
