//! Passes over equally large arrays, number by number: sums with fixed factors, products, copies, and a row added to every row.

use crate::parallel::{Blocks, SharedMut, each_part, sum_in_order};
use crate::simd_fn;

/// Writes `y = a x + b z`.
///
/// # Panics
/// If the arrays are not equally large.
pub fn blend(a: f32, x: &[f32], b: f32, z: &[f32], y: &mut [f32]) {
    assert!(x.len() == y.len() && z.len() == y.len(), "blend: equally large arrays");
    each_part(y, |range, y| blend_part(a, &x[range.clone()], b, &z[range], y));
}

/// Writes `y = a y + b z`: with the same bits as [`blend`] of y and z, and as that of z and y.
///
/// # Panics
/// If the arrays are not equally large.
pub fn blend_over(a: f32, y: &mut [f32], b: f32, z: &[f32]) {
    assert_eq!(z.len(), y.len(), "blend_over: equally large arrays");
    each_part(y, |range, y| blend_part_over(a, b, &z[range], y));
}

/// Writes `y = a x`.
///
/// # Panics
/// If the arrays are not equally large.
pub fn scale(a: f32, x: &[f32], y: &mut [f32]) {
    assert_eq!(x.len(), y.len(), "scale: equally large arrays");
    each_part(y, |range, y| y.iter_mut().zip(&x[range]).for_each(|(y, x)| *y = a * x));
}

/// Writes `y = a y`.
pub fn scale_over(a: f32, y: &mut [f32]) {
    each_part(y, |_, y| y.iter_mut().for_each(|y| *y *= a));
}

/// Writes `y = x z`, number by number.
///
/// # Panics
/// If the arrays are not equally large.
pub fn multiply(x: &[f32], z: &[f32], y: &mut [f32]) {
    assert!(x.len() == y.len() && z.len() == y.len(), "multiply: equally large arrays");
    each_part(y, |range, y| multiply_part(&x[range.clone()], &z[range], y));
}

/// Writes `y = y z`, number by number.
///
/// # Panics
/// If the arrays are not equally large.
pub fn multiply_over(z: &[f32], y: &mut [f32]) {
    assert_eq!(z.len(), y.len(), "multiply_over: equally large arrays");
    each_part(y, |range, y| y.iter_mut().zip(&z[range]).for_each(|(y, z)| *y *= z));
}

/// Writes `y_i = y_i + b` for every row of y, as wide as b.
///
/// # Panics
/// If y has no whole number of rows.
pub fn add_row(b: &[f32], y: &mut [f32]) {
    let (width, rows) = whole_rows(b, y.len());
    let y = SharedMut::new(y);
    Blocks::by_rows(rows, width).run(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        let part = unsafe { y.part(block.start * width..block.end * width) };
        for row in part.chunks_exact_mut(width) {
            row.iter_mut().zip(b).for_each(|(y, b)| *y += b);
        }
    });
}

/// Writes `y_i = x_i + b (z_i - x_i)` for every row, all as wide as b.
///
/// # Panics
/// If the arrays are not equally large, or have no whole number of rows.
pub fn between(x: &[f32], z: &[f32], b: &[f32], y: &mut [f32]) {
    let (width, rows) = whole_rows(b, y.len());
    assert!(x.len() == y.len() && z.len() == y.len(), "between: equally large arrays");
    let y = SharedMut::new(y);
    Blocks::by_rows(rows, width).run(|block| {
        let range = block.start * width..block.end * width;
        // SAFETY: blocks are disjoint ranges of rows.
        between_rows(&x[range.clone()], &z[range.clone()], b, unsafe { y.part(range) });
    });
}

/// The gradients of [`between`]: of x in the place of dy, of z into dz, and of b as the result.
///
/// # Panics
/// If the arrays are not equally large, or have no whole number of rows.
pub fn between_backward(x: &[f32], z: &[f32], b: &[f32], dy: &mut [f32], dz: &mut [f32]) -> Vec<f32> {
    let (width, rows) = whole_rows(b, dy.len());
    assert!(x.len() == dy.len() && z.len() == dy.len() && dz.len() == dy.len(), "between: equally large arrays");
    let (dy, dz) = (SharedMut::new(dy), SharedMut::new(dz));
    let sums = Blocks::by_rows(rows, 2 * width).map(|block| {
        let range = block.start * width..block.end * width;
        // SAFETY: blocks are disjoint ranges of rows.
        let (dy, dz) = unsafe { (dy.part(range.clone()), dz.part(range.clone())) };
        let mut db = vec![0.0; width];
        between_rows_backward(&x[range.clone()], &z[range], b, dy, dz, &mut db);
        db
    });
    sum_in_order(sums, b.len())
}

/// Channels and rows of an array whose rows are as wide as b.
fn whole_rows(b: &[f32], size: usize) -> (usize, usize) {
    let width = b.len().max(1);
    assert!(size.is_multiple_of(width), "whole rows");
    (width, size / width)
}

