//! APPNP after a perceptron of one hidden layer.

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("activation", &["relu inside the MLP"])];

fn case(file: &OutsideFile) -> Option<Case> {
    // The gradients of that file are those of a dropout that compounds over the steps.
    if file.config["edge_dropout"].as_f64() != Some(0.0) {
        return None;
    }
    let (arrays, inputs) = file.arrays(false);
    let config = ModelConfig::from_name("appnp").unwrap();
    let config = config.with("width", file.config["dims"][1].clone()).unwrap();
    let config =
        config.with("hops", file.config["K"].clone()).unwrap().with("alpha", file.config["alpha"].clone()).unwrap();
    Some(Case {
        config: config.with("dropout", 0.0).unwrap().with("input_dropout", 0.0).unwrap(),
        inputs,
        outputs: file.outputs(),
        arrays,
    })
}

fn table(_file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    vec![
        ("layers.0.weight".into(), get.turned("lin1.weight")),
        ("layers.0.bias".into(), get.get("lin1.bias")),
        ("head.output.weight".into(), get.turned("lin2.weight")),
        ("head.output.bias".into(), get.get("lin2.bias")),
    ]
}

#[test]
fn appnp() {
    compare(&Outside { folder: "appnp", case, table, unused: &[], told: TOLD });
}
