//! What the settings of a model have to provide, and what follows from it for all models.

use crate::config::{ActivationKind, Checks, NormKind};
use crate::init::Seeds;
use crate::layers::{
    BlockConfig, Encoder, EncoderConfig, Head, HeadConfig, LaplacianKind, Layer, NormBlock, ReadoutKind,
};
use crate::memory::floats;
use crate::models::trunk::Trunk;
use crate::{InputShape, Level, MemoryEstimate, Network, NnError, OutputShape, Shape};

/// The settings that all models share; see the configs of the models for what they mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Common {
    /// Layers.
    pub layers: usize,
    /// Channels of a layer.
    pub width: usize,
    /// Whether numbers are projected before the first layer even where they are all there is.
    pub input_projection: bool,
    /// Normalisation after each layer.
    pub norm: NormKind,
    /// Activation after each layer.
    pub activation: ActivationKind,
    /// Probability of dropping an element after each activation.
    pub dropout: f32,
    /// Probability of dropping a number of a node.
    pub input_dropout: f32,
    /// Whether a layer adds its input to its output where the widths agree.
    pub residual: bool,
    /// How the nodes of a graph become one row.
    pub readout: ReadoutKind,
    /// Linear maps at the end.
    pub head_layers: usize,
    /// How eigenvectors are read.
    pub laplacian_encoder: LaplacianKind,
}

impl Common {
    fn validate(&self, checks: &Checks, least_layers: usize) -> Result<(), NnError> {
        checks.count("layers", self.layers, least_layers, 1000)?;
        checks.count("width", self.width, 1, 65_536)?;
        checks.share("dropout", self.dropout)?;
        checks.share("input_dropout", self.input_dropout)?;
        checks.count("head_layers", self.head_layers, 1, 16)
    }

    fn encoder(&self) -> EncoderConfig {
        EncoderConfig {
            width: self.width,
            projection: self.input_projection,
            dropout: self.input_dropout,
            laplacian: self.laplacian_encoder,
        }
    }

    fn block(&self) -> BlockConfig {
        BlockConfig { norm: self.norm, activation: self.activation, dropout: self.dropout }
    }

    fn head(&self) -> HeadConfig {
        HeadConfig { layers: self.head_layers, width: self.width, readout: self.readout }
    }
}

/// The hops that a layer weighs for every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeighedHops {
    /// Layers that do.
    pub layers: usize,
    /// Distributions of every node.
    pub heads: usize,
    /// The nearest hop: 0 is the node itself.
    pub first: usize,
    /// How many hops a distribution has.
    pub hops: usize,
}

/// What one layer needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerBytes {
    /// Number of parameters.
    pub parameters: usize,
    /// Bytes that all layers share, such as coefficients of the batch.
    pub shared: u64,
    /// Bytes kept for the backward pass, the layer's input and output not counted.
    pub kept: u64,
    /// The most bytes alive at once in the forward pass while the input is needed, besides the input.
    pub forward: u64,
    /// The same when the input is no longer needed, the output included.
    pub later: u64,
    /// The most bytes alive at once in the backward pass besides the input: what was kept and the gradient of the output
    /// included.
    pub backward: u64,
}

/// A model is settings and a layer: everything else is the same for all.
pub trait LayerSettings {
    /// The layer that is stacked.
    type Layer: Layer + Sync + 'static;

    /// Name in recipes and messages.
    const NAME: &'static str;

    /// The smallest number of layers.
    const LEAST_LAYERS: usize = 1;

    /// The settings that all models have.
    fn common(&self) -> Common;

    /// Whether the layer's own settings are in range.
    fn check(&self) -> Result<(), NnError> {
        Ok(())
    }

    /// The hops that a layer weighs for every node; none if it has no such weights.
    fn weighed_hops(&self) -> Option<WeighedHops> {
        None
    }

    /// A layer of `inputs` channels to the model's width.
    fn layer(&self, inputs: usize, shape: &InputShape, seed: u64) -> Self::Layer;

    /// What such a layer needs.
    fn bytes(&self, inputs: usize, shape: &Shape, training: bool) -> LayerBytes;
}

/// [`LayerSettings`] without its associated type. Implemented for all of them.
pub trait ModelSettings {
    /// Channels of a layer.
    fn width(&self) -> usize;

