//! Sparse-dense product over a graph: `y_i = b + s_i x_i + sum over the entries e = (i <- j) of w_e x_j`.
//!
//! The forward pass pulls over the rows of the graph, the backward pass over its columns, so no two threads write to the same
//! row. Entry weights, self weights and the shift b are optional: without weights every `w_e` is 1, without self weights the
//! node's own term is left out. The gradient of b is the sum of the rows of dy (`dense::product::column_sums`).

use crate::parallel::{Blocks, SharedMut};
use crate::simd::{PANEL, add_panel, axpy, dot, prefetch};
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// How many entries ahead the next row is asked for.
const AHEAD: usize = 8;

/// The coefficients of the product.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weights<'a> {
    /// `w_e`, `[E]`; all ones if absent.
    pub entries: Option<&'a [f32]>,
    /// `s_i`, `[N]`; all zeros if absent.
    pub nodes: Option<&'a [f32]>,
}

/// Writes y `[N, width]` from x `[N, width]` and, if given, the shift b `[width]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(graph: &Graph, weights: Weights, shift: Option<&[f32]>, x: &[f32], width: usize, y: &mut [f32]) {
    forward_rows(graph, weights, shift, x, width, 0..graph.nodes(), y);
}

/// As [`forward`] for some rows alone: y is `[N, width]`, or as long as its last row.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward_rows(
    graph: &Graph,
    weights: Weights,
    shift: Option<&[f32]>,
    x: &[f32],
    width: usize,
    some: Range<usize>,
    y: &mut [f32],
) {
    let rows = Rows { offsets: graph.offsets(), others: graph.sources(), ids: None };
    pull(rows, weights, shift, x, width, some, y);
}

/// Writes `dx_j = s_j dy_j + sum over the entries e = (i <- j) of w_e dy_i`, `[N, width]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward(graph: &Graph, weights: Weights, dy: &[f32], width: usize, dx: &mut [f32]) {
    backward_rows(graph, weights, dy, width, 0..graph.nodes(), dx);
}

/// As [`backward`] for some rows of dx alone: it is `[N, width]`, or as long as its last row.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward_rows(graph: &Graph, weights: Weights, dy: &[f32], width: usize, some: Range<usize>, dx: &mut [f32]) {
    let columns = graph.transposed();
    let rows = Rows { offsets: columns.offsets, others: columns.targets, ids: Some(columns.entries) };
    pull(rows, weights, None, dy, width, some, dx);
}

/// Writes the gradients of the coefficients: `dw_e = dy_i . x_j` `[E]` and `ds_i = dy_i . x_i` `[N]`, each if wanted.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward_weights(
    graph: &Graph,
    x: &[f32],
    dy: &[f32],
    width: usize,
    entries: Option<&mut [f32]>,
    nodes: Option<&mut [f32]>,
) {
    let offsets = graph.offsets();
    let entries = entries.map(|slice| SharedMut::new(&mut slice[..graph.entries()]));
    let nodes = nodes.map(|slice| SharedMut::new(&mut slice[..graph.nodes()]));
    Blocks::by_entries(offsets, 1, width).run(|rows| {
        if let Some(entries) = &entries {
            // SAFETY: blocks are disjoint ranges of rows, and so are the ranges of their entries.
            let part = unsafe { entries.part(offsets[rows.start]..offsets[rows.end]) };
            entry_dots(offsets, graph.sources(), x, dy, width, rows.start, rows.end, part);
        }
        if let Some(nodes) = &nodes {
            // SAFETY: blocks are disjoint ranges of rows.
            let part = unsafe { nodes.part(rows.clone()) };
            node_dots(x, dy, width, rows.start, part);
        }
    });
}

/// Bytes that the product allocates: nothing beyond the bounds of its blocks of rows.
pub fn bytes(nodes: usize) -> usize {
    nodes.min(512) * size_of::<usize>()
}

/// Rows of a graph or of its transpose. `ids` maps a position to the entry whose weight it has; the position itself if absent.
#[derive(Clone, Copy)]
struct Rows<'a> {
    offsets: &'a [usize],
    others: &'a [u32],
    ids: Option<&'a [u32]>,
}

