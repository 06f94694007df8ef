//! The backward pass, hand-written: gradients through coefficients, products and states.
//!
//! Walking k from K down to 1, the gradient `g^k` of increment k (or of state k where nothing is eliminated) is complete when
//! its round comes. One gather a round is enough: for row j and receiver i, `g_i^k` is loaded once, adds `p_ij^(k,s) g_i^k` to
//! the gradients of row j's own earlier increments, and its dot products with those increments are the gradients of the
//! products. The rows are those of the transposed graph, so nothing is scattered.

mod complete;
mod hop_gradients;
mod pull;
mod state;
mod transposed;

use super::halo::returned_to_others;
use super::kept::Kept;
use super::rounds::Increments;
use super::{Config, Mode, Reading, Source, check};
use crate::buffers;
use crate::edge_attention;
use crate::exchange::Halo;
use crate::parallel::sum_in_order;
use complete::complete_round;
use farhop_graph::Graph;
use hop_gradients::place_hop_gradients;
use pull::Pull;
use state::{Context, Pending, State};
use std::ops::Range;
use transposed::TransposedCoefficients;
pub(super) use transposed::keeps;

/// Gradients of an elimination.
pub struct Gradients {
    /// Of the features, `[N, F]`; empty if it was not wanted.
    pub z: Vec<f32>,
    /// Of the attention vectors, `[rounds, 2 F]`; empty without attention.
    pub weights: Vec<f32>,
    /// Of the coefficients of the entries, or, with attention, of the edge bias (empty without one): `[rounds, E, H]`.
    pub edge: Vec<f32>,
    /// Of the nodes' own coefficients, `[rounds, N, H]`.
    pub node: Vec<f32>,
}

/// Where the gradients of the hops come from: asked for tiles of consecutive rows, one after the other.
///
/// A function of `(i, block)` is one that needs [`HopGradient::row`] only.
pub trait HopGradient {
    /// A tile starts: `rows` come next, in order. `held` are its rows of [`Reused::held`].
    fn start(&mut self, rows: Range<usize>, held: &[f32]) {
        let _ = (rows, held);
    }

    /// Writes node i's gradients of hops 1..K, `[K, F]`, into `block`, which is zeros on entry. `last` is the node's row of
    /// [`Reused::last`], which is nowhere else any more.
    fn row(&mut self, i: usize, last: &[f32], block: &mut [f32]);

    /// The tile ends. `z` is the gradient of its rows of z so far, `[rows, F]`: what reaches z by other ways may be added to it, if it is
    /// wanted.
    fn end(&mut self, rows: Range<usize>, z: &mut [f32]) {
        let _ = (rows, z);
    }

    /// What was summed up over the rows.
    fn sums(self: Box<Self>) -> Vec<f32> {
        Vec::new()
    }
}

impl<F: FnMut(usize, &mut [f32])> HopGradient for F {
    fn row(&mut self, i: usize, _: &[f32], block: &mut [f32]) {
        self(i, block);
    }
}

/// The gradients of the hops of some of the rows.
pub type RowGradient<'a> = Box<dyn HopGradient + 'a>;

/// Arrays of `[N, F]` whose memory becomes that of gradients, row by row.
pub struct Reused {
    /// d^K, which the rounds do not read on the way back ([`Kept::take_last`]); becomes its own gradient.
    pub last: Vec<f32>,
    /// Anything ([`HopGradient::start`] is shown it); becomes the gradient of z, or that of d^1 where the former is not wanted.
    pub held: Vec<f32>,
    /// Whether the gradient of z is wanted. Without it there is none, and the work for it is left out.
    pub needs_z: bool,
}

/// Gradients of everything, from those of the hops: [`begin`] and then [`BackwardRounds::finish`].
pub fn backward<'a>(
    graph: &Graph,
    config: &Config,
    source: &Source,
    z: &[f32],
    mut kept: Kept,
    reading: Reading,
    hop_gradient: &(dyn Fn() -> RowGradient<'a> + Sync),
) -> Gradients {
    kept.take_out();
    let reused = Reused { last: kept.take_last(), held: buffers::take(z.len()), needs_z: true };
    begin(graph, config, source, z, &kept, reused, reading, hop_gradient).finish(graph, config, source, z, kept, None)
}

