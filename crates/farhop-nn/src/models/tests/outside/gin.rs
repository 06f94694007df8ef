//! GIN on nodes and with the paper's readout; GINE with an encoder for all layers and for each.

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("edge_projection", &[])];

fn case(file: &OutsideFile) -> Option<Case> {
    let gine = file.word("kind", &[("gin", false), ("gine", true)]);
    let shared = file.find("param/edge_encoder.weight").is_some();
    let said = file.config["readout"].as_str().unwrap();
    let every_layer = said.starts_with("sum of linear(sum pool)");
    let known = every_layer || ["mean pool, linear", "linear on each node"].contains(&said);
    assert!(known, "{}: a readout that is {said} is not there", file.name);
    let (arrays, inputs) = file.arrays(gine);
    let usual = if gine { "none" } else { "batch" };
    let norm = file.word("after_layer", &[("relu", "none"), ("batch norm, relu", "batch"), ("null", usual)]);
    let maps = [("linear, relu, linear", "none"), ("linear, batch norm, relu, linear", "batch"), ("null", usual)];
    let inner_norm = file.word("mlp", &maps);
    let readout = if every_layer { "sum" } else { "mean" };
    let reading = match (gine, shared) {
        (false, _) => "none",
        (true, true) => "shared",
        (true, false) => "each-layer",
    };
    let mut config = ModelConfig::from_name("gin").unwrap();
    for (key, value) in [
        ("layers", file.config["layers"].clone()),
        ("width", file.find("param/layer0.lin1.weight")?.shape[0].into()),
        ("learn_epsilon", file.config["train_eps"].clone()),
        ("edge_features", reading.into()),
        ("every_layer", every_layer.into()),
        ("norm", norm.into()),
        ("inner_norm", inner_norm.into()),
        ("readout", readout.into()),
        ("residual", (file.config["residual"] == true).into()),
        ("input_projection", file.find("param/node_encoder.weight").is_some().into()),
    ] {
        config = config.with(key, value).unwrap();
    }
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = Vec::new();
    let mut linear = |ours: String, theirs: String| {
        if get.has(&format!("{theirs}.weight")) {
            table.push((format!("{ours}.weight"), get.turned(&format!("{theirs}.weight"))));
            table.push((format!("{ours}.bias"), get.get(&format!("{theirs}.bias"))));
        }
    };
    linear("encoder.projection".into(), "node_encoder".into());
    linear("entries.projection".into(), "edge_encoder".into());
    for l in 0..file.count("layers") {
        linear(format!("layers.{l}"), format!("layer{l}.lin1"));
        linear(format!("layers.{l}.output"), format!("layer{l}.lin2"));
        linear(format!("layers.{l}.entries.projection"), format!("layer{l}.edge"));
    }
    for head in 0..=file.count("layers") {
        linear(format!("heads.{head}.output"), format!("head{head}"));
    }
    for l in 0..file.count("layers") {
        // Where it is not learned, it is no parameter.
        if file.config["train_eps"] == true {
            table.push((format!("layers.{l}.epsilon"), get.get(&format!("layer{l}.eps"))));
        }
        for (ours, theirs) in [(format!("layers.{l}.norm"), "bn"), (format!("norms.{l}"), "outer_bn")] {
            let names = [("scale", "gain"), ("shift", "shift"), ("running_mean", "mean"), ("running_variance", "var")];
            for (own, name) in names.into_iter().filter(|_| get.has(&format!("layer{l}.{theirs}.gain"))) {
                table.push((format!("{ours}.{own}"), get.get(&format!("layer{l}.{theirs}.{name}"))));
            }
        }
    }
    table
}

#[test]
fn gin() {
    compare(&Outside { folder: "gin", case, table, unused: &[], told: TOLD });
}
