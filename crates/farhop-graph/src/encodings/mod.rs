//! Numbers that tell a node where it is: positional and structural encodings of the graphs of a
//! [`GraphSet`](crate::GraphSet).
//!
//! * [`walk_return`]: how likely a random walk is back where it started after 1, 2, ... steps (RWSE).
//! * [`laplacian_eigenvectors`]: the smoothest functions on the graph (LapPE).
//!
//! Every graph of a set gets what it gets alone, and the same bits on any number of threads.

mod component;
mod dense_eigen;
mod factor;
mod laplacian;
mod panel;
mod sparse_eigen;
mod walk;
mod walk_exact;
mod walk_probes;

pub use laplacian::{Laplacian, LaplacianKind, LaplacianOptions, laplacian_eigenvectors};
pub use walk::{WalkMethod, WalkReturns, walk_return, walk_returns};
