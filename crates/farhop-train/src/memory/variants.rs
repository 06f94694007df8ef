//! Smaller versions of a model, for the advice of a memory plan.

use farhop_nn::ModelConfig;

/// Versions of a model that need less memory, the least change first, each with the setting as the user writes it.
pub fn variants(config: &ModelConfig) -> Vec<(String, ModelConfig)> {
    match config {
        ModelConfig::Gcn(gcn) => narrower(gcn.width, |width| {
            let mut smaller = gcn.clone();
            smaller.width = width;
            ModelConfig::Gcn(smaller)
        }),
        ModelConfig::Mlp(mlp) => narrower(mlp.width, |width| {
            let mut smaller = mlp.clone();
            smaller.width = width;
            ModelConfig::Mlp(smaller)
        }),
    }
}

/// The width halved again and again, down to 8.
fn narrower(width: usize, with_width: impl Fn(usize) -> ModelConfig) -> Vec<(String, ModelConfig)> {
    std::iter::successors(Some(width / 2), |width| Some(width / 2))
        .take_while(|width| *width >= 8)
        .map(|width| (format!("--hidden {width}"), with_width(width)))
        .filter(|(_, config)| config.validate().is_ok())
        .collect()
}
