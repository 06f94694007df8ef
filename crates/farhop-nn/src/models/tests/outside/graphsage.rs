//! GraphSAGE: plain, with the options of its paper, and as the tuned baseline.

use super::gat::norm_after;
use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[
    ("aggregation", &["mean"]),
    ("activation", &["relu between layers", "relu after norm"]),
    ("root_weight", &["true"]),
    ("bias", &["true"]),
];

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let wrapped = file.word("residual", &[("null", false), ("linear", true)]);
    let mut config = ModelConfig::from_name("graphsage").unwrap();
    for (key, value) in [
        ("layers", file.config["layers"].clone()),
        ("width", file.config["dims"][1].clone()),
        ("project", file.config["project"].clone()),
        ("normalise", file.config["l2_normalize"].clone()),
        ("self_in_mean", file.config["self_loops_in_graph"].clone()),
        ("jump", file.word("jk", &[("null", "none"), ("sum", "sum")]).into()),
        ("head_layers", usize::from(wrapped).into()),
        ("skip", wrapped.into()),
        ("norm", file.word("norm", &[("null", "none"), ("layer_norm", "layer"), ("batch_norm", "batch")]).into()),
    ] {
        config = config.with(key, value).unwrap();
    }
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = Vec::new();
    let mut add = |name: String, numbers: Numbers| table.push((name, numbers));
    for l in 0..file.count("layers") {
        let of = |name: &str| format!("layer{l}.{name}");
        add(format!("layers.{l}.neighbours"), get.turned(&of("w_neigh")));
        add(format!("layers.{l}.root"), get.turned(&of("w_root")));
        add(format!("layers.{l}.bias"), get.get(&of("bias")));
        if get.has(&of("w_proj")) {
            add(format!("layers.{l}.project.weight"), get.turned(&of("w_proj")));
            add(format!("layers.{l}.project.bias"), get.get(&of("b_proj")));
        }
        if get.has(&of("w_res")) {
            add(format!("skips.{l}.weight"), get.turned(&of("w_res")));
            add(format!("skips.{l}.bias"), get.get(&of("b_res")));
        }
        norm_after(get, l).into_iter().for_each(|(name, numbers)| add(name, numbers));
    }
    if get.has("head.weight") {
        add("head.output.weight".into(), get.turned("head.weight"));
        add("head.output.bias".into(), get.get("head.bias"));
    }
    table
}

#[test]
fn graphsage() {
    compare(&Outside { folder: "graphsage", case, table, unused: &[], told: TOLD });
}
