//! The mean of neighbours under gates, channel by channel (GatedGCN):
//!
//! ```text
//! g_e = 1 / (1 + exp(-s_e))        Z_i = epsilon + sum over entries e = (i <- j) of g_e        y_i = (sum of g_e v_j) / Z_i
//! ```
//!
//! v, y, Z `[N, F]`, s `[E, F]`. The gates are computed again wherever they are needed. With `t_i = dy_i / Z_i`:
//! `dv_j = sum over entries (i <- j) of g_e t_i` and `ds_e = g_e (1 - g_e) (v_j - y_i) t_i`.

use super::{AHEAD, Rows, each_block_of_entries, row};
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{Arith, exp, prefetch};
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// Element operations of a gate, most of them its exponential.
const GATE_COST: usize = 4;

/// Writes y and `inverse = 1 / Z`, both `[N, F]`; 0 and `1 / epsilon` for a node without entries.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(graph: &Graph, width: usize, epsilon: f32, v: &[f32], s: &[f32], y: &mut [f32], inverse: &mut [f32]) {
    let rows = Rows::of(graph);
    let y = SharedMut::new(&mut y[..graph.nodes() * width]);
    let inverse = SharedMut::new(&mut inverse[..graph.nodes() * width]);
    Blocks::by_entries(rows.offsets, 1, GATE_COST * width).run(|block| {
        let range = block.start * width..block.end * width;
        // SAFETY: blocks are disjoint ranges of rows.
        let (y, inverse) = unsafe { (y.part(range.clone()), inverse.part(range)) };
        mean_rows(rows, width, epsilon, v, s, block.start, y, inverse);
    });
}

/// Writes the gradient of v from `t = dy / Z`, `[N, F]` each.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward_values(graph: &Graph, width: usize, s: &[f32], t: &[f32], dv: &mut [f32]) {
    let columns = Rows::transposed(graph);
    let dv = SharedMut::new(&mut dv[..graph.nodes() * width]);
    Blocks::by_entries(columns.offsets, 1, GATE_COST * width).run(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        let dv = unsafe { dv.part(block.start * width..block.end * width) };
        value_rows(columns, width, s, t, block.start, dv);
    });
}

/// Writes the gradient of s `[E, F]` from v, y and `t = dy / Z`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward_gates(graph: &Graph, width: usize, v: &[f32], s: &[f32], y: &[f32], t: &[f32], ds: &mut [f32]) {
    let rows = Rows::of(graph);
    each_block_of_entries(rows.offsets, GATE_COST * width, width, ds, |block, ds| {
        gate_rows(rows, width, v, s, y, t, block, ds)
    });
}

#[inline(always)]
fn gate<M: Arith>(s: f32) -> f32 {
    1.0 / (1.0 + exp::<M>(-s))
}

simd_fn! {
    fn mean_rows<M>(
        rows: Rows,
        width: usize,
        epsilon: f32,
        v: &[f32],
        s: &[f32],
        first: usize,
        y: &mut [f32],
        inverse: &mut [f32],
    ) {
        let out = y.chunks_exact_mut(width.max(1)).zip(inverse.chunks_exact_mut(width.max(1)));
        for (i, (y, total)) in out.enumerate() {
            y.fill(0.0);
            total.fill(0.0);
            for position in rows.range(first + i) {
                if let Some(&next) = rows.others.get(position + AHEAD) {
                    prefetch(v, next as usize * width, width);
                }
                let v = row(v, rows.other(position), width);
                let s = row(s, position, width);
                for (((y, total), v), s) in y.iter_mut().zip(&mut *total).zip(v).zip(s) {
                    let gate = gate::<M>(*s);
                    *y = M::fma(gate, *v, *y);
                    *total += gate;
                }
            }
            for (y, total) in y.iter_mut().zip(total) {
                *total = 1.0 / (*total + epsilon);
                *y *= *total;
            }
        }
    }
}

simd_fn! {
    fn value_rows<M>(columns: Rows, width: usize, s: &[f32], t: &[f32], first: usize, dv: &mut [f32]) {
        for (j, dv) in dv.chunks_exact_mut(width.max(1)).enumerate() {
            dv.fill(0.0);
            for position in columns.range(first + j) {
                if position + AHEAD < columns.others.len() {
                    prefetch(t, columns.other(position + AHEAD) * width, width);
                    prefetch(s, columns.entry(position + AHEAD) * width, width);
                }
                let t = row(t, columns.other(position), width);
                let s = row(s, columns.entry(position), width);
                for ((dv, t), s) in dv.iter_mut().zip(t).zip(s) {
                    *dv = M::fma(gate::<M>(*s), *t, *dv);
                }
            }
        }
    }
}

simd_fn! {
    fn gate_rows<M>(
        rows: Rows,
        width: usize,
        v: &[f32],
        s: &[f32],
        y: &[f32],
        t: &[f32],
        block: Range<usize>,
        ds: &mut [f32],
    ) {
        let mut out = ds.chunks_exact_mut(width.max(1));
        for node in block {
            let (y, t) = (row(y, node, width), row(t, node, width));
            for (position, ds) in rows.range(node).zip(&mut out) {
                if let Some(&next) = rows.others.get(position + AHEAD) {
                    prefetch(v, next as usize * width, width);
                }
                let v = row(v, rows.other(position), width);
                let s = row(s, position, width);
                for ((((ds, v), s), y), t) in ds.iter_mut().zip(v).zip(s).zip(y).zip(t) {
                    let gate = gate::<M>(*s);
                    *ds = gate * (1.0 - gate) * (v - y) * t;
                }
            }
        }
    }
}
