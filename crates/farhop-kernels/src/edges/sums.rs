//! Between entries and nodes: a row per entry summed to its target or its source, and a row per node copied to its entries.
//! Each sum is the gradient of a copy and the other way round.

use super::{AHEAD, Rows, each_block_of_entries, each_block_of_nodes, row};
use crate::simd::prefetch;
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// Writes `y_i = sum over entries e = (i <- j) of x_e`, x `[E, F]`, y `[N, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn to_targets(graph: &Graph, width: usize, x: &[f32], y: &mut [f32]) {
    let rows = Rows::of(graph);
    each_block_of_nodes(rows.offsets, width, y, |first, y| sum_rows(rows, width, x, first, y));
}

/// Writes `y_j = sum over entries e = (i <- j) of x_e`, x `[E, F]`, y `[N, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn to_sources(graph: &Graph, width: usize, x: &[f32], y: &mut [f32]) {
    let rows = Rows::transposed(graph);
    each_block_of_nodes(rows.offsets, width, y, |first, y| sum_rows(rows, width, x, first, y));
}

/// Writes `y_e = x_i` for e = (i <- j), x `[N, F]`, y `[E, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn of_targets(graph: &Graph, width: usize, x: &[f32], y: &mut [f32]) {
    let rows = Rows::of(graph);
    each_block_of_entries(rows.offsets, width, width, y, |block, y| {
        let mut out = y.chunks_exact_mut(width.max(1));
        for node in block {
            rows.range(node).zip(&mut out).for_each(|(_, out)| out.copy_from_slice(row(x, node, width)));
        }
    });
}

/// Writes `y_e = x_j` for e = (i <- j), x `[N, F]`, y `[E, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn of_sources(graph: &Graph, width: usize, x: &[f32], y: &mut [f32]) {
    let rows = Rows::of(graph);
    each_block_of_entries(rows.offsets, width, width, y, |block: Range<usize>, y| {
        let positions = rows.offsets[block.start]..rows.offsets[block.end];
        for (position, out) in positions.zip(y.chunks_exact_mut(width.max(1))) {
            if let Some(&next) = rows.others.get(position + AHEAD) {
                prefetch(x, next as usize * width, width);
            }
            out.copy_from_slice(row(x, rows.other(position), width));
        }
    });
}

simd_fn! {
    fn sum_rows<M>(rows: Rows, width: usize, x: &[f32], first: usize, y: &mut [f32]) {
        if width == 1 {
            for (i, out) in y.iter_mut().enumerate() {
                *out = rows.range(first + i).map(|position| x[rows.entry(position)]).sum();
            }
            return;
        }
        for (i, out) in y.chunks_exact_mut(width.max(1)).enumerate() {
            out.fill(0.0);
            for position in rows.range(first + i) {
                let values = row(x, rows.entry(position), width);
                out.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
        }
    }
}
