//! A multilayer perceptron on each node's features: the baseline that sees no graph.

use serde::{Deserialize, Serialize};

use super::settings::{Common, LayerBytes, LayerSettings};
use crate::config::{ActivationKind, NormKind};
use crate::layers::{LaplacianKind, Linear, ReadoutKind};
use crate::memory::floats;
use crate::{InputShape, Shape};

/// `x -> [encoder ->] (linear -> norm -> activation -> dropout (+ x)) x layers -> head`. Edges and their features are not read.
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
    /// How the nodes of a graph become one row where answers are about graphs: `mean`, `sum` or `max`. Default `mean`.
    pub readout: ReadoutKind,
    /// Linear maps at the end, with `width` channels and relu between them; 1 is a single map. Default 1.
    pub head_layers: usize,
    /// How eigenvectors of the Laplacian are read, if there are any: `linear` (random signs in training) or `deepset` (the same
    /// for all signs). Default `linear`.
    pub laplacian_encoder: LaplacianKind,
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
            readout: ReadoutKind::Mean,
            head_layers: 1,
            laplacian_encoder: LaplacianKind::Linear,
        }
    }
}

impl LayerSettings for MlpConfig {
    type Layer = Linear;

    const NAME: &'static str = "mlp";

    const LEAST_LAYERS: usize = 0;

    fn common(&self) -> Common {
        Common {
            layers: self.layers,
            width: self.width,
            input_projection: false,
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

    fn layer(&self, inputs: usize, _shape: &InputShape, seed: u64) -> Linear {
        Linear::init(inputs, self.width, seed)
    }

    fn bytes(&self, inputs: usize, shape: &Shape, _training: bool) -> LayerBytes {
        let hidden = floats(shape.nodes * self.width);
        LayerBytes {
            parameters: Linear::size(inputs, self.width),
            shared: 0,
            kept: 0,
            forward: hidden,
            later: hidden,
            backward: hidden + floats(shape.nodes * inputs),
        }
    }
}
