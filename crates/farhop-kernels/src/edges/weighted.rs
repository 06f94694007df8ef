//! Weighted sums over neighbours with a weight per entry and head, and the products that are their gradients:
//!
//! ```text
//! y_i^h = s_i^h v_i^h + sum over entries e = (i <- j) of w_e^h v_j^h        (attend)
//! a_e^h = scale q_i^h . k_j^h                                               (dots)
//! ```
//!
//! Each is the other's gradient, so both live here. Nothing is allocated.

use super::{AHEAD, Rows, each_block_of_entries, each_block_of_nodes, row};
use crate::heads::Heads;
use crate::simd::{Arith, PANEL, axpy, dot, prefetch};
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// The weights of a sum over neighbours, one per head.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// `w_e`, `[E, H]`.
    pub entries: &'a [f32],
    /// `s_i`, `[N, H]`; all zeros if absent.
    pub nodes: Option<&'a [f32]>,
}

impl<'a> Weights<'a> {
    /// The two parts of one array `[E, H]` or `[E + N, H]`, entries first.
    pub fn joined(graph: &Graph, heads: usize, weights: &'a [f32]) -> Self {
        let (entries, nodes) = weights.split_at(graph.entries() * heads);
        Weights { entries, nodes: (!nodes.is_empty()).then_some(nodes) }
    }
}

/// Writes `y_i^h = s_i^h v_i^h + sum over entries (i <- j) of w_e^h v_j^h`; v, y `[N, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn attend(graph: &Graph, heads: Heads, weights: Weights, v: &[f32], y: &mut [f32]) {
    pull(Rows::of(graph), heads, weights, 1.0, v, y);
}

/// Writes `dv_j^h = s_j^h dy_j^h + sum over entries (i <- j) of w_e^h dy_i^h`, `[N, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn attend_backward(graph: &Graph, heads: Heads, weights: Weights, dy: &[f32], dv: &mut [f32]) {
    pull(Rows::transposed(graph), heads, weights, 1.0, dy, dv);
}

/// Writes `a_e^h = scale q_i^h . k_j^h` `[E, H]` for q, k `[N, F]`. With the gradient of y as q, v as k and a scale of 1 this
/// is the gradient of the weights of [`attend`].
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn dots(graph: &Graph, heads: Heads, scale: f32, q: &[f32], k: &[f32], a: &mut [f32]) {
    let rows = Rows::of(graph);
    each_block_of_entries(rows.offsets, heads.width, heads.count, a, |block, a| {
        dot_rows(rows, heads, scale, q, k, block, a);
    });
}

/// Writes `a_i^h = scale q_i^h . k_i^h` `[N, H]` for q, k `[N, F]`: the gradient of the own weights of [`attend`].
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn own_dots(graph: &Graph, heads: Heads, scale: f32, q: &[f32], k: &[f32], a: &mut [f32]) {
    each_block_of_nodes(graph.offsets(), heads.count, a, |first, a| own_dot_rows(heads, scale, q, k, first, a));
}

/// Writes `dq_i^h = scale sum over entries (i <- j) of da_e^h k_j^h`, `[N, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn dots_backward_left(graph: &Graph, heads: Heads, scale: f32, da: &[f32], k: &[f32], dq: &mut [f32]) {
    pull(Rows::of(graph), heads, Weights { entries: da, nodes: None }, scale, k, dq);
}

/// Writes `dk_j^h = scale sum over entries (i <- j) of da_e^h q_i^h`, `[N, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn dots_backward_right(graph: &Graph, heads: Heads, scale: f32, da: &[f32], q: &[f32], dk: &mut [f32]) {
    pull(Rows::transposed(graph), heads, Weights { entries: da, nodes: None }, scale, q, dk);
}

fn pull(rows: Rows, heads: Heads, weights: Weights, scale: f32, x: &[f32], y: &mut [f32]) {
    each_block_of_nodes(rows.offsets, heads.width, y, |first, y| pull_rows(rows, heads, weights, scale, x, first, y));
}

/// Channels of a head that are done with one weight: the largest power of two up to a panel that divides them, 0 if heads
/// are of different widths.
fn chunk(heads: Heads) -> usize {
    let channels = heads.width / heads.count;
    if channels * heads.count != heads.width { 0 } else { 1 << channels.trailing_zeros().min(PANEL.trailing_zeros()) }
}

simd_fn! {
    pub(super) fn pull_rows<M>(rows: Rows, heads: Heads, weights: Weights, scale: f32, x: &[f32], first: usize, y: &mut [f32]) {
        match chunk(heads) {
            64 => pull_chunks::<M, 64, 1>(rows, heads, weights, scale, x, first, y),
            32 => pull_chunks::<M, 32, 2>(rows, heads, weights, scale, x, first, y),
            16 => pull_chunks::<M, 16, 4>(rows, heads, weights, scale, x, first, y),
            8 => pull_chunks::<M, 8, 8>(rows, heads, weights, scale, x, first, y),
            4 => pull_chunks::<M, 4, 16>(rows, heads, weights, scale, x, first, y),
            _ => pull_any::<M>(rows, heads, weights, scale, x, first, y),
        }
    }
}

