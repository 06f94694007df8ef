//! Layers and models: the bridge between the kernels and the tensor engine.
//!
//! What the rooms above see has no engine type in it: a [`ModelConfig`] becomes a [`Model`] from a seed, a [`Learner`] trains it
//! on a [`Batch`], and weights and optimiser state travel as safetensors bytes.
//!
//! ```
//! use farhop_graph::{Direction, build};
//! use farhop_nn::{Batch, Learner, ModelConfig, OptimizerConfig, Targets};
//! use std::sync::Arc;
//!
//! let graph = build(4, &[(0, 1), (1, 2), (2, 3)], Direction::Undirected)?.graph;
//! let batch = Batch::new(Arc::new(graph), &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0], 2);
//! let model = ModelConfig::from_name("gcn")?.init(2, 3, 7)?;
//! let mut learner = Learner::new(model, OptimizerConfig::default(), 7);
//! let targets = Targets::classes(vec![0, 3], vec![2, 1]);
//! let report = learner.step(&batch, &targets, 0.01);
//! assert!(report.loss.is_finite());
//! assert_eq!(learner.model().outputs(&batch).len(), 4 * 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Inside, `layers` and `models` are ordinary modules of the engine, made of the operations in [`ops`]; both share the
//! [`Layer`](layers::Layer) contract: features in, graph in, features out. A model is an encoder of what is known of a node, a stack of
//! one kind of layer, and a head that answers for nodes, graphs or pairs.

mod arrays;
mod batch;
mod config;
mod context;
mod error;
mod features;
mod hop_features;
pub mod init;
pub mod knobs;
pub mod layers;
mod learner;
pub mod ledger;
mod memory;
mod model;
pub mod models;
mod network;
pub mod ops;
mod optimizer;
mod restart;
mod shape;
mod share;
mod store;
mod targets;

pub use arrays::{ArrayShape, LAPLACIAN, NodeArray, WALK};
pub use batch::{Batch, BatchArrays, BatchNumbers};
pub use config::{ActivationKind, NormKind, explain_unknown_key, needed_type};
pub use context::{Context, EdgeSpread, HopReads, Sights};
pub use error::NnError;
pub use farhop_graph::Level;
pub use farhop_kernels::exchange;
pub use features::Features;
pub use hop_features::{HopCoefficients, HopFeatures, Hops};
pub use knobs::Knob;
pub use layers::{CoefficientKind, EliminationKind, GenConfig, HopReading, LaplacianReading, ReadoutKind};
pub use learner::{Learner, StepReport};
pub use memory::{BUFFER_SLACK, MemoryEstimate, Shape};
pub use model::{Model, Observation};
pub use models::{
    About, Architecture, Change, Common, ModelConfig, Properties, REGISTRY, Reach, Registration, WeighedHops,
};
pub use network::Network;
pub use optimizer::{OptimizerConfig, OptimizerKind};
pub use shape::{InputShape, OutputShape};
pub use share::{Counts, RowsOf, Share};
pub use targets::{NumberLoss, Targets};
