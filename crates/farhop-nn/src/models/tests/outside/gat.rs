//! GAT as its authors stack it, with features of entries, and as the tuned baseline does.

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[
    ("activation", &["elu between layers", "relu after norm"]),
    ("self_loop_edge_attr", &["null", "mean of incoming edge_attr, zeros if none"]),
    ("jk", &["null"]),
    ("bias", &["true", "false"]),
    ("residual", &["false"]),
];

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(true);
    let wrapped = file.word("wrapper_residual", &[("null", false), ("linear with bias", true)]);
    let concat = file.config["concat"].as_array().unwrap();
    let joined = |(l, concat): (usize, &serde_json::Value)| *concat == (wrapped || l + 1 < file.count("layers"));
    assert!(concat.iter().enumerate().all(joined), "{}: heads that are joined in another way", file.name);
    let [heads, channels] = ["heads", "head_dims"].map(|key| file.config[key][0].as_u64().unwrap());
    let last_heads = file.config["heads"].as_array().and_then(|heads| heads.last()).cloned()?;
    let mut config = ModelConfig::from_name("gat").unwrap();
    for (key, value) in [
        ("layers", file.config["layers"].clone()),
        ("width", (heads * channels).into()),
        ("heads", heads.into()),
        ("output_heads", last_heads),
        ("attention_slope", file.config["negative_slope"].clone()),
        ("attention_dropout", 0.0.into()),
        ("dropout", 0.0.into()),
        ("input_dropout", 0.0.into()),
        ("head_layers", usize::from(wrapped).into()),
        ("skip", (wrapped || file.config["residual"] == true).into()),
        ("input_projection", (file.config["pre_linear"] == true).into()),
        ("norm", file.word("norm", &[("null", "none"), ("batch_norm", "batch"), ("layer_norm", "layer")]).into()),
        ("activation", if wrapped { "relu" } else { "elu" }.into()),
    ] {
        config = config.with(key, value).unwrap();
    }
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

/// The norm after layer `l`, as the files of GAT and GraphSAGE call it.
pub fn norm_after(get: &Get, l: usize) -> Vec<(String, Numbers)> {
    let named = |ours: &str, theirs: &str| (format!("norms.{l}.{ours}"), get.get(&format!("layer{l}.{theirs}")));
    if get.has(&format!("layer{l}.ln_gain")) {
        return vec![named("scale", "ln_gain"), named("shift", "ln_shift")];
    }
    if !get.has(&format!("layer{l}.bn_gain")) {
        return Vec::new();
    }
    let stored = [named("running_mean", "bn_mean"), named("running_variance", "bn_var")];
    [named("scale", "bn_gain"), named("shift", "bn_shift")].into_iter().chain(stored).collect()
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = Vec::new();
    let mut add = |name: String, numbers: Numbers| table.push((name, numbers));
    for l in 0..file.count("layers") {
        let of = |name: &str| format!("layer{l}.{name}");
        add(format!("layers.{l}.weight"), get.turned(&of("weight")));
        add(format!("layers.{l}.receiver"), get.get(&of("att_dst")));
        add(format!("layers.{l}.sender"), get.get(&of("att_src")));
        // A layer with a residual of its own has one bias after both: here it is that of the residual.
        let inside = get.has(&of("w_res")) && !get.has(&of("b_res"));
        if get.has(&of("bias")) && !inside {
            add(format!("layers.{l}.bias"), get.get(&of("bias")));
        }
        if get.has(&of("w_edge")) {
            add(format!("layers.{l}.entries.numbers"), get.turned(&of("w_edge")));
            add(format!("layers.{l}.entries.vector"), get.get(&of("att_edge")));
        }
        if get.has(&of("w_res")) {
            let weight = get.turned(&of("w_res"));
            let bias = get.get(&of(if inside { "bias" } else { "b_res" }));
            add(format!("skips.{l}.weight"), weight);
            add(format!("skips.{l}.bias"), bias);
        }
        norm_after(get, l).into_iter().for_each(|(name, numbers)| add(name, numbers));
    }
    if get.has("head.weight") {
        for (ours, theirs) in [("encoder.projection", "input"), ("head.output", "head")] {
            add(format!("{ours}.weight"), get.turned(&format!("{theirs}.weight")));
            add(format!("{ours}.bias"), get.get(&format!("{theirs}.bias")));
        }
    }
    table
}

#[test]
fn gat() {
    compare(&Outside { folder: "gat", case, table, unused: &[], told: TOLD });
}
