//! Matrix products of tall matrices with small weights, and the gradients that belong to them.
//!
//! Row-major throughout. A product is cut into fixed tiles of rows; sums over rows are partial sums per tile, added in order.

use super::Write;
use super::tiles::Tiles;
use crate::buffers;
use crate::parallel::{SharedMut, each_part, sum_in_order};
use crate::simd_fn;
use gemm::Parallelism;
use std::ops::Range;

/// `[rows, inputs] x [inputs, outputs]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of the tall matrices.
    pub rows: usize,
    /// Columns of x, rows of the weight.
    pub inputs: usize,
    /// Columns of the weight and of the result.
    pub outputs: usize,
}

impl Shape {
    /// Multiply-adds a row.
    fn cost(&self) -> usize {
        self.inputs * self.outputs
    }
}

/// A matrix in memory: element (r, c) is at `r * row_step + c * column_step`.
#[derive(Clone, Copy)]
struct View<'a> {
    data: &'a [f32],
    row_step: usize,
    column_step: usize,
}

impl<'a> View<'a> {
    fn plain(data: &'a [f32], columns: usize) -> Self {
        View { data, row_step: columns, column_step: 1 }
    }

    fn transposed(data: &'a [f32], columns: usize) -> Self {
        View { data, row_step: 1, column_step: columns }
    }

    /// Whether all of so many rows and columns lie within the slice. Sizes whose product wraps around do not.
    fn holds(&self, rows: usize, columns: usize) -> bool {
        let last = |count: usize, step: usize| (count - 1).checked_mul(step);
        rows == 0
            || columns == 0
            || last(rows, self.row_step)
                .zip(last(columns, self.column_step))
                .and_then(|(down, right)| down.checked_add(right))
                .is_some_and(|last| last < self.data.len())
    }
}

/// `out = left right` or `out += left right`, `[m, k] x [k, n]`, on the calling thread.
fn gemm_tile(m: usize, n: usize, k: usize, left: View, right: View, write: Write, out: &mut [f32]) {
    let written = m.checked_mul(n).is_some_and(|count| count <= out.len());
    assert!(left.holds(m, k) && right.holds(k, n) && written, "matrix product outside of its slices");
    if k == 0 {
        if write == Write::Replace {
            out[..m * n].fill(0.0);
        }
        return;
    }
    // SAFETY: the assertion above bounds every index that the three matrices reach; `out` is exclusive.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            write == Write::Add,
            left.data.as_ptr(),
            left.column_step as isize,
            left.row_step as isize,
            right.data.as_ptr(),
            right.column_step as isize,
            right.row_step as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// `out (+)= left right` of small row-major matrices on the calling thread: `[m, k] x [k, n]`.
pub(crate) fn tile_product(m: usize, k: usize, n: usize, left: &[f32], right: &[f32], write: Write, out: &mut [f32]) {
    gemm_tile(m, n, k, View::plain(left, k), View::plain(right, n), write, out);
}

/// `out (+)= left right^T` on the calling thread: `[m, k] x [n, k]^T`.
pub(crate) fn tile_product_transposed(
    m: usize,
    k: usize,
    n: usize,
    left: &[f32],
    right: &[f32],
    write: Write,
    out: &mut [f32],
) {
    gemm_tile(m, n, k, View::plain(left, k), View::transposed(right, k), write, out);
}

/// `out += left^T right` on the calling thread: `[k, m]^T x [k, n]`.
pub(crate) fn tile_weight_gradient(m: usize, k: usize, n: usize, left: &[f32], right: &[f32], out: &mut [f32]) {
    gemm_tile(m, n, k, View::transposed(left, m), View::plain(right, n), Write::Add, out);
}

/// `y (+)= x W + b`: x `[rows, inputs]`, W `[inputs, outputs]`, b `[outputs]`, y `[rows, outputs]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn matmul(x: &[f32], weight: &[f32], bias: Option<&[f32]>, shape: Shape, write: Write, y: &mut [f32]) {
    let Shape { rows, inputs, outputs } = shape;
    let y = SharedMut::new(&mut y[..rows * outputs]);
    Tiles::product(rows, shape.cost()).run(|tile| {
        // SAFETY: tiles are disjoint ranges of rows.
        let part = unsafe { y.part(tile.start * outputs..tile.end * outputs) };
        let mut write = write;
        if let Some(bias) = bias {
            let bias = &bias[..outputs];
            for row in part.chunks_exact_mut(outputs.max(1)) {
                match write {
                    Write::Replace => row.copy_from_slice(bias),
                    Write::Add => row.iter_mut().zip(bias).for_each(|(y, b)| *y += b),
                }
            }
            write = Write::Add;
        }
        tile_product(tile.len(), inputs, outputs, &x[tile.start * inputs..], weight, write, part);
    });
}

