//! `y = x W + b`.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::Layer;
use crate::{Batch, Context, init, ops};

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
    pub fn apply(&self, x: Tensor<2>) -> Tensor<2> {
        ops::linear(x, self.weight.val(), Some(self.bias.val()))
    }

    /// Channels of the output.
    pub fn outputs(&self) -> usize {
        self.bias.dims()[0]
    }

    /// Number of parameters.
    pub fn size(inputs: usize, outputs: usize) -> usize {
        (inputs + 1) * outputs
    }
}

impl Layer for Linear {
    /// As [`Linear::apply`]; faster where the features are the batch's own and mostly zeros.
    fn forward(&self, features: Tensor<2>, batch: &Batch, _context: &Context) -> Tensor<2> {
        match batch.sparse(&features) {
            Some(sparse) => ops::sparse_linear(sparse, self.weight.val(), Some(self.bias.val())),
            None => self.apply(features),
        }
    }
}
