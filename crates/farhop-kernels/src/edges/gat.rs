//! Graph attention in one piece: scores of pairs, softmax, dropout and the weighted sum, block by block of rows.
//!
//! ```text
//! s_e = leaky_relu(x_i + y_j + b_e)        a = dropout(softmax over the row of s)        z_i^h = a_i^h v_i^h + sum of a_e^h v_j^h
//! ```
//!
//! The term of the node itself is there if [`Attention::own`] is set. Of the weights only those of a block exist at a time. For
//! the backward pass the largest score and the sum of every row are kept, `[N, 2, H]`; the weights are computed again from them,
//! by rows for the gradient of the scores and by columns for the one of v.

use super::scores::{self, Pairs};
use super::softmax::{self, mask};
use super::weighted::{self, Weights};
use super::{Rows, each_block_of_some};
use crate::dense::Dropout;
use crate::heads::Heads;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::exp;
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// What the weights are made of.
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a> {
    /// The scores.
    pub pairs: Pairs<'a>,
    /// Whether nodes attend to themselves too.
    pub own: bool,
    /// Dropout of the weights; rows of the mask are entries, then nodes.
    pub dropout: Dropout,
}

impl Attention<'_> {
    /// Room for the weights of a block: of its entries and of its nodes.
    fn room(&self, rows: Rows, block: &Range<usize>) -> (Vec<f32>, Vec<f32>) {
        let entries = rows.offsets[block.end] - rows.offsets[block.start];
        let nodes = if self.own { block.len() } else { 0 };
        (vec![0.0; entries * self.pairs.heads], vec![0.0; nodes * self.pairs.heads])
    }
}

/// Bytes kept for the backward pass.
pub fn bytes_kept(nodes: usize, heads: usize) -> u64 {
    (2 * nodes * heads * size_of::<f32>()) as u64
}

/// Writes z from v, `[N, F]` each, and `statistics` `[N, 2, H]`.
///
/// # Panics
/// If a slice is not of its shape.
pub fn forward(graph: &Graph, attention: &Attention, v: &[f32], width: usize, z: &mut [f32], statistics: &mut [f32]) {
    forward_rows(graph, attention, v, width, 0..graph.nodes(), z, statistics);
}

/// As [`forward`] for some rows alone; what is written is as long as it has to be.
pub(super) fn forward_rows(
    graph: &Graph,
    attention: &Attention,
    v: &[f32],
    width: usize,
    some: Range<usize>,
    z: &mut [f32],
    statistics: &mut [f32],
) {
    let rows = Rows::of(graph);
    let pairs = &attention.pairs;
    let heads = Heads::new(width, pairs.heads);
    let z = SharedMut::new(&mut z[..some.end * width]);
    let statistics = SharedMut::new(&mut statistics[..some.end * 2 * pairs.heads]);
    Blocks::some_by_entries(rows.offsets, some, 1, width).run(|block| {
        let (mut entries, mut nodes) = attention.room(rows, &block);
        // SAFETY: blocks are disjoint ranges of rows.
        let (z, statistics) = unsafe {
            (
                z.part(block.start * width..block.end * width),
                statistics.part(block.start * 2 * pairs.heads..block.end * 2 * pairs.heads),
            )
        };
        scores::score_rows(rows, pairs, block.clone(), &mut entries, &mut nodes);
        softmax::softmax(rows, pairs.heads, block.clone(), &mut entries, &mut nodes, statistics);
        mask(rows, pairs.heads, attention.dropout, block.clone(), &mut entries, &mut nodes);
        weighted::pull_rows(rows.within(&block), heads, weights(&entries, &nodes), 1.0, v, block.start, z);
    });
}

/// Writes the gradient of v, `[N, F]`, from `statistics` and the gradient of z.
///
/// # Panics
/// If a slice is not of its shape.
pub fn backward_values(
    graph: &Graph,
    attention: &Attention,
    statistics: &[f32],
    dz: &[f32],
    width: usize,
    dv: &mut [f32],
) {
    backward_values_rows(graph, attention, statistics, dz, width, 0..graph.nodes(), dv);
}

/// As [`backward_values`] for some rows of dv alone.
pub(super) fn backward_values_rows(
    graph: &Graph,
    attention: &Attention,
    statistics: &[f32],
    dz: &[f32],
    width: usize,
    some: Range<usize>,
    dv: &mut [f32],
) {
    let columns = Rows::transposed(graph);
    let pairs = &attention.pairs;
    let heads = Heads::new(width, pairs.heads);
    let dv = SharedMut::new(&mut dv[..some.end * width]);
    Blocks::some_by_entries(columns.offsets, some, 1, width).run(|block| {
        let (mut entries, mut nodes) = attention.room(columns, &block);
        recall(columns, true, pairs, statistics, block.clone(), &mut entries, &mut nodes);
        mask(columns, pairs.heads, attention.dropout, block.clone(), &mut entries, &mut nodes);
        // SAFETY: blocks are disjoint ranges of rows.
        let dv = unsafe { dv.part(block.start * width..block.end * width) };
        weighted::pull_rows(columns.within(&block), heads, weights(&entries, &nodes), 1.0, dz, block.start, dv);
    });
}

