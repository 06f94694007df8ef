//! CPGNN: the model, the start of its matrix of classes, and the loss of its second phase.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, assert_close, compare, files, loaded};
use crate::{Batch, Context, ModelConfig, Targets, ops};

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[
    ("zero_reg_weight", &["1.0"]),
    ("sinkhorn_tol", &["1e-12"]),
    ("sinkhorn_max", &["3000"]),
    ("cotrain_weight", &[]),
    ("l2", &[]),
];

fn is_chebyshev(file: &OutsideFile) -> bool {
    file.word("prior", &[("cheby", true), ("mlp", false)])
}

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let prior = if is_chebyshev(file) { "chebyshev" } else { "perceptron" };
    let config = ModelConfig::from_name("cpgnn").unwrap().with("prior", prior).unwrap();
    let config = config.with("width", file.config["hidden"].clone()).unwrap();
    let config = config.with("hops", file.config["bp_iterations"].clone()).unwrap().with("dropout", 0.0).unwrap();
    let config = config.with("first_epochs", 0).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = vec![("compatibility".into(), get.get("H_hat"))];
    if !is_chebyshev(file) {
        table.push(("hidden.0".into(), get.get("W0")));
        table.push(("prior.0".into(), get.get("W1")));
        return table;
    }
    let second = get.get("W1");
    for k in 0..3 {
        let shape = second.shape[1..].to_vec();
        table.push((format!("hidden.{k}"), get.get(&format!("W0.{k}"))));
        table.push((format!("prior.{k}"), second.rows(k, k + 1).reshaped(&shape)));
    }
    table
}

#[test]
fn cpgnn() {
    compare(&Outside { folder: "cpgnn", case, table, unused: &[], told: TOLD });
}

/// The training nodes with their classes.
fn targets(file: &OutsideFile) -> Targets {
    let [labels, mask] = ["labels", "train_mask"].map(|name| file.find(name).unwrap().data);
    let rows: Vec<u32> = (0..mask.len() as u32).filter(|&row| mask[row as usize] > 0.0).collect();
    let classes = rows.iter().map(|&row| labels[row as usize] as u32).collect();
    Targets::Classes { rows, classes, weights: None }
}

#[test]
fn the_second_phase_starts_from_labels() {
    for file in files("cpgnn") {
        let Some(expected) = file.find("mid/H_init") else { continue };
        let case = case(&file).unwrap();
        let model =
            loaded(&Outside { folder: "cpgnn", case: self::case, table, unused: &[], told: TOLD }, &file, &case);
        let batch = Batch::from_arrays(case.arrays.clone(), &case.inputs);
        let changes = model.network().next_phase(&batch, &targets(&file));
        let id = model.network().arrays().into_iter().find(|array| array.name == "compatibility").unwrap().id;
        let (_, found) = changes.into_iter().find(|(changed, _)| *changed == id).unwrap();
        assert_close(&format!("{}, start", file.name), &found, &expected.data, 0.0);
    }
}

#[test]
fn the_loss_of_the_second_phase() {
    for file in files("cpgnn").into_iter().filter(|file| file.find("loss_code").is_some()) {
        let case = case(&file).unwrap();
        let model =
            loaded(&Outside { folder: "cpgnn", case: self::case, table, unused: &[], told: TOLD }, &file, &case);
        let batch = Batch::from_arrays(case.arrays.clone(), &case.inputs);
        let (network, context) = (model.network().tracked(), Context::training(1, 1));
        let answers = network.run(batch.input(), &batch, &context);
        let loss = ops::loss(answers, Arc::new(targets(&file)));
        let loss = context.take_losses().into_iter().fold(loss, |sum, term| sum + term);
        let mut tape = loss.backward();
        let get = Get { file: &file, prefix: "grad_loss/", asked: RefCell::default() };
        let expected: BTreeMap<String, Numbers> = table(&file, &get).into_iter().collect();
        let largest = expected.values().flat_map(|n| &n.data).fold(0.0, |most: f64, v| most.max(v.abs()));
        // Their loss has the squares of the weights, here decay is the optimiser's: twice the slope of `l2` times the square.
        let decay = (1.0 + file.number_of("cotrain_weight")) * 2.0 * file.number_of("l2");
        let values = Get { file: &file, prefix: "", asked: RefCell::default() };
        let values: BTreeMap<String, Numbers> = table(&file, &values).into_iter().collect();
        for array in network.gradients(&mut tape) {
            let decayed = if array.name == "compatibility" { 0.0 } else { decay };
            let slopes = expected[&array.name].data.iter().zip(&values[&array.name].data);
            let slopes: Vec<f64> = slopes.map(|(slope, value)| slope - decayed * value).collect();
            assert_close(&format!("{}, loss, {}", file.name, array.name), &array.data, &slopes, largest);
        }
    }
}
