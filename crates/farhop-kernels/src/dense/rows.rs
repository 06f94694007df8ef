//! Row by row: division by the length, multiplication with a number, and matrices side by side.

use super::tiles::Tiles;
use crate::parallel::SharedMut;
use crate::simd::dot;
use crate::simd_fn;

/// Writes `y = x / max(|x|, epsilon)` for every row of x `[rows, width]`.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn normalise(x: &[f32], width: usize, epsilon: f32, y: &mut [f32]) {
    each_tile(width, y, |first, y| normalise_rows(&x[first * width..][..y.len()], width, epsilon, y));
}

/// Writes the gradient of x: `(dy - y (y . dy)) / |x|`, and `dy / epsilon` for rows that are shorter than epsilon.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn normalise_backward(x: &[f32], width: usize, epsilon: f32, dy: &[f32], dx: &mut [f32]) {
    each_tile(width, dx, |first, dx| {
        let range = first * width..first * width + dx.len();
        normalise_rows_backward(&x[range.clone()], width, epsilon, &dy[range], dx);
    });
}

/// Writes `y_r = s_r x_r`, x and y `[rows, width]`, s `[rows]`.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn scale(x: &[f32], width: usize, s: &[f32], y: &mut [f32]) {
    each_tile(width, y, |first, y| {
        let rows = y.chunks_exact_mut(width.max(1)).zip(x[first * width..].chunks_exact(width.max(1)));
        for ((y, x), s) in rows.zip(&s[first..]) {
            y.iter_mut().zip(x).for_each(|(y, x)| *y = s * x);
        }
    });
}

/// Writes `s_r = x_r . y_r`, x and y `[rows, width]`, s `[rows]`.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn dots(x: &[f32], y: &[f32], width: usize, s: &mut [f32]) {
    let rows = s.len();
    let s = SharedMut::new(s);
    Tiles::elementwise(rows, width).run(|tile| {
        // SAFETY: tiles are disjoint ranges of rows.
        let part = unsafe { s.part(tile.clone()) };
        dot_rows(&x[tile.start * width..tile.end * width], &y[tile.start * width..tile.end * width], width, part);
    });
}

/// Writes matrices with equally many rows side by side: `parts[p]` is `(x_p, width_p)`, y `[rows, sum of widths]`.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn join_columns(parts: &[(&[f32], usize)], y: &mut [f32]) {
    let width = parts.iter().map(|part| part.1).sum();
    each_tile(width, y, |first, y| {
        for (r, row) in y.chunks_exact_mut(width.max(1)).enumerate() {
            let mut rest = row;
            for (x, width) in parts {
                let (own, after) = rest.split_at_mut(*width);
                own.copy_from_slice(&x[(first + r) * width..(first + r + 1) * width]);
                rest = after;
            }
        }
    });
}

/// Writes the columns of x `[rows, x_width]` from `start` on, as many as y `[rows, width]` has.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn take_columns(x: &[f32], x_width: usize, start: usize, width: usize, y: &mut [f32]) {
    each_tile(width, y, |first, y| {
        for (r, row) in y.chunks_exact_mut(width.max(1)).enumerate() {
            row.copy_from_slice(&x[(first + r) * x_width + start..][..width]);
        }
    });
}

/// Calls `task` with the first row of every tile of y `[rows, width]` and its part.
fn each_tile(width: usize, y: &mut [f32], task: impl Fn(usize, &mut [f32]) + Sync + Send) {
    let rows = y.len() / width.max(1);
    let y = SharedMut::new(y);
    Tiles::elementwise(rows, width).run(|tile| {
        // SAFETY: tiles are disjoint ranges of rows.
        task(tile.start, unsafe { y.part(tile.start * width..tile.end * width) });
    });
}

simd_fn! {
    fn normalise_rows<M>(x: &[f32], width: usize, epsilon: f32, y: &mut [f32]) {
        for (y, x) in y.chunks_exact_mut(width.max(1)).zip(x.chunks_exact(width.max(1))) {
            let norm = dot::<M, _>(x, x).sqrt();
            // NaN stays NaN.
            let factor = 1.0 / if norm < epsilon { epsilon } else { norm };
            y.iter_mut().zip(x).for_each(|(y, x)| *y = factor * x);
        }
    }
}

simd_fn! {
    fn normalise_rows_backward<M>(x: &[f32], width: usize, epsilon: f32, dy: &[f32], dx: &mut [f32]) {
        let inputs = x.chunks_exact(width.max(1)).zip(dy.chunks_exact(width.max(1)));
        for (dx, (x, dy)) in dx.chunks_exact_mut(width.max(1)).zip(inputs) {
            let norm = dot::<M, _>(x, x).sqrt();
            if norm < epsilon {
                dx.iter_mut().zip(dy).for_each(|(dx, dy)| *dx = dy / epsilon);
                continue;
            }
            let factor = 1.0 / norm;
            let along = dot::<M, _>(x, dy) * factor * factor;
            dx.iter_mut().zip(x).zip(dy).for_each(|((dx, x), dy)| *dx = factor * M::fma(-along, *x, *dy));
        }
    }
}

simd_fn! {
    fn dot_rows<M>(x: &[f32], y: &[f32], width: usize, s: &mut [f32]) {
        for (r, s) in s.iter_mut().enumerate() {
            *s = dot::<M, _>(&x[r * width..(r + 1) * width], &y[r * width..(r + 1) * width]);
        }
    }
}
