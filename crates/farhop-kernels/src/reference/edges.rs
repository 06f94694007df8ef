//! Numbers per entry, line by line. An entry e = (i <- j) lies in row i.

use super::Real;
use super::real::{dot, softmax, sum};
use crate::heads::Heads;
use farhop_graph::Graph;

/// Target and source of every entry, in order.
pub fn pairs(graph: &Graph) -> Vec<(usize, usize)> {
    let row = |i: usize| graph.neighbours(i).iter().map(move |&j| (i, j as usize));
    (0..graph.nodes()).flat_map(row).collect()
}

/// For each node and channel the sum of `term(entry, source, channel)` over the entries of its row.
fn sum_over_rows<T: Real>(graph: &Graph, width: usize, term: impl Fn(usize, usize, usize) -> T) -> Vec<T> {
    let mut y = vec![T::of(0.0); graph.nodes() * width];
    for (e, (i, j)) in pairs(graph).into_iter().enumerate() {
        for c in 0..width {
            y[i * width + c] = y[i * width + c] + term(e, j, c);
        }
    }
    y
}

/// `y_i^h = s_i^h v_i^h + sum over entries of w_e^h v_j^h`.
pub fn attend<T: Real>(graph: &Graph, heads: Heads, w: &[T], s: Option<&[T]>, v: &[T]) -> Vec<T> {
    let width = heads.width;
    let head = |c: usize| (0..heads.count).find(|&h| heads.range(h).contains(&c)).unwrap_or(0);
    let mut y = sum_over_rows(graph, width, |e, j, c| w[e * heads.count + head(c)] * v[j * width + c]);
    if let Some(s) = s {
        for (at, y) in y.iter_mut().enumerate() {
            *y = *y + s[at / width * heads.count + head(at % width)] * v[at];
        }
    }
    y
}

/// `a_e^h = scale q_i^h . k_j^h`.
pub fn dots<T: Real>(graph: &Graph, heads: Heads, scale: f64, q: &[T], k: &[T]) -> Vec<T> {
    let part = |x: &[T], node: usize, h: usize| x[node * heads.width..][heads.range(h)].to_vec();
    let product = |i: usize, j: usize, h: usize| T::of(scale) * dot(&part(q, i, h), &part(k, j, h));
    pairs(graph).into_iter().flat_map(|(i, j)| (0..heads.count).map(move |h| product(i, j, h))).collect()
}

/// The softmax of each row and head, each weight times `factor(row of the array, head)`. Scores `[E, H]` or `[E + N, H]`.
pub fn edge_softmax<T: Real>(
    graph: &Graph,
    heads: usize,
    scores: &[T],
    factor: impl Fn(usize, usize) -> f64,
) -> Vec<T> {
    let mut weights = scores.to_vec();
    let own = scores.len() > graph.entries() * heads;
    for i in 0..graph.nodes() {
        let mut members: Vec<usize> = (graph.offsets()[i]..graph.offsets()[i + 1]).collect();
        if own {
            members.push(graph.entries() + i);
        }
        for h in 0..heads {
            let list: Vec<T> = members.iter().map(|m| scores[m * heads + h]).collect();
            for (member, weight) in members.iter().zip(softmax(&list)) {
                weights[member * heads + h] = weight * T::of(factor(*member, h));
            }
        }
    }
    weights
}

/// `leaky_relu(x_i + y_j + b_e)` for every entry and, if `own`, `leaky_relu(x_i + y_i + c_i)` for every node.
pub fn pair_scores<T: Real>(
    graph: &Graph,
    heads: usize,
    [x, y]: [&[T]; 2],
    [b, c]: [Option<&[T]>; 2],
    own: bool,
    slope: f64,
) -> Vec<T> {
    let leaky = |z: T| if z.value() < 0.0 { T::of(slope) * z } else { z };
    let score = |i: usize, j: usize, h: usize, more: Option<T>| {
        leaky(x[i * heads + h] + y[j * heads + h] + more.unwrap_or(T::of(0.0)))
    };
    let mut scores = Vec::new();
    for (e, (i, j)) in pairs(graph).into_iter().enumerate() {
        scores.extend((0..heads).map(|h| score(i, j, h, b.map(|b| b[e * heads + h]))));
    }
    for i in 0..if own { graph.nodes() } else { 0 } {
        scores.extend((0..heads).map(|h| score(i, i, h, c.map(|c| c[i * heads + h]))));
    }
    scores
}

/// `s_e = a_i + b_j + c_e`.
pub fn edge_gates<T: Real>(graph: &Graph, width: usize, a: &[T], b: &[T], c: Option<&[T]>) -> Vec<T> {
    let mut s = Vec::new();
    for (e, (i, j)) in pairs(graph).into_iter().enumerate() {
        for f in 0..width {
            let sum = a[i * width + f] + b[j * width + f];
            s.push(c.map_or(sum, |c| sum + c[e * width + f]));
        }
    }
    s
}