    /// The hops that a layer weighs for every node; none if it has no such weights.
    fn weighed_hops(&self) -> Option<WeighedHops>;

    /// Whether all settings are in range.
    fn validate(&self) -> Result<(), NnError>;

    /// The network, from `seed` alone.
    fn build(&self, inputs: &InputShape, outputs: &OutputShape, seed: u64) -> Box<dyn Network>;

    /// What it will need.
    fn memory(&self, shape: &Shape, training: bool) -> MemoryEstimate;
}

impl<S: LayerSettings> ModelSettings for S {
    fn width(&self) -> usize {
        self.common().width
    }

    fn weighed_hops(&self) -> Option<WeighedHops> {
        LayerSettings::weighed_hops(self)
    }

    fn validate(&self) -> Result<(), NnError> {
        self.common().validate(&Checks(S::NAME), S::LEAST_LAYERS)?;
        self.check()
    }

    fn build(&self, inputs: &InputShape, outputs: &OutputShape, seed: u64) -> Box<dyn Network> {
        let common = self.common();
        let mut seeds = Seeds::new(seed);
        let encoder = Encoder::init(inputs, &common.encoder(), &mut seeds);
        let mut width = common.encoder().outputs(inputs.numbers, inputs.needs_encoder());
        let mut layers = Vec::new();
        for _ in 0..common.layers {
            layers.push(self.layer(width, inputs, seeds.next_seed()));
            width = common.width;
        }
        let norms = (0..common.layers).map(|_| NormBlock::init(common.width, common.block())).collect();
        let head = Head::init(width, outputs, &common.head(), &mut seeds);
        Box::new(Trunk { encoder, layers, norms, head, width: common.width, residual: common.residual })
    }

    fn memory(&self, shape: &Shape, training: bool) -> MemoryEstimate {
        let common = self.common();
        let mut estimate = MemoryEstimate::default();
        common.encoder().memory(shape, training, &mut estimate);
        let encoded = common.input_projection || shape.needs_encoder();
        let hidden = floats(shape.nodes * common.width);
        let statistics = if common.norm == NormKind::Layer { floats(2 * shape.nodes) } else { 0 };
        let mut width = common.encoder().outputs(shape.inputs, shape.needs_encoder());
        let mut layers = Vec::new();
        for i in 0..common.layers {
            let layer = self.bytes(width, shape, training);
            if i == 0 {
                estimate.keep("coefficients", layer.shared);
            }
            let parameters = layer.parameters + NormBlock::size(common.width, common.block());
            estimate.weights(&format!("layers.{i} weights"), parameters, training);
            // In training the input is kept already; raw features always are.
            let input = if training || (i == 0 && !encoded) { 0 } else { hidden };
            let past = if common.residual && width == common.width { input } else { 0 };
            estimate.pass(input + layer.forward);
            estimate.pass(past + layer.later);
            // What the norm reads and makes.
            let around = 2 * hidden + statistics;
            if training {
                estimate.keep(&format!("layers.{i}"), around + layer.kept);
            } else {
                estimate.pass(past + around);
            }
            layers.push((layer, around, common.residual && width == common.width));
            width = common.width;
        }
        let outputs = if shape.level == Level::Pair { common.width } else { shape.outputs };
        let answers = if shape.level == Level::Graph { shape.graphs.max(1) } else { shape.nodes };
        let outputs = OutputShape { level: shape.level, outputs };
        common.head().memory(width, outputs, answers, training, &mut estimate);
        let scores = floats(answers * outputs.outputs);
        if !training {
            // Made from the last layer's output, then as logits and as scores or probabilities.
            estimate.pass((hidden + scores).max(2 * scores));
            return estimate;
        }
        // The outputs with their gradient, and the gradient that they hand on.
        estimate.pass(2 * scores + hidden);
        let mut released = 0;
        for (layer, around, residual) in layers.into_iter().rev() {
            // Its own output went when the gradient of that was made. The norm has its input, both gradients, and what the layer keeps.
            released += around + layer.kept;
            estimate.pass_after(released, around + hidden + layer.kept);
            let past = if residual { hidden } else { 0 };
            estimate.pass_after(released, past + layer.backward);
        }
        estimate
    }
}
