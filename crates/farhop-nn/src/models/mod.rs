//! Models: one file each, one line in the registry below.

mod appnp;
mod common;
mod contract;
mod gcn;
mod gen_model;
mod mlp;
mod model_config;
mod stack;

#[cfg(test)]
mod tests;

pub use common::Common;
pub use contract::{About, Architecture, Change, Properties, Reach, Registration, WeighedHops, narrower};
pub use model_config::ModelConfig;
pub use stack::Stack;

/// All models. Adding one adds a line.
pub const REGISTRY: &[Registration] =
    &[Registration::of::<crate::layers::GenConfig>(), Registration::of::<gcn::Gcn>(), Registration::of::<mlp::Mlp>()];
