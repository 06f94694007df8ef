//! One round of the backward pass: the gather over the transposed rows.

use super::super::Mode;
use super::super::coefficients::Chain;
use super::super::rounds::{Piece, SEGMENT, ahead, pieces, states};
use super::super::stored::{Rows, Storage, Stored};
use super::state::{Context, State};
use crate::buffers;
use crate::heads::Heads;
use crate::packed::Packed;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{Arith, axpy_dot, dot, prefetch};
use crate::{by_width, simd_fn};
use std::ops::Range;

/// The gather of round k over the transposed rows, for some of them at a time.
pub(super) struct Pull<'a> {
    context: &'a Context<'a>,
    k: usize,
    /// How many factors the longest product has.
    depth: usize,
    chain: Chain<'a>,
    /// g^k, packed; empty if it is gathered as it is.
    packed: Packed,
}

impl<'a> Pull<'a> {
    /// For round k, whose gradients are complete but for those of other processes' nodes.
    pub fn new(context: &'a Context<'a>, k: usize, chain: Chain<'a>, state: &mut State) -> Self {
        let (graph, config) = (context.graph, context.config);
        let depth = if config.mode == Mode::Exact { k } else { 1 };
        let mut packed = Packed::new(graph.nodes(), config.heads.width);
        if config.storage == Storage::Packed {
            packed.push(&state.slabs[k - 1]);
            if context.own == graph.nodes() {
                buffers::give(std::mem::take(&mut state.slabs[k - 1]));
            }
        }
        let pull = Pull { context, k, depth, chain, packed };
        // Factor s of the products is a coefficient of round k - s, along the entry or against it in turn. Gradients that no round
        // has added to yet begin here.
        for s in 0..depth {
            let side = if s % 2 == 0 { &mut state.along } else { &mut state.against };
            let gradient = &mut side[pull.set(k - s)];
            if gradient.is_empty() {
                *gradient = buffers::zeros(graph.entries() * config.heads.count);
            }
        }
        pull
    }

    fn set(&self, round: usize) -> usize {
        if self.context.coefficients.rounds == 1 { 0 } else { round - 1 }
    }

    /// The gradients of these rows, which are of other processes' nodes, have arrived.
    pub fn arrived(&mut self, state: &mut State, rows: Range<usize>) {
        if !self.packed.is_empty() && !rows.is_empty() {
            self.packed.renew(&state.slabs[self.k - 1], rows);
            buffers::give(std::mem::take(&mut state.slabs[self.k - 1]));
        }
    }

    /// Gathers for some transposed rows.
    pub fn rows(&self, state: &mut State, rows: Range<usize>) {
        let Pull { context, k, depth, .. } = self;
        let (graph, config) = (context.graph, context.config);
        let (width, count) = (config.heads.width, config.heads.count);
        let transposed = graph.transposed();
        let (lower, upper) = state.slabs.split_at_mut(k - 1);
        let lower: Vec<SharedMut<f32>> = lower.iter_mut().map(|slab| SharedMut::new(slab)).collect();
        let z = SharedMut::new(&mut state.z);
        let along: Vec<SharedMut<f32>> = state.along.iter_mut().map(|v| SharedMut::new(v)).collect();
        let against: Vec<SharedMut<f32>> = state.against.iter_mut().map(|v| SharedMut::new(v)).collect();
        let given = Given { gradient: &upper[0], returned: &state.returned };
        Blocks::some_by_entries(transposed.offsets, rows, 4, 2 * width).run(|rows| {
            let entries = transposed.offsets[rows.start] * count..transposed.offsets[rows.end] * count;
            // One slice per distinct set: with one set for all rounds, every factor adds to the same slice. Nothing is written to the
            // sides that are empty.
            let lowest = k + 1 - depth;
            let part = |side: &SharedMut<'_, f32>| if side.is_empty() { 0..0 } else { entries.clone() };
            // SAFETY: blocks are disjoint ranges of transposed rows, which own their entries and their nodes' rows.
            let (mut own, mut back, mut targets) = unsafe {
                let sets = if context.coefficients.rounds == 1 { 0..1 } else { self.set(lowest)..self.set(*k) + 1 };
                (
                    sets.clone().map(|r| along[r].part(part(&along[r]))).collect::<Vec<_>>(),
                    sets.map(|r| against[r].part(part(&against[r]))).collect::<Vec<_>>(),
                    (0..*depth)
                        .step_by(2)
                        .map(|s| {
                            let m = k - 1 - s;
                            // Nothing where the gradient of z is not wanted.
                            let side = if m == 0 { &z } else { &lower[m - 1] };
                            side.part(if side.is_empty() { 0..0 } else { rows.start * width..rows.end * width })
                        })
                        .collect::<Vec<_>>(),
                )
            };
            pull_rows(self, given, rows, &mut own, &mut back, &mut targets);
        });
    }

