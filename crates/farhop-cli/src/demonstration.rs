//! The settings of the built-in demonstration: the task, the three models, the training loop.

use farhop_data::synthetic::HopMajorityOptions;
use farhop_nn::{ModelConfig, NnError};
use farhop_train::TrainConfig;
use serde_json::{Value, json};

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
///
/// # Errors
/// Never: the settings are those of the models.
pub fn models(distance: usize) -> Result<Vec<ModelConfig>, NnError> {
    let settings = [
        ("mlp", json!({ "layers": 2 })),
        ("gcn", json!({ "layers": distance, "input_projection": true, "norm": "batch" })),
        ("gen", json!({ "layers": 1, "hops": distance, "coefficients": "ones", "hop_reading": "increment" })),
    ];
    let model = |(name, settings): (&str, Value)| {
        let shared = ModelConfig::from_name(name)?.with("width", WIDTH)?.with("dropout", 0.0)?;
        let settings = settings.as_object().cloned().unwrap_or_default();
        settings.into_iter().try_fold(shared, |model, (key, value)| model.with(&key, value))
    };
    settings.into_iter().map(model).collect()
}

/// The training loop, the same for all three.
pub fn training(seed: u64) -> TrainConfig {
    TrainConfig { epochs: 300, learning_rate: 0.01, patience: Some(150), seed, ..TrainConfig::default() }
}
