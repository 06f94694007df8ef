//! MixHop with powers in order, with a hole and out of order, and with a norm between layers.

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("after_last", &["relu, linear head"])];

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let norm = file.word("between", &[("relu", "none"), ("batch norm, relu", "batch")]);
    let powers = file.config["powers"].as_array().unwrap().len();
    let mut config = ModelConfig::from_name("mixhop").unwrap();
    for (key, value) in [
        ("powers", file.config["powers"].clone()),
        ("width", (file.count("out_per_power") * powers).into()),
        ("layers", file.config["layers"].clone()),
        ("norm", norm.into()),
        // The files have a norm between layers only.
        ("norm_last", false.into()),
        ("dropout", 0.0.into()),
        ("input_dropout", 0.0.into()),
    ] {
        config = config.with(key, value).unwrap();
    }
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let (channels, powers) = (file.count("out_per_power"), file.config["powers"].as_array().unwrap());
    let mut table = Vec::new();
    for l in 0..file.count("layers") {
        let names = [("scale", "gain"), ("shift", "shift"), ("running_mean", "mean"), ("running_variance", "var")];
        for (ours, theirs) in names.into_iter().filter(|_| get.has(&format!("layer{l}.bn.gain"))) {
            table.push((format!("norms.{l}.{ours}"), get.get(&format!("layer{l}.bn.{theirs}"))));
        }
        let bias = get.get(&format!("layer{l}.bias"));
        for (i, power) in powers.iter().enumerate() {
            let weight = get.turned(&format!("layer{l}.w_power{power}"));
            table.push((format!("layers.{l}.powers.{i}.weight"), weight));
            table.push((format!("layers.{l}.powers.{i}.bias"), bias.rows(i * channels, (i + 1) * channels)));
        }
    }
    table.push(("head.output.weight".into(), get.turned("head.weight")));
    table.push(("head.output.bias".into(), get.get("head.bias")));
    table
}

#[test]
fn mixhop() {
    compare(&Outside { folder: "mixhop", case, table, unused: &[], told: TOLD });
}
