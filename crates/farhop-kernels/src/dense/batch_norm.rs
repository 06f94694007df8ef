//! Batch normalisation with what follows it:
//! `y = residual + dropout(activation(gamma * (x - mean) / sqrt(var + epsilon) + beta))`, mean and variance per column.
//!
//! In training the statistics are those of the rows at hand, and the gradient flows through them; in evaluation they are
//! given. Kept for the backward pass: x and the statistics.

use super::Finish;
use super::layer_norm::{Affine, AffineGradient};
use super::tiles::Tiles;
use crate::parallel::{SharedMut, sum_in_order};
use crate::simd_fn;

/// Mean and variance (divided by the number of rows) of every column, `[width]` each.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Means.
    pub mean: Vec<f32>,
    /// Variances, not inverted, without epsilon.
    pub variance: Vec<f32>,
}

/// Column statistics of x `[rows, width]`, in f64: a mean that is off by its rounding shifts all rows alike, which a steep function after the
/// norm makes much of. Sums are around each tile's own mean, joined in the order of the tiles (Chan, Golub and LeVeque, 1979).
///
/// # Panics
/// If x is shorter than `rows * width`.
pub fn statistics(x: &[f32], rows: usize, width: usize) -> Statistics {
    moments(x, rows, width).statistics()
}

/// What statistics are made of, in f64.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// Rows.
    pub count: f64,
    /// Means of the columns.
    pub mean: Vec<f64>,
    /// Sums of squares around them.
    pub squares: Vec<f64>,
}

impl Moments {
    /// Of no rows.
    pub fn none(width: usize) -> Self {
        Moments { count: 0.0, mean: vec![0.0; width], squares: vec![0.0; width] }
    }

    /// Takes further rows in (Chan, Golub and LeVeque, 1979).
    pub fn join(&mut self, count: f64, mean: &[f64], squares: &[f64]) {
        if count == 0.0 {
            return;
        }
        let total = self.count + count;
        for c in 0..self.mean.len() {
            let difference = mean[c] - self.mean[c];
            self.mean[c] += difference * count / total;
            self.squares[c] += squares[c] + difference * difference * self.count * count / total;
        }
        self.count = total;
    }

    /// Means and variances.
    pub fn statistics(self) -> Statistics {
        Statistics {
            mean: self.mean.into_iter().map(|v| v as f32).collect(),
            variance: self.squares.into_iter().map(|v| (v / self.count.max(1.0)) as f32).collect(),
        }
    }
}

/// What the [`statistics`] of x `[rows, width]` are made of.
///
/// # Panics
/// If x is shorter than `rows * width`.
pub fn moments(x: &[f32], rows: usize, width: usize) -> Moments {
    let parts = Tiles::elementwise(rows, width).map(|tile| {
        let mut sums = vec![0.0f64; 2 * width];
        tile_statistics(&x[tile.start * width..tile.end * width], &mut sums);
        (tile.len(), sums)
    });
    let mut all = Moments::none(width);
    for (tile_rows, sums) in parts {
        let (mean, squares) = sums.split_at(width);
        all.join(tile_rows as f64, mean, squares);
    }
    all
}

simd_fn! {
    /// Means in the first half of `sums`, squared deviations from them in the second.
    #[allow(clippy::extra_unused_type_parameters)]
    fn tile_statistics<M>(x: &[f32], sums: &mut [f64]) {
        let width = sums.len() / 2;
        let rows = (x.len() / width.max(1)).max(1) as f64;
        let (means, squares) = sums.split_at_mut(width);
        for row in x.chunks_exact(width.max(1)) {
            means.iter_mut().zip(row).for_each(|(m, v)| *m += f64::from(*v));
        }
        means.iter_mut().for_each(|m| *m /= rows);
        for row in x.chunks_exact(width.max(1)) {
            for c in 0..width {
                let difference = f64::from(row[c]) - means[c];
                squares[c] += difference * difference;
            }
        }
    }
}

/// Writes y `[rows, width]`, normalised by `statistics`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(
    x: &[f32],
    residual: Option<&[f32]>,
    affine: Affine,
    statistics: &Statistics,
    rows: usize,
    finish: &Finish,
    y: &mut [f32],
) {
    let width = affine.gamma.len();
    let scale = scales(statistics, affine.epsilon);
    let y = SharedMut::new(&mut y[..rows * width]);
    Tiles::elementwise(rows, width).run(|tile| {
        let range = tile.start * width..tile.end * width;
        // SAFETY: tiles are disjoint ranges of rows.
        let part = unsafe { y.part(range.clone()) };
        let residual = residual.map(|r| &r[range.clone()]);
        forward_rows(&x[range], residual, affine, &statistics.mean, &scale, tile.start, finish, part);
    });
}

/// Writes dx `[rows, width]` and returns the gradients of scale and shift. The gradient of the residual is `dy` itself.
/// `through_statistics` is true if the statistics were computed from x, false if they were given.
///
/// # Panics
/// If a slice is shorter than its shape.
#[allow(clippy::too_many_arguments)]
pub fn backward(
    x: &[f32],
    affine: Affine,
    statistics: &Statistics,
    through_statistics: bool,
    dy: &[f32],
    rows: usize,
    finish: &Finish,
    dx: &mut [f32],
) -> AffineGradient {
    let whole = |sums: &[f32]| (sums.to_vec(), rows as f64);
    backward_within(x, affine, statistics, through_statistics, dy, rows, finish, dx, whole)
}

