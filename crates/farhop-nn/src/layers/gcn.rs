//! Graph convolution of Kipf and Welling, "Semi-supervised classification with graph convolutional networks", ICLR 2017:
//! `Y = A X W + b` with `A_ij = 1 / sqrt((deg_i + 1)(deg_j + 1))` for neighbours and `A_ii = 1 / (deg_i + 1)`.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::Layer;
use crate::{Batch, Context, Features, init, ops};

/// One graph convolution, `[N, inputs]` to `[N, outputs]`.
#[derive(Module, Debug)]
pub struct GcnLayer {
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
}

impl GcnLayer {
    /// Glorot weights, zero bias.
    pub fn init(inputs: usize, outputs: usize, seed: u64) -> Self {
        GcnLayer { weight: init::glorot(inputs, outputs, seed), bias: init::constant(outputs, 0.0) }
    }

    /// Number of parameters.
    pub fn size(inputs: usize, outputs: usize) -> usize {
        (inputs + 1) * outputs
    }
}

impl Layer for GcnLayer {
    fn forward(&self, features: Features, batch: &Batch, _context: &Context) -> Tensor<2> {
        let projected = features.linear(self.weight.val(), None);
        let weights = batch.symmetric_weights();
        ops::spmm_within(projected, batch.graph(), &weights, Some(self.bias.val()), batch.halo())
    }
}