/// Writes `y = x`.
///
/// # Panics
/// If the arrays are not equally large.
pub fn copy(x: &[f32], y: &mut [f32]) {
    assert_eq!(x.len(), y.len(), "copy: equally large arrays");
    each_part(y, |range, y| y.copy_from_slice(&x[range]));
}

simd_fn! {
    fn blend_part<M>(a: f32, x: &[f32], b: f32, z: &[f32], y: &mut [f32]) {
        // A product each, then the sum: no fused product, which would round the two terms differently.
        y.iter_mut().zip(x.iter().zip(z)).for_each(|(y, (x, z))| *y = a * x + b * z);
    }
}

simd_fn! {
    fn blend_part_over<M>(a: f32, b: f32, z: &[f32], y: &mut [f32]) {
        y.iter_mut().zip(z).for_each(|(y, z)| *y = a * *y + b * z);
    }
}

simd_fn! {
    fn multiply_part<M>(x: &[f32], z: &[f32], y: &mut [f32]) {
        y.iter_mut().zip(x.iter().zip(z)).for_each(|(y, (x, z))| *y = x * z);
    }
}

simd_fn! {
    fn between_rows<M>(x: &[f32], z: &[f32], b: &[f32], y: &mut [f32]) {
        let width = b.len().max(1);
        let rows = x.chunks_exact(width).zip(z.chunks_exact(width));
        for ((x, z), y) in rows.zip(y.chunks_exact_mut(width)) {
            for (((y, x), z), b) in y.iter_mut().zip(x).zip(z).zip(b) {
                *y = M::fma(*b, z - x, *x);
            }
        }
    }
}

simd_fn! {
    fn between_rows_backward<M>(x: &[f32], z: &[f32], b: &[f32], dy: &mut [f32], dz: &mut [f32], db: &mut [f32]) {
        let width = b.len().max(1);
        let rows = x.chunks_exact(width).zip(z.chunks_exact(width));
        for ((x, z), (dy, dz)) in rows.zip(dy.chunks_exact_mut(width).zip(dz.chunks_exact_mut(width))) {
            for at in 0..width {
                let along = dy[at];
                db[at] = M::fma(along, z[at] - x[at], db[at]);
                dz[at] = along * b[at];
                dy[at] = along - dz[at];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than a part, and not a whole number of them.
    const COUNT: usize = (1 << 15) + 13;

    fn numbers(seed: u64) -> Vec<f32> {
        (0..COUNT)
            .map(|at| farhop_graph::random::unit(farhop_graph::random::mix(seed, at as u64)) as f32 - 0.5)
            .collect()
    }

    #[test]
    fn every_number_is_written_and_in_place_gives_the_same_bits() {
        let (x, z) = (numbers(1), numbers(2));
        let mut y = vec![f32::NAN; COUNT];
        blend(0.3, &x, -1.7, &z, &mut y);
        for at in 0..COUNT {
            let exact = 0.3f64 * f64::from(x[at]) - 1.7 * f64::from(z[at]);
            assert!((f64::from(y[at]) - exact).abs() < 1e-6, "{at}: {} instead of {exact}", y[at]);
        }
        let mut over = x.clone();
        blend_over(0.3, &mut over, -1.7, &z);
        assert_eq!(over, y);
        let mut other = z.clone();
        blend_over(-1.7, &mut other, 0.3, &x);
        assert_eq!(other, y);
    }

    #[test]
    fn products_and_copies_are_of_the_same_place() {
        let (x, z) = (numbers(3), numbers(4));
        let mut y = vec![f32::NAN; COUNT];
        multiply(&x, &z, &mut y);
        assert!((0..COUNT).all(|at| y[at] == x[at] * z[at]));
        let mut over = x.clone();
        multiply_over(&z, &mut over);
        assert_eq!(over, y);
        let row = [0.5, -2.0, 3.0];
        let mut rows = x[..3 * 1000].to_vec();
        add_row(&row, &mut rows);
        assert!((0..rows.len()).all(|at| rows[at] == x[at] + row[at % 3]));
        between(&x[..3000], &z[..3000], &row, &mut rows);
        let (mut dx, mut dz) = (vec![1.0; 3000], vec![f32::NAN; 3000]);
        let db = between_backward(&x[..3000], &z[..3000], &row, &mut dx, &mut dz);
        for at in 0..3000 {
            let exact = f64::from(x[at]) + f64::from(row[at % 3]) * (f64::from(z[at]) - f64::from(x[at]));
            assert!((f64::from(rows[at]) - exact).abs() < 1e-5);
            assert_eq!((dx[at], dz[at]), (1.0 - row[at % 3], row[at % 3]));
        }
        for (channel, db) in db.into_iter().enumerate() {
            let exact: f64 = (channel..3000).step_by(3).map(|at| f64::from(z[at]) - f64::from(x[at])).sum();
            assert!((f64::from(db) - exact).abs() < 1e-3);
        }
        copy(&x, &mut y);
        assert_eq!(y, x);
        scale(2.0, &x, &mut y);
        scale_over(2.0, &mut over);
        assert!((0..COUNT).all(|at| y[at] == 2.0 * x[at] && over[at] == 2.0 * (x[at] * z[at])));
    }
}
