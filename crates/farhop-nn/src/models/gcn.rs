//! Graph convolutional network: the first graph baseline (Kipf and Welling, ICLR 2017), with the usual additions.

use serde::{Deserialize, Serialize};

use super::settings::{Common, LayerBytes, LayerSettings};
use crate::config::{ActivationKind, NormKind};
use crate::layers::{GcnLayer, LaplacianKind, ReadoutKind};
use crate::memory::floats;
use crate::{InputShape, Shape};

/// `x -> [encoder ->] (convolution -> norm -> activation -> dropout (+ x)) x layers -> head`. Features of entries are not read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GcnConfig {
    /// Convolutions, at least 1. Default 3.
    pub layers: usize,
    /// Channels of a convolution. Default 128.
    pub width: usize,
    /// Whether numbers are projected to `width` before the first convolution even where they are all there is. Default false.
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
    /// How the nodes of a graph become one row where answers are about graphs: `mean`, `sum` or `max`. Default `mean`.
    pub readout: ReadoutKind,
    /// Linear maps at the end, with `width` channels and relu between them; 1 is a single map. Default 1.
    pub head_layers: usize,
    /// How eigenvectors of the Laplacian are read, if there are any: `linear` (random signs in training) or `deepset` (the same
    /// for all signs). Default `linear`.
    pub laplacian_encoder: LaplacianKind,
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
            readout: ReadoutKind::Mean,
            head_layers: 1,
            laplacian_encoder: LaplacianKind::Linear,
        }
    }
}

impl LayerSettings for GcnConfig {
    type Layer = GcnLayer;

    const NAME: &'static str = "gcn";

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

    fn layer(&self, inputs: usize, _shape: &InputShape, seed: u64) -> GcnLayer {
        GcnLayer::init(inputs, self.width, seed)
    }

    fn bytes(&self, inputs: usize, shape: &Shape, _training: bool) -> LayerBytes {
        let hidden = floats(shape.nodes * self.width);
        LayerBytes {
            parameters: GcnLayer::size(inputs, self.width),
            shared: floats(shape.entries + shape.nodes),
            kept: 0,
            // The product; then the product and its convolution.
            forward: hidden,
            later: 2 * hidden,
            backward: hidden + floats(shape.nodes * inputs.max(self.width)),
        }
    }
}
