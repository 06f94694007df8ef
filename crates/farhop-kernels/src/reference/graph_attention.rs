//! Softmax attention within segments, and its linear form.

use super::real::{Real, dot, softmax, sum};

/// `y_i^h = sum_j factor(i, j, h) softmax_j(scale q_i . k_j) v_j` over the rows j of the segment of i; `[N, H C]` throughout.
#[allow(clippy::too_many_arguments)]
pub fn graph_attention<T: Real>(
    q: &[T],
    k: &[T],
    v: &[T],
    offsets: &[usize],
    heads: usize,
    channels: usize,
    scale: f64,
    factor: impl Fn(usize, usize, usize) -> f64,
) -> Vec<T> {
    let part = |x: &[T], i: usize, h: usize| x[(i * heads + h) * channels..][..channels].to_vec();
    let mut y = Vec::new();
    for segment in offsets.windows(2).map(|bounds| bounds[0]..bounds[1]) {
        for i in segment.clone() {
            for h in 0..heads {
                let score = |j: usize| dot(&part(q, i, h), &part(k, j, h)) * T::of(scale);
                let weights = softmax(&segment.clone().map(score).collect::<Vec<_>>());
                for c in 0..channels {
                    let term = |j: usize| {
                        weights[j - segment.start] * T::of(factor(i, j, h)) * v[(j * heads + h) * channels + c]
                    };
                    y.push(sum(segment.clone().map(term)));
                }
            }
        }
    }
    y
}
