//! Graph Elimination Network: layers that each see K hops (see [`GenLayer`] for citation and formula).

use serde::{Deserialize, Serialize};

use super::settings::{Common, LayerBytes, LayerSettings, WeighedHops};
use crate::config::{ActivationKind, NormKind};
use crate::layers::{
    CoefficientKind, EliminationKind, GenLayer, GenLayerConfig, HopReading, LaplacianKind, ReadoutKind,
};
use crate::memory::floats;
use crate::{InputShape, NnError, Shape};

/// `x -> [encoder ->] (GEN layer -> norm -> activation -> dropout (+ x)) x layers -> head`.
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
    /// Whether numbers are projected to `width` before the first layer even where they are all there is; the paper feeds them
    /// in raw. Default true.
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
    /// Whether features of entries, if there are any, take part in edge attention. Default true.
    pub edge_features: bool,
    /// How the nodes of a graph become one row where answers are about graphs: `mean`, `sum` or `max`. Default `mean`.
    pub readout: ReadoutKind,
    /// Linear maps at the end, with `width` channels and relu between them; 1 is a single map. Default 1.
    pub head_layers: usize,
    /// How eigenvectors of the Laplacian are read, if there are any: `linear` (random signs in training) or `deepset` (the same
    /// for all signs). Default `linear`.
    pub laplacian_encoder: LaplacianKind,
    /// Run the rounds again in the backward pass instead of keeping their increments: less memory, more time. Default false.
    pub recompute: bool,
    /// How rows are stored while rounds gather them: 32 bits a number, or 16 with a scale per row, which gathers half the bytes and is off by
    /// 2^-16 of a row's largest number. Default 32.
    pub gather_bits: usize,
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
            edge_features: layer.edge_features,
            readout: ReadoutKind::Mean,
            head_layers: 1,
            laplacian_encoder: LaplacianKind::Linear,
            recompute: layer.recompute,
            gather_bits: layer.gather_bits,
        }
    }
}

impl GenConfig {
    fn layer_config(&self) -> GenLayerConfig {
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
            edge_features: self.edge_features,
            recompute: self.recompute,
            gather_bits: self.gather_bits,
        }
    }
}

impl LayerSettings for GenConfig {
    type Layer = GenLayer;

    const NAME: &'static str = "gen";

    fn common(&self) -> Common {
        Common {
            layers: self.layers,
            width: self.width,
            input_projection: self.input_projection,
            norm: self.norm,
            activation: self.activation,
            dropout: self.dropout,
            input_dropout: self.input_dropout,
            residual: self.residual,
            readout: self.readout,
            head_layers: self.head_layers,
            laplacian_encoder: self.laplacian_encoder,
        }
    }

    fn check(&self) -> Result<(), NnError> {
        self.layer_config().validate(self.width)
    }

    fn weighed_hops(&self) -> Option<WeighedHops> {
        let (first, hops) = if self.hop_zero { (0, self.hops + 1) } else { (1, self.hops) };
        self.hop_attention.then_some(WeighedHops { layers: self.layers, heads: self.heads, first, hops })
    }

    fn layer(&self, inputs: usize, shape: &InputShape, seed: u64) -> GenLayer {
        GenLayer::init(inputs, self.width, &self.layer_config(), seed).with_edges(shape)
    }

    fn bytes(&self, inputs: usize, shape: &Shape, training: bool) -> LayerBytes {
        let layer = self.layer_config();
        let edges = layer.edge_size(shape.edge_numbers, shape.edge_category_rows);
        let fixed = matches!(self.coefficients, CoefficientKind::Gcn | CoefficientKind::Ones);
        let (forward, later) = layer.bytes_forward(shape, inputs, self.width, training);
        LayerBytes {
            parameters: layer.size(inputs, self.width) + edges,
            shared: if fixed { floats(shape.entries + shape.nodes) } else { 0 },
            kept: layer.bytes_kept(shape, inputs, self.width),
            forward,
            later,
            backward: layer.bytes_backward(shape, inputs, self.width),
        }
    }
}
