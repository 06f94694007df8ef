//! A multilayer perceptron on each node's features: the baseline that sees no graph.

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::ModelSettings;
use super::trunk::Trunk;
use crate::config::{ActivationKind, Checks, NormKind};
use crate::init::Seeds;
use crate::layers::{BlockConfig, Layer, Linear, NormBlock};
use crate::memory::floats;
use crate::{Batch, Context, MemoryEstimate, Network, NnError, Shape};

/// `x -> (linear -> norm -> activation -> dropout (+ x)) x layers -> linear`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MlpConfig {
    /// Hidden layers; 0 is a linear classifier. Default 2.
    pub layers: usize,
    /// Channels of a hidden layer. Default 128.
    pub width: usize,
    /// Normalisation after each hidden layer: `none`, `layer` or `batch`. Default `layer`.
    pub norm: NormKind,
    /// Activation after each hidden layer: `none`, `relu` or `gelu`. Default `relu`.
    pub activation: ActivationKind,
    /// Probability of dropping an element after each activation. Default 0.2.
    pub dropout: f32,
    /// Probability of dropping an input feature. Default 0.
    pub input_dropout: f32,
    /// Whether a hidden layer adds its input to its output where the widths agree. Default true.
    pub residual: bool,
}

impl Default for MlpConfig {
    fn default() -> Self {
        MlpConfig {
            layers: 2,
            width: 128,
            norm: NormKind::Layer,
            activation: ActivationKind::Relu,
            dropout: 0.2,
            input_dropout: 0.0,
            residual: true,
        }
    }
}

impl MlpConfig {
    fn block(&self) -> BlockConfig {
        BlockConfig { norm: self.norm, activation: self.activation, dropout: self.dropout }
    }

    /// Inputs of hidden layer `layer`.
    fn inputs_of(&self, layer: usize, inputs: usize) -> usize {
        if layer == 0 { inputs } else { self.width }
    }
}

/// The model of [`MlpConfig`].
#[derive(Module, Debug)]
pub struct MlpModel {
    input: NormBlock,
    layers: Vec<Linear>,
    norms: Vec<NormBlock>,
    head: Linear,
    #[module(skip)]
    residual: bool,
}

impl Layer for MlpModel {
    fn forward(&self, features: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let trunk = Trunk {
            input: &self.input,
            projection: None,
            layers: &self.layers,
            norms: &self.norms,
            head: &self.head,
            residual: self.residual,
            outputs: Linear::outputs,
        };
        trunk.forward(features, batch, context)
    }
}

impl ModelSettings for MlpConfig {
    fn validate(&self) -> Result<(), NnError> {
        let checks = Checks("mlp");
        checks.count("layers", self.layers, 0, 1000)?;
        checks.count("width", self.width, 1, 65_536)?;
        checks.dropout("dropout", self.dropout)?;
        checks.dropout("input_dropout", self.input_dropout)
    }

    fn build(&self, inputs: usize, outputs: usize, seed: u64) -> Box<dyn Network> {
        let mut seeds = Seeds::new(seed);
        let input = BlockConfig { norm: NormKind::None, activation: ActivationKind::None, dropout: self.input_dropout };
        let layer = |i| Linear::init(self.inputs_of(i, inputs), self.width, seeds.next_seed());
        let layers = (0..self.layers).map(layer).collect();
        let norms = (0..self.layers).map(|_| NormBlock::init(self.width, self.block())).collect();
        let head = Linear::init(self.inputs_of(self.layers, inputs), outputs, seeds.next_seed());
        let input = NormBlock::init(inputs, input);
        Box::new(MlpModel { input, layers, norms, head, residual: self.residual })
    }

    fn memory(&self, shape: &Shape, training: bool) -> MemoryEstimate {
        let mut estimate = MemoryEstimate::default();
        let hidden = floats(shape.nodes * self.width);
        estimate.keep("features", floats(shape.nodes * shape.inputs));
        if training && self.input_dropout > 0.0 {
            estimate.keep("input dropout", floats(shape.nodes * shape.inputs));
        }
        for i in 0..self.layers {
            let inputs = self.inputs_of(i, shape.inputs);
            let size = Linear::size(inputs, self.width) + NormBlock::size(self.width, self.block());
            estimate.weights(&format!("layers.{i} weights"), size, training);
            if training {
                // What the norm reads (and two numbers a row), and what the next layer reads.
                estimate.keep(&format!("layers.{i}"), 2 * hidden + floats(2 * shape.nodes));
            }
        }
        let last = self.inputs_of(self.layers, shape.inputs);
        estimate.weights("head weights", Linear::size(last, shape.outputs), training);
        let logits = floats(shape.nodes * shape.outputs);
        // Training: logits with their gradient, or two gradients of a layer. Otherwise: a layer's input, output and residual.
        estimate.pass(if training { (2 * logits + hidden).max(3 * hidden) } else { logits.max(hidden) + 2 * hidden });
        estimate
    }
}
