//! CPGNN: the forward model and its gradients. The losses of the files (penalties, first phase) and the start value of the matrix of
//! classes are not compared: training here has neither.

use super::{Case, Get, Numbers, Outside, OutsideFile, compare};
use crate::ModelConfig;

fn is_chebyshev(file: &OutsideFile) -> bool {
    file.config["prior"] == "cheby"
}

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(false);
    let prior = if is_chebyshev(file) { "chebyshev" } else { "perceptron" };
    let config = ModelConfig::from_name("cpgnn").ok()?.with("prior", prior).ok()?;
    let config = config.with("width", file.config["hidden"].clone()).ok()?;
    let config = config.with("hops", file.config["bp_iterations"].clone()).ok()?.with("dropout", 0.0).ok()?;
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
    compare(&Outside { folder: "cpgnn", case, table, unused: &[] });
}