/// As [`backward`] for some of the rows that the statistics are of. `whole` gives the sums over all rows from those over these (of scale, then
/// of shift), and how many rows there are. The gradients of scale and shift are those of these rows.
///
/// # Panics
/// If a slice is shorter than its shape.
#[allow(clippy::too_many_arguments)]
pub fn backward_within(
    x: &[f32],
    affine: Affine,
    statistics: &Statistics,
    through_statistics: bool,
    dy: &[f32],
    rows: usize,
    finish: &Finish,
    dx: &mut [f32],
    whole: impl FnOnce(&[f32]) -> (Vec<f32>, f64),
) -> AffineGradient {
    let width = affine.gamma.len();
    let scale = scales(statistics, affine.epsilon);
    let dx = SharedMut::new(&mut dx[..rows * width]);
    let tiles = Tiles::elementwise(rows, width);
    let parts = tiles.map(|tile| {
        let range = tile.start * width..tile.end * width;
        // SAFETY: tiles are disjoint ranges of rows.
        let part = unsafe { dx.part(range.clone()) };
        part.copy_from_slice(&dy[range.clone()]);
        let mut sums = vec![0.0; 2 * width];
        backward_sums(&x[range], affine, &statistics.mean, &scale, tile.start, finish, part, &mut sums);
        sums
    });
    let mut gamma = sum_in_order(parts, 2 * width);
    let (sums, share) = if through_statistics {
        let (sums, rows) = whole(&gamma);
        (sums, 1.0 / rows.max(1.0) as f32)
    } else {
        (gamma.clone(), 0.0)
    };
    let (along, plain) = sums.split_at(width);
    let beta = gamma.split_off(width);
    tiles.run(|tile| {
        let range = tile.start * width..tile.end * width;
        // SAFETY: tiles are disjoint ranges of rows, and the first pass has ended.
        let part = unsafe { dx.part(range.clone()) };
        backward_rows(&x[range], affine.gamma, &statistics.mean, &scale, along, plain, share, part);
    });
    AffineGradient { gamma, beta }
}

/// Bytes kept for the backward pass beside x.
pub fn bytes(width: usize) -> usize {
    2 * width * size_of::<f32>()
}

/// `1 / sqrt(variance + epsilon)`.
fn scales(statistics: &Statistics, epsilon: f32) -> Vec<f32> {
    statistics.variance.iter().map(|v| 1.0 / (v + epsilon).sqrt()).collect()
}

simd_fn! {
    fn forward_rows<M>(
        x: &[f32],
        residual: Option<&[f32]>,
        affine: Affine,
        mean: &[f32],
        scale: &[f32],
        first: usize,
        finish: &Finish,
        y: &mut [f32],
    ) {
        let width = affine.gamma.len();
        let (gamma, beta, mean, scale) = (&affine.gamma[..width], &affine.beta[..width], &mean[..width], &scale[..width]);
        for ((i, row), x) in y.chunks_exact_mut(width.max(1)).enumerate().zip(x.chunks_exact(width.max(1))) {
            for c in 0..width {
                row[c] = M::fma((x[c] - mean[c]) * scale[c], gamma[c], beta[c]);
            }
            let residual = residual.map(|r| &r[i * width..(i + 1) * width]);
            finish.forward::<M>(finish.dropout.row_key(first + i), residual, row);
        }
    }
}

simd_fn! {
    /// Leaves the gradient of `gamma normal + beta` in dx and adds up the gradients of gamma and beta.
    fn backward_sums<M>(
        x: &[f32],
        affine: Affine,
        mean: &[f32],
        scale: &[f32],
        first: usize,
        finish: &Finish,
        dx: &mut [f32],
        sums: &mut [f32],
    ) {
        let width = affine.gamma.len();
        let (gamma, beta, mean, scale) = (&affine.gamma[..width], &affine.beta[..width], &mean[..width], &scale[..width]);
        let (gamma_sums, beta_sums) = sums.split_at_mut(width);
        let mut normal = vec![0.0f32; width];
        let mut z = vec![0.0f32; width];
        for ((i, row), x) in dx.chunks_exact_mut(width.max(1)).enumerate().zip(x.chunks_exact(width.max(1))) {
            for c in 0..width {
                normal[c] = (x[c] - mean[c]) * scale[c];
                z[c] = M::fma(normal[c], gamma[c], beta[c]);
            }
            finish.backward::<M>(finish.dropout.row_key(first + i), &z, row);
            for c in 0..width {
                gamma_sums[c] = M::fma(row[c], normal[c], gamma_sums[c]);
                beta_sums[c] += row[c];
            }
        }
    }
}

simd_fn! {
    /// `dx = gamma scale (dz - share (sum dz + normal sum(dz normal)))`, where dx holds dz.
    fn backward_rows<M>(
        x: &[f32],
        gamma: &[f32],
        mean: &[f32],
        scale: &[f32],
        along: &[f32],
        plain: &[f32],
        share: f32,
        dx: &mut [f32],
    ) {
        let width = gamma.len();
        let (mean, scale, along, plain) = (&mean[..width], &scale[..width], &along[..width], &plain[..width]);
        for (row, x) in dx.chunks_exact_mut(width.max(1)).zip(x.chunks_exact(width.max(1))) {
            for c in 0..width {
                let normal = (x[c] - mean[c]) * scale[c];
                let through = share * M::fma(normal, along[c], plain[c]);
                row[c] = gamma[c] * scale[c] * (row[c] - through);
            }
        }
    }
}
