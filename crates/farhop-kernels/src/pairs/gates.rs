//! What a pair takes from its two nodes (GRIT):
//!
//! ```text
//! t_p = relu(root((q_i + k_j) * w_p) + b_p),       q = h W_q + b_q,   k = h W_k,   [w_p | b_p] = e_p W + b,   root(s) = sign(s) sqrt|s|, or s
//! ```
//!
//! for every pair p = (i <- j), channel by channel: h `[N, F]`, e and t `[P, F]`, W `[F, 2 F]`, whose columns are w and then b of the
//! first head, of the second, and so on. With m = dt where t > 0 and 0 elsewhere: `db = m`, `dw = m root'(s) (q_i + k_j)`, and
//! those of q_i and k_j are sums of `m root'(s) w`. The slope of the root has no bound near 0; at 0 itself it is taken as 0.
//!
//! That slope makes much of a rounding of `q_i + k_j` or w where these nearly cancel. So the linear maps are part of the kernel: all
//! between the states and t is f64, row of pairs by row of pairs, and is computed again in the backward pass. `[P, 2 F]` is never held.

use super::Pairs;
use crate::dense::strided::{Matrix, Target, multiply};
use crate::parallel::{PARALLEL_FROM, SharedMut, in_order};
use crate::simd_fn;
use std::ops::Range;

/// The most tasks that one graph is cut into: each has sums of its own.
const MOST_TASKS: usize = 8;

/// Element operations that are worth a task.
const TASK: usize = 1 << 22;

/// States and weights, row-major.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The pairs.
    pub pairs: &'a Pairs,
    /// Heads: they share out the channels.
    pub heads: usize,
    /// Whether the signed root is taken.
    pub root: bool,
    /// States of nodes, `[N, F]`.
    pub h: &'a [f32],
    /// W_q, `[F, F]`.
    pub query: &'a [f32],
    /// b_q, `[F]`.
    pub query_bias: &'a [f32],
    /// W_k, `[F, F]`.
    pub key: &'a [f32],
    /// States of pairs, `[P, F]`.
    pub e: &'a [f32],
    /// W, `[F, 2 F]`.
    pub pair: &'a [f32],
    /// b, `[2 F]`.
    pub pair_bias: &'a [f32],
}

/// The gradients of [`Inputs`], under the same names.
#[derive(Clone, Debug)]
pub struct Gradients {
    /// `[N, F]`.
    pub h: Vec<f32>,
    /// `[F, F]`.
    pub query: Vec<f32>,
    /// `[F]`.
    pub query_bias: Vec<f32>,
    /// `[F, F]`.
    pub key: Vec<f32>,
    /// `[P, F]`.
    pub e: Vec<f32>,
    /// `[F, 2 F]`.
    pub pair: Vec<f32>,
    /// `[2 F]`.
    pub pair_bias: Vec<f32>,
}

