//! Models: one file each, one line in the registry below.

mod appnp;
mod common;
mod contract;
mod drew;
mod exphormer;
mod gcn;
mod gen_model;
mod gps;
mod mlp;
mod model_config;
mod sat;
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
    gps::Gps,
    exphormer::Exphormer,
    sat::Sat,
    drew::Drew,
}