/// `dx (+)= dy W^T`: the gradient of [`matmul`] with respect to x. Where most rows of dy are zeros (few nodes have labels), only the
/// others are multiplied.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn matmul_transposed(dy: &[f32], weight: &[f32], shape: Shape, write: Write, dx: &mut [f32]) {
    let Shape { rows, inputs, outputs } = shape;
    let dx = SharedMut::new(&mut dx[..rows * inputs]);
    Tiles::product(rows, shape.cost()).run(|tile| {
        // SAFETY: tiles are disjoint ranges of rows.
        let part = unsafe { dx.part(tile.start * inputs..tile.end * inputs) };
        let dy = &dy[tile.start * outputs..tile.end * outputs];
        let Some(live) = few_live(dy, shape) else {
            return tile_product_transposed(tile.len(), outputs, inputs, dy, weight, write, part);
        };
        if write == Write::Replace {
            part.fill(0.0);
        }
        let count = live.len().max(LIVE_ROWS);
        let mut found = vec![0.0; count * inputs];
        let given = rows_of(dy, outputs, &live, count);
        tile_product_transposed(count, outputs, inputs, &given, weight, Write::Replace, &mut found);
        for (&row, found) in live.iter().zip(found.chunks_exact(inputs.max(1))) {
            part[row * inputs..(row + 1) * inputs].iter_mut().zip(found).for_each(|(dx, found)| *dx += found);
        }
    });
}

/// Rows and columns of a product that goes the usual way. Smaller ones are summed in another order, and the bits should not depend on how
/// many rows are zeros.
const LIVE_ROWS: usize = 65;
const LIVE_COLUMNS: usize = 4;

/// The rows of `dy` that are not all zeros, if they are few. The others add nothing to a product, not even a rounding.
fn few_live(dy: &[f32], shape: Shape) -> Option<Vec<usize>> {
    let Shape { inputs, outputs, .. } = shape;
    if inputs.min(outputs) < LIVE_COLUMNS || dy.len() < 2 * LIVE_ROWS * outputs {
        return None;
    }
    let most = dy.len() / outputs / 2;
    let mut live = Vec::new();
    for (row, values) in dy.chunks_exact(outputs).enumerate() {
        if values.iter().any(|value| *value != 0.0) {
            if live.len() == most {
                return None;
            }
            live.push(row);
        }
    }
    Some(live)
}

/// Some rows of a matrix, side by side, and rows of zeros up to `count`.
fn rows_of(values: &[f32], width: usize, rows: &[usize], count: usize) -> Vec<f32> {
    let mut found = Vec::with_capacity(count * width);
    for row in rows {
        found.extend_from_slice(&values[row * width..(row + 1) * width]);
    }
    found.resize(count * width, 0.0);
    found
}

/// Rows that are summed within one product. More would be cut into pieces there, by the size of this machine's cache.
const SUMMED_ROWS: usize = 512;

/// Gradients of tiles that are there at a time.
const PARTS: usize = 8;

