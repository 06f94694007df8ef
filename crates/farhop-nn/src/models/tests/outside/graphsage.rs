//! GraphSAGE: plain, with the options of its paper, and as the tuned baseline.

use super::{Case, Get, Numbers, Outside, OutsideFile, compare};
use crate::ModelConfig;

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let wrapped = !file.config["residual"].is_null();
    let mut config = ModelConfig::from_name("graphsage").ok()?;
    for (key, value) in [
        ("layers", file.config["layers"].clone()),
        ("width", file.config["dims"][1].clone()),
        ("project", file.config["project"].clone()),
        ("normalise", file.config["l2_normalize"].clone()),
        ("self_in_mean", file.config["self_loops_in_graph"].clone()),
        ("jump", if wrapped { "sum" } else { "none" }.into()),
        ("head_layers", usize::from(wrapped).into()),
        ("skip", wrapped.into()),
        ("norm", if wrapped { "layer" } else { "none" }.into()),
    ] {
        config = config.with(key, value).ok()?;
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
            add(format!("norms.{l}.scale"), get.get(&of("ln_gain")));
            add(format!("norms.{l}.shift"), get.get(&of("ln_shift")));
        }
    }
    if get.has("head.weight") {
        add("head.output.weight".into(), get.turned("head.weight"));
        add("head.output.bias".into(), get.get("head.bias"));
    }
    table
}

#[test]
fn graphsage() {
    compare(&Outside { folder: "graphsage", case, table, unused: &[] });
}
