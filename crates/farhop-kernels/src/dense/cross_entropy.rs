//! Softmax cross-entropy on chosen rows: `loss = mean over r of (log sum_c exp(z_rc) - z_r,class(r))`.
//!
//! Nothing is kept: the backward pass computes the softmax again from the logits.

use super::tiles::Tiles;
use crate::simd::exp;
use crate::simd_fn;

/// The mean loss over `rows`. `logits` is `[N, width]`; `classes[r]` is the class of row `rows[r]`. 0 if there are no rows.
///
/// # Panics
/// If a row or a class is out of range, or the two lists differ in length.
pub fn forward(logits: &[f32], width: usize, rows: &[u32], classes: &[u32]) -> f32 {
    assert_eq!(rows.len(), classes.len(), "one class per row");
    let parts = Tiles::elementwise(rows.len(), width).map(|tile| {
        let mut probabilities = vec![0.0; width];
        let mut loss = 0.0f64;
        for r in tile {
            let row = row_of(logits, width, rows[r]);
            let log_sum = softmax(row, &mut probabilities);
            loss += f64::from(log_sum) - f64::from(row[classes[r] as usize]);
        }
        loss
    });
    (parts.into_iter().sum::<f64>() / rows.len().max(1) as f64) as f32
}

/// Writes `gradient = scale d loss / d logits`, `[N, width]`: zero outside of the chosen rows. A row that is listed twice
/// counts twice.
///
/// # Panics
/// If a row or a class is out of range, or the two lists differ in length.
pub fn backward(logits: &[f32], width: usize, rows: &[u32], classes: &[u32], scale: f32, gradient: &mut [f32]) {
    assert_eq!(rows.len(), classes.len(), "one class per row");
    let share = scale / rows.len().max(1) as f32;
    gradient.fill(0.0);
    let parts = Tiles::elementwise(rows.len(), width).map(|tile| {
        let mut part = vec![0.0; tile.len() * width];
        for (r, probabilities) in tile.zip(part.chunks_exact_mut(width.max(1))) {
            softmax(row_of(logits, width, rows[r]), probabilities);
            probabilities[classes[r] as usize] -= 1.0;
            probabilities.iter_mut().for_each(|p| *p *= share);
        }
        part
    });
    // Rows may repeat, so the scatter is serial and in order.
    let values = parts.iter().flat_map(|part| part.chunks_exact(width.max(1)));
    for (&row, values) in rows.iter().zip(values) {
        let start = row as usize * width;
        gradient[start..start + width].iter_mut().zip(values).for_each(|(g, v)| *g += v);
    }
}

/// Bytes that [`backward`] allocates while it runs.
pub fn bytes(rows: usize, width: usize) -> usize {
    rows * width * size_of::<f32>()
}

fn row_of(logits: &[f32], width: usize, row: u32) -> &[f32] {
    &logits[row as usize * width..(row as usize + 1) * width]
}

simd_fn! {
    /// Writes the softmax of a row and returns the logarithm of its denominator.
    fn softmax<M>(row: &[f32], probabilities: &mut [f32]) -> f32 {
        // NaN anywhere must come out as NaN: `max` skips it, so it is the exponential that carries it on.
        let most = row.iter().fold(f32::NEG_INFINITY, |most, v| most.max(*v));
        for (p, v) in probabilities.iter_mut().zip(row) {
            *p = exp::<M>(v - most);
        }
        let sum: f32 = probabilities.iter().sum();
        let inverse = 1.0 / sum;
        probabilities.iter_mut().for_each(|p| *p *= inverse);
        most + sum.ln()
    }
}