/// `dW (+)= x^T dy`: the gradient of [`matmul`] with respect to the weight. Rows of zeros in dy are left out where they are most.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn weight_gradient(x: &[f32], dy: &[f32], shape: Shape, write: Write, dw: &mut [f32]) {
    let Shape { rows, inputs, outputs } = shape;
    let (tiles, size) = (Tiles::reduction(rows, shape.cost()), inputs * outputs);
    // In f64 and in the order of the tiles, so that the sum of many loses nothing.
    let mut sums = vec![0.0f64; size];
    let mut parts = buffers::take(tiles.len().min(PARTS) * size);
    for first in (0..tiles.len()).step_by(PARTS) {
        let some = first..tiles.len().min(first + PARTS);
        let shared = SharedMut::new(&mut parts);
        tiles.some(some.clone(), |place, tile| {
            // SAFETY: every tile has a part of its own.
            let part = unsafe { shared.part(place * size..(place + 1) * size) };
            tile_gradient(x, dy, shape, tile, part);
        });
        each_part(&mut sums, |range, sums| {
            for part in parts.chunks_exact(size.max(1)).take(some.len()) {
                sums.iter_mut().zip(&part[range.clone()]).for_each(|(sum, value)| *sum += f64::from(*value));
            }
        });
    }
    buffers::give(parts);
    each_part(&mut dw[..size], |range, dw| {
        for (dw, sum) in dw.iter_mut().zip(&sums[range]) {
            match write {
                Write::Replace => *dw = *sum as f32,
                Write::Add => *dw += *sum as f32,
            }
        }
    });
}

/// The gradient of one tile.
fn tile_gradient(x: &[f32], dy: &[f32], shape: Shape, tile: Range<usize>, out: &mut [f32]) {
    let Shape { inputs, outputs, .. } = shape;
    let pieces = tile.len().div_ceil(SUMMED_ROWS);
    // As a product of its own would be cut: small ones by the most rows, others evenly.
    let step = if inputs.max(outputs) <= 64 { SUMMED_ROWS } else { tile.len().div_ceil(pieces) };
    for start in tile.clone().step_by(step) {
        let some = start..tile.end.min(start + step);
        let (x, dy) = (&x[some.start * inputs..some.end * inputs], &dy[some.start * outputs..some.end * outputs]);
        let write = if start == tile.start { Write::Replace } else { Write::Add };
        let multiply = |rows: usize, x: &[f32], dy: &[f32], out: &mut [f32]| {
            gemm_tile(inputs, outputs, rows, View::transposed(x, inputs), View::plain(dy, outputs), write, out);
        };
        match few_live(dy, shape) {
            Some(live) => {
                let count = live.len().max(LIVE_COLUMNS);
                multiply(count, &rows_of(x, inputs, &live, count), &rows_of(dy, outputs, &live, count), out);
            }
            None => multiply(some.len(), x, dy, out),
        }
    }
}

/// `db (+)= sum of the rows of dy`, `[rows, width]` to `[width]`: the gradient of [`matmul`] with respect to the bias.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn column_sums(dy: &[f32], rows: usize, width: usize, write: Write, db: &mut [f32]) {
    let parts = Tiles::elementwise(rows, width).map(|tile| {
        let mut part = vec![0.0; width];
        add_rows(&dy[tile.start * width..tile.end * width], &mut part);
        part
    });
    put(sum_in_order(parts, width), write, db);
}

simd_fn! {
    /// `sums += every row of values`; the rows are as wide as `sums`.
    #[allow(clippy::extra_unused_type_parameters)]
    pub(crate) fn add_rows<M>(values: &[f32], sums: &mut [f32]) {
        for row in values.chunks_exact(sums.len().max(1)) {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
    }
}

/// Writes or adds a finished sum.
fn put(sum: Vec<f32>, write: Write, out: &mut [f32]) {
    let out = &mut out[..sum.len()];
    match write {
        Write::Replace => out.copy_from_slice(&sum),
        Write::Add => out.iter_mut().zip(sum).for_each(|(o, s)| *o += s),
    }
}
