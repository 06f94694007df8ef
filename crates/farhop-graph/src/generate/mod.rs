//! Graphs made to order, all undirected and simple. Those that draw lots take a seed: the same seed gives
//! the same graph on any number of threads.

mod barabasi_albert;
mod chung_lu;
mod regular;
mod stochastic_block_model;
mod trees;
mod weighted;

pub use barabasi_albert::barabasi_albert;
pub use chung_lu::chung_lu;
pub use regular::{grid, path, ring, star};
pub use stochastic_block_model::{BlockGraph, stochastic_block_model};
pub use trees::{balanced_tree, forest, random_tree};

use crate::error::GraphError;

/// The error for a parameter that a generator cannot work with.
fn not_possible(
    generator: &'static str,
    parameter: &'static str,
    value: impl ToString,
    allowed: impl ToString,
) -> GraphError {
    GraphError::Parameter { generator, parameter, value: value.to_string(), allowed: allowed.to_string() }
}
