//! GRIT. Degrees and walks are made from the graph here.

use super::gps::{head, head_names, linear, norm};
use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that the arrays say, too.
const TOLD: &[Told] = &[("head", &["node_linear", "pool_linear", "pool_pyramid"])];

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(true);
    let config = &file.config;
    assert!(config["full_attention"] != false, "{}: attention along a few pairs is not there", file.name);
    let mut model = ModelConfig::from_name("grit").unwrap();
    let readout = if config["pooling"] == "add" { "sum" } else { config["pooling"].as_str().unwrap_or("mean") };
    for (key, value) in [
        ("width", config["hidden"].clone()),
        ("heads", config["heads"].clone()),
        ("layers", config["layers"].clone()),
        ("walk_steps", config["rrwp_steps"].clone()),
        ("walk_identity", config["add_identity"].clone()),
        ("clamp", config["clamp"].clone()),
        ("update_pairs", config["update_e"].clone()),
        ("degree_scale", config["deg_scaler"].clone()),
        ("readout", readout.into()),
        ("head_layers", head_names(file).len().into()),
        ("halving_head", true.into()),
        ("dropout", 0.0.into()),
        ("attention_dropout", 0.0.into()),
    ] {
        model = model.with(key, value).unwrap();
    }
    Some(Case { config: model, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let (layers, heads) = (file.count("layers"), file.count("heads"));
    let mut all = linear(get, "encoder.projection", "enc.node");
    all.extend(linear(get, "edges.projection", "enc.edge"));
    all.push(("own_walks".into(), get.turned("rrwp.node.weight")));
    all.push(("pair_walks".into(), get.turned("rrwp.pair.weight")));
    for l in 0..layers {
        let (ours, theirs) = (|name: &str| format!("layers.{l}.{name}"), |name: &str| format!("layer{l}.{name}"));
        for (a, b) in [("query", "Q"), ("pair", "E"), ("output", "O_h"), ("feed.inner", "ff1"), ("feed.outer", "ff2")] {
            all.extend(linear(get, &ours(a), &theirs(b)));
        }
        all.push((ours("key"), get.turned(&theirs("K.weight"))));
        all.push((ours("value"), get.turned(&theirs("V.weight"))));
        // [channel, head, 1] and [channel, head, channel]: heads come first here.
        all.push((ours("score"), by_head(&get.get(&theirs("Aw")), heads)));
        all.push((ours("pair_value"), by_head(&get.get(&theirs("Ve")), heads)));
        if get.has(&theirs("deg_coef")) {
            let coefficients = get.get(&theirs("deg_coef"));
            let flat = Numbers { shape: coefficients.shape[1..].to_vec(), data: coefficients.data };
            all.push((ours("degree"), flat.transposed()));
        }
        for (a, b) in [("norm", "bn1_h"), ("feed_norm", "bn2_h")] {
            all.extend(norm(get, &ours(a), &theirs(b), true));
        }
        // Nobody reads the pairs after the last layer: the file has them with gradients of zero.
        if get.has(&theirs("O_e.weight")) {
            let mut pairs = linear(get, &ours("pair_output"), &theirs("O_e"));
            pairs.extend(norm(get, &ours("pair_norm"), &theirs("bn1_e"), true));
            if l + 1 < layers {
                all.extend(pairs);
            }
        }
    }
    all.extend(head(file, get));
    all
}

/// `[C, H, D]` as `[H, C, D]`.
fn by_head(numbers: &Numbers, heads: usize) -> Numbers {
    let (channels, columns) = (numbers.shape[0], numbers.shape[2]);
    let at = |h: usize, c: usize| numbers.data[(c * heads + h) * columns..][..columns].to_vec();
    let data = (0..heads).flat_map(|h| (0..channels).flat_map(move |c| at(h, c))).collect();
    Numbers { shape: vec![heads, channels, columns], data }
}

#[test]
fn grit() {
    compare(&Outside { folder: "grit", case, table, unused: &[], told: TOLD });
}
