//! The largest value among neighbours, channel by channel: `y_i = max over entries (i <- j) of x_j`, x, y `[N, F]`; 0 for a node
//! without entries.
//!
//! The gradient goes to the first neighbour that has the largest value. Winners are kept by their node, so that a source finds
//! out where it won by comparing with itself.

use super::{AHEAD, Rows, each_block_of_nodes, row};
use crate::parallel::{Blocks, SharedMut};
use crate::simd::prefetch;
use crate::simd_fn;
use farhop_graph::Graph;

/// Winner of a row without entries.
const NOBODY: u32 = u32::MAX;

/// Bytes kept for the backward pass: a winner per node and channel.
pub fn bytes_kept(nodes: usize, width: usize) -> u64 {
    (nodes * width * size_of::<u32>()) as u64
}

/// Writes y and the node that each value comes from, both `[N, F]`. A value that is not a number wins over all others, so that
/// it is not hidden.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(graph: &Graph, width: usize, x: &[f32], y: &mut [f32], winners: &mut [u32]) {
    let rows = Rows::of(graph);
    let y = SharedMut::new(&mut y[..graph.nodes() * width]);
    let winners = SharedMut::new(&mut winners[..graph.nodes() * width]);
    Blocks::by_entries(rows.offsets, 1, width).run(|block| {
        let range = block.start * width..block.end * width;
        // SAFETY: blocks are disjoint ranges of rows.
        let (y, winners) = unsafe { (y.part(range.clone()), winners.part(range)) };
        largest_rows(rows, width, x, block.start, y, winners);
    });
}

/// Writes `dx_j = sum over entries (i <- j) of [j won at i] dy_i`, `[N, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward(graph: &Graph, width: usize, winners: &[u32], dy: &[f32], dx: &mut [f32]) {
    let columns = Rows::transposed(graph);
    each_block_of_nodes(columns.offsets, width, dx, |first, dx| won_rows(columns, width, winners, dy, first, dx));
}

simd_fn! {
    fn largest_rows<M>(rows: Rows, width: usize, x: &[f32], first: usize, y: &mut [f32], winners: &mut [u32]) {
        let out = y.chunks_exact_mut(width.max(1)).zip(winners.chunks_exact_mut(width.max(1)));
        for (i, (y, winners)) in out.enumerate() {
            let mut range = rows.range(first + i);
            let Some(start) = range.next() else {
                y.fill(0.0);
                winners.fill(NOBODY);
                continue;
            };
            y.copy_from_slice(row(x, rows.other(start), width));
            winners.fill(rows.others[start]);
            for position in range {
                if let Some(&next) = rows.others.get(position + AHEAD) {
                    prefetch(x, next as usize * width, width);
                }
                let source = rows.others[position];
                let values = row(x, source as usize, width);
                for ((y, winner), &value) in y.iter_mut().zip(&mut *winners).zip(values) {
                    let wins = value > *y || value.is_nan() && !y.is_nan();
                    *y = if wins { value } else { *y };
                    *winner = if wins { source } else { *winner };
                }
            }
        }
    }
}

simd_fn! {
    fn won_rows<M>(columns: Rows, width: usize, winners: &[u32], dy: &[f32], first: usize, dx: &mut [f32]) {
        for (j, dx) in dx.chunks_exact_mut(width.max(1)).enumerate() {
            let source = (first + j) as u32;
            dx.fill(0.0);
            for position in columns.range(first + j) {
                if let Some(&next) = columns.others.get(position + AHEAD) {
                    prefetch(dy, next as usize * width, width);
                    prefetch(winners, next as usize * width, width);
                }
                let i = columns.other(position);
                let winners = &winners[i * width..(i + 1) * width];
                for ((dx, dy), winner) in dx.iter_mut().zip(row(dy, i, width)).zip(winners) {
                    *dx += if *winner == source { *dy } else { 0.0 };
                }
            }
        }
    }
}
