//! The settings that all models share, once.

use crate::config::{ActivationKind, Checks, InitialWeights, NormKind};
use crate::init::{Seeds, Start};
use crate::knobs::knobs;
use crate::layers::{BlockConfig, Encoder, EncoderConfig, Head, HeadConfig, LaplacianReading, NormBlock, ReadoutKind};
use crate::{InputShape, NnError, OutputShape};

knobs! {
    /// The settings that all models share. A model that has no use for one of them says so ([`Architecture::IDLE`]).
    ///
    /// [`Architecture::IDLE`]: super::Architecture::IDLE
    #[derive(Copy)]
    pub struct Common {
        /// Layers.
        layers: usize = 3, in 0..=1000;
        /// Channels of a layer.
        width: usize = 128, in 1..=65_536;
        /// Whether numbers of a node are projected to `width` before the first layer even where they are all there is.
        input_projection: bool = false;
        /// Normalisation after each layer.
        norm: NormKind = NormKind::Layer;
        /// Activation after each layer.
        activation: ActivationKind = ActivationKind::Relu;
        /// Probability of dropping an element after each activation.
        dropout: f32 = 0.2, in 0.0..1.0;
        /// Probability of dropping an input feature.
        input_dropout: f32 = 0.0, in 0.0..1.0;
        /// Whether a layer adds its input to its output where the widths agree.
        residual: bool = true;
        /// How the nodes of a graph become one row where answers are about graphs.
        readout: ReadoutKind = ReadoutKind::Mean;
        /// Linear maps at the end, with `width` channels and relu between them; 1 is a single map, 0 lets the last layer itself answer
        /// (stacks of one kind of layer only).
        head_layers: usize = 1, in 0..=16;
        /// How eigenvectors of the Laplacian are read, if there are any: `linear` draws random signs in training, `deepset` is
        /// the same for all signs.
        laplacian_encoder: LaplacianReading = LaplacianReading::Linear;
        /// How linear maps start: `own` as the model states, mostly Glorot's weights and zero biases; `uniform` weights and biases in
        /// plus and minus one over the root of their inputs, as PyTorch's.
        initial_weights: InitialWeights = InitialWeights::Own;
    }
}

impl Common {
    /// The encoder's settings.
    pub(crate) fn encoder(&self) -> EncoderConfig {
        EncoderConfig {
            width: self.width,
            projection: self.input_projection,
            dropout: self.input_dropout,
            laplacian: self.laplacian_encoder,
            start: Start::Glorot,
        }
    }

    /// What follows a layer.
    pub(crate) fn block(&self) -> BlockConfig {
        BlockConfig { norm: self.norm, activation: self.activation, dropout: self.dropout }
    }

    /// The head's settings.
    pub(crate) fn head(&self) -> HeadConfig {
        HeadConfig {
            layers: self.head_layers,
            width: self.width,
            readout: self.readout,
            unit_rows: false,
            halving: false,
            start: Start::Glorot,
        }
    }

    /// The encoder of what is known of a node, and the channels that it gives.
    pub(crate) fn build_encoder(&self, inputs: &InputShape, seeds: &mut Seeds) -> (Encoder, usize) {
        let config = self.encoder();
        (Encoder::init(inputs, &config, seeds), config.outputs(inputs.numbers, inputs.needs_encoder()))
    }

    /// What follows a layer of `width` channels.
    pub(crate) fn build_norm(&self, width: usize) -> NormBlock {
        NormBlock::init(width, self.block())
    }

    /// The head that reads `width` channels.
    pub(crate) fn build_head(&self, width: usize, outputs: &OutputShape, seeds: &mut Seeds) -> Head {
        Head::init(width, outputs, &self.head(), seeds)
    }

    /// At least so many layers.
    pub(crate) fn at_least_layers(&self, model: &'static str, least: usize) -> Result<(), NnError> {
        Checks(model).count("layers", self.layers, least, 1000)
    }

    /// Heads that share the channels equally.
    pub(crate) fn heads_divide(&self, model: &'static str, heads: usize) -> Result<(), NnError> {
        let divides = self.width.is_multiple_of(heads);
        Checks(model).that(divides, "heads", heads, || format!("must divide the width, {}", self.width))
    }
}
