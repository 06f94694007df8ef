//! Smaller versions of a model, for the advice of a memory plan.

use farhop_nn::{GenConfig, ModelConfig};

/// The setting that costs time only.
pub(super) const RECOMPUTE: &str = "--recompute";

/// Versions of a model that need less memory, in the order they are to be tried: what costs time before what costs hops,
/// and hops before width. Each comes with the settings as the user writes them.
pub fn variants(config: &ModelConfig, training: bool) -> Vec<(String, ModelConfig)> {
    let smaller = match config {
        ModelConfig::Gen(gen_config) => smaller_gen(gen_config, training),
        ModelConfig::Gcn(gcn) => widths(gcn.width)
            .map(|width| {
                let mut smaller = gcn.clone();
                smaller.width = width;
                (hidden(width), ModelConfig::Gcn(smaller))
            })
            .collect(),
        ModelConfig::Mlp(mlp) => widths(mlp.width)
            .map(|width| {
                let mut smaller = mlp.clone();
                smaller.width = width;
                (hidden(width), ModelConfig::Mlp(smaller))
            })
            .collect(),
    };
    smaller.into_iter().filter(|(_, config)| config.validate().is_ok()).collect()
}

fn smaller_gen(config: &GenConfig, training: bool) -> Vec<(String, ModelConfig)> {
    let mut base = config.clone();
    let mut settings = Vec::new();
    let mut smaller = Vec::new();
    // Only the backward pass has something to compute again.
    if training && !config.recompute {
        base.recompute = true;
        settings.push(RECOMPUTE.to_string());
        smaller.push((settings.join(" "), ModelConfig::Gen(base.clone())));
    }
    let mut add = |setting: String, config: GenConfig| {
        let settings = [settings.as_slice(), &[setting]].concat().join(" ");
        smaller.push((settings, ModelConfig::Gen(config)));
    };
    for hops in (1..config.hops).rev() {
        let mut fewer = base.clone();
        fewer.hops = hops;
        add(format!("--hops {hops}"), fewer);
    }
    for width in widths(config.width) {
        let mut narrower = base.clone();
        narrower.width = width;
        add(hidden(width), narrower);
    }
    smaller
}

/// The width halved again and again, down to 8.
fn widths(width: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(width / 2), |width| Some(width / 2)).take_while(|width| *width >= 8)
}

fn hidden(width: usize) -> String {
    format!("--hidden {width}")
}
