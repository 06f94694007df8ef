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

    /// How many numbers each gradient has.
    fn sizes(&self) -> [usize; 4] {
        [self.width() * self.hidden(), self.hidden(), self.hidden() * self.width(), self.width()]
    }

    /// How many numbers all gradients have.
    pub(crate) fn sums(&self) -> usize {
        self.sizes().iter().sum()
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

impl Gradients {
    /// From the sums of [`Tile::backward`] over all rows.
    pub(crate) fn from_sums(parameters: Parameters, sums: &[f32]) -> Self {
        let mut rest = sums;
        let [w1, b1, w2, b2] =
            parameters.sizes().map(|size| rest.split_off(..size).map_or_else(Vec::new, <[f32]>::to_vec));
        Gradients { w1, b1, w2, b2 }
    }
}

/// The hidden layer of a tile of rows, for whoever has its rows in the cache.
pub(crate) struct Tile<'a> {
    parameters: Parameters<'a>,
    inner: Vec<f32>,
    gradient: Vec<f32>,
}

impl<'a> Tile<'a> {
    /// For tiles of at most so many rows, [`TILE_ROWS`] at most.
    pub fn new(parameters: Parameters<'a>, rows: usize) -> Self {
        let inner = vec![0.0; TILE_ROWS.min(rows) * parameters.hidden()];
        Tile { parameters, inner, gradient: Vec::new() }
    }

    /// Writes y of the rows x.
    pub fn forward(&mut self, x: &[f32], y: &mut [f32]) {
        let (width, hidden) = (self.parameters.width(), self.parameters.hidden());
        let rows = x.len() / width.max(1);
        hidden_layer(x, self.parameters, rows, &mut self.inner);
        y.copy_from_slice(x);
        for row in y.chunks_exact_mut(width.max(1)) {
            row.iter_mut().zip(self.parameters.b2).for_each(|(y, b)| *y += b);
        }
        tile_product(rows, hidden, width, &self.inner, self.parameters.w2, Write::Add, y);
    }

    /// Writes dx of the rows x, and adds to the gradients of the parameters, which follow each other in `sums`.
    pub fn backward(&mut self, x: &[f32], dy: &[f32], dx: &mut [f32], sums: &mut [f32]) {
        let (parameters, width, hidden) = (self.parameters, self.parameters.width(), self.parameters.hidden());
        let sizes = parameters.sizes();
        let rows = x.len() / width.max(1);
        let (w1, rest) = sums.split_at_mut(sizes[0]);
        let (b1, rest) = rest.split_at_mut(sizes[1]);
        let (w2, b2) = rest.split_at_mut(sizes[2]);
        hidden_layer(x, parameters, rows, &mut self.inner);
        self.gradient.resize(self.inner.len(), 0.0);
        let (inner, gradient) = (&self.inner[..rows * hidden], &mut self.gradient[..rows * hidden]);
        tile_product_transposed(rows, width, hidden, dy, parameters.w2, Write::Replace, gradient);
        gradient.iter_mut().zip(inner).for_each(|(g, h)| *g = if *h > 0.0 { *g } else { 0.0 });
        tile_weight_gradient(hidden, rows, width, inner, dy, w2);
        tile_weight_gradient(width, rows, hidden, x, gradient, w1);
        add_rows(dy, b2);
        add_rows(gradient, b1);
        dx.copy_from_slice(dy);
        tile_product_transposed(rows, hidden, width, gradient, parameters.w1, Write::Add, dx);
    }
}

/// Writes y `[rows, width]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(x: &[f32], parameters: Parameters, rows: usize, y: &mut [f32]) {
    let (width, hidden) = (parameters.width(), parameters.hidden());
    let y = SharedMut::new(&mut y[..rows * width]);
    Tiles::product(rows, 2 * width * hidden).run(|tile| {
        let mut hidden = Tile::new(parameters, tile.len());
        for start in tile.clone().step_by(TILE_ROWS) {
            let part = start * width..(start + TILE_ROWS).min(tile.end) * width;
            // SAFETY: tiles, and the parts of a tile, are disjoint ranges of rows.
            hidden.forward(&x[part.clone()], unsafe { y.part(part) });
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
    let total = parameters.sums();
    let parts = Tiles::reduction(rows, 5 * width * hidden).map(|tile| {
        let mut sums = vec![0.0; total];
        let mut hidden = Tile::new(parameters, tile.len());
        for start in tile.clone().step_by(TILE_ROWS) {
            let part = start * width..(start + TILE_ROWS).min(tile.end) * width;
            // SAFETY: tiles, and the parts of a tile, are disjoint ranges of rows.
            let dx = unsafe { dx.part(part.clone()) };
            hidden.backward(&x[part.clone()], &dy[part], dx, &mut sums);
        }
        sums
    });
    Gradients::from_sums(parameters, &sum_in_order(parts, total))
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