/// Panels of `COUNT` chunks of `CHUNK` channels, 64 in all, in registers. A chunk lies in one head.
#[inline(always)]
fn pull_chunks<M: Arith, const CHUNK: usize, const COUNT: usize>(
    rows: Rows,
    heads: Heads,
    weights: Weights,
    scale: f32,
    x: &[f32],
    first: usize,
    y: &mut [f32],
) {
    let (width, count) = (heads.width, heads.count);
    let channels = width / count;
    for (i, out) in y.chunks_exact_mut(width).enumerate() {
        let node = first + i;
        own_term::<M>(rows, heads, weights, x, node, out);
        let (panels, tail) = out.as_chunks_mut::<PANEL>();
        let tail_start = panels.len() * PANEL;
        for (p, panel) in panels.iter_mut().enumerate() {
            let head: [usize; COUNT] = std::array::from_fn(|c| (p * PANEL + c * CHUNK) / channels);
            let mut sums = [[0.0f32; CHUNK]; COUNT];
            for position in rows.range(node) {
                if p == 0
                    && let Some(&next) = rows.others.get(position + AHEAD)
                {
                    prefetch(x, next as usize * width, width);
                }
                let weight = row(weights.entries, rows.entry(position), count);
                let start = rows.other(position) * width + p * PANEL;
                let (values, _) = x[start..start + PANEL].as_chunks::<CHUNK>();
                for c in 0..COUNT {
                    let weight = weight[head[c]];
                    for l in 0..CHUNK {
                        sums[c][l] = M::fma(weight, values[c][l], sums[c][l]);
                    }
                }
            }
            for (value, sum) in panel.iter_mut().zip(sums.as_flattened()) {
                *value = scale * (*value + sum);
            }
        }
        if tail.is_empty() {
            continue;
        }
        for position in rows.range(node) {
            let weight = row(weights.entries, rows.entry(position), count);
            let values = &row(x, rows.other(position), width)[tail_start..];
            let (values, _) = values.as_chunks::<CHUNK>();
            let (sums, _) = tail.as_chunks_mut::<CHUNK>();
            for (c, (sum, values)) in sums.iter_mut().zip(values).enumerate() {
                axpy::<M, _>(weight[(tail_start + c * CHUNK) / channels], values, sum);
            }
        }
        tail.iter_mut().for_each(|value| *value *= scale);
    }
}

#[inline(always)]
fn pull_any<M: Arith>(rows: Rows, heads: Heads, weights: Weights, scale: f32, x: &[f32], first: usize, y: &mut [f32]) {
    let (width, count) = (heads.width, heads.count);
    for (i, out) in y.chunks_exact_mut(width.max(1)).enumerate() {
        let node = first + i;
        own_term::<M>(rows, heads, weights, x, node, out);
        for position in rows.range(node) {
            let weight = row(weights.entries, rows.entry(position), count);
            let values = row(x, rows.other(position), width);
            for (h, weight) in weight.iter().enumerate() {
                axpy::<M, _>(*weight, &values[heads.range(h)], &mut out[heads.range(h)]);
            }
        }
        out.iter_mut().for_each(|value| *value *= scale);
    }
}

/// `out = s_i x_i`, or zeros.
#[inline(always)]
fn own_term<M: Arith>(rows: Rows, heads: Heads, weights: Weights, x: &[f32], node: usize, out: &mut [f32]) {
    out.fill(0.0);
    if let Some(own) = weights.nodes {
        for (h, weight) in row(own, rows.own(node), heads.count).iter().enumerate() {
            axpy::<M, _>(*weight, &row(x, node, heads.width)[heads.range(h)], &mut out[heads.range(h)]);
        }
    }
}

simd_fn! {
    pub(super) fn dot_rows<M>(rows: Rows, heads: Heads, scale: f32, q: &[f32], k: &[f32], block: Range<usize>, a: &mut [f32]) {
        let mut out = a.chunks_exact_mut(heads.count);
        for node in block {
            let q = row(q, node, heads.width);
            for (position, out) in rows.range(node).zip(&mut out) {
                if let Some(&next) = rows.others.get(position + AHEAD) {
                    prefetch(k, next as usize * heads.width, heads.width);
                }
                head_dots::<M>(heads, scale, q, row(k, rows.other(position), heads.width), out);
            }
        }
    }
}

simd_fn! {
    pub(super) fn own_dot_rows<M>(heads: Heads, scale: f32, q: &[f32], k: &[f32], first: usize, a: &mut [f32]) {
        for (i, out) in a.chunks_exact_mut(heads.count).enumerate() {
            head_dots::<M>(heads, scale, row(q, first + i, heads.width), row(k, first + i, heads.width), out);
        }
    }
}

/// The products of two rows, head by head.
#[inline(always)]
fn head_dots<M: Arith>(heads: Heads, scale: f32, x: &[f32], y: &[f32], out: &mut [f32]) {
    // Short heads: loops of a known length.
    match heads.width / heads.count {
        8 if heads.width == 8 * heads.count => fixed_dots::<M, 8>(scale, x, y, out),
        16 if heads.width == 16 * heads.count => fixed_dots::<M, 16>(scale, x, y, out),
        32 if heads.width == 32 * heads.count => fixed_dots::<M, 32>(scale, x, y, out),
        _ => {
            for (h, out) in out.iter_mut().enumerate() {
                *out = scale * dot::<M, _>(&x[heads.range(h)], &y[heads.range(h)]);
            }
        }
    }
}

#[inline(always)]
fn fixed_dots<M: Arith, const CHANNELS: usize>(scale: f32, x: &[f32], y: &[f32], out: &mut [f32]) {
    let (x, y) = (x.as_chunks::<CHANNELS>().0, y.as_chunks::<CHANNELS>().0);
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out = scale * dot::<M, _>(x, y);
    }
}
