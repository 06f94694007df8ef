//! The sum of neighbours with an edge state inside (GINE): `y_i = sum over entries e = (i <- j) of relu(v_j + e_e)`,
//! v, y `[N, F]`, e `[E, F]`. Which terms were positive is found again in the backward pass.

use super::{AHEAD, Rows, each_block_of_entries, each_block_of_nodes, row};
use crate::simd::prefetch;
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// Writes y `[N, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(graph: &Graph, width: usize, v: &[f32], edges: &[f32], y: &mut [f32]) {
    let rows = Rows::of(graph);
    each_block_of_nodes(rows.offsets, width, y, |first, y| sum_rows(rows, width, v, edges, first, y));
}

/// Writes `dv_j = sum over entries (i <- j) of [v_j + e_e > 0] dy_i`, `[N, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward_values(graph: &Graph, width: usize, v: &[f32], edges: &[f32], dy: &[f32], dv: &mut [f32]) {
    let columns = Rows::transposed(graph);
    each_block_of_nodes(columns.offsets, width, dv, |first, dv| value_rows(columns, width, v, edges, dy, first, dv));
}

/// Writes `de_e = [v_j + e_e > 0] dy_i`, `[E, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward_edges(graph: &Graph, width: usize, v: &[f32], edges: &[f32], dy: &[f32], de: &mut [f32]) {
    let rows = Rows::of(graph);
    each_block_of_entries(rows.offsets, width, width, de, |block, de| edge_rows(rows, width, v, edges, dy, block, de));
}

simd_fn! {
    fn sum_rows<M>(rows: Rows, width: usize, v: &[f32], edges: &[f32], first: usize, y: &mut [f32]) {
        for (i, y) in y.chunks_exact_mut(width.max(1)).enumerate() {
            y.fill(0.0);
            for position in rows.range(first + i) {
                if let Some(&next) = rows.others.get(position + AHEAD) {
                    prefetch(v, next as usize * width, width);
                }
                let (v, e) = (row(v, rows.other(position), width), row(edges, position, width));
                for ((y, v), e) in y.iter_mut().zip(v).zip(e) {
                    let sum = v + e;
                    // Written so that NaN stays NaN.
                    *y += if sum < 0.0 { 0.0 } else { sum };
                }
            }
        }
    }
}

simd_fn! {
    fn value_rows<M>(
        columns: Rows,
        width: usize,
        v: &[f32],
        edges: &[f32],
        dy: &[f32],
        first: usize,
        dv: &mut [f32],
    ) {
        for (j, dv) in dv.chunks_exact_mut(width.max(1)).enumerate() {
            let v = row(v, first + j, width);
            dv.fill(0.0);
            for position in columns.range(first + j) {
                if position + AHEAD < columns.others.len() {
                    prefetch(dy, columns.other(position + AHEAD) * width, width);
                    prefetch(edges, columns.entry(position + AHEAD) * width, width);
                }
                let (dy, e) = (row(dy, columns.other(position), width), row(edges, columns.entry(position), width));
                for (((dv, v), e), dy) in dv.iter_mut().zip(v).zip(e).zip(dy) {
                    *dv += if v + e > 0.0 { *dy } else { 0.0 };
                }
            }
        }
    }
}

simd_fn! {
    fn edge_rows<M>(
        rows: Rows,
        width: usize,
        v: &[f32],
        edges: &[f32],
        dy: &[f32],
        block: Range<usize>,
        de: &mut [f32],
    ) {
        let mut out = de.chunks_exact_mut(width.max(1));
        for node in block {
            let dy = row(dy, node, width);
            for (position, de) in rows.range(node).zip(&mut out) {
                if let Some(&next) = rows.others.get(position + AHEAD) {
                    prefetch(v, next as usize * width, width);
                }
                let (v, e) = (row(v, rows.other(position), width), row(edges, position, width));
                for (((de, v), e), dy) in de.iter_mut().zip(v).zip(e).zip(dy) {
                    *de = if v + e > 0.0 { *dy } else { 0.0 };
                }
            }
        }
    }
}
