//! Lists of equally large arrays of rows taken together: weighted sums, largest values, and the softmax of the weights.

use crate::parallel::{Blocks, SharedMut, sum_in_order};
use crate::simd::{axpy, dot, exp};
use crate::simd_fn;
use std::ops::Range;

/// Writes the softmax of every row of x `[N, width]`.
///
/// # Panics
/// If the arrays have different lengths.
pub fn row_softmax(x: &[f32], width: usize, y: &mut [f32]) {
    assert_eq!(x.len(), y.len(), "y is as large as x");
    let rows = x.len() / width.max(1);
    let y = SharedMut::new(y);
    Blocks::by_rows(rows, 8 * width).run(|block| {
        let range = block.start * width..block.end * width;
        // SAFETY: blocks are disjoint ranges of rows.
        softmax_rows(&x[range.clone()], width, unsafe { y.part(range) });
    });
}

/// Turns the gradient of y `[N, width]` into that of x: `dx = y (dy - y . dy)`.
///
/// # Panics
/// If the arrays have different lengths.
pub fn row_softmax_backward(y: &[f32], width: usize, gradient: &mut [f32]) {
    assert_eq!(y.len(), gradient.len(), "dy is as large as y");
    let rows = y.len() / width.max(1);
    let gradient = SharedMut::new(gradient);
    Blocks::by_rows(rows, 4 * width).run(|block| {
        let range = block.start * width..block.end * width;
        // SAFETY: blocks are disjoint ranges of rows.
        let part = unsafe { gradient.part(range.clone()) };
        for (y, g) in y[range].chunks_exact(width).zip(part.chunks_exact_mut(width)) {
            // Relative to the gradient of the largest weight: where that is nearly 1, nothing is lost in the
            // difference.
            let (at, _) =
                y.iter().enumerate().fold((0, y[0]), |most, (at, y)| if *y > most.1 { (at, *y) } else { most });
            let base = g[at];
            let along: f32 = y.iter().zip(&*g).map(|(y, g)| y * (g - base)).sum();
            g.iter_mut().zip(y).for_each(|(g, y)| *g = y * (*g - base - along));
        }
    });
}

simd_fn! {
    fn softmax_rows<M>(x: &[f32], width: usize, y: &mut [f32]) {
        for (x, y) in x.chunks_exact(width.max(1)).zip(y.chunks_exact_mut(width.max(1))) {
            let most = x.iter().fold(f32::NEG_INFINITY, |most, v| most.max(*v));
            y.iter_mut().zip(x).for_each(|(y, x)| *y = exp::<M>(x - most));
            let factor = 1.0 / y.iter().sum::<f32>();
            y.iter_mut().for_each(|y| *y *= factor);
        }
    }
}

/// `y_i = sum over l of w_il x^l_i`: L arrays x `[N, width]`, weights `[N, L]` or, the same for all rows, `[1, L]`.
///
/// # Panics
/// If an array has another length than its shape.
pub fn mix(weights: &[f32], x: &[&[f32]], width: usize, y: &mut [f32]) {
    let shared = check(weights, x, y.len(), width);
    let rows = y.len() / width.max(1);
    let y = SharedMut::new(y);
    Blocks::by_rows(rows, width * x.len()).run(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        mix_rows(weights, shared, x, width, block.clone(), unsafe { y.part(block.start * width..block.end * width) });
    });
}

/// The gradients of [`mix`]: of the weights, if wanted, in their shape, and into every `dx[l]` `[N, width]` that is
/// there.
///
/// # Panics
/// If an array has another length than its shape.
pub fn mix_backward(
    weights: &[f32],
    x: &[&[f32]],
    width: usize,
    dy: &[f32],
    wanted: bool,
    dx: Vec<Option<&mut [f32]>>,
) -> Option<Vec<f32>> {
    let shared = check(weights, x, dy.len(), width);
    let (rows, count) = (dy.len() / width.max(1), x.len());
    let dx: Vec<Option<SharedMut<f32>>> = dx.into_iter().map(|dx| dx.map(SharedMut::new)).collect();
    let parts = Blocks::by_rows(rows, 2 * width * count).map(|block| {
        for (l, dx) in dx.iter().enumerate() {
            if let Some(dx) = dx {
                // SAFETY: blocks are disjoint ranges of rows.
                let part = unsafe { dx.part(block.start * width..block.end * width) };
                for (i, row) in block.clone().zip(part.chunks_exact_mut(width.max(1))) {
                    let weight = weights[if shared { l } else { i * count + l }];
                    row.iter_mut().zip(&dy[i * width..(i + 1) * width]).for_each(|(dx, dy)| *dx = weight * dy);
                }
            }
        }
        let mut dots = vec![0.0; if wanted { block.len() * count } else { 0 }];
        if wanted {
            list_dots(x, dy, width, block, &mut dots);
        }
        if shared {
            let sums = (0..count).map(|l| dots.iter().skip(l).step_by(count).sum::<f32>());
            return sums.collect();
        }
        dots
    });
    wanted.then(|| if shared { sum_in_order(parts, count) } else { parts.concat() })
}

