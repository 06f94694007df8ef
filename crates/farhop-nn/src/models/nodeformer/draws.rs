//! What NodeFormer draws: directions of its features, and noise of its keys.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::random::{Stream, mix, unit};

use crate::ops::bridge;

/// Directions `[M, d]`: blocks of d rows that are orthogonal to each other, each row as long as a normal vector of d
/// numbers.
pub(super) fn directions(features: usize, channels: usize, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed);
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(features);
    while rows.len() < features {
        let block = rows.len() / channels * channels;
        let mut row: Vec<f64> = (0..channels).map(|_| stream.normal()).collect();
        // Gram and Schmidt, twice, so that rounding leaves nothing behind.
        for other in rows[block..].iter().chain(&rows[block..]) {
            let along = dot(&row, other);
            row.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
        }
        let length = dot(&row, &row).sqrt();
        // Drawn again where nothing was left over.
        if length > 1e-6 {
            row.iter_mut().for_each(|value| *value /= length);
            rows.push(row);
        }
    }
    let scaled = |row: Vec<f64>| {
        let length = (0..channels).map(|_| stream.normal().powi(2)).sum::<f64>().sqrt();
        row.into_iter().map(move |value| value * length)
    };
    rows.into_iter().flat_map(scaled).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Directions as a map `[d, M]`, multiplied by `scale`.
pub(super) fn projection(directions: &[f64], channels: usize, scale: f64) -> Tensor<2> {
    let features = directions.len() / channels.max(1);
    let at = |place: usize| (scale * directions[place % features * channels + place / features]) as f32;
    bridge::from_vec((0..directions.len()).map(at).collect(), [channels, features])
}

/// Standard exponential numbers `[samples, N, H]`, each from its place alone.
pub(super) fn exponentials(count: usize, seed: u64) -> Vec<f64> {
    // 1 - u lies in (0, 1], so the logarithm is finite.
    (0..count).map(|place| -(1.0 - unit(mix(seed, place as u64))).ln()).collect()
}

/// Factors of keys `e^(-1 / temperature)`, divided by the largest of their graph, sample and head: that cancels in the
/// quotient, and keeps them in range.
pub(super) fn key_weights(exponentials: &[f64], offsets: &[usize], heads: usize, temperature: f64) -> Arc<Vec<f32>> {
    let nodes = offsets.last().copied().unwrap_or(0);
    let mut weights: Vec<f64> = exponentials.iter().map(|e| -e.max(f64::MIN_POSITIVE).ln() / temperature).collect();
    for sample in weights.chunks_exact_mut((nodes * heads).max(1)) {
        for bounds in offsets.windows(2) {
            let graph = &mut sample[bounds[0] * heads..bounds[1] * heads];
            for head in 0..heads {
                let top = graph.iter().skip(head).step_by(heads).fold(f64::NEG_INFINITY, |top, w| top.max(*w));
                graph.iter_mut().skip(head).step_by(heads).for_each(|weight| *weight = (*weight - top).exp());
            }
        }
    }
    Arc::new(weights.into_iter().map(|weight| weight as f32).collect())
}

/// Draws of a file in the place of our own.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct RecordedNoise {
    /// Of every layer, `[M, d]`.
    pub directions: Vec<Vec<f64>>,
    /// Of every layer, `[samples, N, H]`; none in evaluation.
    pub exponentials: Vec<Vec<f64>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_a_block_are_orthogonal_and_as_long_as_normal_vectors() {
        let (features, channels) = (11, 4);
        let rows = directions(features, channels, 3);
        let row = |i: usize| &rows[i * channels..(i + 1) * channels];
        for i in 0..features {
            for j in (0..i).filter(|j| i / channels == j / channels) {
                let product = dot(row(i), row(j)) / (dot(row(i), row(i)) * dot(row(j), row(j))).sqrt();
                assert!(product.abs() < 1e-12, "{i}, {j}: {product}");
            }
        }
        // The square of a length has mean d and variance 2 d.
        let many = directions(4000, channels, 5);
        let mean = dot(&many, &many) / 4000.0;
        assert!((mean - 4.0).abs() < 5.0 * (8.0f64 / 4000.0).sqrt(), "{mean}");
    }

    #[test]
    fn weights_of_keys_keep_their_ratios_within_a_graph() {
        let drawn = exponentials(2 * 5 * 3, 7);
        let weights = key_weights(&drawn, &[0, 2, 2, 5], 3, 0.25);
        let ratio = |a: usize, b: usize| f64::from(weights[a]) / f64::from(weights[b]);
        let expected = |a: usize, b: usize| (drawn[b] / drawn[a]).powf(4.0);
        for (a, b) in [(0, 3), (1, 4), (8, 14), (15, 18), (29, 23)] {
            let (low, high) = if weights[a] > weights[b] { (b, a) } else { (a, b) };
            assert!((ratio(low, high) / expected(low, high) - 1.0).abs() < 1e-5, "{a}, {b}");
        }
        assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
    }
}
