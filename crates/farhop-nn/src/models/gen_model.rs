//! Graph Elimination Network: layers that each see K hops (see [`GenLayer`] for citation and formula).

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::ModelSettings;
use super::trunk::Trunk;
use crate::config::{ActivationKind, Checks, NormKind};
use crate::init::Seeds;
use crate::layers::{
    BlockConfig, CoefficientKind, EliminationKind, GenLayer, GenLayerConfig, HopReading, Layer, Linear, NormBlock,
};
use crate::memory::floats;
use crate::{Batch, Context, MemoryEstimate, Network, NnError, Shape};

/// `x -> [linear ->] (GEN layer -> norm -> activation -> dropout (+ x)) x layers -> linear`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GenConfig {
    /// GEN layers, at least 1. Default 3.
    pub layers: usize,
    /// Channels of a layer. Default 128.
    pub width: usize,
    /// Rounds of propagation K: how many hops a node sees in one layer. Default 4.
    pub hops: usize,
    /// Heads of edge and hop attention. Default 1.
    pub heads: usize,
    /// Whether the features are projected to `width` before the first layer; the paper feeds them in raw. Default true.
    pub input_projection: bool,
    /// Exponent of the compression (`eq11a`), in [0, 1]; 0 turns it off. Default 0.5.
    pub gamma: f32,
    /// Added to a hop's norm before the compression. Default 1e-6.
    pub epsilon: f32,
    /// Coefficients: `attention-per-round`, `attention-per-layer`, `gcn` (no edge attention) or `ones`.
    /// Default `attention-per-round`.
    pub coefficients: CoefficientKind,
    /// Elimination: `exact`, `self-loop` or `none`. Default `exact`.
    pub elimination: EliminationKind,
    /// Whether hops are weighed by attention; without, all hops count the same. Default true.
    pub hop_attention: bool,
    /// Whether hop attention has a learned number per hop and head besides the content of the hops, so that a layer can prefer a
    /// distance as such; it starts at 0. Our addition: `false` is the paper as printed. Default true.
    pub hop_bias: bool,
    /// What is read at each hop: `cumulative` or `increment`. Default `cumulative`.
    pub hop_reading: HopReading,
    /// Whether hop 0, the node itself, takes part in hop attention. Default false, as in the paper.
    pub hop_zero: bool,
    /// Whether the feed-forward network of `eq14` is part of a layer. Default true.
    pub feed_forward: bool,
    /// Slope of LeakyReLU in the attention scores. Default 0.2.
    pub attention_slope: f32,
    /// Normalisation after each layer: `none`, `layer` or `batch`. Default `layer`.
    pub norm: NormKind,
    /// Activation after each layer: `none`, `relu` or `gelu`. Default `relu`.
    pub activation: ActivationKind,
    /// Probability of dropping an element after each activation. Default 0.2.
    pub dropout: f32,
    /// Probability of dropping an input feature. Default 0.
    pub input_dropout: f32,
    /// Probability of dropping an attention coefficient. Default 0.
    pub attention_dropout: f32,
    /// Whether a layer adds its input to its output where the widths agree. Default true.
    pub residual: bool,
    /// Run the rounds again in the backward pass instead of keeping their increments: less memory, more time. Default false.
    pub recompute: bool,
}

impl Default for GenConfig {
    fn default() -> Self {
        let layer = GenLayerConfig::default();
        GenConfig {
            layers: 3,
            width: 128,
            hops: layer.hops,
            heads: layer.heads,
            input_projection: true,
            gamma: layer.gamma,
            epsilon: layer.epsilon,
            coefficients: layer.coefficients,
            elimination: layer.elimination,
            hop_attention: layer.hop_attention,
            hop_bias: layer.hop_bias,
            hop_reading: layer.hop_reading,
            hop_zero: layer.hop_zero,
            feed_forward: layer.feed_forward,
            attention_slope: layer.attention_slope,
            norm: NormKind::Layer,
            activation: ActivationKind::Relu,
            dropout: 0.2,
            input_dropout: 0.0,
            attention_dropout: layer.attention_dropout,
            residual: true,
            recompute: layer.recompute,
        }
    }
}

