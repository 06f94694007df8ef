//! Between two rounds of the backward pass: everything that happens at the nodes.

use super::super::rounds::states;
use super::super::{Mode, pairs_before};
use super::state::{Context, Pending, State};
use crate::parallel::{Blocks, SharedMut, sum_in_order};
use crate::simd::{Arith, axpy, axpy_dot, dot};
use crate::{by_width, simd_fn};
use std::ops::Range;

/// Completes the gradients of round k before they are pulled: the scores of round k + 1, the carried states, and the odd terms.
/// Returns the gradient of the attention vectors of the pending round. k = 0 completes the gradient of z.
pub(super) fn complete_round(
    context: &Context,
    k: usize,
    pending: Option<Pending>,
    state: &mut State,
) -> Option<Vec<f32>> {
    let (config, n) = (context.config, context.graph.nodes());
    let (width, count) = (config.heads.width, config.heads.count);
    if k == 0 && pending.is_none() && state.carry.is_empty() {
        return None;
    }
    if pending.is_none() && state.carry.is_empty() && (config.mode != Mode::Exact || k < 2) {
        return None;
    }
    let shared = Shared {
        slabs: state.slabs.iter_mut().map(|slab| SharedMut::new(slab)).collect(),
        z: SharedMut::new(&mut state.z),
        node: SharedMut::new(&mut state.node),
        carry: SharedMut::new(&mut state.carry),
        returned: SharedMut::new(&mut state.returned),
    };
    let sums = &context.sums[(pairs_before(k.max(1)) * n * count).min(context.sums.len())..];
    let parts = Blocks::by_rows(context.own, (k + 4) * width)
        .map(|rows| complete_rows(context, k, pending.as_ref(), &shared, sums, rows));
    pending.map(|_| sum_in_order(parts, 2 * width))
}

/// The arrays that [`complete_round`] writes, each row by the block that owns it.
struct Shared<'a> {
    slabs: Vec<SharedMut<'a, f32>>,
    z: SharedMut<'a, f32>,
    node: SharedMut<'a, f32>,
    carry: SharedMut<'a, f32>,
    returned: SharedMut<'a, f32>,
}

impl<'a> Shared<'a> {
    /// # Safety
    /// Row `i` must belong to the calling block, and the row of increment `m` must not be in use.
    #[inline(always)]
    unsafe fn gradient(&self, m: usize, i: usize, width: usize) -> &'a mut [f32] {
        let rows = if m == 0 { self.z } else { self.slabs[m - 1] };
        // SAFETY: by the caller's promise.
        unsafe { rows.part(i * width..(i + 1) * width) }
    }
}

simd_fn! {
    fn complete_rows<M>(
        context: &Context,
        k: usize,
        pending: Option<&Pending>,
        shared: &Shared,
        sums: &[f32],
        rows: Range<usize>,
    ) -> Vec<f32> {
        by_width!(context.config.heads, complete_fixed::<M>(context, k, pending, shared, sums, rows))
    }
}

#[inline(always)]
fn complete_fixed<M: Arith, const WIDTH: usize>(
    context: &Context,
    k: usize,
    pending: Option<&Pending>,
    shared: &Shared,
    sums: &[f32],
    rows: Range<usize>,
) -> Vec<f32> {
    let (heads, mode, n) = (context.config.heads.fixed::<WIDTH>(), context.config.mode, context.graph.nodes());
    let (width, count) = (heads.width, heads.count);
    let carried = !shared.carry.is_empty();
    let mut weights = vec![0.0f32; if pending.is_some() { 2 * width } else { 0 }];
    let mut chain = vec![0.0f32; (k + 1) * width];
    let mut nothing = vec![0.0f32; width];
    let mut passed_on = vec![0.0f32; width];
    for i in rows {
        if carried || pending.is_some() {
            let last = if pending.is_some() { k } else { k.saturating_sub(1) };
            states::<M>(|k| context.all.row(k, i), heads, mode, |k| context.coefficients.node(k), i, last, &mut chain);
        }
        // SAFETY: row i belongs to this block only.
        let carry = if carried { unsafe { shared.carry.part(i * width..(i + 1) * width) } } else { &mut nothing[..] };
        if let Some(pending) = pending {
            if !carried {
                carry.fill(0.0);
            }
            let now = &chain[k * width..(k + 1) * width];
            let (left, right) = weights.split_at_mut(width);
            for h in 0..count {
                let range = heads.range(h);
                let (x, y) = (pending.gradients.receiver[i * count + h], pending.gradients.sender[i * count + h]);
                axpy::<M, _>(x, &pending.vectors.0[range.clone()], &mut carry[range.clone()]);
                axpy::<M, _>(y, &pending.vectors.1[range.clone()], &mut carry[range.clone()]);
                axpy::<M, _>(x, &now[range.clone()], &mut left[range.clone()]);
                axpy::<M, _>(y, &now[range.clone()], &mut right[range]);
            }
        }
        // SAFETY: row i belongs to this block only, and earlier increments are taken one at a time below.
        let gradient = unsafe { shared.gradient(k, i, width) };
        if carried || pending.is_some() {
            axpy::<M, _>(1.0, carry, gradient);
        }
        if k == 0 {
            continue;
        }
        if carried {
            let before = &chain[(k - 1) * width..k * width];
            // SAFETY: row i belongs to this block only.
            let own = unsafe { shared.node.part(((k - 1) * n + i) * count..((k - 1) * n + i + 1) * count) };
            let whole: &[f32] = if mode == Mode::None { gradient } else { carry };
            if mode == Mode::SelfLoop {
                carry.fill(0.0);
            } else {
                for (h, own) in own.iter_mut().enumerate() {
                    let range = heads.range(h);
                    *own += dot::<M>(&whole[range.clone()], &before[range.clone()]);
                    let a = context.coefficients.node(k)[i * count + h];
                    for (c, w) in passed_on[range.clone()].iter_mut().zip(&whole[range]) {
                        *c = a * w;
                    }
                }
                carry.copy_from_slice(&passed_on);
            }
        }
        if mode == Mode::Exact {
            for pair in 0..k / 2 {
                let m = k - 2 - 2 * pair;
                // SAFETY: m < k, so this is another row than `gradient`; row i belongs to this block only.
                let (earlier, returned) = unsafe {
                    let at = (i * (context.config.rounds / 2) + pair) * count;
                    (shared.gradient(m, i, width), shared.returned.part(at..at + count))
                };
                let increment = context.all.row(m, i);
                for h in 0..count {
                    let range = heads.range(h);
                    let sum = sums[(pair * n + i) * count + h];
                    returned[h] = axpy_dot::<M, _>(
                        -sum,
                        &gradient[range.clone()],
                        &mut earlier[range.clone()],
                        &increment[range],
                    );
                }
            }
        }
    }
    weights
}
