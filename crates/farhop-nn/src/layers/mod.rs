//! Layers: one file each, one contract, one registry line.

mod gcn;
mod linear;
mod norm;

pub use gcn::GcnLayer;
pub use linear::Linear;
pub use norm::{BlockConfig, NormBlock};

use burn::module::Module;
use burn::tensor::Tensor;

use crate::{Batch, Context, Network};

/// Features in, graph in, features out.
pub trait Layer: Module {
    /// `[N, inputs]` to `[N, outputs]`.
    fn forward(&self, features: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2>;
}

/// A layer that the common test set runs on.
pub struct Registered {
    /// Its name.
    pub name: &'static str,
    /// Builds it with its default settings from (inputs, outputs, seed).
    pub build: fn(usize, usize, u64) -> Box<dyn Network>,
}

/// All layers. Adding a layer adds one line.
pub const REGISTRY: &[Registered] = &[
    Registered { name: "linear", build: |inputs, outputs, seed| Box::new(Linear::init(inputs, outputs, seed)) },
    Registered { name: "gcn", build: |inputs, outputs, seed| Box::new(GcnLayer::init(inputs, outputs, seed)) },
];