    /// Gives the memory to whoever needs some next.
    pub fn finish(mut self) {
        self.packed.clear();
    }
}

/// What is gathered from.
#[derive(Clone, Copy)]
struct Given<'a> {
    /// g^k, `[N, F]`; anything if it is packed.
    gradient: &'a [f32],
    returned: &'a [f32],
}

simd_fn! {
    fn pull_rows<M>(
        pass: &Pull,
        from: Given,
        rows: Range<usize>,
        own: &mut [&mut [f32]],
        back: &mut [&mut [f32]],
        targets: &mut [&mut [f32]],
    ) {
        if pass.packed.is_empty() {
            by_width!(pass.context.config.heads, pull_fixed::<M, f32>(pass, from, rows, own, back, targets))
        } else {
            by_width!(pass.context.config.heads, pull_fixed::<M, i16>(pass, from, rows, own, back, targets))
        }
    }
}

#[inline(always)]
fn pull_fixed<M: Arith, T: Stored, const WIDTH: usize>(
    pass: &Pull,
    source: Given,
    rows: Range<usize>,
    own: &mut [&mut [f32]],
    back: &mut [&mut [f32]],
    targets: &mut [&mut [f32]],
) {
    let (context, k, depth) = (pass.context, pass.k, pass.depth);
    let (heads, mode) = (context.config.heads.fixed::<WIDTH>(), context.config.mode);
    let (width, count) = (heads.width, heads.count);
    let offsets = context.graph.transposed().offsets;
    let stride = SEGMENT * count;
    let (first, base) = (rows.start, offsets[rows.start]);
    let gathered = T::rows(source.gradient, &pass.packed, 0);
    let mut products = vec![0.0f32; depth * stride];
    let mut given = vec![0.0f32; depth * stride];
    let mut chain = vec![0.0f32; if mode == Mode::None { k * width } else { 0 }];
    for piece in pieces(offsets, rows) {
        let (from, to) = (piece.entries.start, piece.entries.end);
        if depth > 1 {
            pass.chain.products(k, from * count, to * count, &mut products, stride);
        } else {
            products[..(to - from) * count].copy_from_slice(&pass.chain.own[k - 1][from * count..to * count]);
        }
        for j in piece.rows.clone() {
            if mode == Mode::None {
                states::<M>(
                    |k| context.all.row(k, j),
                    heads,
                    mode,
                    |k| context.coefficients.node(k),
                    j,
                    k - 1,
                    &mut chain,
                );
            }
            let row = (j - first) * width..(j - first + 1) * width;
            pull_row::<M, T>(
                pass,
                source.returned,
                heads,
                gathered,
                j,
                row,
                &piece,
                &chain,
                &products,
                &mut given,
                targets,
            );
        }
        through_products(pass, from..to, base, &products, &mut given, own, back);
    }
}

