//! The softmax of scores over the entries of a row and, if wanted, the node itself, head by head:
//!
//! ```text
//! a_e = m_e exp(s_e - max_i) / Z_i        Z_i = exp(s_i - max_i) + sum over entries e of row i of exp(s_e - max_i)
//! ```
//!
//! with m the mask of dropout (0, or 1 / (1 - p)), a function of seed, entry (or E + node) and head. Scores and weights are
//! one array, entries first: `[E, H]`, or `[E + N, H]` with the scores of nodes for themselves. The backward pass computes the
//! softmax again from the scores.

use super::{Rows, each_block_of_both};
use crate::dense::Dropout;
use crate::simd::{Arith, exp};
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// Writes the weights a from the scores, both `[E, H]` or `[E + N, H]`.
///
/// # Panics
/// If the two are not as long as each other, or not of one of the shapes.
pub fn forward(graph: &Graph, heads: usize, scores: &[f32], dropout: Dropout, weights: &mut [f32]) {
    check(graph, heads, scores.len());
    assert_eq!(scores.len(), weights.len(), "a weight for every score");
    let (entry_scores, node_scores) = scores.split_at(graph.entries() * heads);
    let (entries, nodes) = weights.split_at_mut(graph.entries() * heads);
    let rows = Rows::of(graph);
    each_block_of_both(rows.offsets, heads, entries, nodes, |block, entries, nodes| {
        copy(rows, heads, &block, [entry_scores, node_scores], entries, nodes);
        softmax(rows, heads, block.clone(), entries, nodes, &mut []);
        mask(rows, heads, dropout, block, entries, nodes);
    });
}

/// Writes the gradient of the scores `ds_e = p_e (m_e da_e - sum over the row of p m da)` with p the softmax before dropout.
///
/// # Panics
/// If the arrays are not as long as each other, or not of one of the shapes.
pub fn backward(graph: &Graph, heads: usize, scores: &[f32], dropout: Dropout, da: &[f32], ds: &mut [f32]) {
    check(graph, heads, scores.len());
    assert!(scores.len() == da.len() && da.len() == ds.len(), "a gradient for every score");
    let (entry_scores, node_scores) = scores.split_at(graph.entries() * heads);
    let (entry_da, node_da) = da.split_at(graph.entries() * heads);
    let (entries, nodes) = ds.split_at_mut(graph.entries() * heads);
    let rows = Rows::of(graph);
    each_block_of_both(rows.offsets, heads, entries, nodes, |block, entries, nodes| {
        copy(rows, heads, &block, [entry_scores, node_scores], entries, nodes);
        softmax(rows, heads, block.clone(), entries, nodes, &mut []);
        let own = if node_da.is_empty() { node_da } else { &node_da[block.start * heads..block.end * heads] };
        let part = &entry_da[rows.offsets[block.start] * heads..rows.offsets[block.end] * heads];
        if dropout.is_none() {
            gradient(rows, heads, block, part, own, entries, nodes, &mut []);
        } else {
            let (mut part, mut own) = (part.to_vec(), own.to_vec());
            mask(rows, heads, dropout, block.clone(), &mut part, &mut own);
            gradient(rows, heads, block, &part, &own, entries, nodes, &mut []);
        }
    });
}

fn check(graph: &Graph, heads: usize, len: usize) {
    let own = len == (graph.entries() + graph.nodes()) * heads;
    assert!(heads > 0 && (own || len == graph.entries() * heads), "scores must be [E, heads] or [E + N, heads]");
}

/// The scores of a block.
fn copy(
    rows: Rows,
    heads: usize,
    block: &Range<usize>,
    [entry_scores, node_scores]: [&[f32]; 2],
    entries: &mut [f32],
    nodes: &mut [f32],
) {
    entries.copy_from_slice(&entry_scores[rows.offsets[block.start] * heads..rows.offsets[block.end] * heads]);
    if !nodes.is_empty() {
        nodes.copy_from_slice(&node_scores[block.start * heads..block.end * heads]);
    }
}

/// Multiplies what belongs to the entries and nodes of a block with its mask.
pub(super) fn mask(
    rows: Rows,
    heads: usize,
    dropout: Dropout,
    block: Range<usize>,
    entries: &mut [f32],
    nodes: &mut [f32],
) {
    if dropout.is_none() {
        return;
    }
    let all = rows.offsets[rows.offsets.len() - 1];
    for (n, values) in entries.chunks_exact_mut(heads).enumerate() {
        dropout.apply(dropout.row_key(rows.entry(rows.offsets[block.start] + n)), values);
    }
    for (n, values) in nodes.chunks_exact_mut(heads).enumerate() {
        dropout.apply(dropout.row_key(all + block.start + n), values);
    }
}

