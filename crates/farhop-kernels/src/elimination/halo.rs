//! What a process does for nodes that others own: little, and from what their owners say.

use super::gather::{After, finish_row};
use super::nodes::peaks;
use super::rounds::dot_heads;
use super::{Config, Mode};
use crate::heads::Heads;
use crate::parallel::Blocks;
use crate::simd_fn;
use std::ops::Range;

/// States and scalars of the rows from `own` on, as their owners computed them: with the same bits. `before` is as for own rows.
pub(super) fn finish_others(config: &Config, before: &[f32], own: usize, after: &After, increment: &[f32]) {
    let width = config.heads.width;
    let others = (increment.len() / width.max(1)).saturating_sub(own);
    Blocks::by_rows(others, 4 * width)
        .run(|rows| finish_rows(config.mode, config.heads, before, after, increment, own + rows.start..own + rows.end));
}

simd_fn! {
    fn finish_rows<M>(mode: Mode, heads: Heads, before: &[f32], after: &After, increment: &[f32], rows: Range<usize>) {
        for i in rows {
            finish_row::<M>(mode, before, heads, after, i, &increment[i * heads.width..(i + 1) * heads.width]);
        }
    }
}

/// Raises the largest absolute values of each head to those of these rows.
pub(super) fn higher(heads: Heads, rows: &[f32], peak: &mut [f32]) {
    peak.iter_mut().zip(peaks(heads, rows)).for_each(|(peak, other)| *peak = peak.max(other));
}

/// `returned[i, pair, h] = g_i^k . d_i^(k-2-2 pair)`, head by head, for the rows from `own` on. `pairs` is the second length of `returned`.
pub(super) fn returned_to_others<'a>(
    heads: Heads,
    k: usize,
    pairs: usize,
    own: usize,
    gradient: &[f32],
    increment: impl Fn(usize) -> &'a [f32],
    returned: &mut [f32],
) {
    let (width, count) = (heads.width, heads.count);
    let increments: Vec<&[f32]> = (0..k / 2).map(|pair| increment(k - 2 - 2 * pair)).collect();
    for (row, i) in returned[own * pairs * count..].chunks_exact_mut((pairs * count).max(1)).zip(own..) {
        let at = i * width..(i + 1) * width;
        for (increment, place) in increments.iter().zip(row.chunks_exact_mut(count)) {
            dots(heads, &gradient[at.clone()], &increment[at.clone()], place);
        }
    }
}

simd_fn! {
    fn dots<M>(heads: Heads, left: &[f32], right: &[f32], out: &mut [f32]) {
        dot_heads::<M>(heads, left, right, out);
    }
}