/// A backward pass that knows the hops' gradients and has yet to walk through the rounds.
pub struct BackwardRounds {
    state: State,
    sums: Vec<Vec<f32>>,
}

/// Starts the backward pass: asks for every node's gradients once, and for nothing afterwards.
///
/// `hop_gradient` makes a [`RowGradient`] for each share of the rows (so that it can have scratch and sums of its own); the shares
/// depend on the number of rows only. The gradients refer to the states or to the increments, as `reading` says. `kept` is without
/// its last increment.
#[allow(clippy::too_many_arguments)]
pub fn begin<'a>(
    graph: &Graph,
    config: &Config,
    source: &Source,
    z: &[f32],
    kept: &Kept,
    reused: Reused,
    reading: Reading,
    hop_gradient: &(dyn Fn() -> RowGradient<'a> + Sync),
) -> BackwardRounds {
    begin_within(graph, config, source, z, kept, reused, reading, hop_gradient, None)
}

/// As [`begin`], for own nodes of a part of a graph: `z`, `kept` and `reused` have the rows of all nodes.
#[allow(clippy::too_many_arguments)]
pub fn begin_within<'a>(
    graph: &Graph,
    config: &Config,
    source: &Source,
    z: &[f32],
    kept: &Kept,
    reused: Reused,
    reading: Reading,
    hop_gradient: &(dyn Fn() -> RowGradient<'a> + Sync),
    halo: Option<&Halo>,
) -> BackwardRounds {
    check(graph, config, source, z);
    let (n, heads, rounds) = (graph.nodes(), config.heads, config.rounds);
    let (width, count) = (heads.width, heads.count);
    let coefficients = kept.coefficients(source, rounds);
    let sets = coefficients.rounds;
    assert_eq!(
        (reused.last.len(), reused.held.len()),
        (n * width, n * width),
        "arrays to use again must be [nodes, width]"
    );
    // Where the gradient of z is not wanted, what is held makes room for that of d^1.
    let (first, held) =
        if reused.needs_z || rounds == 1 { (None, reused.held) } else { (Some(reused.held), Vec::new()) };
    let fresh = (1 + usize::from(first.is_some())..rounds).map(|_| buffers::take(n * width));
    let mut state = State {
        slabs: first.into_iter().chain(fresh).chain([reused.last]).collect(),
        z: held,
        node: buffers::zeros(rounds * n * count),
        along: vec![Vec::new(); sets],
        against: vec![Vec::new(); sets],
        carry: Vec::new(),
        returned: buffers::take(if config.mode == Mode::Exact { (rounds / 2) * n * count } else { 0 }),
    };
    let all = Increments { z, slabs: &kept.increments, width };
    let own = halo.map_or(n, Halo::own);
    let context = Context { graph, config, own, all, coefficients, sums: &kept.sums };
    let sums = place_hop_gradients(&context, reading, hop_gradient, reused.needs_z, &mut state);
    if !reused.needs_z {
        buffers::give(std::mem::take(&mut state.z));
    }
    BackwardRounds { state, sums }
}

impl BackwardRounds {
    /// The [sums](HopGradient::sums) of all rows, `size` numbers, added up in the order of the shares.
    pub fn take_sums(&mut self, size: usize) -> Vec<f32> {
        sum_in_order(std::mem::take(&mut self.sums), size)
    }

