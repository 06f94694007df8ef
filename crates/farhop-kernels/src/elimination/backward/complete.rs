//! Between two rounds of the backward pass: everything that happens at the nodes.

use super::super::rounds::states;
use super::super::{Mode, pairs_before};
use super::state::{Context, Pending, State};
use crate::heads::Heads;
use crate::parallel::{Blocks, SharedMut, sum_in_order};
use crate::simd::{Arith, axpy, axpy_dot, dot};
use crate::{by_width, simd_fn};
use std::ops::Range;

/// Completes the gradients of round k before they are pulled: the scores that were made from states, and the odd terms (those of the last
/// round are [there](super::hop_gradients)). `pending` are the scores of all later rounds, the newest last. Returns the gradient of the
/// attention vectors of the newest, if it was made from h^k. k = 0 completes the gradient of z.
pub(super) fn complete_round(
    context: &Context,
    k: usize,
    pending: &mut Vec<Pending>,
    state: &mut State,
) -> Option<Vec<f32>> {
    let (config, n) = (context.config, context.graph.nodes());
    let (width, count) = (config.heads.width, config.heads.count);
    let newest = pending.last().is_some_and(|pending| pending.set == k);
    let odd = config.mode == Mode::Exact && (2..config.rounds).contains(&k);
    let wanted = k > 0 || !state.z.is_empty();
    if !newest && !odd && !(wanted && (!pending.is_empty() || !state.carry.is_empty())) {
        return None;
    }
    let shared = Shared {
        slabs: state.slabs.iter_mut().map(|slab| SharedMut::new(slab)).collect(),
        z: SharedMut::new(&mut state.z),
        node: SharedMut::new(&mut state.node),
        carry: SharedMut::new(&mut state.carry),
        returned: SharedMut::new(&mut state.returned),
        pending: pending
            .iter_mut()
            .map(|Pending { vectors, gradients, .. }| Scores {
                vectors: *vectors,
                receiver: SharedMut::new(&mut gradients.receiver),
                sender: SharedMut::new(&mut gradients.sender),
            })
            .collect(),
        newest,
        odd,
    };
    let sums = &context.sums[(pairs_before(k.max(1)) * n * count).min(context.sums.len())..];
    let parts =
        Blocks::by_rows(context.own, (k + 4) * width).map(|rows| complete_rows(context, k, &shared, sums, rows));
    if config.mode != Mode::Exact {
        // It went into what is carried, or reaches no earlier state.
        pending.clear();
    }
    newest.then(|| sum_in_order(parts, 2 * width))
}

/// The arrays that [`complete_round`] writes, each row by the block that owns it.
struct Shared<'a> {
    slabs: Vec<SharedMut<'a, f32>>,
    z: SharedMut<'a, f32>,
    node: SharedMut<'a, f32>,
    carry: SharedMut<'a, f32>,
    returned: SharedMut<'a, f32>,
    pending: Vec<Scores<'a>>,
    /// Whether the last of `pending` was made from h^k.
    newest: bool,
    /// Whether there are odd terms.
    odd: bool,
}

/// [`Pending`] scores.
struct Scores<'a> {
    vectors: (&'a [f32], &'a [f32]),
    receiver: SharedMut<'a, f32>,
    sender: SharedMut<'a, f32>,
}

impl<'a> Shared<'a> {
    /// Row i of the gradient of increment `m`; nothing if that is of z and not wanted.
    ///
    /// # Safety
    /// Row `i` must belong to the calling block, and the row of increment `m` must not be in use.
    #[inline(always)]
    unsafe fn gradient(&self, m: usize, i: usize, width: usize) -> &'a mut [f32] {
        let rows = if m == 0 { self.z } else { self.slabs[m - 1] };
        // SAFETY: by the caller's promise.
        unsafe { rows.part(if rows.is_empty() { 0..0 } else { i * width..(i + 1) * width }) }
    }
}

simd_fn! {
    fn complete_rows<M>(context: &Context, k: usize, shared: &Shared, sums: &[f32], rows: Range<usize>) -> Vec<f32> {
        by_width!(context.config.heads, complete_fixed::<M>(context, k, shared, sums, rows))
    }
}

