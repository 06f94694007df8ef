//! Passes over nodes before the first round.

use super::rounds::dot_heads;
use crate::heads::Heads;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::max_abs;
use crate::simd_fn;

/// Node scalars of the attention scores: `x = a_left . h`, `y = a_right . h`, head by head.
pub(super) fn score_rows(heads: Heads, state: &[f32], left: &[f32], right: &[f32], x: &mut [f32], y: &mut [f32]) {
    let (width, count) = (heads.width, heads.count);
    let (x, y) = (SharedMut::new(x), SharedMut::new(y));
    Blocks::by_rows(state.len() / width.max(1), 2 * width).run(|rows| {
        let own = rows.start * count..rows.end * count;
        // SAFETY: blocks are disjoint ranges of rows.
        let (x, y) = unsafe { (x.part(own.clone()), y.part(own)) };
        score_block(heads, &state[rows.start * width..rows.end * width], left, right, x, y);
    });
}

simd_fn! {
    fn score_block<M>(heads: Heads, state: &[f32], left: &[f32], right: &[f32], x: &mut [f32], y: &mut [f32]) {
        let count = heads.count;
        for (n, row) in state.chunks_exact(heads.width).enumerate() {
            dot_heads::<M>(heads, left, row, &mut x[n * count..(n + 1) * count]);
            dot_heads::<M>(heads, right, row, &mut y[n * count..(n + 1) * count]);
        }
    }
}

/// The largest absolute value of each head.
pub(super) fn peaks(heads: Heads, values: &[f32]) -> Vec<f32> {
    let width = heads.width;
    let found = Blocks::by_rows(values.len() / width.max(1), width)
        .map(|rows| peaks_of_block(heads, &values[rows.start * width..rows.end * width]));
    highest(heads.count, found)
}

/// The largest of the blocks' largest values, head by head.
pub(super) fn highest(count: usize, blocks: Vec<Vec<f32>>) -> Vec<f32> {
    let mut peak = vec![0.0f32; count];
    for block in blocks {
        peak.iter_mut().zip(block).for_each(|(p, b)| *p = p.max(b));
    }
    peak
}

simd_fn! {
    fn peaks_of_block<M>(heads: Heads, rows: &[f32]) -> Vec<f32> {
        let mut peak = vec![0.0f32; heads.count];
        for row in rows.chunks_exact(heads.width) {
            for (h, peak) in peak.iter_mut().enumerate() {
                *peak = peak.max(max_abs(&row[heads.range(h)]));
            }
        }
        peak
    }
}
