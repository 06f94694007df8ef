//! What the forward pass leaves behind.

use super::{Coefficients, Config, Source, Storage};
use crate::buffers;
use crate::packed::Packed;

/// What the forward pass returns, and all that the backward pass needs besides the inputs.
pub struct Kept {
    /// d^1 .. d^K, `[N, F]` each; none while they are [put away](Kept::put_away).
    pub increments: Vec<Vec<f32>>,
    pub(super) packed: Packed,
    /// Coefficients made by attention, `[rounds, E, H]`; empty when they were given.
    pub edge: Vec<f32>,
    /// The nodes' own coefficients made by attention, `[rounds, N, H]`; empty when they were given.
    pub node: Vec<f32>,
    /// Node scalars of the scores, `[rounds, 2, N, H]`; empty without attention.
    pub(super) scalars: Vec<f32>,
    /// sum_j p_ij^(k,s) for every round k and odd s, `[pairs, N, H]`.
    pub(super) sums: Vec<f32>,
    /// What rows of coefficients are computed from beside scalars, `[rounds, 2, N, H]`: see [`edge_attention`]. Only where other processes need it.
    pub(super) norms: Vec<f32>,
}

impl Kept {
    /// The coefficients that were used.
    pub fn coefficients<'a>(&'a self, source: &Source<'a>, rounds: usize) -> Coefficients<'a> {
        match source {
            Source::Given(given) => *given,
            Source::Attention(a) => Coefficients { rounds: a.rounds(rounds), edge: &self.edge, node: &self.node },
        }
    }

    /// Gives the memory to whoever needs some next.
    pub fn give_back(mut self) {
        self.packed.clear();
        for buffer in self.increments.into_iter().chain([self.edge, self.node, self.scalars, self.sums, self.norms]) {
            buffers::give(buffer);
        }
    }

    /// d^K, the last increment.
    pub fn take_last(&mut self) -> Vec<f32> {
        self.increments.pop().unwrap_or_default()
    }

    /// Makes the increments smaller until they are needed again, if they may be ([`Storage::Packed`]).
    pub fn put_away(&mut self, config: &Config, nodes: usize) {
        if config.storage == Storage::Packed {
            self.packed = Packed::new(nodes, config.heads.width);
            for increment in self.increments.drain(..) {
                self.packed.push(&increment);
                buffers::give(increment);
            }
        }
    }

    /// The opposite of [`Kept::put_away`].
    pub fn take_out(&mut self) {
        if !self.packed.is_empty() {
            self.increments = self.packed.unpack();
        }
    }

    pub(super) fn scalars(&self, r: usize, size: usize) -> (&[f32], &[f32]) {
        self.scalars[r * 2 * size..(r + 1) * 2 * size].split_at(size)
    }

    /// The norms of set `r`, `[2, N, H]`.
    pub(super) fn norms(&self, r: usize, size: usize) -> &[f32] {
        &self.norms[r * 2 * size..(r + 1) * 2 * size]
    }
}
