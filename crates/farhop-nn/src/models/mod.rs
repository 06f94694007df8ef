//! Models: one file each, one line in the registry below.

mod appnp;
mod common;
mod contract;
mod cpgnn;
mod cpgnn_start;
mod dagnn;
mod drew;
mod exphormer;
mod frame;
mod fsgnn;
mod gat;
mod gatedgcn;
mod gcn;
mod gea_appnp;
mod gea_gcn;
mod gea_mixhop;
mod gen_model;
mod gin;
mod glognn;
mod gmn;
mod gmn_tokens;
mod goat;
mod gprgnn;
mod gps;
mod graph_mamba;
mod graphsage;
mod grit;
mod h2gcn;
mod hybrid;
mod idle;
mod ipr_encoder;
mod ipr_frame;
mod ipr_head;
mod ipr_layer;
mod ipr_mpnn;
mod ipr_sampling;
mod ipr_start;
mod jknet;
mod jump;
mod magna;
mod mixhop;
mod mlp;
mod model_config;
mod nagphormer;
mod nodeformer;
mod polynormer;
mod predictor;
mod sat;
mod sgc;
mod sgformer;
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
    gprgnn::Gprgnn,
    dagnn::Dagnn,
    h2gcn::H2gcn,
    fsgnn::Fsgnn,
    magna::Magna,
    glognn::Glognn,
    cpgnn::Cpgnn,
    sgformer::Sgformer,
    polynormer::Polynormer,
    gps::Gps,
    exphormer::Exphormer,
    sat::Sat,
    grit::Grit,
    drew::Drew,
    graph_mamba::GraphMamba,
    gmn::Gmn,
    nagphormer::Nagphormer,
    nodeformer::Nodeformer,
    goat::Goat,
    ipr_mpnn::IprMpnn,
    sgc::Sgc,
}
