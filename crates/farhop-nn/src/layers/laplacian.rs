//! Eigenvectors of a graph's Laplacian as features of its nodes. An eigenvector times -1 is an eigenvector too, so a model should
//! not care about signs. Two ways, v_i the K values of node i:
//!
//! ```text
//! linear    y_i = v_i W + b                  every vector of every graph gets a random sign in each training step
//!                                            (Dwivedi et al., "Benchmarking graph neural networks", 2020)
//! deepset   y_i = (sum over k of phi_k(v_ik) + phi_k(-v_ik)) W + b,    phi_k(v) = relu(v A_k + B_k)
//!                                            the same for all signs (as in SignNet, Lim et al., ICLR 2023)
//! ```
//!
//! `linear` learns to live with any sign and still sees which nodes lie on different sides of a vector; `deepset` sees only how
//! far from 0 a node is. The vectors are ordered by eigenvalue, so each k has a phi of its own.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::random::mix;

use super::Linear;
use crate::init::Seeds;
use crate::knobs::words;
use crate::ops::bridge;
use crate::{Batch, Context, LAPLACIAN, init, ops};

words! {
    /// How eigenvectors are read.
    pub enum LaplacianReading {
        /// A linear map, random signs in training.
        #[default]
        Linear = "linear",
        /// A function that is the same for all signs.
        Deepset = "deepset",
    }
}

impl LaplacianReading {
    /// Number of parameters, and of the numbers per node that are kept for the backward pass.
    pub(crate) fn size(self, vectors: usize, width: usize) -> (usize, usize) {
        match self {
            LaplacianReading::Linear => (Linear::size(vectors, width), vectors),
            LaplacianReading::Deepset => (2 * vectors * width + Linear::size(width, width), width),
        }
    }
}

/// `[N, vectors]` to `[N, width]`.
#[derive(Module, Debug)]
pub struct LaplacianEncoder {
    phi: Option<Phi>,
    linear: Linear,
}

/// A and B, `[vectors, width]`.
#[derive(Module, Debug)]
struct Phi {
    slopes: Param<Tensor<2>>,
    shifts: Param<Tensor<2>>,
}

impl LaplacianEncoder {
    /// Glorot weights, zero bias; A uniform from -1 to 1 and B zero, so that phi starts as `|v|`.
    pub fn init(vectors: usize, width: usize, kind: LaplacianReading, seed: u64) -> Self {
        let mut seeds = Seeds::new(seed);
        match kind {
            LaplacianReading::Linear => {
                LaplacianEncoder { phi: None, linear: Linear::init(vectors, width, seeds.next_seed()) }
            }
            LaplacianReading::Deepset => LaplacianEncoder {
                linear: Linear::init(width, width, seeds.next_seed()),
                phi: Some(Phi {
                    slopes: init::uniform(vectors, width, 1.0, seeds.next_seed()),
                    shifts: init::uniform(vectors, width, 0.0, seeds.next_seed()),
                }),
            },
        }
    }

    /// The encoded eigenvectors of the batch.
    pub fn forward(&self, batch: &Batch, context: &Context) -> Tensor<2> {
        match &self.phi {
            Some(phi) => {
                let pooled = ops::sign_invariant(batch.array(LAPLACIAN), phi.slopes.val(), phi.shifts.val());
                self.linear.apply(pooled.into())
            }
            None => {
                let vectors = match context.next_seed() {
                    Some(seed) => flipped(batch, seed),
                    None => batch.array(LAPLACIAN),
                };
                self.linear.apply(vectors.into())
            }
        }
    }
}

/// The eigenvectors with a random sign for each graph and vector.
pub(super) fn flipped(batch: &Batch, seed: u64) -> Tensor<2> {
    let array = batch.array(LAPLACIAN);
    #[cfg(test)]
    if batch.derived(0, |_| KeepsSigns::default()).0 {
        return array;
    }
    let [nodes, vectors] = array.dims();
    let mut values = bridge::into_vec(array);
    for (graph, range) in batch.offsets().windows(2).enumerate() {
        let seed = mix(seed, (batch.first_graph() + graph) as u64);
        let flip: Vec<bool> = (0..vectors).map(|k| mix(seed, k as u64) & 1 == 1).collect();
        for row in values[range[0] * vectors..range[1] * vectors].chunks_exact_mut(vectors.max(1)) {
            row.iter_mut().zip(&flip).filter(|(_, flip)| **flip).for_each(|(value, _)| *value = -*value);
        }
    }
    bridge::from_vec(values, [nodes, vectors])
}

/// Whether signs stay as they are, for tests: given to a batch before the pass.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct KeepsSigns(pub bool);
