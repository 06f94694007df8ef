//! Graph convolutional network: the first graph baseline (Kipf and Welling, ICLR 2017), with the usual additions.

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::ModelSettings;
use super::trunk::Trunk;
use crate::config::{ActivationKind, Checks, NormKind};
use crate::init::Seeds;
use crate::layers::{BlockConfig, GcnLayer, Layer, Linear, NormBlock};
use crate::memory::floats;
use crate::{Batch, Context, MemoryEstimate, Network, NnError, Shape};

/// `x -> [linear ->] (convolution -> norm -> activation -> dropout (+ x)) x layers -> linear`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GcnConfig {
    /// Convolutions, at least 1. Default 3.
    pub layers: usize,
    /// Channels of a convolution. Default 128.
    pub width: usize,
    /// Whether the features are projected to `width` before the first convolution. Default false.
    pub input_projection: bool,
    /// Normalisation after each convolution: `none`, `layer` or `batch`. Default `layer`.
    pub norm: NormKind,
    /// Activation after each convolution: `none`, `relu` or `gelu`. Default `relu`.
    pub activation: ActivationKind,
    /// Probability of dropping an element after each activation. Default 0.2.
    pub dropout: f32,
    /// Probability of dropping an input feature. Default 0.
    pub input_dropout: f32,
    /// Whether a convolution adds its input to its output where the widths agree. Default true.
    pub residual: bool,
}

impl Default for GcnConfig {
    fn default() -> Self {
        GcnConfig {
            layers: 3,
            width: 128,
            input_projection: false,
            norm: NormKind::Layer,
            activation: ActivationKind::Relu,
            dropout: 0.2,
            input_dropout: 0.0,
            residual: true,
        }
    }
}

impl GcnConfig {
    fn block(&self) -> BlockConfig {
        BlockConfig { norm: self.norm, activation: self.activation, dropout: self.dropout }
    }

    /// Inputs of convolution `layer`.
    fn inputs_of(&self, layer: usize, inputs: usize) -> usize {
        if layer == 0 && !self.input_projection { inputs } else { self.width }
    }
}

/// The model of [`GcnConfig`].
#[derive(Module, Debug)]
pub struct GcnModel {
    input: NormBlock,
    projection: Option<Linear>,
    layers: Vec<GcnLayer>,
    norms: Vec<NormBlock>,
    head: Linear,
    #[module(skip)]
    residual: bool,
}

impl Layer for GcnModel {
    fn forward(&self, features: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let trunk = Trunk {
            input: &self.input,
            projection: self.projection.as_ref(),
            layers: &self.layers,
            norms: &self.norms,
            head: &self.head,
            residual: self.residual,
            outputs: GcnLayer::outputs,
        };
        trunk.forward(features, batch, context)
    }
}

impl ModelSettings for GcnConfig {
    fn validate(&self) -> Result<(), NnError> {
        let checks = Checks("gcn");
        checks.count("layers", self.layers, 1, 1000)?;
        checks.count("width", self.width, 1, 65_536)?;
        checks.dropout("dropout", self.dropout)?;
        checks.dropout("input_dropout", self.input_dropout)
    }

    fn build(&self, inputs: usize, outputs: usize, seed: u64) -> Box<dyn Network> {
        let mut seeds = Seeds::new(seed);
        let input = BlockConfig { norm: NormKind::None, activation: ActivationKind::None, dropout: self.input_dropout };
        let projection = self.input_projection.then(|| Linear::init(inputs, self.width, seeds.next_seed()));
        let layer = |i| GcnLayer::init(self.inputs_of(i, inputs), self.width, seeds.next_seed());
        let layers = (0..self.layers).map(layer).collect();
        let norms = (0..self.layers).map(|_| NormBlock::init(self.width, self.block())).collect();
        let head = Linear::init(self.width, outputs, seeds.next_seed());
        let input = NormBlock::init(inputs, input);
        Box::new(GcnModel { input, projection, layers, norms, head, residual: self.residual })
    }

    fn memory(&self, shape: &Shape, training: bool) -> MemoryEstimate {
        let mut estimate = MemoryEstimate::default();
        let hidden = floats(shape.nodes * self.width);
        estimate.keep("features", floats(shape.nodes * shape.inputs));
        estimate.keep("coefficients", floats(shape.entries + shape.nodes));
        if training && self.input_dropout > 0.0 {
            estimate.keep("input dropout", floats(shape.nodes * shape.inputs));
        }
        if self.input_projection {
            estimate.weights("projection weights", Linear::size(shape.inputs, self.width), training);
            estimate.keep("projection", if training { hidden } else { 0 });
        }
        for i in 0..self.layers {
            let inputs = self.inputs_of(i, shape.inputs);
            let size = GcnLayer::size(inputs, self.width) + NormBlock::size(self.width, self.block());
            estimate.weights(&format!("layers.{i} weights"), size, training);
            if training {
                // What the norm reads (and two numbers a row), and what the next layer reads.
                estimate.keep(&format!("layers.{i}"), 2 * hidden + floats(2 * shape.nodes));
            }
        }
        estimate.weights("head weights", Linear::size(self.width, shape.outputs), training);
        let logits = floats(shape.nodes * shape.outputs);
        // Training: logits with their gradient, or three gradients of a layer. Otherwise: input, product, output and residual.
        estimate.pass(if training { (2 * logits + hidden).max(3 * hidden) } else { logits.max(hidden) + 3 * hidden });
        estimate
    }
}