#[inline(always)]
fn complete_fixed<M: Arith, const WIDTH: usize>(
    context: &Context,
    k: usize,
    shared: &Shared,
    sums: &[f32],
    rows: Range<usize>,
) -> Vec<f32> {
    let (heads, mode, n) = (context.config.heads.fixed::<WIDTH>(), context.config.mode, context.graph.nodes());
    let (width, count) = (heads.width, heads.count);
    let carried = !shared.carry.is_empty();
    let reaches = carried || !shared.pending.is_empty();
    let mut weights = vec![0.0f32; if shared.newest { 2 * width } else { 0 }];
    let mut chain = vec![0.0f32; (k + 1) * width];
    let mut here = vec![0.0f32; width];
    for i in rows {
        // SAFETY: row i belongs to this block only, and earlier increments are taken one at a time below.
        let gradient = unsafe { shared.gradient(k, i, width) };
        if reaches {
            let last = if shared.newest { k } else { k.saturating_sub(1) };
            states::<M>(|k| context.all.row(k, i), heads, mode, |k| context.coefficients.node(k), i, last, &mut chain);
            // SAFETY: as above.
            let carry = if carried { unsafe { shared.carry.part(i * width..(i + 1) * width) } } else { &mut here[..] };
            if !carried {
                carry.fill(0.0);
            }
            for scores in &shared.pending {
                // SAFETY: as above.
                let (x, y) = unsafe { scores.row(i, count) };
                for h in 0..count {
                    let range = heads.range(h);
                    axpy::<M, _>(x[h], &scores.vectors.0[range.clone()], &mut carry[range.clone()]);
                    axpy::<M, _>(y[h], &scores.vectors.1[range.clone()], &mut carry[range]);
                }
            }
            if let Some(scores) = shared.pending.last().filter(|_| shared.newest) {
                let now = &chain[k * width..(k + 1) * width];
                let (left, right) = weights.split_at_mut(width);
                // SAFETY: as above.
                let (x, y) = unsafe { scores.row(i, count) };
                for h in 0..count {
                    let range = heads.range(h);
                    axpy::<M, _>(x[h], &now[range.clone()], &mut left[range.clone()]);
                    axpy::<M, _>(y[h], &now[range.clone()], &mut right[range]);
                }
            }
            axpy::<M, _>(1.0, carry, gradient);
            if k > 0 {
                let before = &chain[(k - 1) * width..k * width];
                pass_on::<M>(context, shared, heads, k, i, gradient, carry, before);
            }
        }
        for pair in 0..if shared.odd { k / 2 } else { 0 } {
            // SAFETY: the increment is an earlier one, so this is another row than `gradient`; row i belongs to this block only.
            let (earlier, returned) = unsafe {
                let at = (i * (context.config.rounds / 2) + pair) * count;
                (shared.gradient(k - 2 - 2 * pair, i, width), shared.returned.part(at..at + count))
            };
            let sums = &sums[(pair * n + i) * count..][..count];
            subtract_returned::<M>(context, heads, k, pair, i, gradient, sums, earlier, returned);
        }
    }
    weights
}

impl<'a> Scores<'a> {
    /// The two gradients of row i.
    ///
    /// # Safety
    /// Row `i` must belong to the calling block, and not be in use.
    #[inline(always)]
    unsafe fn row(&self, i: usize, count: usize) -> (&'a mut [f32], &'a mut [f32]) {
        let at = i * count..(i + 1) * count;
        // SAFETY: by the caller's promise.
        unsafe { (self.receiver.part(at.clone()), self.sender.part(at)) }
    }
}

/// What reaches h^k of row i, `carry` (where nothing is eliminated, with the `gradient` of the round), reaches the node's own coefficient and
/// h^(k-1) through `a_ii^k h^(k-1)`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn pass_on<M: Arith>(
    context: &Context,
    shared: &Shared,
    heads: Heads,
    k: usize,
    i: usize,
    gradient: &[f32],
    carry: &mut [f32],
    before: &[f32],
) {
    let (count, n) = (heads.count, context.graph.nodes());
    if context.config.mode == Mode::SelfLoop {
        return;
    }
    let whole = if context.config.mode == Mode::None { gradient } else { &*carry };
    // SAFETY: row i belongs to this block only.
    let own = unsafe { shared.node.part(((k - 1) * n + i) * count..((k - 1) * n + i + 1) * count) };
    for (h, own) in own.iter_mut().enumerate() {
        let range = heads.range(h);
        *own += dot::<M, _>(&whole[range.clone()], &before[range]);
    }
    let coefficients = &context.coefficients.node(k)[i * count..(i + 1) * count];
    if context.config.mode == Mode::None {
        for (h, a) in coefficients.iter().enumerate() {
            let range = heads.range(h);
            carry[range.clone()].iter_mut().zip(&gradient[range]).for_each(|(carry, whole)| *carry = a * whole);
        }
        return;
    }
    for scores in &shared.pending {
        // SAFETY: row i belongs to this block only, and its scores are taken one at a time.
        let (x, y) = unsafe { scores.row(i, count) };
        for ((x, y), a) in x.iter_mut().zip(y).zip(coefficients) {
            *x *= a;
            *y *= a;
        }
    }
}

/// One odd term of round k: what came back to row i itself, `sum_j p_ij^(k,s)` times its increment of s + 1 rounds ago. `sums[H]` are those
/// sums, `earlier` the gradient of that increment (empty if it is not wanted), and `returned[H]` becomes the gradient of the sums, but for the
/// sign.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) fn subtract_returned<M: Arith>(
    context: &Context,
    heads: Heads,
    k: usize,
    pair: usize,
    i: usize,
    gradient: &[f32],
    sums: &[f32],
    earlier: &mut [f32],
    returned: &mut [f32],
) {
    let increment = context.all.row(k - 2 - 2 * pair, i);
    for h in 0..heads.count {
        let range = heads.range(h);
        returned[h] = if earlier.is_empty() {
            dot::<M, _>(&gradient[range.clone()], &increment[range])
        } else {
            axpy_dot::<M, _>(-sums[h], &gradient[range.clone()], &mut earlier[range.clone()], &increment[range])
        };
    }
}
