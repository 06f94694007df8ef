//! Layer normalisation over whole graphs: one mean and one variance over all channels of all rows of a segment,
//! `y_ic = gamma_c (x_ic - mean) / sqrt(variance + epsilon) + beta_c`.
//!
//! `offsets` `[G + 1]` cut the rows into segments. Kept for the backward pass: x and two numbers a segment.

use super::layer_norm::{Affine, AffineGradient};
use crate::parallel::{Blocks, SharedMut, sum_in_order};

/// Writes y `[N, width]` and, for each segment, mean and inverted root of the variance into `statistics` `[G, 2]`.
///
/// # Panics
/// If a slice has another length than its shape, or the offsets do not ascend from 0.
pub fn forward(x: &[f32], offsets: &[usize], affine: Affine, y: &mut [f32], statistics: &mut [f32]) {
    let width = affine.gamma.len();
    check(x, width, offsets);
    let (y, statistics) = (SharedMut::new(y), SharedMut::new(statistics));
    Blocks::by_entries(offsets, 1, width).run(|block| {
        for segment in block {
            let range = offsets[segment] * width..offsets[segment + 1] * width;
            let values = &x[range.clone()];
            let count = values.len().max(1) as f64;
            let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / count;
            let squares = values.iter().map(|v| (f64::from(*v) - mean) * (f64::from(*v) - mean)).sum::<f64>();
            let inverse = 1.0 / (squares / count + f64::from(affine.epsilon)).sqrt();
            let (mean, inverse) = (mean as f32, inverse as f32);
            // SAFETY: a segment owns its rows and its statistics, and blocks are disjoint ranges of segments.
            let (y, statistics) = unsafe { (y.part(range), statistics.part(2 * segment..2 * segment + 2)) };
            statistics.copy_from_slice(&[mean, inverse]);
            for (y, x) in y.chunks_exact_mut(width.max(1)).zip(values.chunks_exact(width.max(1))) {
                for c in 0..width {
                    y[c] = affine.gamma[c] * ((x[c] - mean) * inverse) + affine.beta[c];
                }
            }
        }
    });
}

/// Writes dx `[N, width]` from dy, and gives the gradients of the learned part; `statistics` are those of [`forward`].
///
/// # Panics
/// If a slice has another length than its shape, or the offsets do not ascend from 0.
pub fn backward(
    x: &[f32],
    offsets: &[usize],
    affine: Affine,
    statistics: &[f32],
    dy: &[f32],
    dx: &mut [f32],
) -> AffineGradient {
    let width = affine.gamma.len();
    check(x, width, offsets);
    let dx = SharedMut::new(dx);
    let parts = Blocks::by_entries(offsets, 1, width).map(|block| {
        let mut sums = vec![0.0f64; 2 * width];
        for segment in block {
            let range = offsets[segment] * width..offsets[segment + 1] * width;
            let (mean, inverse) = (statistics[2 * segment], statistics[2 * segment + 1]);
            let (x, dy) = (&x[range.clone()], &dy[range.clone()]);
            // Means of the gradient of the normalised values, and of its product with them.
            let (mut plain, mut along) = (0.0f64, 0.0f64);
            for (x, dy) in x.chunks_exact(width.max(1)).zip(dy.chunks_exact(width.max(1))) {
                for c in 0..width {
                    let (normal, dy) = (f64::from((x[c] - mean) * inverse), f64::from(dy[c]));
                    let gradient = dy * f64::from(affine.gamma[c]);
                    plain += gradient;
                    along += gradient * normal;
                    sums[c] += dy * normal;
                    sums[width + c] += dy;
                }
            }
            let count = x.len().max(1) as f64;
            let (plain, along) = ((plain / count) as f32, (along / count) as f32);
            // SAFETY: a segment owns its rows, and blocks are disjoint ranges of segments.
            let dx = unsafe { dx.part(range) };
            for (at, dx) in dx.iter_mut().enumerate() {
                let normal = (x[at] - mean) * inverse;
                *dx = inverse * (affine.gamma[at % width] * dy[at] - plain - normal * along);
            }
        }
        sums.into_iter().map(|v| v as f32).collect()
    });
    let mut gamma = sum_in_order(parts, 2 * width);
    let beta = gamma.split_off(width);
    AffineGradient { gamma, beta }
}

fn check(x: &[f32], width: usize, offsets: &[usize]) {
    assert!(offsets.is_sorted() && offsets.first() == Some(&0), "offsets ascend from 0");
    assert_eq!(x.len(), offsets.last().copied().unwrap_or(0) * width, "rows must be [last offset, width]");
}