/// `y_i = sum of sigmoid(s_e) v_j / (sum of sigmoid(s_e) + epsilon)`.
pub fn gated_mean<T: Real>(graph: &Graph, width: usize, epsilon: f64, v: &[T], s: &[T]) -> Vec<T> {
    let gate = |e: usize, c: usize| T::of(1.0) / (T::of(1.0) + (-s[e * width + c]).exp());
    let upper = sum_over_rows(graph, width, |e, j, c| gate(e, c) * v[j * width + c]);
    let lower = sum_over_rows(graph, width, |e, _, c| gate(e, c));
    upper.into_iter().zip(lower).map(|(upper, lower)| upper / (lower + T::of(epsilon))).collect()
}

/// `y_i = sum of relu(v_j + e_e)`.
pub fn relu_sum<T: Real>(graph: &Graph, width: usize, v: &[T], edges: &[T]) -> Vec<T> {
    let relu = |z: T| if z.value() > 0.0 { z } else { T::of(0.0) };
    sum_over_rows(graph, width, |e, j, c| relu(v[j * width + c] + edges[e * width + c]))
}

/// `y_i = max of x_j` channel by channel, the first of equals; 0 for a node without entries.
pub fn neighbour_max<T: Real>(graph: &Graph, width: usize, x: &[T]) -> Vec<T> {
    let larger = |a: T, b: T| if b.value() > a.value() { b } else { a };
    let mut y = Vec::new();
    for i in 0..graph.nodes() {
        for c in 0..width {
            let column = graph.neighbours(i).iter().map(|&j| x[j as usize * width + c]);
            y.push(column.reduce(larger).unwrap_or(T::of(0.0)));
        }
    }
    y
}

/// `y_i = sum of x_e`.
pub fn entry_sum<T: Real>(graph: &Graph, width: usize, x: &[T]) -> Vec<T> {
    sum_over_rows(graph, width, |e, _, c| x[e * width + c])
}

/// `y_e = x_i` if `targets`, otherwise `x_j`.
pub fn gather<T: Real>(graph: &Graph, width: usize, x: &[T], targets: bool) -> Vec<T> {
    let node = |(i, j): (usize, usize)| if targets { i } else { j };
    pairs(graph).into_iter().flat_map(|pair| x[node(pair) * width..(node(pair) + 1) * width].to_vec()).collect()
}

/// `x / max(|x|, epsilon)`, row by row.
pub fn row_normalise<T: Real>(x: &[T], width: usize, epsilon: f64) -> Vec<T> {
    let mut y = Vec::new();
    for row in x.chunks_exact(width) {
        let norm = sum(row.iter().map(|v| *v * *v)).sqrt();
        let norm = if norm.value() > epsilon { norm } else { T::of(epsilon) };
        y.extend(row.iter().map(|v| *v / norm));
    }
    y
}

/// `gamma_c (x_ic - mean) / sqrt(variance + epsilon) + beta_c` with one mean and one variance for all numbers of a segment of rows.
pub fn graph_norm<T: Real>(x: &[T], offsets: &[usize], gamma: &[T], beta: &[T], epsilon: f64) -> Vec<T> {
    let width = gamma.len();
    let mut y = Vec::with_capacity(x.len());
    for rows in offsets.windows(2) {
        let values = &x[rows[0] * width..rows[1] * width];
        let count = T::of(values.len().max(1) as f64);
        let mean = sum(values.iter().copied()) / count;
        let variance = sum(values.iter().map(|v| (*v - mean) * (*v - mean))) / count;
        let root = (variance + T::of(epsilon)).sqrt();
        y.extend(values.iter().enumerate().map(|(at, v)| gamma[at % width] * (*v - mean) / root + beta[at % width]));
    }
    y
}

/// `(sum of w v_j) / (sum of w + epsilon)` over the edges `(source, target, row)` of a list, `w = exp(clamp(scale sum of q_i k_j f_row))`,
/// head by head.
pub fn clamped_attention<T: Real>(
    edges: &[(u32, u32, u32)],
    heads: Heads,
    [scale, limit, epsilon]: [f64; 3],
    [q, k, v, f]: [&[T]; 4],
) -> Vec<T> {
    let width = heads.width;
    let mut y = vec![T::of(0.0); q.len()];
    for i in 0..q.len() / width {
        for h in 0..heads.count {
            let mut total = T::of(epsilon);
            for &(source, _, row) in edges.iter().filter(|edge| edge.1 as usize == i) {
                let (j, r) = (source as usize, row as usize);
                let term = |c: usize| q[i * width + c] * k[j * width + c] * f[r * width + c];
                let score = T::of(scale) * sum(heads.range(h).map(term));
                let score = if score.value().abs() > limit { T::of(limit * score.value().signum()) } else { score };
                let weight = score.exp();
                total = total + weight;
                for c in heads.range(h) {
                    y[i * width + c] = y[i * width + c] + weight * v[j * width + c];
                }
            }
            for c in heads.range(h) {
                y[i * width + c] = y[i * width + c] / total;
            }
        }
    }
    y
}
