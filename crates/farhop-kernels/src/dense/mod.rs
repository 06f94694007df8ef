//! Dense pieces: matrix products, normalisation with activation, dropout and residual in one pass, the feed-forward block and
//! the losses.
//!
//! Outputs are slices that the caller owns, so that buffers can be used again: at 169,343 x 128, touching new memory costs as
//! much as the arithmetic. Every output is written completely unless [`Write::Add`] says that it is added to.

pub mod activation;
pub mod batch_norm;
pub mod cross_entropy;
pub mod dropout;
pub mod element_loss;
pub mod feed_forward;
pub mod finish;
pub mod graph_norm;
pub mod layer_norm;
pub mod pair_loss;
pub mod product;
pub mod reference;
pub mod rows;
mod scatter;
pub(crate) mod strided;
pub(crate) mod tiles;

pub use activation::Activation;
pub use dropout::{Dropout, RowNames};
pub use element_loss::ElementLoss;
pub use finish::Finish;

/// Whether a kernel replaces what its output holds or adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// The output's old content does not matter.
    Replace,
    /// The result is added to the output.
    Add,
}