/// The entries of row j in `piece`: adds to its gradients (rows `row` of `targets`) and leaves the gradients of the products in
/// `given`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn pull_row<M: Arith, T: Stored>(
    pass: &Pull,
    returned: &[f32],
    heads: Heads,
    gathered: Rows<T>,
    j: usize,
    row: Range<usize>,
    piece: &Piece,
    chain: &[f32],
    products: &[f32],
    given: &mut [f32],
    targets: &mut [&mut [f32]],
) {
    let (context, k) = (pass.context, pass.k);
    let (width, count) = (heads.width, heads.count);
    let transposed = context.graph.transposed();
    let stride = SEGMENT * count;
    let pairs = context.config.rounds / 2;
    let ahead = ahead(width * size_of::<T>());
    for t in piece.of_row(transposed.offsets, j) {
        let i = transposed.targets[t] as usize;
        if let Some(&next) = transposed.targets.get(t + ahead) {
            gathered.prefetch(next as usize, width);
            prefetch(returned, next as usize * pairs * count, 1);
        }
        let (gradient, scale) = (gathered.row(i, width), gathered.scale(i));
        let at = (t - piece.entries.start) * count;
        for (l, target) in targets.iter_mut().enumerate() {
            let s = 2 * l;
            let increment = if context.config.mode == Mode::None {
                &chain[(k - 1) * width..]
            } else {
                context.all.row(k - 1 - s, j)
            };
            let increment = &increment[..width];
            if target.is_empty() {
                for h in 0..count {
                    let range = heads.range(h);
                    given[s * stride + at + h] = scale * dot::<M, _>(&gradient[range.clone()], &increment[range]);
                }
                continue;
            }
            let target = &mut target[row.start..][..width];
            for h in 0..count {
                let range = heads.range(h);
                let p = products[s * stride + at + h] * scale;
                given[s * stride + at + h] = scale
                    * axpy_dot::<M, _>(p, &gradient[range.clone()], &mut target[range.clone()], &increment[range]);
            }
        }
        for s in (1..pass.depth).step_by(2) {
            for h in 0..count {
                given[s * stride + at + h] = -returned[(i * pairs + s / 2) * count + h];
            }
        }
    }
}

/// Product rule along the chain, from the last factor back: suffix_s = g_s + factor_(s+1) suffix_(s+1), and the gradient of factor
/// s is (product of the factors before it) * suffix_s. `own` and `back` start at entry `base`.
#[inline(always)]
fn through_products(
    pass: &Pull,
    entries: Range<usize>,
    base: usize,
    products: &[f32],
    given: &mut [f32],
    own: &mut [&mut [f32]],
    back: &mut [&mut [f32]],
) {
    let (k, count) = (pass.k, pass.context.config.heads.count);
    let (stride, len) = (SEGMENT * count, entries.len() * count);
    let one_set = pass.context.coefficients.rounds == 1;
    for s in (0..pass.depth).rev() {
        let slot = if one_set { 0 } else { pass.depth - 1 - s };
        let at = (entries.start - base) * count..(entries.end - base) * count;
        let slice: &mut [f32] = if s % 2 == 0 { &mut own[slot][at] } else { &mut back[slot][at] };
        if s == 0 {
            for (sum, g) in slice.iter_mut().zip(&given[..len]) {
                *sum += g;
            }
            continue;
        }
        let (lower, upper) = given.split_at_mut(s * stride);
        let before = &products[(s - 1) * stride..][..len];
        for ((sum, g), p) in slice.iter_mut().zip(&upper[..len]).zip(before) {
            *sum += g * p;
        }
        let factors = if s % 2 == 1 { pass.chain.back[k - 1 - s] } else { pass.chain.own[k - 1 - s] };
        let factors = &factors[entries.start * count..entries.end * count];
        for ((l, g), f) in lower[(s - 1) * stride..][..len].iter_mut().zip(&upper[..len]).zip(factors) {
            *l += g * f;
        }
    }
}
