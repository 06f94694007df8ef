//! A layer of one's own: features in, graph in, features out. It is a module of the tensor engine, made of the operations of `farhop_nn::ops`,
//! which bring their gradients along. CONTRIBUTING.md says how such a layer becomes a model with recipes and checkpoints.
//!
//! `cargo run --release -p farhop --example custom_layer`

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop::{Batch, generate};
use farhop_nn::layers::Layer;
use farhop_nn::{Context, Features, Network, init, ops};

/// `y = A x W + x V`: what the neighbours say, and what the node says itself, each with its own weights.
#[derive(Module, Debug)]
pub struct TwoVoices {
    neighbours: Param<Tensor<2>>,
    own: Param<Tensor<2>>,
}

impl TwoVoices {
    /// Weights from a seed.
    pub fn init(inputs: usize, outputs: usize, seed: u64) -> Self {
        TwoVoices { neighbours: init::glorot(inputs, outputs, seed), own: init::glorot(inputs, outputs, seed + 1) }
    }
}

impl Layer for TwoVoices {
    fn forward(&self, features: Features, batch: &Batch, _context: &Context) -> Tensor<2> {
        let heard = features.clone().linear(self.neighbours.val(), None);
        let heard = ops::spmm(heard, batch.graph(), &batch.symmetric_weights(), None);
        heard + features.linear(self.own.val(), None)
    }
}

/// Runs the layer on a ring and checks what a ring must give.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let batch = Batch::new(Arc::new(generate::ring(6)?), &[1.0; 6], 1);
    let layer = TwoVoices::init(1, 2, 7);
    let outputs = layer.run(batch.features().into(), &batch, &Context::evaluation()).into_data().try_to_vec::<f32>()?;
    println!("{outputs:.3?}");
    // All nodes of a ring with the same features look the same.
    assert!(outputs.chunks(2).all(|row| row.iter().zip(&outputs[..2]).all(|(one, first)| (one - first).abs() < 1e-6)));
    // The weights of the convolution add up to 1 there, so both voices are simply added.
    let weights: Vec<f32> = layer.arrays().iter().flat_map(|array| array.data.clone()).collect();
    assert!((outputs[0] - (weights[0] + weights[2])).abs() < 1e-5);
    Ok(())
}
