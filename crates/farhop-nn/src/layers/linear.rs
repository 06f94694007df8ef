//! `y = x W + b`.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::random::mix;

use super::Layer;
use crate::init::Start;
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

    /// As `start` says.
    pub fn init_as(start: Start, inputs: usize, outputs: usize, seed: u64) -> Self {
        match start {
            Start::Glorot => Linear::init(inputs, outputs, seed),
            Start::Uniform => Linear::init_uniform(inputs, outputs, seed),
            Start::UniformWeights => {
                let weight = init::uniform(inputs, outputs, uniform_limit(inputs), seed);
                Linear { weight, bias: init::constant(outputs, 0.0) }
            }
        }
    }

    /// Weights and bias uniform in `+- 1 / sqrt(inputs)`, for what must not start with a bias of zero.
    pub fn init_uniform(inputs: usize, outputs: usize, seed: u64) -> Self {
        Linear::init_with(init::uniform(inputs, outputs, uniform_limit(inputs), seed), seed)
    }

    /// `weight` with a bias uniform in `+- 1 / sqrt(inputs)`.
    pub fn init_with(weight: Param<Tensor<2>>, seed: u64) -> Self {
        let [inputs, outputs] = weight.dims();
        let bias = init::uniform(1, outputs, uniform_limit(inputs), mix(seed, 1)).val().reshape([outputs]);
        Linear { weight, bias: Param::from_tensor(bias) }
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

/// `1 / sqrt(inputs)`.
fn uniform_limit(inputs: usize) -> f64 {
    1.0 / (inputs.max(1) as f64).sqrt()
}

impl Layer for Linear {
    fn forward(&self, features: Features, _batch: &Batch, _context: &Context) -> Tensor<2> {
        self.apply(features)
    }
}
