//! What goes into and out of a model, line by line: sums of table rows, sums over eigenvectors, readouts of graphs.

use super::Real;
use super::real::sum;
use crate::segments::Reduction;

/// `y_r = sum over columns c of table[start_c + x_rc]`: categories x `[rows, counts.len()]`, table `[sum of counts, width]`.
pub fn embedding<T: Real>(categories: &[u16], counts: &[u32], table: &[T], width: usize) -> Vec<T> {
    let mut y = Vec::new();
    for row in categories.chunks_exact(counts.len()) {
        for channel in 0..width {
            y.push(sum(row.iter().enumerate().map(|(column, &category)| {
                let start: u32 = counts[..column].iter().sum();
                table[(start as usize + category as usize) * width + channel]
            })));
        }
    }
    y
}

/// `y_i = sum over k of relu(v_ik A_k + B_k) + relu(-v_ik A_k + B_k)`.
pub fn sign_invariant<T: Real>(vectors: &[f64], columns: usize, slopes: &[T], shifts: &[T], width: usize) -> Vec<T> {
    let relu = |x: T| if x.value() > 0.0 { x } else { T::of(0.0) };
    let mut y = Vec::new();
    for row in vectors.chunks_exact(columns) {
        for channel in 0..width {
            y.push(sum(row.iter().enumerate().map(|(k, &v)| {
                let (a, b) = (slopes[k * width + channel], shifts[k * width + channel]);
                relu(T::of(v) * a + b) + relu(T::of(-v) * a + b)
            })));
        }
    }
    y
}

/// One row per segment.
pub fn segments<T: Real>(x: &[T], width: usize, offsets: &[usize], reduction: Reduction) -> Vec<T> {
    let mut y = Vec::new();
    for range in offsets.windows(2) {
        for channel in 0..width {
            let column: Vec<T> = (range[0]..range[1]).map(|row| x[row * width + channel]).collect();
            let largest = || column.iter().copied().reduce(|a, b| if b.value() > a.value() { b } else { a });
            y.push(match reduction {
                _ if column.is_empty() => T::of(0.0),
                Reduction::Sum => sum(column),
                Reduction::Mean => sum(column.iter().copied()) / T::of(column.len() as f64),
                Reduction::Max => largest().unwrap_or(T::of(0.0)),
            });
        }
    }
    y
}
