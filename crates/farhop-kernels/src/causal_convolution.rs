//! Convolution along ragged sequences, each channel by itself, looking back only:
//! `y_t = bias + sum over w of weight[:, w] x_(t - W + 1 + w)`, zeros before the start of a sequence.
//!
//! x and y `[T, D]`, weight `[D, W]` (the last tap is the present), bias `[D]`; `offsets` cut the T rows into
//! sequences.

use crate::parallel::{Blocks, SharedMut, sum_in_order};
use crate::pieces::rows_of;
use crate::simd_fn;
use std::ops::Range;

/// Writes y.
///
/// # Panics
/// If an array has another length than its shape or the offsets do not ascend.
pub fn forward(x: &[f32], weight: &[f32], bias: &[f32], offsets: &[usize], y: &mut [f32]) {
    let channels = bias.len();
    let rows = check(x, weight, channels, offsets);
    assert_eq!(y.len(), x.len(), "y is as large as x");
    let taps = transposed(weight, channels);
    let y = SharedMut::new(y);
    Blocks::by_rows(rows, weight.len()).run(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        let part = unsafe { y.part(block.start * channels..block.end * channels) };
        pull(x, &taps, bias, offsets, block, part);
    });
}

/// Writes dx and returns the gradients of weight and bias.
///
/// # Panics
/// If an array has another length than its shape or the offsets do not ascend.
pub fn backward(
    x: &[f32],
    weight: &[f32],
    channels: usize,
    offsets: &[usize],
    dy: &[f32],
    dx: &mut [f32],
) -> (Vec<f32>, Vec<f32>) {
    let rows = check(x, weight, channels, offsets);
    assert!(dy.len() == x.len() && dx.len() == x.len(), "dy and dx are as large as x");
    let taps = transposed(weight, channels);
    let dx = SharedMut::new(dx);
    let parts = Blocks::by_rows(rows, 2 * weight.len()).map(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        let part = unsafe { dx.part(block.start * channels..block.end * channels) };
        push(dy, &taps, offsets, block.clone(), part);
        let mut sums = vec![0.0; weight.len() + channels];
        correlate(x, dy, channels, offsets, block, &mut sums);
        sums
    });
    let sums = sum_in_order(parts, weight.len() + channels);
    let (dw, db) = sums.split_at(weight.len());
    let count = weight.len() / channels.max(1);
    let dw = (0..weight.len()).map(|at| dw[at % count * channels + at / count]).collect();
    (dw, db.to_vec())
}

fn check(x: &[f32], weight: &[f32], channels: usize, offsets: &[usize]) -> usize {
    let rows = rows_of(offsets);
    assert_eq!(x.len(), rows * channels, "x must be [T, D]");
    assert!(channels == 0 || weight.len().is_multiple_of(channels), "weight must be [D, W]");
    rows
}

/// `[D, W]` as `[W, D]`.
fn transposed(weight: &[f32], channels: usize) -> Vec<f32> {
    let taps = weight.len() / channels.max(1);
    (0..weight.len()).map(|at| weight[at % channels * taps + at / channels]).collect()
}

/// The sequence that `row` lies in, from the sequence of an earlier row on.
#[inline(always)]
fn sequence_of(offsets: &[usize], mut from: usize, row: usize) -> usize {
    while offsets[from + 1] <= row {
        from += 1;
    }
    from
}

/// The sequence of the first row of a block.
fn first_sequence(offsets: &[usize], rows: &Range<usize>) -> usize {
    offsets.partition_point(|offset| *offset <= rows.start).saturating_sub(1)
}

simd_fn! {
    fn pull<M>(x: &[f32], taps: &[f32], bias: &[f32], offsets: &[usize], rows: Range<usize>, y: &mut [f32]) {
        let channels = bias.len();
        let count = taps.len() / channels.max(1);
        let mut sequence = first_sequence(offsets, &rows);
        for (t, y) in rows.zip(y.chunks_exact_mut(channels.max(1))) {
            sequence = sequence_of(offsets, sequence, t);
            y.copy_from_slice(bias);
            // Tap `count - 1 - back` reads the row `back` steps ago.
            for back in 0..count.min(t - offsets[sequence] + 1) {
                let tap = &taps[(count - 1 - back) * channels..(count - back) * channels];
                let x = &x[(t - back) * channels..(t - back + 1) * channels];
                y.iter_mut().zip(tap).zip(x).for_each(|((y, w), x)| *y = M::fma(*w, *x, *y));
            }
        }
    }
}

simd_fn! {
    fn push<M>(dy: &[f32], taps: &[f32], offsets: &[usize], rows: Range<usize>, dx: &mut [f32]) {
        let channels = dx.len() / rows.len().max(1);
        let count = taps.len() / channels.max(1);
        let mut sequence = first_sequence(offsets, &rows);
        for (t, dx) in rows.zip(dx.chunks_exact_mut(channels.max(1))) {
            sequence = sequence_of(offsets, sequence, t);
            dx.fill(0.0);
            for ahead in 0..count.min(offsets[sequence + 1] - t) {
                let tap = &taps[(count - 1 - ahead) * channels..(count - ahead) * channels];
                let dy = &dy[(t + ahead) * channels..(t + ahead + 1) * channels];
                dx.iter_mut().zip(tap).zip(dy).for_each(|((dx, w), dy)| *dx = M::fma(*w, *dy, *dx));
            }
        }
    }
}

simd_fn! {
    /// Adds the gradients of the taps, `[W, D]`, and of the bias, `[D]`, to `sums`.
    fn correlate<M>(x: &[f32], dy: &[f32], channels: usize, offsets: &[usize], rows: Range<usize>, sums: &mut [f32]) {
        let count = (sums.len() / channels.max(1)).saturating_sub(1);
        let (taps, bias) = sums.split_at_mut(count * channels);
        let mut sequence = first_sequence(offsets, &rows);
        for t in rows {
            sequence = sequence_of(offsets, sequence, t);
            let dy = &dy[t * channels..(t + 1) * channels];
            bias.iter_mut().zip(dy).for_each(|(b, dy)| *b += dy);
            for back in 0..count.min(t - offsets[sequence] + 1) {
                let tap = &mut taps[(count - 1 - back) * channels..(count - back) * channels];
                let x = &x[(t - back) * channels..(t - back + 1) * channels];
                tap.iter_mut().zip(dy).zip(x).for_each(|((w, dy), x)| *w = M::fma(*dy, *x, *w));
            }
        }
    }
}
