//! The feed-forward block `y = x + relu(x W1 + b1) W2 + b2`, a tile of rows at a time.
//!
//! The hidden layer of a tile lives in cache and is computed again in the backward pass: nothing of size `[rows, hidden]` is
//! ever stored, and only x has to be kept.

use super::Write;
use super::product::{add_rows, tile_product, tile_product_transposed, tile_weight_gradient};
use super::tiles::{TILE_ROWS, Tiles};
use crate::parallel::{SharedMut, sum_in_order};

/// The four parameters: `W1 [width, hidden]`, `b1 [hidden]`, `W2 [hidden, width]`, `b2 [width]`.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// First weight.
    pub w1: &'a [f32],
    /// First bias.
    pub b1: &'a [f32],
    /// Second weight.
    pub w2: &'a [f32],
    /// Second bias.
    pub b2: &'a [f32],
}

impl Parameters<'_> {
    fn width(&self) -> usize {
        self.b2.len()
    }

    fn hidden(&self) -> usize {
        self.b1.len()
    }
}

/// Gradients of the four parameters, in their shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradients {
    /// Of the first weight.
    pub w1: Vec<f32>,
    /// Of the first bias.
    pub b1: Vec<f32>,
    /// Of the second weight.
    pub w2: Vec<f32>,
    /// Of the second bias.
    pub b2: Vec<f32>,
}

/// Writes y `[rows, width]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(x: &[f32], parameters: Parameters, rows: usize, y: &mut [f32]) {
    let (width, hidden) = (parameters.width(), parameters.hidden());
    let y = SharedMut::new(&mut y[..rows * width]);
    Tiles::product(rows, 2 * width * hidden).run(|tile| {
        let mut inner = vec![0.0; TILE_ROWS.min(tile.len()) * hidden];
        for start in tile.clone().step_by(TILE_ROWS) {
            let end = (start + TILE_ROWS).min(tile.end);
            let x = &x[start * width..end * width];
            hidden_layer(x, parameters, end - start, &mut inner);
            // SAFETY: tiles, and the parts of a tile, are disjoint ranges of rows.
            let y = unsafe { y.part(start * width..end * width) };
            y.copy_from_slice(x);
            for row in y.chunks_exact_mut(width.max(1)) {
                row.iter_mut().zip(parameters.b2).for_each(|(y, b)| *y += b);
            }
            tile_product(end - start, hidden, width, &inner, parameters.w2, Write::Add, y);
        }
    });
}

/// Writes dx `[rows, width]` and returns the gradients of the parameters.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward(x: &[f32], parameters: Parameters, dy: &[f32], rows: usize, dx: &mut [f32]) -> Gradients {
    let (width, hidden) = (parameters.width(), parameters.hidden());
    let dx = SharedMut::new(&mut dx[..rows * width]);
    let sizes = [width * hidden, hidden, hidden * width, width];
    let total = sizes.iter().sum();
    let parts = Tiles::reduction(rows, 5 * width * hidden).map(|tile| {
        let mut sums = vec![0.0; total];
        let (w1, rest) = sums.split_at_mut(sizes[0]);
        let (b1, rest) = rest.split_at_mut(sizes[1]);
        let (w2, b2) = rest.split_at_mut(sizes[2]);
        let mut inner = vec![0.0; TILE_ROWS.min(tile.len()) * hidden];
        let mut gradient = inner.clone();
        for start in tile.clone().step_by(TILE_ROWS) {
            let end = (start + TILE_ROWS).min(tile.end);
            let count = end - start;
            let x = &x[start * width..end * width];
            let dy = &dy[start * width..end * width];
            hidden_layer(x, parameters, count, &mut inner);
            let (inner, gradient) = (&inner[..count * hidden], &mut gradient[..count * hidden]);
            tile_product_transposed(count, width, hidden, dy, parameters.w2, Write::Replace, gradient);
            gradient.iter_mut().zip(inner).for_each(|(g, h)| *g = if *h > 0.0 { *g } else { 0.0 });
            tile_weight_gradient(hidden, count, width, inner, dy, w2);
            tile_weight_gradient(width, count, hidden, x, gradient, w1);
            add_rows(dy, b2);
            add_rows(gradient, b1);
            // SAFETY: tiles, and the parts of a tile, are disjoint ranges of rows.
            let dx = unsafe { dx.part(start * width..end * width) };
            dx.copy_from_slice(dy);
            tile_product_transposed(count, hidden, width, gradient, parameters.w1, Write::Add, dx);
        }
        sums
    });
    let mut w1 = sum_in_order(parts, total);
    let mut b1 = w1.split_off(sizes[0]);
    let mut w2 = b1.split_off(sizes[1]);
    let b2 = w2.split_off(sizes[2]);
    Gradients { w1, b1, w2, b2 }
}

/// Bytes that [`backward`] allocates while it runs: partial sums and the hidden layers of `threads` tiles.
pub fn bytes(rows: usize, width: usize, hidden: usize, threads: usize) -> usize {
    let partial = 2 * width * hidden + width + hidden;
    let tiles = Tiles::reduction(rows, 5 * width * hidden).len();
    ((tiles + 3) * partial + threads * 2 * TILE_ROWS * hidden) * size_of::<f32>()
}

/// `inner = relu(x W1 + b1)`.
fn hidden_layer(x: &[f32], parameters: Parameters, rows: usize, inner: &mut [f32]) {
    let (width, hidden) = (parameters.width(), parameters.hidden());
    let inner = &mut inner[..rows * hidden];
    for row in inner.chunks_exact_mut(hidden.max(1)) {
        row.copy_from_slice(parameters.b1);
    }
    tile_product(rows, width, hidden, x, parameters.w1, Write::Add, inner);
    inner.iter_mut().for_each(|v| *v = if *v < 0.0 { 0.0 } else { *v });
}
