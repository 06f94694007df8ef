//! Binary cross-entropy of pairs of rows, whose score is their dot product:
//! `loss = mean over pairs (i, j) of log(1 + exp(s)) - t s` with `s = x_i . x_j` and t 1 for pairs that belong together, else 0.

use super::element_loss::{ElementLoss, sigmoid};
use super::tiles::Tiles;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{axpy, dot};
use crate::simd_fn;
use std::ops::Range;

/// Pairs of rows, and which of them belong together.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// Two rows each; they may be the same row.
    pub pairs: &'a [[u32; 2]],
    /// One answer per pair.
    pub together: &'a [bool],
}

/// The mean loss; 0 if there are no pairs. `x` is `[N, width]`.
///
/// # Panics
/// If a row is out of range, or the two lists differ in length.
pub fn forward(x: &[f32], width: usize, pairs: Pairs) -> f32 {
    assert_eq!(pairs.pairs.len(), pairs.together.len(), "one answer per pair");
    let parts = Tiles::elementwise(pairs.pairs.len(), width).map(|tile| {
        let loss = |p: usize| {
            let score = f64::from(score(x, width, pairs.pairs[p]));
            ElementLoss::Binary.value(score, f64::from(u8::from(pairs.together[p])))
        };
        tile.map(loss).sum::<f64>()
    });
    (parts.into_iter().sum::<f64>() / pairs.pairs.len().max(1) as f64) as f32
}

/// Writes `gradient = scale d loss / d x`, `[N, width]`.
///
/// # Panics
/// If a row is out of range, or the two lists differ in length.
pub fn backward(x: &[f32], width: usize, pairs: Pairs, scale: f32, gradient: &mut [f32]) {
    assert_eq!(pairs.pairs.len(), pairs.together.len(), "one answer per pair");
    let share = f64::from(scale) / pairs.pairs.len().max(1) as f64;
    let slopes = Tiles::elementwise(pairs.pairs.len(), width).map(|tile| {
        let slope = |p: usize| {
            let score = f64::from(score(x, width, pairs.pairs[p]));
            (share * (sigmoid(score) - f64::from(u8::from(pairs.together[p])))) as f32
        };
        tile.map(slope).collect::<Vec<f32>>()
    });
    let ends = Ends::new(pairs.pairs, &slopes.concat(), x.len().checked_div(width).unwrap_or(0));
    let shared = SharedMut::new(gradient);
    Blocks::by_entries(&ends.offsets, 1, width).run(|rows| {
        // SAFETY: blocks are disjoint ranges of rows.
        let part = unsafe { shared.part(rows.start * width..rows.end * width) };
        gather_rows(&ends, x, width, rows, part);
    });
}

/// Bytes that [`backward`] allocates while it runs.
pub fn bytes(nodes: usize, pairs: usize) -> usize {
    2 * (nodes + 1) * size_of::<usize>() + pairs * (2 * size_of::<f32>() + 2 * size_of::<(u32, f32)>())
}

/// The pairs seen from each row, in the order of the pairs.
struct Ends {
    offsets: Vec<usize>,
    /// The other row, and the slope of the pair.
    others: Vec<(u32, f32)>,
}

impl Ends {
    fn new(pairs: &[[u32; 2]], slopes: &[f32], rows: usize) -> Self {
        let mut offsets = vec![0usize; rows + 1];
        for &row in pairs.iter().flatten() {
            offsets[row as usize + 1] += 1;
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        let mut next = offsets.clone();
        let mut others = vec![(0, 0.0); 2 * pairs.len()];
        for (&[i, j], &slope) in pairs.iter().zip(slopes) {
            for (row, other) in [(i, j), (j, i)] {
                others[next[row as usize]] = (other, slope);
                next[row as usize] += 1;
            }
        }
        Ends { offsets, others }
    }
}

simd_fn! {
    fn score<M>(x: &[f32], width: usize, pair: [u32; 2]) -> f32 {
        let row = |i: u32| &x[i as usize * width..(i as usize + 1) * width];
        dot::<M, _>(row(pair[0]), row(pair[1]))
    }
}

simd_fn! {
    fn gather_rows<M>(ends: &Ends, x: &[f32], width: usize, rows: Range<usize>, gradient: &mut [f32]) {
        for (row, out) in rows.zip(gradient.chunks_exact_mut(width.max(1))) {
            out.fill(0.0);
            for &(other, slope) in &ends.others[ends.offsets[row]..ends.offsets[row + 1]] {
                let other = other as usize;
                axpy::<M, _>(slope, &x[other * width..(other + 1) * width], out);
            }
        }
    }
}
