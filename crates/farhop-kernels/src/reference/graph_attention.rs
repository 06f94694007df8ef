//! Softmax attention within segments, and its linear form.

use super::real::{Real, dot, softmax, sum};
use crate::linear_attention::Settings;

/// `y_i^h = sum_j factor(i, j, h) softmax_j(scale q_i . k_j) v_j` over the rows j of the segment of i; `[N, H C]`
/// throughout.
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

/// Linear attention pair by pair:
/// `y_i^h = mean over draws of (sum_j (q_i . k_j) w_jh v_j + a v_i) / (sum_j (q_i . k_j) w_jh + a + epsilon)` with
/// `a = own n` and, if normalised, q and k divided by their norms over the segment. Key weights `[draws, N, H]`, or
/// empty.
pub fn linear_attention<T: Real>(
    q: &[T],
    k: &[T],
    v: &[T],
    offsets: &[usize],
    settings: &Settings,
    key_weights: &[f64],
) -> Vec<T> {
    let Settings { heads, features, channels, own, epsilon, normalise, shared_values, interleaved } = *settings;
    let rows = offsets.last().copied().unwrap_or(0);
    let draws = if key_weights.is_empty() { 1 } else { key_weights.len() / (rows * heads) };
    let weight = |draw: usize, j: usize, h: usize| {
        T::of(if key_weights.is_empty() { 1.0 } else { key_weights[(draw * rows + j) * heads + h] })
    };
    let place = |h: usize, c: usize, count: usize| if interleaved { c * heads + h } else { h * count + c };
    let value = |j: usize, h: usize, c: usize| {
        if shared_values { v[j * channels + c] } else { v[j * heads * channels + place(h, c, channels)] }
    };
    let mut y = vec![T::of(0.0); rows * heads * channels];
    for segment in offsets.windows(2).map(|bounds| bounds[0]..bounds[1]) {
        let width = heads * features;
        let norm = |x: &[T]| {
            dot(&x[segment.start * width..segment.end * width], &x[segment.start * width..segment.end * width]).sqrt()
        };
        let size = if normalise { norm(q) * norm(k) } else { T::of(1.0) };
        let own = T::of(f64::from(own) * segment.len() as f64);
        for (i, h, draw) in
            segment.clone().flat_map(|i| (0..heads).flat_map(move |h| (0..draws).map(move |draw| (i, h, draw))))
        {
            let product = |j: usize| {
                let at = |m: usize| place(h, m, features);
                sum((0..features).map(|m| q[i * width + at(m)] * k[j * width + at(m)])) / size * weight(draw, j, h)
            };
            let products: Vec<T> = segment.clone().map(product).collect();
            let below = sum(products.iter().copied()) + own + T::of(f64::from(epsilon));
            for c in 0..channels {
                let above =
                    sum(segment.clone().zip(&products).map(|(j, p)| *p * value(j, h, c))) + own * value(i, h, c);
                let out = &mut y[i * heads * channels + place(h, c, channels)];
                *out = *out + above / below / T::of(draws as f64);
            }
        }
    }
    y
}
