//! GAT as its authors stack it, with features of entries, and as the tuned baseline does.

use super::{Case, Get, Numbers, Outside, OutsideFile, compare};
use crate::ModelConfig;

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(true);
    let wrapped = !file.config["wrapper_residual"].is_null();
    let [heads, channels] = ["heads", "head_dims"].map(|key| file.config[key][0].as_u64().unwrap());
    let last_heads = file.config["heads"].as_array().and_then(|heads| heads.last()).cloned()?;
    let mut config = ModelConfig::from_name("gat").ok()?;
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
        ("input_projection", wrapped.into()),
        ("norm", if wrapped { "batch" } else { "none" }.into()),
        ("activation", if wrapped { "relu" } else { "elu" }.into()),
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
        if get.has(&of("bn_gain")) {
            add(format!("norms.{l}.scale"), get.get(&of("bn_gain")));
            add(format!("norms.{l}.shift"), get.get(&of("bn_shift")));
            add(format!("norms.{l}.running_mean"), get.get(&of("bn_mean")));
            add(format!("norms.{l}.running_variance"), get.get(&of("bn_var")));
        }
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
    compare(&Outside { folder: "gat", case, table, unused: &[] });
}
