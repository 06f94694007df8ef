//! One row per segment of rows: mean, sum or largest value of each channel over the nodes of a graph.
//!
//! `offsets` `[G + 1]` cut the rows into segments. A segment without rows gives zeros.

use crate::parallel::{Blocks, SharedMut};
use crate::simd_fn;
use std::ops::Range;

/// What is taken over the rows of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The mean.
    Mean,
    /// The sum.
    Sum,
    /// The largest value; its gradient goes to the first row that has it.
    Max,
}

/// Bytes kept for the backward pass: the row of every largest value.
pub fn bytes_kept(segments: usize, width: usize, reduction: Reduction) -> u64 {
    if reduction == Reduction::Max { (segments * width * size_of::<u32>()) as u64 } else { 0 }
}

/// Writes `y[G, width]`, and for [`Reduction::Max`] into `from[G, width]` the rows that the values come from.
///
/// # Panics
/// If a slice has another length than its shape, or the offsets do not ascend.
pub fn forward(x: &[f32], width: usize, offsets: &[usize], reduction: Reduction, y: &mut [f32], from: &mut [u32]) {
    let segments = offsets.len().saturating_sub(1);
    check(x, width, offsets);
    assert_eq!(y.len(), segments * width, "the result must be [segments, width]");
    let tracked = if reduction == Reduction::Max { segments * width } else { 0 };
    assert_eq!(from.len(), tracked, "rows of largest values");
    let (y, from) = (SharedMut::new(y), SharedMut::new(from));
    Blocks::by_entries(offsets, 1, width).run(|block| {
        let range = block.start * width..block.end * width;
        // SAFETY: blocks are disjoint ranges of segments.
        let (y, from) = unsafe { (y.part(range.clone()), from.part(if tracked == 0 { 0..0 } else { range })) };
        match reduction {
            Reduction::Max => largest(x, width, offsets, block, y, from),
            _ => sums(x, width, offsets, block, reduction == Reduction::Mean, y),
        }
    });
}

/// Writes `dx[N, width]` from `dy[G, width]`; `from` is what [`forward`] wrote.
///
/// # Panics
/// If a slice has another length than its shape, or the offsets do not ascend.
pub fn backward(dy: &[f32], width: usize, offsets: &[usize], reduction: Reduction, from: &[u32], dx: &mut [f32]) {
    check(dx, width, offsets);
    let dx = SharedMut::new(dx);
    Blocks::by_entries(offsets, 1, width).run(|block| {
        for segment in block {
            let rows = offsets[segment]..offsets[segment + 1];
            let gradient = &dy[segment * width..(segment + 1) * width];
            // SAFETY: a segment owns its rows, and blocks are disjoint ranges of segments.
            let part = unsafe { dx.part(rows.start * width..rows.end * width) };
            if reduction == Reduction::Max {
                part.fill(0.0);
                if !rows.is_empty() {
                    let from = &from[segment * width..(segment + 1) * width];
                    for (channel, (&row, g)) in from.iter().zip(gradient).enumerate() {
                        part[(row as usize - rows.start) * width + channel] = *g;
                    }
                }
                continue;
            }
            let factor = if reduction == Reduction::Mean { 1.0 / rows.len().max(1) as f32 } else { 1.0 };
            for row in part.chunks_exact_mut(width.max(1)) {
                row.iter_mut().zip(gradient).for_each(|(r, g)| *r = factor * g);
            }
        }
    });
}

fn check(rows: &[f32], width: usize, offsets: &[usize]) {
    assert!(offsets.is_sorted(), "offsets ascend");
    assert_eq!(offsets.first().copied().unwrap_or(0), 0, "offsets start at 0");
    assert_eq!(rows.len(), offsets.last().copied().unwrap_or(0) * width, "rows must be [last offset, width]");
}

simd_fn! {
    #[allow(clippy::extra_unused_type_parameters)]
    fn sums<M>(x: &[f32], width: usize, offsets: &[usize], segments: Range<usize>, mean: bool, y: &mut [f32]) {
        for (segment, out) in segments.zip(y.chunks_exact_mut(width.max(1))) {
            let rows = offsets[segment]..offsets[segment + 1];
            out.fill(0.0);
            for row in x[rows.start * width..rows.end * width].chunks_exact(width.max(1)) {
                out.iter_mut().zip(row).for_each(|(o, v)| *o += v);
            }
            if mean {
                let factor = 1.0 / rows.len().max(1) as f32;
                out.iter_mut().for_each(|o| *o *= factor);
            }
        }
    }
}

/// A value that is not a number wins over all others, so that it is not hidden.
fn largest(x: &[f32], width: usize, offsets: &[usize], segments: Range<usize>, y: &mut [f32], from: &mut [u32]) {
    let outputs = y.chunks_exact_mut(width.max(1)).zip(from.chunks_exact_mut(width.max(1)));
    for (segment, (out, from)) in segments.zip(outputs) {
        let rows = offsets[segment]..offsets[segment + 1];
        if rows.is_empty() {
            out.fill(0.0);
            from.fill(0);
            continue;
        }
        out.copy_from_slice(&x[rows.start * width..(rows.start + 1) * width]);
        from.fill(rows.start as u32);
        for row in rows.skip(1) {
            let values = &x[row * width..(row + 1) * width];
            for ((o, f), &v) in out.iter_mut().zip(&mut *from).zip(values) {
                if v > *o || v.is_nan() && !o.is_nan() {
                    *o = v;
                    *f = row as u32;
                }
            }
        }
    }
}
