//! NodeFormer with the draws of the files. Their loss on edges is not part of the model here.

use super::{Case, Get, How, Numbers, Outside, OutsideFile, Pass, compare_how};
use crate::models::nodeformer::RecordedNoise;
use crate::{Batch, ModelConfig};

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let settings = [
        ("width", "hidden_channels"),
        ("layers", "layers"),
        ("heads", "heads"),
        ("temperature", "tau"),
        ("features", "random_features"),
        ("samples", "gumbel_samples"),
        ("orders", "rb_order"),
        ("relation_weight", "rb_trans"),
        ("layer_activation", "use_act"),
        ("jumps", "use_jk"),
        ("residual", "use_residual"),
        ("dropout", "dropout"),
    ];
    let config = ModelConfig::from_name("nodeformer").ok()?;
    let config = settings
        .into_iter()
        .try_fold(config, |config, (ours, theirs)| config.with(ours, file.config[theirs].clone()))
        .unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = Vec::new();
    let mut pair = |ours: &str, arrays: [&str; 2], theirs: &str| {
        for (our, their) in arrays.into_iter().zip(["weight", "bias"]) {
            table.push((format!("{ours}.{our}"), get.get(&format!("{theirs}.{their}"))));
        }
    };
    let (linear, norm) = (["weight", "bias"], ["scale", "shift"]);
    pair("input", linear, "in");
    pair("input_norm", norm, "ln.0");
    pair("head.output", linear, "out");
    for i in 0..file.count("layers") {
        for (ours, theirs) in [("query", "Wq"), ("key", "Wk"), ("value", "Wv"), ("output", "Wo")] {
            pair(&format!("layers.{i}.{ours}"), linear, &format!("{i}.{theirs}"));
        }
        pair(&format!("norms.{i}"), norm, &format!("ln.{}", i + 1));
    }
    for i in 0..file.count("layers") {
        let orders = get.get(&format!("{i}.b"));
        for r in 0..orders.shape[0] {
            table.push((format!("layers.{i}.relations.{r}"), orders.rows(r, r + 1)));
        }
    }
    table
}

/// Puts the draws of the file into the batch.
fn prepare(file: &OutsideFile, pass: &Pass, batch: &Batch) {
    let layers = file.count("layers");
    let kind = if pass.training { "train" } else { "eval" };
    let directions = |i: usize| file.find(&format!("draw/P_{kind}_{i}")).unwrap().data;
    // [N, H, samples] to [samples, N, H].
    let samples = file.count("gumbel_samples");
    let exponentials = |i: usize| {
        let drawn = file.find(&format!("draw/exp_{i}")).unwrap();
        let rows = drawn.data.len() / samples;
        drawn.reshaped(&[rows, samples]).transposed().data
    };
    let recorded = RecordedNoise {
        directions: (0..layers).map(directions).collect(),
        exponentials: (0..layers).filter(|_| pass.training).map(exponentials).collect(),
    };
    batch.derived(0, |_| recorded);
}

#[test]
fn nodeformer() {
    let outside = Outside { folder: "nodeformer", case, table, unused: &[] };
    compare_how(&outside, &How { prepare: &prepare, ..How::default() });
}