    /// Walks through the rounds, with the inputs of [`begin`]. What no earlier round needs is given back on the way.
    ///
    /// With a halo, every round has a message with the gradients of its increment (F numbers a node), and, with attention, one with the means of
    /// the gradients of its coefficients (H). While they are under way, the rows are computed that need nothing of others. Gradients of z are those of own rows, and gradients of entries those of own rows: other rows of
    /// z hold anything, other entries 0.
    pub fn finish(
        self,
        graph: &Graph,
        config: &Config,
        source: &Source,
        z: &[f32],
        mut kept: Kept,
        halo: Option<&Halo>,
    ) -> Gradients {
        let mut state = self.state;
        let (n, e, rounds) = (graph.nodes(), graph.entries(), config.rounds);
        let (width, count) = (config.heads.width, config.heads.count);
        let mut increments = std::mem::take(&mut kept.increments);
        let coefficients = kept.coefficients(source, rounds);
        let sets = coefficients.rounds;
        let mut transposed = TransposedCoefficients::new(graph, config, coefficients);
        let all = Increments { z, slabs: &[], width };
        let own = halo.map_or(n, Halo::own);
        let fixed = Context { graph, config, own, all, coefficients, sums: &kept.sums };
        let mut pending: Vec<Pending> = Vec::new();
        let mut weights: Vec<Vec<f32>> = Vec::new();
        let mut edge: Vec<Vec<f32>> = vec![Vec::new(); sets];
        // Scores of set r, backward: its entries' gradients become those of the bias, its nodes' go on to the next round.
        let through_scores = |r: usize, edge: &mut Vec<f32>, node: &[f32]| -> Option<Pending> {
            let Source::Attention(a) = source else { return None };
            let (x, y) = kept.scalars(r, n * count);
            let scores = a.scores(r, count, e, x, y, halo);
            let coefficients = (coefficients.edge(r + 1), coefficients.node(r + 1));
            let around = halo.map(|halo| (halo, kept.norms(r, n * count)));
            let gradients =
                edge_attention::backward_within(graph, &scores, coefficients.0, coefficients.1, edge, node, around);
            if a.bias.is_none() {
                buffers::give(std::mem::take(edge));
            } else {
                // An entry counts once, where its row is.
                edge[graph.offsets()[own] * count..].fill(0.0);
            }
            Some(Pending { set: r, vectors: a.vectors(r, width), gradients })
        };
        for k in (1..=rounds).rev() {
            // Where states themselves are exchanged, what reaches them is anything.
            if config.mode == Mode::None && state.carry.is_empty() {
                state.carry = buffers::zeros(n * width);
            }
            weights.extend(complete_round(&fixed.with(&increments), k, &mut pending, &mut state));
            // Rounds read increments below their own.
            increments.drain(k - 1..).for_each(buffers::give);
            let underway = halo.map(|halo| halo.begin(&[(&state.slabs[k - 1], width)]));
            transposed.prepare(k);
            let left = fixed.with(&increments);
            let mut pull = Pull::new(&left, k, transposed.chain(k), &mut state);
            if let (Some(halo), Some(underway)) = (halo, underway) {
                pull.rows(&mut state, 0..halo.interior());
                let State { slabs, returned, .. } = &mut state;
                underway.fill(&mut [(&mut slabs[k - 1], width)]);
                if config.mode == Mode::Exact {
                    returned_to_others(config.heads, k, rounds / 2, own, &slabs[k - 1], |m| left.all.all(m), returned);
                }
                pull.arrived(&mut state, own..n);
                pull.rows(&mut state, halo.interior()..n);
            } else {
                pull.rows(&mut state, 0..n);
            }
            pull.finish();
            transposed.done(k);
            buffers::give(std::mem::take(&mut state.slabs[k - 1]));
            if source.each_round() {
                edge[k - 1] = state.join_entries(graph, count, k - 1);
                let node = &state.node[(k - 1) * n * count..k * n * count];
                pending.extend(through_scores(k - 1, &mut edge[k - 1], node));
            }
        }
        transposed.give_back();
        if sets == 1 {
            state.sum_nodes(n * count);
        }
        if !source.each_round() {
            edge = (0..sets).map(|r| state.join_entries(graph, count, r)).collect();
            pending.extend(through_scores(0, &mut edge[0], &state.node));
        }
        weights.extend(complete_round(&fixed.with(&increments), 0, &mut pending, &mut state));
        weights.reverse();
        kept.give_back();
        for buffer in [state.carry, state.returned] {
            buffers::give(buffer);
        }
        Gradients { z: state.z, weights: weights.concat(), edge: edge.concat(), node: state.node }
    }
}
