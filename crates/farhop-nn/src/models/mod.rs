//! Models: one file each, one line in the registry below.

mod appnp;
mod common;
mod contract;
mod frame;
mod gat;
mod gatedgcn;
mod gcn;
mod gea_appnp;
mod gea_gcn;
mod gea_mixhop;
mod gen_model;
mod gin;
mod graphsage;
mod jknet;
mod jump;
mod mixhop;
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
    gat::Gat,
    graphsage::GraphSage,
    gin::Gin,
    gatedgcn::GatedGcn,
    jknet::JkNet,
    mixhop::MixHop,
    gea_gcn::GeaGcn,
    gea_appnp::GeaAppnp,
    gea_mixhop::GeaMixHop,
}
