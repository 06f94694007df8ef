//! GloGNN and GloGNN++, the small and the large form: the small one gives logarithms of probabilities.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use super::{Case, Get, How, Numbers, Outside, OutsideFile, compare_how};
use crate::ModelConfig;

fn is_large(file: &OutsideFile) -> bool {
    file.config["model"] == "glognn_large"
}

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let large = is_large(file);
    let orders = match file.config["orders_func"].as_u64() {
        Some(1) => "equal",
        Some(2) => "learned",
        _ => "per-node",
    };
    let settings = [
        ("layers", file.config["norm_layers"].clone()),
        ("width", file.config["hidden"].clone()),
        ("hops", file.config["orders"].clone()),
        ("orders", orders.into()),
        ("alpha", file.config["alpha"].clone()),
        ("beta", file.config["beta"].clone()),
        ("gamma", file.config["gamma"].clone()),
        ("delta", file.config["delta"].clone()),
        ("adjacency_nodes", arrays.graph.nodes().into()),
        ("adjacency", if large { "sum" } else { "mean" }.into()),
        ("head_layers", if large { 2 } else { 1 }.into()),
        ("weighted", (file.config["norm_func"] == 2).into()),
        ("dropout", 0.0.into()),
    ];
    let start = ModelConfig::from_name("glognn").ok()?;
    let config = settings.into_iter().try_fold(start, |config, (key, value)| config.with(key, value)).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let adjacency = if is_large(file) { "fc4" } else { "fc3" };
    let mut table = vec![
        ("features.weight".into(), get.turned("fc1.weight")),
        ("features.bias".into(), get.get("fc1.bias")),
        ("table".into(), get.turned(&format!("{adjacency}.weight"))),
        ("table_bias".into(), get.get(&format!("{adjacency}.bias"))),
        ("head.output.weight".into(), get.turned("fc2.weight")),
        ("head.output.bias".into(), get.get("fc2.bias")),
    ];
    if is_large(file) {
        table.push(("head.hidden.0.weight".into(), get.turned("fc3.weight")));
        table.push(("head.hidden.0.bias".into(), get.get("fc3.bias")));
    }
    let (orders, weighted) = (file.config["orders_func"].as_u64(), file.config["norm_func"] == 2);
    for (ours, theirs, there) in [
        ("orders", "orders_weight", orders == Some(2)),
        ("node_orders", "orders_weight_matrix", orders == Some(3)),
        ("node_orders_mix", "orders_weight_matrix2", orders == Some(3)),
        ("weights", "diag_weight", weighted),
    ] {
        if there {
            table.push((ours.into(), get.get(theirs)));
        }
    }
    table
}

fn read(outputs: Tensor<2>, file: &OutsideFile) -> Tensor<2> {
    if is_large(file) { outputs } else { log_softmax(outputs, 1) }
}

#[test]
fn glognn() {
    // The authors' class has all parameters, whichever its settings read.
    let unused = &["orders_weight", "orders_weight_matrix", "orders_weight_matrix2", "diag_weight"];
    compare_how(&Outside { folder: "glognn", case, table, unused }, &How { read, ..How::default() });
}
