//! `eq11a`-`eq13a` over the hops of every node.

use super::real::{Real, dot, softmax};
use crate::heads::Heads;

/// `eq11a`: `r / (|r| + epsilon)^gamma`.
pub fn compress<T: Real>(hop: &[T], gamma: f64, epsilon: f64) -> Vec<T> {
    let norm = dot(hop, hop).sqrt();
    let scale = (norm + T::of(epsilon)).pow(-gamma);
    hop.iter().map(|v| *v * scale).collect()
}

/// Mixed hops `[N, F]` and distributions `[N, H, hops]`; `hops[k]` is `[N, F]`, `query` is q `[N, F]` or `None`
/// for equal weights, `bias` is t `[H, hops]`.
pub fn mix<T: Real>(
    heads: Heads,
    hops: &[Vec<T>],
    query: Option<&[T]>,
    bias: Option<&[T]>,
    gamma: f64,
    epsilon: f64,
    scale: f64,
) -> (Vec<T>, Vec<T>) {
    let width = heads.width;
    let nodes = hops.first().map_or(0, |h| h.len() / width);
    let mut mixed = vec![T::of(0.0); nodes * width];
    let mut weights = Vec::new();
    for i in 0..nodes {
        let row = i * width..(i + 1) * width;
        let compressed: Vec<Vec<T>> = hops.iter().map(|hop| compress(&hop[row.clone()], gamma, epsilon)).collect();
        for h in 0..heads.count {
            let range = heads.range(h);
            let beta = match query {
                Some(query) => {
                    let q = &query[row.clone()][range.clone()];
                    let score = |(k, c): (usize, &Vec<T>)| {
                        let score = dot(q, &c[range.clone()]) * T::of(scale);
                        bias.map_or(score, |t| score + t[h * hops.len() + k])
                    };
                    softmax(&compressed.iter().enumerate().map(score).collect::<Vec<_>>())
                }
                None => vec![T::of(1.0 / hops.len() as f64); hops.len()],
            };
            for (b, c) in beta.iter().zip(&compressed) {
                for channel in range.clone() {
                    mixed[i * width + channel] = mixed[i * width + channel] + *b * c[channel];
                }
            }
            weights.extend(beta);
        }
    }
    (mixed, weights)
}
