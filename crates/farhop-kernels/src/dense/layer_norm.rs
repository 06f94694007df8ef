//! Layer normalisation with what follows it, in one pass:
//! `y_i = residual_i + dropout(activation(gamma * (x_i - mean(x_i)) / sqrt(var(x_i) + epsilon) + beta))`.
//!
//! Kept for the backward pass: x and two numbers a row.

use super::Finish;
use super::tiles::Tiles;
use crate::parallel::{SharedMut, sum_in_order};
use crate::simd::{Arith, dot};
use crate::simd_fn;

/// The learned part, `[width]` each, and the constant under the root.
#[derive(Clone, Copy, Debug)]
pub struct Affine<'a> {
    /// Scale.
    pub gamma: &'a [f32],
    /// Shift.
    pub beta: &'a [f32],
    /// Added to the variance.
    pub epsilon: f32,
}

/// Gradients of the learned part, `[width]` each.
#[derive(Clone, Debug, PartialEq)]
pub struct AffineGradient {
    /// Gradient of the scale.
    pub gamma: Vec<f32>,
    /// Gradient of the shift.
    pub beta: Vec<f32>,
}

/// Writes y `[rows, width]` and the statistics `[rows, 2]` (mean, 1 / deviation).
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(
    x: &[f32],
    residual: Option<&[f32]>,
    affine: Affine,
    rows: usize,
    finish: &Finish,
    y: &mut [f32],
    statistics: &mut [f32],
) {
    let width = affine.gamma.len();
    let y = SharedMut::new(&mut y[..rows * width]);
    let statistics = SharedMut::new(&mut statistics[..rows * 2]);
    Tiles::elementwise(rows, width).run(|tile| {
        let range = tile.start * width..tile.end * width;
        // SAFETY: tiles are disjoint ranges of rows.
        let (y, statistics) = unsafe { (y.part(range.clone()), statistics.part(tile.start * 2..tile.end * 2)) };
        forward_rows(&x[range.clone()], residual.map(|r| &r[range]), affine, tile.start, finish, y, statistics);
    });
}

/// Writes dx `[rows, width]` and returns the gradients of scale and shift. The gradient of the residual is `dy` itself.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward(
    x: &[f32],
    statistics: &[f32],
    affine: Affine,
    dy: &[f32],
    rows: usize,
    finish: &Finish,
    dx: &mut [f32],
) -> AffineGradient {
    let width = affine.gamma.len();
    let dx = SharedMut::new(&mut dx[..rows * width]);
    let parts = Tiles::elementwise(rows, width).map(|tile| {
        let range = tile.start * width..tile.end * width;
        // SAFETY: tiles are disjoint ranges of rows.
        let part = unsafe { dx.part(range.clone()) };
        part.copy_from_slice(&dy[range.clone()]);
        let mut sums = vec![0.0; 2 * width];
        let statistics = &statistics[tile.start * 2..tile.end * 2];
        backward_rows(&x[range], statistics, affine, tile.start, finish, part, &mut sums);
        sums
    });
    let mut gamma = sum_in_order(parts, 2 * width);
    let beta = gamma.split_off(width);
    AffineGradient { gamma, beta }
}

/// Bytes of the statistics that are kept for the backward pass.
pub fn bytes(rows: usize) -> usize {
    rows * 2 * size_of::<f32>()
}

/// Mean of a row, and the root of the variance around it, inverted. Two passes: the row is in cache, and nothing cancels.
#[inline(always)]
fn row_statistics<M: Arith>(x: &[f32], epsilon: f32, centred: &mut [f32]) -> (f32, f32) {
    let count = x.len().max(1) as f32;
    let mean = sum(x) / count;
    centred.iter_mut().zip(x).for_each(|(c, v)| *c = v - mean);
    let variance = dot::<M, _>(centred, centred) / count;
    (mean, 1.0 / (variance + epsilon).sqrt())
}

/// The sum of a row, in a fixed order.
#[inline(always)]
fn sum(x: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 32];
    let (chunks, tail) = x.as_chunks::<32>();
    for chunk in chunks {
        for l in 0..32 {
            lanes[l] += chunk[l];
        }
    }
    lanes.iter().sum::<f32>() + tail.iter().sum::<f32>()
}

simd_fn! {
    fn forward_rows<M>(
        x: &[f32],
        residual: Option<&[f32]>,
        affine: Affine,
        first: usize,
        finish: &Finish,
        y: &mut [f32],
        statistics: &mut [f32],
    ) {
        let width = affine.gamma.len();
        for (i, row) in y.chunks_exact_mut(width.max(1)).enumerate() {
            let range = i * width..(i + 1) * width;
            let (mean, scale) = row_statistics::<M>(&x[range.clone()], affine.epsilon, row);
            statistics[2 * i] = mean;
            statistics[2 * i + 1] = scale;
            for ((z, gamma), beta) in row.iter_mut().zip(affine.gamma).zip(affine.beta) {
                *z = M::fma(*z * scale, *gamma, *beta);
            }
            finish.forward::<M>(finish.dropout.row_key(first + i), residual.map(|r| &r[range]), row);
        }
    }
}

simd_fn! {
    fn backward_rows<M>(
        x: &[f32],
        statistics: &[f32],
        affine: Affine,
        first: usize,
        finish: &Finish,
        dx: &mut [f32],
        sums: &mut [f32],
    ) {
        let width = affine.gamma.len();
        let count = width.max(1) as f32;
        let (gamma_sums, beta_sums) = sums.split_at_mut(width);
        let (gamma, beta) = (&affine.gamma[..width], &affine.beta[..width]);
        let mut normal = vec![0.0f32; width];
        let mut z = vec![0.0f32; width];
        let (normal, z) = (&mut normal[..width], &mut z[..width]);
        for ((i, row), x) in dx.chunks_exact_mut(width.max(1)).enumerate().zip(x.chunks_exact(width.max(1))) {
            let (mean, scale) = (statistics[2 * i], statistics[2 * i + 1]);
            for c in 0..width {
                normal[c] = (x[c] - mean) * scale;
                z[c] = M::fma(normal[c], gamma[c], beta[c]);
            }
            finish.backward::<M>(finish.dropout.row_key(first + i), z, row);
            for c in 0..width {
                gamma_sums[c] = M::fma(row[c], normal[c], gamma_sums[c]);
                beta_sums[c] += row[c];
                row[c] *= gamma[c];
            }
            let plain = sum(row) / count;
            let along = dot::<M, _>(row, normal) / count;
            for c in 0..width {
                row[c] = scale * (row[c] - plain - normal[c] * along);
            }
        }
    }
}