impl GenConfig {
    fn layer(&self) -> GenLayerConfig {
        GenLayerConfig {
            hops: self.hops,
            heads: self.heads,
            gamma: self.gamma,
            epsilon: self.epsilon,
            coefficients: self.coefficients,
            elimination: self.elimination,
            hop_attention: self.hop_attention,
            hop_bias: self.hop_bias,
            hop_reading: self.hop_reading,
            hop_zero: self.hop_zero,
            feed_forward: self.feed_forward,
            attention_slope: self.attention_slope,
            attention_dropout: self.attention_dropout,
            recompute: self.recompute,
        }
    }

    fn block(&self) -> BlockConfig {
        BlockConfig { norm: self.norm, activation: self.activation, dropout: self.dropout }
    }

    /// Inputs of layer `layer`.
    fn inputs_of(&self, layer: usize, inputs: usize) -> usize {
        if layer == 0 && !self.input_projection { inputs } else { self.width }
    }
}

/// The model of [`GenConfig`].
#[derive(Module, Debug)]
pub struct GenModel {
    input: NormBlock,
    projection: Option<Linear>,
    layers: Vec<GenLayer>,
    norms: Vec<NormBlock>,
    head: Linear,
    #[module(skip)]
    residual: bool,
}

impl Layer for GenModel {
    fn forward(&self, features: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let trunk = Trunk {
            input: &self.input,
            projection: self.projection.as_ref(),
            layers: &self.layers,
            norms: &self.norms,
            head: &self.head,
            residual: self.residual,
            outputs: GenLayer::outputs,
        };
        trunk.forward(features, batch, context)
    }
}

impl ModelSettings for GenConfig {
    fn validate(&self) -> Result<(), NnError> {
        let checks = Checks("gen");
        checks.count("layers", self.layers, 1, 1000)?;
        checks.count("width", self.width, 1, 65_536)?;
        checks.dropout("dropout", self.dropout)?;
        checks.dropout("input_dropout", self.input_dropout)?;
        self.layer().validate(self.width)
    }

    fn build(&self, inputs: usize, outputs: usize, seed: u64) -> Box<dyn Network> {
        let mut seeds = Seeds::new(seed);
        let input = BlockConfig { norm: NormKind::None, activation: ActivationKind::None, dropout: self.input_dropout };
        let projection = self.input_projection.then(|| Linear::init(inputs, self.width, seeds.next_seed()));
        let layer = |i| GenLayer::init(self.inputs_of(i, inputs), self.width, &self.layer(), seeds.next_seed());
        let layers = (0..self.layers).map(layer).collect();
        let norms = (0..self.layers).map(|_| NormBlock::init(self.width, self.block())).collect();
        let head = Linear::init(self.width, outputs, seeds.next_seed());
        let input = NormBlock::init(inputs, input);
        Box::new(GenModel { input, projection, layers, norms, head, residual: self.residual })
    }

    fn memory(&self, shape: &Shape, training: bool) -> MemoryEstimate {
        let mut estimate = MemoryEstimate::default();
        let layer = self.layer();
        let hidden = floats(shape.nodes * self.width);
        estimate.keep("features", floats(shape.nodes * shape.inputs));
        if matches!(self.coefficients, CoefficientKind::Gcn | CoefficientKind::Ones) {
            estimate.keep("coefficients", floats(shape.entries + shape.nodes));
        }
        if training && self.input_dropout > 0.0 {
            estimate.keep("input dropout", floats(shape.nodes * shape.inputs));
        }
        if self.input_projection {
            estimate.weights("projection weights", Linear::size(shape.inputs, self.width), training);
            estimate.keep("projection", if training { hidden } else { 0 });
        }
        let logits = floats(shape.nodes * shape.outputs);
        estimate.pass(2 * logits + hidden);
        for i in 0..self.layers {
            let inputs = self.inputs_of(i, shape.inputs);
            let size = layer.size(inputs, self.width) + NormBlock::size(self.width, self.block());
            estimate.weights(&format!("layers.{i} weights"), size, training);
            if training {
                // What the norm reads (and two numbers a row), and what the next layer reads.
                let around = 2 * hidden + floats(2 * shape.nodes);
                estimate.keep(&format!("layers.{i}"), around + layer.bytes_kept(shape, inputs, self.width));
            }
            // The gradient that goes past the layer on the residual path, or the layer's input in evaluation.
            estimate.pass(layer.bytes_transient(shape, inputs, self.width, training) + hidden);
        }
        estimate.weights("head weights", Linear::size(self.width, shape.outputs), training);
        estimate
    }
}
