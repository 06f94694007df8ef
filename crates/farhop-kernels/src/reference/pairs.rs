//! States of pairs, line by line. Pairs p = (i <- j) lie in the order of i, then of j, graph by graph.

use super::Real;
use super::real::{dot, product, softmax, sum};
use crate::heads::Heads;
use crate::pairs::Pairs;

/// Node, other node of every pair, in order.
fn all(pairs: &Pairs) -> Vec<(usize, usize)> {
    (0..pairs.nodes()).flat_map(|i| pairs.others(i).map(move |j| (i, j))).collect()
}

/// `relu(root((q_i + k_j) * w_p) + b_p)` with `q = h W_q + b_q`, `k = h W_k` and `[w | b] = e W + b`, w and b side by side in every head.
pub fn gates<T: Real>(
    pairs: &Pairs,
    heads: Heads,
    root: bool,
    [h, query, bias, key, e, pair, pair_bias]: [&[T]; 7],
) -> Vec<T> {
    let (width, channels) = (heads.width, heads.width / heads.count);
    let (q, k) = (product(h, query, width, width), product(h, key, width, width));
    let maps = product(e, pair, width, 2 * width);
    let mut t = Vec::new();
    for (p, (i, j)) in all(pairs).into_iter().enumerate() {
        for c in 0..width {
            let column = c / channels * 2 * channels + c % channels;
            let map = |column: usize| maps[p * 2 * width + column] + pair_bias[column];
            let s = (q[i * width + c] + bias[c] + k[j * width + c]) * map(column);
            let sign = T::of(s.value().signum());
            let taken = if root { sign * (sign * s).sqrt() } else { s } + map(column + channels);
            t.push(if taken.value() > 0.0 { taken } else { T::of(0.0) });
        }
    }
    t
}

/// `[ sum of a_p v_j | sum of a_p t_p ]` with `a_p = softmax(clamp(t_p . u))` times `factor(node, head, other node's place)`.
pub fn attention<T: Real>(
    pairs: &Pairs,
    heads: Heads,
    limit: f64,
    factor: impl Fn(usize, usize, usize) -> f64,
    [t, v, u]: [&[T]; 3],
) -> Vec<T> {
    let width = heads.width;
    let mut y = vec![T::of(0.0); pairs.nodes() * 2 * width];
    for i in 0..pairs.nodes() {
        for h in 0..heads.count {
            let score = |p: usize| {
                let score = dot(&t[p * width..(p + 1) * width][heads.range(h)], &u[heads.range(h)]);
                if score.value().abs() > limit { T::of(limit * score.value().signum()) } else { score }
            };
            let weights = softmax(&pairs.range(i).map(score).collect::<Vec<_>>());
            let weight = |place: usize| weights[place] * T::of(factor(i, h, place));
            for c in heads.range(h) {
                let members = || pairs.range(i).zip(pairs.others(i)).enumerate();
                y[i * 2 * width + c] = sum(members().map(|(place, (_, j))| weight(place) * v[j * width + c]));
                y[i * 2 * width + width + c] = sum(members().map(|(place, (p, _))| weight(place) * t[p * width + c]));
            }
        }
    }
    y
}