/// Writes the gradient of the sums before LeakyReLU, `[E, H]` or, with the nodes themselves, `[E + N, H]`: that of b. Its sums
/// over rows and over columns ([`super::sums`]), plus the own part, are those of x and y.
///
/// # Panics
/// If a slice is not of its shape.
pub fn backward_scores(
    graph: &Graph,
    attention: &Attention,
    v: &[f32],
    statistics: &[f32],
    dz: &[f32],
    width: usize,
    gradient: &mut [f32],
) {
    let (entries, nodes) = gradient.split_at_mut(graph.entries() * attention.pairs.heads);
    assert_eq!(nodes.len(), if attention.own { graph.nodes() * attention.pairs.heads } else { 0 }, "own part");
    let (all, from) = (0..graph.nodes(), Given { v, statistics, dz, width });
    backward_scores_rows(graph, attention, from, all, entries, nodes, &mut []);
}

/// What gradients of scores are made of: v, `[N, F]`, the statistics, and the gradient of z.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub v: &'a [f32],
    pub statistics: &'a [f32],
    pub dz: &'a [f32],
    pub width: usize,
}

/// As [`backward_scores`] for some rows alone, the part of entries and that of nodes by themselves. What all scores of a row share goes to
/// `means[N, H]` unless that is empty.
pub(super) fn backward_scores_rows(
    graph: &Graph,
    attention: &Attention,
    from: Given,
    some: Range<usize>,
    entries: &mut [f32],
    nodes: &mut [f32],
    means: &mut [f32],
) {
    let rows = Rows::of(graph);
    let pairs = &attention.pairs;
    let heads = Heads::new(from.width, pairs.heads);
    let means = SharedMut::new(means);
    each_block_of_some(rows.offsets, some, pairs.heads, entries, nodes, |block, entries, nodes| {
        let (mut da, mut own_da) = attention.room(rows, &block);
        recall(rows, false, pairs, from.statistics, block.clone(), entries, nodes);
        weighted::dot_rows(rows, heads, 1.0, from.dz, from.v, block.clone(), &mut da);
        weighted::own_dot_rows(heads, 1.0, from.dz, from.v, block.start, &mut own_da);
        mask(rows, pairs.heads, attention.dropout, block.clone(), &mut da, &mut own_da);
        let of_block = if means.is_empty() { 0..0 } else { block.start * pairs.heads..block.end * pairs.heads };
        // SAFETY: blocks are disjoint ranges of rows.
        let means = unsafe { means.part(of_block) };
        softmax::gradient(rows, pairs.heads, block.clone(), &da, &own_da, entries, nodes, means);
        if pairs.slope != 1.0 {
            scores::slope_rows(rows, pairs, block, entries, nodes);
        }
    });
}

/// As [`backward_scores_rows`] for rows that are there in part only, with what the scores of the whole row share: `means[N, H]`.
pub(super) fn backward_scores_of_others(
    graph: &Graph,
    attention: &Attention,
    from: Given,
    some: Range<usize>,
    means: &[f32],
    entries: &mut [f32],
) {
    let rows = Rows::of(graph);
    let pairs = &attention.pairs;
    let (heads, count) = (Heads::new(from.width, pairs.heads), pairs.heads);
    each_block_of_some(rows.offsets, some, count, entries, &mut [], |block, entries, nodes| {
        let mut da = vec![0.0; entries.len()];
        recall(rows, false, pairs, from.statistics, block.clone(), entries, nodes);
        weighted::dot_rows(rows, heads, 1.0, from.dz, from.v, block.clone(), &mut da);
        mask(rows, count, attention.dropout, block.clone(), &mut da, &mut []);
        let mut weights = entries.chunks_exact_mut(count).zip(da.chunks_exact(count));
        for i in block.clone() {
            let mean = &means[i * count..(i + 1) * count];
            for (weights, da) in weights.by_ref().take(rows.range(i).len()) {
                weights.iter_mut().zip(da).zip(mean).for_each(|((p, da), mean)| *p *= da - mean);
            }
        }
        if pairs.slope != 1.0 {
            scores::slope_rows(rows, pairs, block, entries, nodes);
        }
    });
}

fn weights<'a>(entries: &'a [f32], nodes: &'a [f32]) -> Weights<'a> {
    Weights { entries, nodes: (!nodes.is_empty()).then_some(nodes) }
}

simd_fn! {
    /// The weights before dropout of a block of rows or, if `columns`, of columns, in the order of positions.
    fn recall<M>(
        rows: Rows,
        columns: bool,
        pairs: &Pairs,
        statistics: &[f32],
        block: Range<usize>,
        entries: &mut [f32],
        nodes: &mut [f32],
    ) {
        let heads = pairs.heads;
        let soften = |i: usize, sums: &mut [f32]| {
            let (most, inverse) = statistics[i * 2 * heads..(i + 1) * 2 * heads].split_at(heads);
            for ((sum, most), inverse) in sums.iter_mut().zip(most).zip(inverse) {
                *sum = exp::<M>(pairs.leaky(*sum) - most) * inverse;
            }
        };
        let mut out = entries.chunks_exact_mut(heads);
        for node in block.clone() {
            for (position, out) in rows.range(node).zip(&mut out) {
                let other = rows.other(position);
                let (i, j) = if columns { (other, node) } else { (node, other) };
                pairs.sum(i, j, pairs.entries.map(|b| (b, rows.entry(position))), out);
                soften(i, out);
            }
        }
        for (i, out) in block.zip(nodes.chunks_exact_mut(heads)) {
            pairs.sum(i, i, pairs.nodes.map(|c| (c, i)), out);
            soften(i, out);
        }
    }
}