/// What both passes start from, in f64.
struct Wide {
    h: Vec<f64>,
    query: Vec<f64>,
    key: Vec<f64>,
    /// `[N, F]`.
    q: Vec<f64>,
    /// `[N, F]`.
    k: Vec<f64>,
    pair: Vec<f64>,
    pair_bias: Vec<f64>,
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

fn narrow(values: Vec<f64>) -> Vec<f32> {
    values.into_iter().map(|v| v as f32).collect()
}

/// `x w`, `[rows, inner] x [inner, columns]`.
fn product(x: &[f64], w: &[f64], [rows, inner, columns]: [usize; 3], y: &mut [f64], add: bool) {
    let out = Target { data: y, start: 0, row_step: columns };
    multiply([rows, inner, columns], Matrix::rows(x, 0, inner), Matrix::rows(w, 0, columns), 1.0, add, out);
}

/// `x w^T` for w `[columns, inner]`.
fn turned_product(x: &[f64], w: &[f64], [rows, inner, columns]: [usize; 3], y: &mut [f64], add: bool) {
    let out = Target { data: y, start: 0, row_step: columns };
    multiply([rows, inner, columns], Matrix::rows(x, 0, inner), Matrix::rows(w, 0, inner).transposed(), 1.0, add, out);
}

/// `x^T y` is added for x `[rows, a]`, y `[rows, b]`.
fn add_cross_product(x: &[f64], y: &[f64], [rows, a, b]: [usize; 3], sum: &mut [f64]) {
    let out = Target { data: sum, start: 0, row_step: b };
    multiply([a, rows, b], Matrix::rows(x, 0, a).transposed(), Matrix::rows(y, 0, b), 1.0, true, out);
}

fn add(sum: &mut [f64], values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

impl Inputs<'_> {
    fn width(&self) -> usize {
        self.query_bias.len()
    }

    fn wide(&self) -> Wide {
        let (nodes, width) = (self.pairs.nodes(), self.width());
        assert!(self.h.len() == nodes * width && self.e.len() == self.pairs.count() * width, "states of pairs");
        assert!(self.heads > 0 && width.is_multiple_of(self.heads), "heads share out the channels");
        let (h, query, key) = (wide(self.h), wide(self.query), wide(self.key));
        let mut q = wide(self.query_bias).repeat(nodes);
        product(&h, &query, [nodes, width, width], &mut q, true);
        let mut k = vec![0.0; nodes * width];
        product(&h, &key, [nodes, width, width], &mut k, false);
        Wide { h, query, key, q, k, pair: wide(self.pair), pair_bias: wide(self.pair_bias) }
    }

    /// Ranges of nodes, each within one graph; they depend on sizes alone.
    fn tasks(&self) -> Vec<Range<usize>> {
        let (pairs, width) = (self.pairs, self.width());
        let (mut tasks, mut i) = (Vec::new(), 0);
        while i < pairs.nodes() {
            let graph = pairs.others(i);
            let work = graph.len() * graph.len() * width * width;
            let step = graph.len().div_ceil((work / TASK).clamp(1, MOST_TASKS));
            tasks.extend(graph.clone().step_by(step).map(|start| start..(start + step).min(graph.end)));
            i = graph.end;
        }
        tasks
    }

    fn parallel(&self) -> bool {
        self.e.len() * self.width() >= PARALLEL_FROM
    }

    /// The states of the pairs of node i in f64, and `[w | b]` of each.
    fn row(&self, wide: &Wide, i: usize, states: &mut Vec<f64>, maps: &mut Vec<f64>) {
        let (width, range) = (self.width(), self.pairs.range(i));
        states.clear();
        states.extend(self.e[range.start * width..range.end * width].iter().map(|v| f64::from(*v)));
        maps.clear();
        (0..range.len()).for_each(|_| maps.extend_from_slice(&wide.pair_bias));
        product(states, &wide.pair, [range.len(), width, 2 * width], maps, true);
    }
}

/// Writes t `[P, F]`.
///
/// # Panics
/// If an array has another length than its shape says.
pub fn forward(inputs: &Inputs, t: &mut [f32]) {
    let (wide, width, tasks) = (inputs.wide(), inputs.width(), inputs.tasks());
    assert_eq!(t.len(), inputs.e.len(), "states of pairs");
    let t = SharedMut::new(t);
    in_order(tasks.len(), inputs.parallel(), |task| {
        let (mut states, mut maps) = (Vec::new(), Vec::new());
        for i in tasks[task].clone() {
            let range = inputs.pairs.range(i);
            inputs.row(&wide, i, &mut states, &mut maps);
            // SAFETY: tasks have disjoint ranges of nodes, and so are the ranges of their pairs.
            let t = unsafe { t.part(range.start * width..range.end * width) };
            let q = &wide.q[i * width..(i + 1) * width];
            let others = inputs.pairs.others(i);
            let k = &wide.k[others.start * width..others.end * width];
            gate_row(q, k, &maps, width / inputs.heads, inputs.root, t);
        }
    });
}

simd_fn! {
    /// All pairs of a node.
    #[allow(clippy::extra_unused_type_parameters)]
    fn gate_row<M>(q: &[f64], k: &[f64], maps: &[f64], channels: usize, root: bool, t: &mut [f32]) {
        let width = q.len();
        let rows = k.chunks_exact(width).zip(maps.chunks_exact(2 * width)).zip(t.chunks_exact_mut(width));
        for ((k, map), t) in rows {
            let heads = q.chunks_exact(channels).zip(k.chunks_exact(channels)).zip(map.chunks_exact(2 * channels));
            for (((q, k), map), t) in heads.zip(t.chunks_exact_mut(channels)) {
                let (w, b) = map.split_at(channels);
                for ((((t, q), k), w), b) in t.iter_mut().zip(q).zip(k).zip(w).zip(b) {
                    let s = (q + k) * w;
                    let taken = if root { s.abs().sqrt().copysign(s) } else { s };
                    *t = (taken + b).max(0.0) as f32;
                }
            }
        }
    }
}

/// What a task adds up.
struct Sums {
    /// `[n, F]`, of the nodes of its graph as those that are looked at.
    k: Vec<f64>,
    pair: Vec<f64>,
    pair_bias: Vec<f64>,
}

/// The gradients of all inputs from that of t, `[P, F]`.
///
/// # Panics
/// If an array has another length than its shape says.
pub fn backward(inputs: &Inputs, dt: &[f32]) -> Gradients {
    let (wide, width, tasks) = (inputs.wide(), inputs.width(), inputs.tasks());
    let (nodes, pairs) = (inputs.pairs.nodes(), inputs.pairs);
    assert_eq!(dt.len(), inputs.e.len(), "states of pairs");
    let (mut dq, mut de) = (vec![0.0; nodes * width], crate::buffers::take(dt.len()));
    let (shared_q, shared_e) = (SharedMut::new(&mut dq), SharedMut::new(&mut de));
    let sums = in_order(tasks.len(), inputs.parallel(), |task| {
        let graph = pairs.others(tasks[task].start);
        let mut sums = Sums {
            k: vec![0.0; graph.len() * width],
            pair: vec![0.0; 2 * width * width],
            pair_bias: vec![0.0; 2 * width],
        };
        let (mut states, mut maps) = (Vec::new(), Vec::new());
        for i in tasks[task].clone() {
            let range = pairs.range(i);
            inputs.row(&wide, i, &mut states, &mut maps);
            let part = range.start * width..range.end * width;
            // SAFETY: tasks have disjoint ranges of nodes, and so are the ranges of their pairs.
            let (dq, de) = unsafe { (shared_q.part(i * width..(i + 1) * width), shared_e.part(part.clone())) };
            let q = &wide.q[i * width..(i + 1) * width];
            let k = &wide.k[graph.start * width..graph.end * width];
            slope_row(q, k, &dt[part], width / inputs.heads, inputs.root, &mut maps, dq, &mut sums.k);
            add_cross_product(&states, &maps, [range.len(), width, 2 * width], &mut sums.pair);
            maps.chunks_exact(2 * width).for_each(|row| add(&mut sums.pair_bias, row));
            turned_product(&maps, &wide.pair, [range.len(), 2 * width, width], &mut states, false);
            de.iter_mut().zip(&states).for_each(|(de, value)| *de = *value as f32);
        }
        sums
    });
    let (mut dk, mut pair, mut pair_bias) =
        (vec![0.0; nodes * width], vec![0.0; inputs.pair.len()], vec![0.0; 2 * width]);
    for (task, sums) in tasks.iter().zip(&sums) {
        let graph = pairs.others(task.start);
        add(&mut dk[graph.start * width..graph.end * width], &sums.k);
        add(&mut pair, &sums.pair);
        add(&mut pair_bias, &sums.pair_bias);
    }
    let square = [nodes, width, width];
    let (mut dh, mut query, mut key) = (vec![0.0; nodes * width], vec![0.0; width * width], vec![0.0; width * width]);
    turned_product(&dq, &wide.query, square, &mut dh, false);
    turned_product(&dk, &wide.key, square, &mut dh, true);
    add_cross_product(&wide.h, &dq, square, &mut query);
    add_cross_product(&wide.h, &dk, square, &mut key);
    let mut query_bias = vec![0.0; width];
    dq.chunks_exact(width.max(1)).for_each(|row| add(&mut query_bias, row));
    let [h, query, query_bias, key, pair, pair_bias] = [dh, query, query_bias, key, pair, pair_bias].map(narrow);
    Gradients { h, query, query_bias, key, e: de, pair, pair_bias }
}

simd_fn! {
    /// All pairs of a node: turns `[w | b]` into their gradients, writes that of q_i and adds to those of the k_j.
    #[allow(clippy::extra_unused_type_parameters)]
    fn slope_row<M>(
        q: &[f64],
        k: &[f64],
        dt: &[f32],
        channels: usize,
        root: bool,
        maps: &mut [f64],
        dq: &mut [f64],
        dk: &mut [f64],
    ) {
        let width = q.len();
        dq.fill(0.0);
        let rows = k.chunks_exact(width).zip(dt.chunks_exact(width));
        for (((k, dt), map), dk) in rows.zip(maps.chunks_exact_mut(2 * width)).zip(dk.chunks_exact_mut(width)) {
            for (head, map) in map.chunks_exact_mut(2 * channels).enumerate() {
                let range = head * channels..(head + 1) * channels;
                let (w, b) = map.split_at_mut(channels);
                let (dq, dk) = (&mut dq[range.clone()], &mut dk[range.clone()]);
                let (q, k, dt) = (&q[range.clone()], &k[range.clone()], &dt[range]);
                for c in 0..channels {
                    let sum = q[c] + k[c];
                    let s = sum * w[c];
                    let size = s.abs().sqrt();
                    let taken = if root { size.copysign(s) } else { s };
                    let m = if taken + b[c] > 0.0 { f64::from(dt[c]) } else { 0.0 };
                    let slope = if !root { m } else if size > 0.0 { 0.5 * m / size } else { 0.0 };
                    dq[c] += slope * w[c];
                    dk[c] += slope * w[c];
                    w[c] = slope * sum;
                    b[c] = m;
                }
            }
        }
    }
}
