//! Softmax cross-entropy on chosen rows, each weighed by its class and by itself:
//! `loss = sum over r of w_r (log sum_c exp(z_rc) - z_r,class(r)) / sum over r of w_r` with `w_r = v_class(r) u_r`, all weights 1 if
//! none are given.
//!
//! Nothing is kept: the backward pass computes the softmax again from the logits.

use super::scatter::{row_of, scatter};
use super::tiles::Tiles;
use crate::simd::exp;
use crate::simd_fn;

/// The rows that count, and what they should be.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// Rows of the logits; a row that is listed twice counts twice.
    pub rows: &'a [u32],
    /// The class of each of them.
    pub classes: &'a [u32],
    /// A weight per class, not negative.
    pub weights: Option<&'a [f32]>,
    /// A weight per listed row, not negative: a row of weight 2 counts like one that is listed twice.
    pub of_rows: Option<&'a [f32]>,
}

impl Labels<'_> {
    fn weight(&self, r: usize) -> f32 {
        let of_class = self.weights.map_or(1.0, |weights| weights[self.classes[r] as usize]);
        self.of_rows.map_or(of_class, |weights| of_class * weights[r])
    }

    /// The sum of all weights; the number of rows if there are none.
    fn total(&self) -> f64 {
        assert_eq!(self.rows.len(), self.classes.len(), "one class per row");
        match (self.weights, self.of_rows) {
            (None, None) => self.rows.len() as f64,
            _ => (0..self.rows.len()).map(|r| f64::from(self.weight(r))).sum(),
        }
    }
}

/// The weighted mean loss. `logits` is `[N, width]`. 0 if there are no rows, or none with a weight above 0.
///
/// # Panics
/// If a row or a class is out of range, or the two lists differ in length.
pub fn forward(logits: &[f32], width: usize, labels: Labels) -> f32 {
    let total = labels.total();
    let parts = Tiles::elementwise(labels.rows.len(), width).map(|tile| {
        let mut probabilities = vec![0.0; width];
        let mut loss = 0.0f64;
        for r in tile {
            let row = row_of(logits, width, labels.rows[r]);
            let log_sum = softmax(row, &mut probabilities);
            let own = f64::from(log_sum) - f64::from(row[labels.classes[r] as usize]);
            loss += f64::from(labels.weight(r)) * own;
        }
        loss
    });
    if total == 0.0 { 0.0 } else { (parts.into_iter().sum::<f64>() / total) as f32 }
}

/// Writes `gradient = scale d loss / d logits`, `[N, width]`: zero outside of the chosen rows.
///
/// # Panics
/// If a row or a class is out of range, or the two lists differ in length.
pub fn backward(logits: &[f32], width: usize, labels: Labels, scale: f32, gradient: &mut [f32]) {
    let total = labels.total();
    let share = if total == 0.0 { 0.0 } else { scale / total as f32 };
    let parts = Tiles::elementwise(labels.rows.len(), width).map(|tile| {
        let mut part = vec![0.0; tile.len() * width];
        for (r, probabilities) in tile.zip(part.chunks_exact_mut(width.max(1))) {
            softmax(row_of(logits, width, labels.rows[r]), probabilities);
            probabilities[labels.classes[r] as usize] -= 1.0;
            let share = share * labels.weight(r);
            probabilities.iter_mut().for_each(|p| *p *= share);
        }
        part
    });
    scatter(labels.rows, &parts, width, gradient);
}

/// Bytes that [`backward`] allocates while it runs.
pub fn bytes(rows: usize, width: usize) -> usize {
    rows * width * size_of::<f32>()
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
