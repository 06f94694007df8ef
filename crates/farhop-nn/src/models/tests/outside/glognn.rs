//! GloGNN and GloGNN++, the small and the large form: the small one gives logarithms of probabilities.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use super::{Case, Get, How, Numbers, Outside, OutsideFile, PASSES, Pass, compare_how, compare_one, files};
use crate::ModelConfig;

fn is_large(file: &OutsideFile) -> bool {
    file.word("model", &[("glognn", false), ("glognn_large", true)])
}

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let large = is_large(file);
    let orders = file.word("orders_func", &[("1", "equal"), ("2", "learned"), ("3", "per-node")]);
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
        ("weighted", file.word("norm_func", &[("1", false), ("2", true)]).into()),
        ("dropout", 0.0.into()),
    ];
    let start = ModelConfig::from_name("glognn").unwrap();
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

// The authors' class has all parameters, whichever its settings read.
const OUTSIDE: Outside = Outside {
    folder: "glognn",
    case,
    table,
    unused: &["orders_weight", "orders_weight_matrix", "orders_weight_matrix2", "diag_weight"],
    told: &[],
};

#[test]
fn glognn() {
    compare_how(&OUTSIDE, &How { read, ..How::default() });
}

/// A file may have outputs for other sums of orders, with the same weights.
#[test]
fn other_sums_of_orders() {
    let passes = [Pass { gradients: None, ..PASSES[0] }];
    let mut compared = 0;
    for (orders, mut file) in
        [1, 3].into_iter().flat_map(|orders| files(OUTSIDE.folder).into_iter().map(move |file| (orders, file)))
    {
        let outputs = format!("variant/out_orders{orders}");
        if file.find(&outputs).is_none() {
            continue;
        }
        file.set("orders_func", orders);
        file.exchange("out", &outputs);
        for name in ["orders_weight_matrix", "orders_weight_matrix2"] {
            file.exchange(&format!("param/{name}"), &format!("variant/{name}"));
        }
        compare_one(&OUTSIDE, &file, &case(&file).unwrap(), &How { passes: &passes, read, ..How::default() });
        compared += 1;
    }
    assert!(compared > 0);
}
