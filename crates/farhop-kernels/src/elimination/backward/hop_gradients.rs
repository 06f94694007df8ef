//! The start of the backward pass: the hops' gradients.

use super::super::rounds::states;
use super::super::{Mode, Reading, pairs_before};
use super::RowGradient;
use super::complete::subtract_returned;
use super::state::{Context, State};
use crate::dense::tiles::{TILE_ROWS, Tiles};
use crate::parallel::SharedMut;
use crate::simd::{Arith, axpy, dot};
use crate::{by_width, simd_fn};

/// Puts the hops' gradients in place, folded along the chain of states where increments are what rounds exchange, and completes that of the
/// last round, which is read by none. Returns what was summed up meanwhile, share by share.
pub(super) fn place_hop_gradients<'a>(
    context: &Context,
    reading: Reading,
    hop_gradient: &(dyn Fn() -> RowGradient<'a> + Sync),
    needs_z: bool,
    state: &mut State,
) -> Vec<Vec<f32>> {
    let (config, n) = (context.config, context.graph.nodes());
    let (width, count, rounds) = (config.heads.width, config.heads.count, config.rounds);
    let slabs: Vec<SharedMut<f32>> = state.slabs.iter_mut().map(|slab| SharedMut::new(slab)).collect();
    let held = if state.z.is_empty() { slabs[0] } else { SharedMut::new(&mut state.z) };
    let returned = SharedMut::new(&mut state.returned);
    let pairs = if config.mode == Mode::Exact { rounds / 2 } else { 0 };
    let node = SharedMut::new(&mut state.node);
    Tiles::reduction(context.own, 4 * rounds * width).map(|share| {
        let mut hop_gradient = hop_gradient();
        let mut last = vec![0.0; width];
        let mut block = vec![0.0; rounds * width];
        let mut chain = vec![0.0; (rounds + 1) * width];
        let mut own = vec![0.0; rounds * count];
        let mut elsewhere = vec![0.0; if needs_z { 0 } else { TILE_ROWS * width }];
        for start in share.clone().step_by(TILE_ROWS) {
            let rows = start..(start + TILE_ROWS).min(share.end);
            // SAFETY: tiles, and the parts of a tile, are disjoint ranges of rows.
            let held = unsafe { held.part(rows.start * width..rows.end * width) };
            hop_gradient.start(rows.clone(), held);
            let tile = if needs_z { held } else { &mut elsewhere[..rows.len() * width] };
            tile.fill(0.0);
            for i in rows.clone() {
                // SAFETY: row i of every array belongs to this block only.
                let place = unsafe { slabs[rounds - 1].part(i * width..(i + 1) * width) };
                let z = &mut tile[(i - rows.start) * width..][..width];
                last.copy_from_slice(place);
                block.fill(0.0);
                hop_gradient.row(i, &last, &mut block);
                own.fill(0.0);
                fold(context, reading, i, &mut block, &mut chain, &mut own, z);
                let at = i * pairs * count;
                // SAFETY: as above.
                let returned = unsafe { returned.part(at..at + pairs * count) };
                complete_last(context, i, &mut block, z, returned);
                for k in 0..rounds {
                    let at_node = (k * n + i) * count;
                    // SAFETY: as above.
                    unsafe {
                        slabs[k].part(i * width..(i + 1) * width).copy_from_slice(&block[k * width..(k + 1) * width]);
                        node.part(at_node..at_node + count).copy_from_slice(&own[k * count..(k + 1) * count]);
                    }
                }
            }
            hop_gradient.end(rows, tile);
        }
        hop_gradient.sums()
    })
}

simd_fn! {
    /// The odd terms of the last round, in which nothing else is missing.
    fn complete_last<M>(context: &Context, i: usize, block: &mut [f32], z: &mut [f32], returned: &mut [f32]) {
        by_width!(context.config.heads, complete_last_fixed::<M>(context, i, block, z, returned))
    }
}

#[inline(always)]
fn complete_last_fixed<M: Arith, const WIDTH: usize>(
    context: &Context,
    i: usize,
    block: &mut [f32],
    z: &mut [f32],
    returned: &mut [f32],
) {
    let (heads, rounds) = (context.config.heads.fixed::<WIDTH>(), context.config.rounds);
    let (width, count, first) = (heads.width, heads.count, pairs_before(rounds));
    let (earlier, gradient) = block.split_at_mut((rounds - 1) * width);
    for (pair, returned) in returned.chunks_exact_mut(count).enumerate() {
        let m = rounds - 2 - 2 * pair;
        let earlier = if m == 0 { &mut z[..width] } else { &mut earlier[(m - 1) * width..m * width] };
        let at = ((first + pair) * context.graph.nodes() + i) * count;
        let sums = &context.sums[at..at + count];
        subtract_returned::<M>(context, heads, rounds, pair, i, &gradient[..width], sums, earlier, returned);
    }
}

simd_fn! {
    /// Rewrites one node's hop gradients into gradients of what the rounds exchange.
    fn fold<M>(
        context: &Context,
        reading: Reading,
        i: usize,
        block: &mut [f32],
        chain: &mut [f32],
        own: &mut [f32],
        z: &mut [f32],
    ) {
        by_width!(context.config.heads, fold_fixed::<M>(context, reading, i, block, chain, own, z))
    }
}

#[inline(always)]
fn fold_fixed<M: Arith, const WIDTH: usize>(
    context: &Context,
    reading: Reading,
    i: usize,
    block: &mut [f32],
    chain: &mut [f32],
    own: &mut [f32],
    z: &mut [f32],
) {
    let (config, heads) = (context.config, context.config.heads.fixed::<WIDTH>());
    let (width, count, rounds) = (heads.width, heads.count, config.rounds);
    let coefficient = |k: usize, h: usize| context.coefficients.node(k)[i * count + h];
    let forward_chain = config.mode == Mode::Exact && reading == Reading::Cumulative;
    let backward_chain = config.mode == Mode::None && reading == Reading::Increment;
    if !forward_chain && !backward_chain {
        return;
    }
    states::<M>(|k| context.all.row(k, i), heads, config.mode, |k| context.coefficients.node(k), i, rounds - 1, chain);
    if forward_chain {
        // h^k = a_ii h^(k-1) + d^k: what reaches h^k reaches h^(k-1) as well.
        for k in (1..=rounds).rev() {
            let (lower, upper) = block.split_at_mut((k - 1) * width);
            let now = &upper[..width];
            for h in 0..count {
                let range = heads.range(h);
                own[(k - 1) * count + h] =
                    dot::<M, _>(&now[range.clone()], &chain[(k - 1) * width..k * width][range.clone()]);
                let below = if k == 1 { &mut z[range.clone()] } else { &mut lower[(k - 2) * width..][range.clone()] };
                axpy::<M, _>(coefficient(k, h), &now[range], below);
            }
        }
    } else {
        // d^k = h^k - a_ii h^(k-1): from the lowest hop up, so that each is read before it is changed.
        for k in 1..=rounds {
            let (lower, upper) = block.split_at_mut((k - 1) * width);
            let now = &upper[..width];
            for h in 0..count {
                let range = heads.range(h);
                own[(k - 1) * count + h] =
                    -dot::<M, _>(&now[range.clone()], &chain[(k - 1) * width..k * width][range.clone()]);
                let below = if k == 1 { &mut z[range.clone()] } else { &mut lower[(k - 2) * width..][range.clone()] };
                axpy::<M, _>(-coefficient(k, h), &now[range], below);
            }
        }
    }
}
