//! Jumping knowledge over graph convolutions: side by side, the largest, weighed by a memory.

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[
    ("activation", &["relu after every layer, the last one too"]),
    ("lstm_gate_order", &["null", "input, forget, cell, output"]),
];

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let jump = file.word("mode", &[("cat", "concat"), ("max", "max"), ("lstm", "lstm")]);
    let config = ModelConfig::from_name("jknet").unwrap().with("jump", jump).unwrap();
    let config = config.with("layers", file.config["layers"].clone()).unwrap();
    let config = config.with("width", file.config["hidden"].clone()).unwrap().with("dropout", 0.0).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = Vec::new();
    let mut linear = |ours: String, theirs: String| {
        table.push((format!("{ours}.weight"), get.turned(&format!("{theirs}.weight"))));
        table.push((format!("{ours}.bias"), get.get(&format!("{theirs}.bias"))));
    };
    for l in 0..file.count("layers") {
        linear(format!("layers.{l}"), format!("layer{l}"));
    }
    linear("head.output".into(), "head".into());
    if get.has("att.weight") {
        linear("jump.score".into(), "att".into());
        for direction in ["forward", "backward"] {
            for name in ["w_in", "w_rec", "b_in", "b_rec"] {
                table.push((format!("jump.{direction}.{name}"), get.get(&format!("lstm.{direction}.{name}"))));
            }
        }
    }
    table
}

#[test]
fn jknet() {
    compare(&Outside { folder: "jknet", case, table, unused: &[], told: TOLD });
}
