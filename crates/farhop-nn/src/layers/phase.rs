//! Training in two phases: what a network does first, and what it does after the trainer has asked it to go on.

use burn::module::{Module, Param, ParamId};
use burn::tensor::Tensor;

use crate::init;
use crate::ops::bridge;

/// Which phase a network is in. It is stored with the weights, so that those of the first phase answer as they were trained.
#[derive(Module, Debug)]
pub struct Phase {
    /// 1 once the first phase is over; none if there is one phase only.
    over: Option<Param<Tensor<1>>>,
}

impl Phase {
    /// Before the first of `two` phases.
    pub fn init(two: bool) -> Self {
        Phase { over: two.then(|| init::constant(1, 0.0).set_require_grad(false)) }
    }

    /// Whether the network is in its first phase of two.
    pub fn is_first(&self) -> bool {
        let first = |over: &Param<Tensor<1>>| bridge::with_slice(&over.val(), |over| over[0] < 0.5);
        self.over.as_ref().is_some_and(first)
    }

    /// What changes when the first phase is over.
    pub fn next(&self) -> Vec<(ParamId, Vec<f32>)> {
        self.over.iter().map(|over| (over.id, vec![1.0])).collect()
    }
}
