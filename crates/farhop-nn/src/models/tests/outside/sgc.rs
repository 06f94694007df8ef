//! SGC with one linear map.

use super::{Case, Get, Numbers, Outside, OutsideFile, compare};
use crate::ModelConfig;

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let config = ModelConfig::from_name("sgc").unwrap().with("hops", file.config["K"].clone()).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(_file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    vec![("head.output.weight".into(), get.turned("lin.weight")), ("head.output.bias".into(), get.get("lin.bias"))]
}

#[test]
fn sgc() {
    compare(&Outside { folder: "sgc", case, table, unused: &[], told: &[] });
}
