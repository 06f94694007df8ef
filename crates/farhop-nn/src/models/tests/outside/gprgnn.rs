//! GPR-GNN after a perceptron of one hidden layer, and its coefficients before training.

use super::{Case, Get, Numbers, Outside, OutsideFile, compare_log_probabilities, files};
use crate::ModelConfig;
use crate::models::gprgnn::{Gprgnn, HopStart};

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let config = ModelConfig::from_name("gprgnn").unwrap();
    let config = config.with("width", file.config["hidden"].clone()).unwrap();
    let config = config.with("hops", file.config["K"].clone()).unwrap().with("spread_dropout", 0.0).unwrap();
    let config = config.with("dropout", 0.0).unwrap().with("input_dropout", 0.0).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(_file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    vec![
        ("predictor.layers.0.weight".into(), get.turned("lin1.weight")),
        ("predictor.layers.0.bias".into(), get.get("lin1.bias")),
        ("predictor.head.output.weight".into(), get.turned("lin2.weight")),
        ("predictor.head.output.bias".into(), get.get("lin2.bias")),
        ("hops".into(), get.get("prop1.temp")),
    ]
}

#[test]
fn gprgnn() {
    compare_log_probabilities(&Outside { folder: "gprgnn", case, table, unused: &[], told: &[] });
}

#[test]
fn gprgnn_starts_as_the_authors_do() {
    let mut compared = 0;
    for file in files("gprgnn") {
        for name in file.names().filter(|name| name.starts_with("init/")) {
            let words: Vec<&str> = name.trim_start_matches("init/").split('_').collect();
            let [kind, alpha, hops] = words[..] else { panic!("{name}") };
            let hops = hops.trim_start_matches('K').parse().unwrap();
            let settings = match kind {
                "PPR" => Gprgnn { start: HopStart::Pagerank, alpha: alpha.parse().unwrap(), ..Gprgnn::default() },
                "NPPR" => Gprgnn { start: HopStart::Powers, alpha: alpha.parse().unwrap(), ..Gprgnn::default() },
                "SGC" => Gprgnn { start: HopStart::OneHop, start_hop: alpha.parse().unwrap(), ..Gprgnn::default() },
                _ => continue,
            };
            let found = Gprgnn { hops, ..settings }.coefficients(1);
            let expected = file.find(name).unwrap().data;
            assert_eq!(found.len(), expected.len(), "{name}");
            for (found, expected) in found.iter().zip(expected) {
                assert!((f64::from(*found) - expected).abs() < 1e-6, "{name}: {found} instead of {expected}");
            }
            compared += 1;
        }
    }
    assert!(compared > 0);
}
