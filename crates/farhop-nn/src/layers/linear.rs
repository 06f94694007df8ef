//! `y = x W + b`.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::Layer;
use crate::{Batch, Context, Features, init};

/// A linear map of each node's features, `[N, inputs]` to `[N, outputs]`.
#[derive(Module, Debug)]
pub struct Linear {
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
}

impl Linear {
    /// Glorot weights, zero bias.
    pub fn init(inputs: usize, outputs: usize, seed: u64) -> Self {
        Linear { weight: init::glorot(inputs, outputs, seed), bias: init::constant(outputs, 0.0) }
    }

    /// `x W + b`.
    pub fn apply(&self, x: Features) -> Tensor<2> {
        x.linear(self.weight.val(), Some(self.bias.val()))
    }

    /// W, `[inputs, outputs]`.
    pub fn weight(&self) -> Tensor<2> {
        self.weight.val()
    }

    /// b, `[outputs]`.
    pub fn bias(&self) -> Tensor<1> {
        self.bias.val()
    }

    /// Number of parameters.
    pub fn size(inputs: usize, outputs: usize) -> usize {
        (inputs + 1) * outputs
    }
}

impl Layer for Linear {
    fn forward(&self, features: Features, _batch: &Batch, _context: &Context) -> Tensor<2> {
        self.apply(features)
    }
}
