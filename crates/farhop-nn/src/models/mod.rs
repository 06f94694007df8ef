//! Models: one file each, one line in the registry below.

mod appnp;
mod common;
mod contract;
mod gcn;
mod gen_model;
mod gmn;
mod gmn_tokens;
mod graph_mamba;
mod ipr_encoder;
mod ipr_frame;
mod ipr_head;
mod ipr_layer;
mod ipr_mpnn;
mod ipr_sampling;
mod ipr_start;
mod mlp;
mod model_config;
mod stack;

#[cfg(test)]
mod tests;

pub use common::Common;
pub use contract::{About, Architecture, Change, Properties, Reach, Registration, WeighedHops, narrower};
pub use model_config::ModelConfig;
pub use stack::Stack;

macro_rules! registry {
    ($($model:ty,)*) => {
        /// All models. Adding one adds a line.
        pub const REGISTRY: &[Registration] = &[$(Registration::of::<$model>()),*];
    };
}

registry! {
    crate::layers::GenConfig,
    gcn::Gcn,
    mlp::Mlp,
    appnp::Appnp,
    graph_mamba::GraphMamba,
    gmn::Gmn,
    ipr_mpnn::IprMpnn,
}