/// Whether one row of weights serves all.
fn check(weights: &[f32], x: &[&[f32]], size: usize, width: usize) -> bool {
    assert!(x.iter().all(|x| x.len() == size), "all arrays are equally large");
    let rows = size / width.max(1);
    let shared = weights.len() == x.len() && rows != 1;
    assert!(shared || weights.len() == rows * x.len(), "weights must be [N, L] or [1, L]");
    shared
}

simd_fn! {
    fn mix_rows<M>(weights: &[f32], shared: bool, x: &[&[f32]], width: usize, rows: Range<usize>, y: &mut [f32]) {
        for (i, y) in rows.zip(y.chunks_exact_mut(width.max(1))) {
            y.fill(0.0);
            let weights = if shared { weights } else { &weights[i * x.len()..(i + 1) * x.len()] };
            for (weight, x) in weights.iter().zip(x) {
                axpy::<M, _>(*weight, &x[i * width..(i + 1) * width], y);
            }
        }
    }
}

simd_fn! {
    /// `out_il = x^l_i . dy_i`.
    fn list_dots<M>(x: &[&[f32]], dy: &[f32], width: usize, rows: Range<usize>, out: &mut [f32]) {
        for (i, out) in rows.zip(out.chunks_exact_mut(x.len().max(1))) {
            let range = i * width..(i + 1) * width;
            out.iter_mut().zip(x).for_each(|(out, x)| *out = dot::<M, _>(&x[range.clone()], &dy[range.clone()]));
        }
    }
}

/// Writes the largest value of L arrays element by element, and which of them has it: the first one, at most 255 others
/// before it. A value that is not a number wins, so that it is not hidden.
///
/// # Panics
/// If there is no array or more than 256, or their lengths differ.
pub fn maximum(x: &[&[f32]], y: &mut [f32], winners: &mut [u8]) {
    assert!(!x.is_empty() && x.len() <= 256, "1 to 256 arrays");
    assert!(winners.len() == y.len() && x.iter().all(|x| x.len() == y.len()), "all arrays are equally large");
    let count = y.len();
    let (y, winners) = (SharedMut::new(y), SharedMut::new(winners));
    Blocks::by_rows(count, x.len()).run(|block| {
        // SAFETY: blocks are disjoint ranges.
        let (y, winners) = unsafe { (y.part(block.clone()), winners.part(block.clone())) };
        y.copy_from_slice(&x[0][block.clone()]);
        winners.fill(0);
        for (l, x) in x.iter().enumerate().skip(1) {
            for ((y, winner), x) in y.iter_mut().zip(&mut *winners).zip(&x[block.clone()]) {
                if *x > *y || x.is_nan() && !y.is_nan() {
                    *y = *x;
                    *winner = l as u8;
                }
            }
        }
    });
}

/// Writes the gradient of array `l` of [`maximum`]: dy where it won, 0 elsewhere.
///
/// # Panics
/// If the lengths differ.
pub fn maximum_backward(winners: &[u8], l: usize, dy: &[f32], dx: &mut [f32]) {
    assert!(winners.len() == dy.len() && dx.len() == dy.len(), "all arrays are equally large");
    let count = dx.len();
    let dx = SharedMut::new(dx);
    Blocks::by_rows(count, 1).run(|block| {
        // SAFETY: blocks are disjoint ranges.
        let part = unsafe { dx.part(block.clone()) };
        for ((dx, dy), winner) in part.iter_mut().zip(&dy[block.clone()]).zip(&winners[block]) {
            *dx = if usize::from(*winner) == l { *dy } else { 0.0 };
        }
    });
}
