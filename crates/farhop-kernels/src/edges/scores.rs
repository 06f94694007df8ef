//! Scores of pairs that are joined by an entry, from a number per node and head:
//!
//! ```text
//! a_e = leaky_relu(x_i + y_j + b_e)        and, with the node itself,        a_i = leaky_relu(x_i + y_i + c_i)
//! ```
//!
//! b and c are optional. The result is one array, entries first: `[E, H]`, or `[E + N, H]` with the nodes themselves.

use super::{Rows, each_block_of_both, row};
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// What scores are made of.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// Number of heads H.
    pub heads: usize,
    /// Receiver's part x, `[N, H]`.
    pub receiver: &'a [f32],
    /// Sender's part y, `[N, H]`.
    pub sender: &'a [f32],
    /// Entry's part b, `[E, H]`.
    pub entries: Option<&'a [f32]>,
    /// Own part c, `[N, H]`.
    pub nodes: Option<&'a [f32]>,
    /// Slope below zero; 1 leaves the sum as it is.
    pub slope: f32,
}

impl Pairs<'_> {
    /// `out = x_i + y_j + b_e`.
    #[inline(always)]
    pub(super) fn sum(&self, i: usize, j: usize, more: Option<(&[f32], usize)>, out: &mut [f32]) {
        let (x, y) = (row(self.receiver, i, self.heads), row(self.sender, j, self.heads));
        match more.map(|(values, at)| row(values, at, self.heads)) {
            Some(b) => out.iter_mut().zip(x).zip(y).zip(b).for_each(|(((o, x), y), b)| *o = x + y + b),
            None => out.iter_mut().zip(x).zip(y).for_each(|((o, x), y)| *o = x + y),
        }
    }

    #[inline(always)]
    pub(super) fn leaky(&self, sum: f32) -> f32 {
        if sum < 0.0 { sum * self.slope } else { sum }
    }

    #[inline(always)]
    fn slope_at(&self, sum: f32) -> f32 {
        if sum < 0.0 { self.slope } else { 1.0 }
    }
}

/// Writes the scores `[E, H]` or, with the nodes themselves, `[E + N, H]`: as long as `scores` is.
///
/// # Panics
/// If a slice is not of its shape.
pub fn forward(graph: &Graph, pairs: &Pairs, scores: &mut [f32]) {
    let (entries, nodes) = parts(graph, pairs.heads, scores);
    let rows = Rows::of(graph);
    each_block_of_both(rows.offsets, pairs.heads, entries, nodes, |block, entries, nodes| {
        score_rows(rows, pairs, block, entries, nodes);
    });
}

/// Turns the gradient of the scores into that of the sums before LeakyReLU, which is the one of b and c. Its sums over rows
/// and over columns ([`super::sums`]), plus the own part, are those of x and y.
///
/// # Panics
/// If a slice is not of its shape.
pub fn backward(graph: &Graph, pairs: &Pairs, gradient: &mut [f32]) {
    if pairs.slope == 1.0 {
        return;
    }
    let (entries, nodes) = parts(graph, pairs.heads, gradient);
    let rows = Rows::of(graph);
    each_block_of_both(rows.offsets, pairs.heads, entries, nodes, |block, entries, nodes| {
        slope_rows(rows, pairs, block, entries, nodes);
    });
}

fn parts<'a>(graph: &Graph, heads: usize, values: &'a mut [f32]) -> (&'a mut [f32], &'a mut [f32]) {
    let (entries, nodes) = values.split_at_mut(graph.entries() * heads);
    assert!(heads > 0 && (nodes.is_empty() || nodes.len() == graph.nodes() * heads), "[E, heads] or [E + N, heads]");
    (entries, nodes)
}

simd_fn! {
    pub(super) fn score_rows<M>(rows: Rows, pairs: &Pairs, block: Range<usize>, entries: &mut [f32], nodes: &mut [f32]) {
        let mut out = entries.chunks_exact_mut(pairs.heads);
        for i in block.clone() {
            for (position, out) in rows.range(i).zip(&mut out) {
                pairs.sum(i, rows.other(position), pairs.entries.map(|b| (b, position)), out);
                out.iter_mut().for_each(|value| *value = pairs.leaky(*value));
            }
        }
        for (i, out) in block.zip(nodes.chunks_exact_mut(pairs.heads)) {
            pairs.sum(i, i, pairs.nodes.map(|c| (c, i)), out);
            out.iter_mut().for_each(|value| *value = pairs.leaky(*value));
        }
    }
}

simd_fn! {
    pub(super) fn slope_rows<M>(rows: Rows, pairs: &Pairs, block: Range<usize>, entries: &mut [f32], nodes: &mut [f32]) {
        let mut sums = vec![0.0; pairs.heads];
        let mut out = entries.chunks_exact_mut(pairs.heads);
        for i in block.clone() {
            for (position, out) in rows.range(i).zip(&mut out) {
                pairs.sum(i, rows.other(position), pairs.entries.map(|b| (b, position)), &mut sums);
                out.iter_mut().zip(&sums).for_each(|(g, sum)| *g *= pairs.slope_at(*sum));
            }
        }
        for (i, out) in block.zip(nodes.chunks_exact_mut(pairs.heads)) {
            pairs.sum(i, i, pairs.nodes.map(|c| (c, i)), &mut sums);
            out.iter_mut().zip(&sums).for_each(|(g, sum)| *g *= pairs.slope_at(*sum));
        }
    }
}
