//! Smaller versions of a model, for the advice of a memory plan.

use farhop_nn::ModelConfig;

/// Versions of a model that need less memory, the least change first, each with the setting as the user writes it.
pub fn variants(config: &ModelConfig) -> Vec<(String, ModelConfig)> {
    match config {
        ModelConfig::Gcn(gcn) => narrower(gcn.hidden, |hidden| {
            let mut smaller = gcn.clone();
            smaller.hidden = hidden;
            ModelConfig::Gcn(smaller)
        }),
        ModelConfig::Mlp(mlp) => narrower(mlp.hidden, |hidden| {
            let mut smaller = mlp.clone();
            smaller.hidden = hidden;
            ModelConfig::Mlp(smaller)
        }),
    }
}

/// The width halved again and again, down to 8.
fn narrower(
    hidden: usize,
    with_hidden: impl Fn(usize) -> ModelConfig,
) -> Vec<(String, ModelConfig)> {
    std::iter::successors(Some(hidden / 2), |hidden| Some(hidden / 2))
        .take_while(|hidden| *hidden >= 8)
        .map(|hidden| (format!("--hidden {hidden}"), with_hidden(hidden)))
        .filter(|(_, config)| config.validate().is_ok())
        .collect()
}
