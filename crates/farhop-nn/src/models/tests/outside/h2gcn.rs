//! H2GCN with one and two rounds. The authors' last map has no offset: ours is set to zero, and its gradient is the sum of the rows
//! of the cotangent.

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("hops", &["[1, 2]"]), ("l2", &[])];

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let activation = if file.config["relu"] == true { "relu" } else { "none" };
    let config = ModelConfig::from_name("h2gcn").unwrap().with("activation", activation).unwrap();
    let config = config.with("width", file.config["hidden"].clone()).unwrap();
    let config = config.with("layers", file.config["rounds"].clone()).unwrap().with("dropout", 0.0).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let cotangent = file.find("cotangent").unwrap();
    let columns = cotangent.shape[1];
    let sum = |column: usize| cotangent.data.iter().skip(column).step_by(columns).sum::<f64>();
    let offset = |column: usize| if get.prefix.is_empty() { 0.0 } else { sum(column) };
    vec![
        ("embedding".into(), get.get("W_embed")),
        ("head.output.weight".into(), get.get("W_class")),
        ("head.output.bias".into(), Numbers { shape: vec![columns], data: (0..columns).map(offset).collect() }),
    ]
}

#[test]
fn h2gcn() {
    compare(&Outside { folder: "h2gcn", case, table, unused: &[], told: TOLD });
}
