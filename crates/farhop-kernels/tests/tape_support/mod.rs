//! Exact gradients of the literal versions.
#![allow(dead_code)]

use farhop_kernels::reference::Real;
use farhop_kernels::reference::tape::{self, Var};

/// Values of `run` in f64, and the exact gradients of `sum of weights * y` by the inputs.
pub fn exact(inputs: &[&[f32]], weights: &[f32], run: impl Fn(&[Vec<Var>]) -> Vec<Var>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let inputs: Vec<Vec<f64>> = inputs.iter().map(|values| values.iter().map(|v| f64::from(*v)).collect()).collect();
    let variables = tape::record(&inputs.iter().map(|values| &values[..]).collect::<Vec<_>>());
    let y = run(&variables);
    assert_eq!(y.len(), weights.len(), "one weight for every output");
    let loss = y.iter().zip(weights).fold(Var::of(0.0), |sum, (y, w)| sum + *y * Var::of(f64::from(*w)));
    (y.iter().map(|v| v.value()).collect(), tape::gradients(loss, &variables))
}
