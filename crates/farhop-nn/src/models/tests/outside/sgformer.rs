//! SGFormer: the authors' large version, with every option turned, and the medium one with jumps.

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare};
use crate::ModelConfig;

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("variant", &["large", "medium"]), ("gnn_act", &["true"])];

fn is_large(file: &OutsideFile) -> bool {
    file.word("gnn", &[("gcn_residual", true), ("gcn_stack", false)])
}

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let of = |key: &str| file.config[key].clone();
    let large = is_large(file);
    let norm = |on: &str, kind: &'static str| if file.config[on] == true { kind } else { "none" };
    let settings = [
        ("width", of("hidden_channels")),
        ("layers", of("gnn_layers")),
        ("attention_layers", of("trans_layers")),
        ("heads", of("heads")),
        ("alpha", of("alpha")),
        ("residual", of("trans_residual")),
        ("attention_norm", norm("trans_ln", "layer").into()),
        ("norm", norm("gnn_bn", "batch").into()),
        ("attention_activation", of("trans_act")),
        ("value_weight", of("trans_value_weight")),
        ("jumps", of("jk")),
        ("branch", if large { "skip" } else { "plain" }.into()),
        ("reads_first", of("gnn_init")),
        ("join", file.word("aggregate", &[("cat", "concat"), ("add", "add")]).into()),
        ("graph_weight", of("graph_weight")),
        ("dropout", 0.0.into()),
        ("attention_dropout", 0.0.into()),
    ];
    let config = ModelConfig::from_name("sgformer").unwrap();
    let config = settings.into_iter().try_fold(config, |config, (key, value)| config.with(key, value)).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table: Vec<(String, Numbers)> = Vec::new();
    let mut linear = |ours: &str, theirs: &str| {
        table.push((format!("{ours}.weight"), get.get(&format!("{theirs}.weight"))));
        table.push((format!("{ours}.bias"), get.get(&format!("{theirs}.bias"))));
    };
    let large = is_large(file);
    linear("head.output", "fc");
    linear("input", "trans.in");
    for i in 0..file.count("trans_layers") {
        linear(&format!("attention.{i}.query"), &format!("trans.{i}.Wq"));
        linear(&format!("attention.{i}.key"), &format!("trans.{i}.Wk"));
        if file.config["trans_value_weight"] == true {
            linear(&format!("attention.{i}.value"), &format!("trans.{i}.Wv"));
        }
    }
    if large {
        linear("graph_input", "gnn.in");
    } else {
        (0..file.count("gnn_layers")).for_each(|i| linear(&format!("convolutions.{i}"), &format!("gnn.{i}")));
    }
    let width = file.count("hidden_channels");
    for i in (0..file.count("gnn_layers")).filter(|_| large) {
        let weight = get.get(&format!("gnn.{i}.W.weight"));
        table.push((format!("convolutions.{i}.weight"), weight.rows(0, width)));
        table.push((format!("convolutions.{i}.bias"), get.get(&format!("gnn.{i}.W.bias"))));
        if file.config["gnn_init"] == true {
            table.push((format!("first.{i}"), weight.rows(width, 2 * width)));
        }
    }
    let mut norm = |ours: &str, theirs: &str, running: bool| {
        let names = [("scale", "weight"), ("shift", "bias")];
        let stored = [("running_mean", "running_mean"), ("running_variance", "running_var")];
        if !get.has(&format!("{theirs}.weight")) {
            return;
        }
        for (our, their) in names.into_iter().chain(stored.into_iter().filter(|_| running)) {
            table.push((format!("{ours}.{our}"), get.get(&format!("{theirs}.{their}"))));
        }
    };
    norm("input_norm", "trans.ln.0", false);
    (0..file.count("trans_layers"))
        .for_each(|i| norm(&format!("attention.{i}.norm"), &format!("trans.ln.{}", i + 1), false));
    let layers = file.count("gnn_layers");
    if large {
        norm("graph_input_norm", "gnn.bn.0", true);
        (0..layers).for_each(|i| norm(&format!("norms.{i}"), &format!("gnn.bn.{}", i + 1), true));
    } else {
        (0..layers - 1).for_each(|i| norm(&format!("norms.{i}"), &format!("gnn.bn.{i}"), true));
    }
    table
}

#[test]
fn sgformer() {
    compare(&Outside { folder: "sgformer", case, table, unused: &[], told: TOLD });
}
