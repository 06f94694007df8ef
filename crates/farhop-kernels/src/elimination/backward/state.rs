//! What the steps of the backward pass share.

use super::super::coefficients::{add_gathered, gather};
use super::super::rounds::Increments;
use super::super::{Coefficients, Config};
use crate::buffers;
use crate::edge_attention;
use farhop_graph::{Graph, NO_EDGE};

/// What stays the same over the rounds.
pub(super) struct Context<'a> {
    pub graph: &'a Graph,
    pub config: &'a Config,
    /// Rows whose gradients are complete: the first ones.
    pub own: usize,
    pub all: Increments<'a>,
    pub coefficients: Coefficients<'a>,
    pub sums: &'a [f32],
}

impl Context<'_> {
    /// The same with the increments that are left.
    pub fn with<'a>(&'a self, slabs: &'a [Vec<f32>]) -> Context<'a> {
        Context { all: Increments { slabs, ..self.all }, ..*self }
    }
}

/// Gradients under construction.
pub(super) struct State {
    /// Of d^k (eliminating) or h^k (not), `[N, F]` for each round.
    pub slabs: Vec<Vec<f32>>,
    /// Of z; empty if it is not wanted.
    pub z: Vec<f32>,
    /// Of the nodes' own coefficients, `[K, N, H]`.
    pub node: Vec<f32>,
    /// Of the coefficient along entry t of the transposed rows, per set.
    pub along: Vec<Vec<f32>>,
    /// Of the coefficient against it.
    pub against: Vec<Vec<f32>>,
    /// Gradient of the state h^k that comes from later states, where that may be anything ([`Mode::None`](super::super::Mode::None)); empty
    /// otherwise, since it is made of [`Pending`] scores then.
    pub carry: Vec<f32>,
    /// g_i^k . d_i^(k-1-s) for odd s, `[N, pairs, H]`.
    pub returned: Vec<f32>,
}

impl State {
    /// One set of coefficients for all rounds: adds up what the rounds contributed to the nodes' own, `size` numbers each.
    pub fn sum_nodes(&mut self, size: usize) {
        let (first, rest) = self.node.split_at_mut(size);
        for round in rest.chunks_exact(size.max(1)) {
            first.iter_mut().zip(round).for_each(|(sum, v)| *sum += v);
        }
        self.node.truncate(size);
    }

    /// The gradient of the coefficients of set `r` in the order of the entries, `[E, H]`.
    pub fn join_entries(&mut self, graph: &Graph, count: usize, r: usize) -> Vec<f32> {
        let along = std::mem::take(&mut self.along[r]);
        let against = std::mem::take(&mut self.against[r]);
        let transposed = graph.transposed();
        if !graph.is_directed() {
            let joined = match against.is_empty() {
                true => gather(&along, |e| graph.reverse()[e], graph.entries(), count),
                false => add_gathered(against, &along, graph.reverse(), count),
            };
            buffers::give(along);
            return joined;
        }
        let mut joined = vec![0.0; graph.entries() * count];
        for (t, &entry) in transposed.entries.iter().enumerate() {
            let back = graph.reverse()[entry as usize];
            for h in 0..count {
                joined[entry as usize * count + h] += along[t * count + h];
                if back != NO_EDGE && !against.is_empty() {
                    joined[back as usize * count + h] += against[t * count + h];
                }
            }
        }
        joined
    }
}

/// Gradients of the scores that were made from one state, still to be added to it: `receiver a_left + sender a_right`.
///
/// Where increments are exchanged, nothing else reaches a state but what reaches a later one, times coefficients of nodes. So the gradient of
/// every state is a sum of these few vectors: two numbers a node for each round stand for it, multiplied by the coefficients on the way.
pub(super) struct Pending<'a> {
    /// The set of coefficients, and the state: set r is made from h^r.
    pub set: usize,
    pub vectors: (&'a [f32], &'a [f32]),
    pub gradients: edge_attention::ScoreGradients,
}
