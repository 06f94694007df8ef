//! A sum over columns that does not depend on their signs: for v `[N, K]`, A and B `[K, F]`,
//!
//! ```text
//! y_i = sum over k of relu(v_ik A_k + B_k) + relu(-v_ik A_k + B_k)
//! ```
//!
//! Flipping the sign of a column swaps the two terms. v is data (eigenvectors of a graph), so it has no gradient. Nothing of
//! size N x K x F is kept: the backward pass computes the terms again.

use crate::parallel::{Blocks, PARALLEL_FROM, SharedMut, in_order, sum_in_order};
use crate::simd_fn;

/// At most this many partial gradients are summed up in the backward pass.
const MOST_PARTS: usize = 24;

/// The numbers of a sum.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `[N, K]`.
    pub vectors: &'a [f32],
    /// A `[K, F]`.
    pub slopes: &'a [f32],
    /// B `[K, F]`.
    pub shifts: &'a [f32],
    /// K.
    pub columns: usize,
    /// F.
    pub width: usize,
}

impl Inputs<'_> {
    fn rows(&self) -> usize {
        let Inputs { vectors, slopes, shifts, columns, width } = *self;
        assert!(slopes.len() == columns * width && shifts.len() == columns * width, "A and B must be [columns, width]");
        assert_eq!(vectors.len() % columns.max(1), 0, "vectors must be [rows, columns]");
        vectors.len() / columns.max(1)
    }
}

/// Bytes that [`backward`] allocates while it runs.
pub fn bytes(columns: usize, width: usize) -> u64 {
    (2 * (MOST_PARTS + 3) * columns * width * size_of::<f32>()) as u64
}

/// Writes y, `[N, F]`.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn forward(inputs: Inputs, y: &mut [f32]) {
    let (rows, width) = (inputs.rows(), inputs.width);
    assert_eq!(y.len(), rows * width, "the result must be [rows, width]");
    let y = SharedMut::new(y);
    Blocks::by_rows(rows, width * inputs.columns * 2).run(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        let part = unsafe { y.part(block.start * width..block.end * width) };
        let vectors = &inputs.vectors[block.start * inputs.columns..block.end * inputs.columns];
        forward_rows(Inputs { vectors, ..inputs }, part);
    });
}

/// The gradients of A and B, `[K, F]` each.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn backward(inputs: Inputs, dy: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let (rows, size) = (inputs.rows(), inputs.columns * inputs.width);
    assert_eq!(dy.len(), rows * inputs.width, "the gradient must be [rows, width]");
    let step = rows.div_ceil(MOST_PARTS).max(64);
    let partial = |part: usize| {
        let range = part * step..((part + 1) * step).min(rows);
        let vectors = &inputs.vectors[range.start * inputs.columns..range.end * inputs.columns];
        let mut sums = vec![0.0; 2 * size];
        backward_rows(
            Inputs { vectors, ..inputs },
            &dy[range.start * inputs.width..range.end * inputs.width],
            &mut sums,
        );
        sums
    };
    let parts = in_order(rows.div_ceil(step), rows * size >= PARALLEL_FROM, partial);
    let mut slopes = sum_in_order(parts, 2 * size);
    let shifts = slopes.split_off(size);
    (slopes, shifts)
}

simd_fn! {
    #[allow(clippy::extra_unused_type_parameters)]
    fn forward_rows<M>(inputs: Inputs, y: &mut [f32]) {
        let Inputs { vectors, slopes, shifts, columns, width } = inputs;
        for (out, values) in y.chunks_exact_mut(width.max(1)).zip(vectors.chunks_exact(columns.max(1))) {
            out.fill(0.0);
            for (k, &v) in values.iter().enumerate() {
                let channels = k * width..(k + 1) * width;
                for ((o, a), b) in out.iter_mut().zip(&slopes[channels.clone()]).zip(&shifts[channels]) {
                    let (plus, minus) = (b + v * a, b - v * a);
                    // Written as selects, so that a value that is not a number stays one.
                    *o += if plus < 0.0 { 0.0 } else { plus } + if minus < 0.0 { 0.0 } else { minus };
                }
            }
        }
    }
}

simd_fn! {
    /// Adds to `sums`: the gradient of A, then that of B.
    #[allow(clippy::extra_unused_type_parameters)]
    fn backward_rows<M>(inputs: Inputs, dy: &[f32], sums: &mut [f32]) {
        let Inputs { vectors, slopes, shifts, columns, width } = inputs;
        let (d_slopes, d_shifts) = sums.split_at_mut(columns * width);
        for (gradient, values) in dy.chunks_exact(width.max(1)).zip(vectors.chunks_exact(columns.max(1))) {
            for (k, &v) in values.iter().enumerate() {
                let channels = k * width..(k + 1) * width;
                let parameters = slopes[channels.clone()].iter().zip(&shifts[channels.clone()]);
                let results = d_slopes[channels.clone()].iter_mut().zip(&mut d_shifts[channels]);
                for (((a, b), (da, db)), g) in parameters.zip(results).zip(gradient) {
                    let plus = if b + v * a > 0.0 { 1.0 } else { 0.0 };
                    let minus = if b - v * a > 0.0 { 1.0 } else { 0.0 };
                    *da += g * v * (plus - minus);
                    *db += g * (plus + minus);
                }
            }
        }
    }
}
