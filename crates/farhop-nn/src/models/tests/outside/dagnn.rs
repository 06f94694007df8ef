//! DAGNN after a perceptron of one hidden layer, with and without batch normalisation.

use super::{Case, Get, Numbers, Outside, OutsideFile, compare_log_probabilities};
use crate::ModelConfig;

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let norm = if file.config["batch_norm"] == true { "batch" } else { "none" };
    let config = ModelConfig::from_name("dagnn").unwrap().with("norm", norm).unwrap();
    let config = config.with("width", file.config["hidden"].clone()).unwrap();
    let config = config.with("hops", file.config["K"].clone()).unwrap();
    let config = config.with("dropout", 0.0).unwrap().with("input_dropout", 0.0).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(_file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = vec![
        ("predictor.layers.0.weight".into(), get.turned("lin1.weight")),
        ("predictor.layers.0.bias".into(), get.get("lin1.bias")),
        ("predictor.head.output.weight".into(), get.turned("lin2.weight")),
        ("predictor.head.output.bias".into(), get.get("lin2.bias")),
        ("gate.weight".into(), get.turned("prop.proj.weight")),
        ("gate.bias".into(), get.get("prop.proj.bias")),
    ];
    if get.has("bn.weight") {
        let norm = [
            ("scale", "bn.weight"),
            ("shift", "bn.bias"),
            ("running_mean", "bn.running_mean"),
            ("running_variance", "bn.running_var"),
        ];
        table.extend(norm.map(|(ours, theirs)| (format!("predictor.norms.0.{ours}"), get.get(theirs))));
    }
    table
}

#[test]
fn dagnn() {
    compare_log_probabilities(&Outside { folder: "dagnn", case, table, unused: &[], told: &[] });
}
