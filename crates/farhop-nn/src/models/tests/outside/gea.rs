//! Elimination on GCN, APPNP and MixHop. Weights lie as they do here: rows are inputs.

use serde_json::Value;

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that other settings or the arrays say, too.
const TOLD: &[Told] = &[("layers", &["2"]), ("K", &[]), ("hidden", &[])];

fn coefficients(file: &OutsideFile) -> Value {
    if file.config["coefficients"] == "sym" { "gcn".into() } else { file.config["coefficients"].clone() }
}

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let model = file.config["model"].as_str()?;
    let (name, settings): (&str, Vec<(&str, Value)>) = match model {
        "appnp" => (
            "gea-appnp",
            vec![
                ("width", file.config["hidden"].clone()),
                ("hops", file.config["K"].clone()),
                ("alpha", file.config["alpha"].clone()),
                ("input_dropout", 0.0.into()),
            ],
        ),
        "mixhop" => (
            "gea-mixhop",
            vec![
                ("width", file.find("param/b1")?.data.len().into()),
                ("powers", file.config["powers"].clone()),
                ("layers", file.config["layers"].clone()),
                ("input_dropout", 0.0.into()),
            ],
        ),
        _ => (
            "gea-gcn",
            vec![
                ("width", file.config["hidden"].clone()),
                ("hops", file.config["K"].clone()),
                ("layers", file.config["layers"].clone()),
                ("join", model.strip_prefix("gcn-")?.into()),
                ("head_layers", 0.into()),
            ],
        ),
    };
    let mut config = ModelConfig::from_name(name).unwrap();
    let shared = [
        ("coefficients", coefficients(file)),
        ("norm", "none".into()),
        ("dropout", 0.0.into()),
        ("residual", false.into()),
    ];
    for (key, value) in settings.into_iter().chain(shared) {
        config = config.with(key, value).unwrap();
    }
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = Vec::new();
    let mut linear = |name: &str, weight: &str, bias: &str| {
        table.push((format!("{name}.weight"), get.get(weight)));
        table.push((format!("{name}.bias"), get.get(bias)));
    };
    match file.config["model"].as_str() {
        Some("appnp") => {
            linear("layers.0", "W1", "b1");
            linear("head.output", "W2", "b2");
        }
        Some("mixhop") => {
            linear("head.output", "Wout", "bout");
            let (block, powers) = (file.count("block"), file.config["powers"].as_array().unwrap());
            for l in 0..file.count("layers") {
                let bias = get.get(&format!("b{}", l + 1));
                for (i, power) in powers.iter().enumerate() {
                    let weight = get.get(&format!("W{}_{power}", l + 1));
                    table.push((format!("layers.{l}.powers.{i}.weight"), weight));
                    table.push((format!("layers.{l}.powers.{i}.bias"), bias.rows(i * block, (i + 1) * block)));
                }
            }
        }
        _ => {
            linear("layers.0", "W1", "b1");
            linear("layers.1", "W2", "b2");
        }
    }
    table
}

#[test]
fn elimination_on_other_models() {
    compare(&Outside { folder: "gea-on-others", case, table, unused: &[], told: TOLD });
}
