//! The literal versions of the kernels: slow, obviously right, following the paper's equations line by line.
//!
//! They are generic over [`Real`]: f32, f64, or a [`tape::Var`], whose arithmetic is recorded so that exact gradients of any
//! of them come for free. The literal elimination keeps the paper's redundancy f for every edge and feature, which is what
//! the fast kernel never does.

pub mod edges;
pub mod elimination;
pub mod graph_attention;
pub mod hop_attention;
pub mod inputs;
pub mod lists;
pub mod pairs;
pub mod real;
pub mod sequences;
pub mod tape;

pub use real::Real;