fn pull(
    rows: Rows,
    weights: Weights,
    shift: Option<&[f32]>,
    x: &[f32],
    width: usize,
    some: Range<usize>,
    y: &mut [f32],
) {
    assert!(x.len() >= some.end * width, "x is shorter than [N, width]");
    let y = SharedMut::new(&mut y[..some.end * width]);
    Blocks::some_by_entries(rows.offsets, some, 1, width).run(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        let part = unsafe { y.part(block.start * width..block.end * width) };
        pull_rows(rows, weights, shift, x, width, block.start, part);
    });
}

simd_fn! {
    fn pull_rows<M>(
        rows: Rows,
        weights: Weights,
        shift: Option<&[f32]>,
        x: &[f32],
        width: usize,
        first: usize,
        y: &mut [f32],
    ) {
        for (i, row) in y.chunks_exact_mut(width.max(1)).enumerate() {
            let node = first + i;
            let range = rows.offsets[node]..rows.offsets[node + 1];
            match shift {
                Some(shift) => row.copy_from_slice(&shift[..width]),
                None => row.fill(0.0),
            }
            if let Some(own) = weights.nodes {
                axpy::<M, _>(own[node], &x[node * width..(node + 1) * width], row);
            }
            let weight = |position: usize| match (weights.entries, rows.ids) {
                (Some(w), Some(ids)) => w[ids[position] as usize],
                (Some(w), None) => w[position],
                (None, _) => 1.0,
            };
            let (panels, tail) = row.as_chunks_mut::<PANEL>();
            let tail_start = panels.len() * PANEL;
            for (p, panel) in panels.iter_mut().enumerate() {
                let mut sums = *panel;
                for position in range.clone() {
                    // Asked for once, with the first panel: the whole row of x comes.
                    if p == 0 && let Some(&next) = rows.others.get(position + AHEAD) {
                        prefetch(x, next as usize * width, width);
                    }
                    let start = rows.others[position] as usize * width + p * PANEL;
                    add_panel::<M>(weight(position), &x[start..start + PANEL], &mut sums);
                }
                *panel = sums;
            }
            if !tail.is_empty() {
                for position in range {
                    let start = rows.others[position] as usize * width;
                    axpy::<M, _>(weight(position), &x[start + tail_start..start + width], tail);
                }
            }
        }
    }
}

simd_fn! {
    fn entry_dots<M>(
        offsets: &[usize],
        sources: &[u32],
        x: &[f32],
        dy: &[f32],
        width: usize,
        first: usize,
        end: usize,
        out: &mut [f32],
    ) {
        let base = offsets[first];
        for node in first..end {
            let dy = &dy[node * width..(node + 1) * width];
            for entry in offsets[node]..offsets[node + 1] {
                let start = sources[entry] as usize * width;
                out[entry - base] = dot::<M, _>(&x[start..start + width], dy);
            }
        }
    }
}

simd_fn! {
    fn node_dots<M>(x: &[f32], dy: &[f32], width: usize, first: usize, out: &mut [f32]) {
        for (i, out) in out.iter_mut().enumerate() {
            let range = (first + i) * width..(first + i + 1) * width;
            *out = dot::<M, _>(&x[range.clone()], &dy[range]);
        }
    }
}

/// The product written out, in any precision.
pub mod reference {
    use farhop_graph::Graph;

    /// `y_i = s_i x_i + sum_e w_e x_j` in f64.
    pub fn forward(graph: &Graph, entries: Option<&[f64]>, nodes: Option<&[f64]>, x: &[f64], width: usize) -> Vec<f64> {
        let mut y = vec![0.0; graph.nodes() * width];
        for i in 0..graph.nodes() {
            for c in 0..width {
                let mut sum = nodes.map_or(0.0, |s| s[i]) * x[i * width + c];
                for entry in graph.offsets()[i]..graph.offsets()[i + 1] {
                    let j = graph.sources()[entry] as usize;
                    sum += entries.map_or(1.0, |w| w[entry]) * x[j * width + c];
                }
                y[i * width + c] = sum;
            }
        }
        y
    }
}
