//! NodeFormer with the draws of the files, and its loss on edges.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::{
    Case, Get, How, Numbers, Outside, OutsideFile, PASSES, Pass, Told, assert_close, compare_how, files, loaded,
};
use crate::models::nodeformer::RecordedNoise;
use crate::ops::bridge;
use crate::{Batch, Context, ModelConfig};

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("use_ln", &["true"])];

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
    let config = ModelConfig::from_name("nodeformer").unwrap();
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
    let outside = Outside { folder: "nodeformer", case, table, unused: &[], told: TOLD };
    compare_how(&outside, &How { prepare: &prepare, ..How::default() });
}

#[test]
fn the_loss_on_edges() {
    let outside = Outside { folder: "nodeformer", case, table, unused: &[], told: TOLD };
    for file in files("nodeformer") {
        let case = case(&file).unwrap();
        let model = loaded(&outside, &file, &case);
        let batch = Batch::from_arrays(case.arrays.clone(), &case.inputs);
        prepare(&file, &PASSES[1], &batch);
        let (network, context) = (model.network().tracked(), Context::training(1, 1));
        let _answers = network.run(batch.input(), &batch, &context);
        let found = context.take_losses().into_iter().reduce(|sum, term| sum + term).unwrap();
        let Some(Numbers { data: terms, .. }) = file.find("link_loss_train") else { continue };
        let mean = terms.iter().sum::<f64>() / terms.len() as f64;
        // What is large is good: it is taken from the loss.
        assert_close(&format!("{}, loss on edges", file.name), &bridge::into_vec(found.clone()), &[-mean], 0.0);
        let mut tape = found.backward();
        let get = Get { file: &file, prefix: "grad_link/", asked: RefCell::default() };
        let expected: BTreeMap<String, Numbers> = table(&file, &get).into_iter().collect();
        let largest = expected.values().flat_map(|n| &n.data).fold(0.0, |most: f64, v| most.max(v.abs()));
        for array in network.gradients(&mut tape) {
            let taken = expected[&array.name].clone().map(|value| -value);
            assert_close(&format!("{}, loss on edges, {}", file.name, array.name), &array.data, &taken.data, largest);
        }
    }
}