simd_fn! {
    /// Turns the scores of a block of rows into their softmax. `statistics` `[rows, 2, H]` gets the largest score and
    /// 1 / sum of every row, unless it is empty.
    pub(super) fn softmax<M>(
        rows: Rows,
        heads: usize,
        block: Range<usize>,
        entries: &mut [f32],
        nodes: &mut [f32],
        statistics: &mut [f32],
    ) {
        let base = rows.offsets[block.start];
        let mut scratch = vec![0.0; 2 * heads];
        for (n, node) in block.enumerate() {
            let range = rows.range(node);
            let part = &mut entries[(range.start - base) * heads..(range.end - base) * heads];
            let own = if nodes.is_empty() { &mut [][..] } else { &mut nodes[n * heads..(n + 1) * heads] };
            normalise::<M>(heads, part, own, &mut scratch);
            if let Some(statistics) = statistics.chunks_exact_mut(2 * heads).nth(n) {
                statistics[..heads].copy_from_slice(&scratch[..heads]);
                statistics[heads..].iter_mut().zip(&scratch[heads..]).for_each(|(s, total)| *s = 1.0 / total);
            }
        }
    }
}

/// Turns the scores of one row, `[entries, H]` and own ones `[H]` or none, into their softmax. `scratch` is `[2, H]` and has
/// the largest score and the sum of each head in the end.
#[inline(always)]
fn normalise<M: Arith>(heads: usize, part: &mut [f32], own: &mut [f32], scratch: &mut [f32]) {
    match heads {
        1 => normalise_one::<M>(part, own, scratch),
        4 => normalise_heads::<M>(4, part, own, scratch),
        8 => normalise_heads::<M>(8, part, own, scratch),
        _ => normalise_heads::<M>(heads, part, own, scratch),
    }
}

#[inline(always)]
fn normalise_heads<M: Arith>(heads: usize, part: &mut [f32], own: &mut [f32], scratch: &mut [f32]) {
    let (most, total) = scratch.split_at_mut(heads);
    most.fill(f32::NEG_INFINITY);
    total.fill(0.0);
    for values in part.chunks_exact(heads).chain(own.chunks_exact(heads)) {
        for h in 0..heads {
            most[h] = if values[h] > most[h] { values[h] } else { most[h] };
        }
    }
    for values in part.chunks_exact_mut(heads).chain(own.chunks_exact_mut(heads)) {
        for h in 0..heads {
            values[h] = exp::<M>(values[h] - most[h]);
            total[h] += values[h];
        }
    }
    for values in part.chunks_exact_mut(heads).chain(own.chunks_exact_mut(heads)) {
        for h in 0..heads {
            values[h] /= total[h];
        }
    }
}

/// One head: the row is contiguous.
#[inline(always)]
fn normalise_one<M: Arith>(part: &mut [f32], own: &mut [f32], scratch: &mut [f32]) {
    let largest = |most: f32, value: &f32| if *value > most { *value } else { most };
    let most = own.iter().fold(part.iter().fold(f32::NEG_INFINITY, largest), largest);
    let mut lanes = [0.0f32; 8];
    let (chunks, tail) = part.as_chunks_mut::<8>();
    for chunk in chunks {
        for l in 0..8 {
            chunk[l] = exp::<M>(chunk[l] - most);
            lanes[l] += chunk[l];
        }
    }
    let mut total: f32 = lanes.iter().sum();
    for value in tail.iter_mut().chain(own.iter_mut()) {
        *value = exp::<M>(*value - most);
        total += *value;
    }
    let scale = 1.0 / total;
    part.iter_mut().chain(own).for_each(|value| *value *= scale);
    scratch[0] = most;
    scratch[1] = total;
}

simd_fn! {
    /// Turns the softmax of a block of rows into the gradient of its scores; `da` and `own_da` belong to the block. `means` `[rows, H]` gets what
    /// all scores of a row share, the sum of p da, unless it is empty.
    pub(super) fn gradient<M>(
        rows: Rows,
        heads: usize,
        block: Range<usize>,
        da: &[f32],
        own_da: &[f32],
        entries: &mut [f32],
        nodes: &mut [f32],
        means: &mut [f32],
    ) {
        let base = rows.offsets[block.start];
        let mut mean = vec![0.0f32; heads];
        for (n, node) in block.enumerate() {
            let at = (rows.offsets[node] - base) * heads..(rows.offsets[node + 1] - base) * heads;
            let own = if nodes.is_empty() { 0..0 } else { n * heads..(n + 1) * heads };
            row_gradient::<M>(&da[at.clone()], &own_da[own.clone()], &mut entries[at], &mut nodes[own], &mut mean);
            if !means.is_empty() {
                means[n * heads..(n + 1) * heads].copy_from_slice(&mean);
            }
        }
    }
}

/// `p (da - sum of p da)` over one row, in place of the softmax p. `mean` is scratch, `[H]`.
#[inline(always)]
fn row_gradient<M: Arith>(da: &[f32], own_da: &[f32], p: &mut [f32], own_p: &mut [f32], mean: &mut [f32]) {
    let heads = mean.len();
    mean.fill(0.0);
    let gradients = || da.chunks_exact(heads).chain(own_da.chunks_exact(heads));
    for (g, p) in gradients().zip(p.chunks_exact(heads).chain(own_p.chunks_exact(heads))) {
        for h in 0..heads {
            mean[h] = M::fma(g[h], p[h], mean[h]);
        }
    }
    for (g, p) in gradients().zip(p.chunks_exact_mut(heads).chain(own_p.chunks_exact_mut(heads))) {
        for h in 0..heads {
            p[h] *= g[h] - mean[h];
        }
    }
}
