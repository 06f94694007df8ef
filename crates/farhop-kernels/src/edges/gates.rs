//! The edge states of GatedGCN: `s_e = a_i + b_j + c_e` for e = (i <- j), a, b `[N, F]`, c `[E, F]` optional, s `[E, F]`.
//!
//! Linear, so nothing is needed again: the gradient of c is that of s, the one of a its sums over rows and the one of b its
//! sums over columns ([`super::sums`]).

use super::{AHEAD, Rows, each_block_of_entries, row};
use crate::simd::prefetch;
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// Writes s `[E, F]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(graph: &Graph, width: usize, a: &[f32], b: &[f32], c: Option<&[f32]>, s: &mut [f32]) {
    let rows = Rows::of(graph);
    each_block_of_entries(rows.offsets, width, width, s, |block, s| gate_rows(rows, width, a, b, c, block, s));
}

simd_fn! {
    fn gate_rows<M>(
        rows: Rows,
        width: usize,
        a: &[f32],
        b: &[f32],
        c: Option<&[f32]>,
        block: Range<usize>,
        s: &mut [f32],
    ) {
        let mut out = s.chunks_exact_mut(width.max(1));
        for node in block {
            let a = row(a, node, width);
            for (position, out) in rows.range(node).zip(&mut out) {
                if let Some(&next) = rows.others.get(position + AHEAD) {
                    prefetch(b, next as usize * width, width);
                }
                let b = row(b, rows.other(position), width);
                let sum = out.iter_mut().zip(a).zip(b);
                match c {
                    Some(c) => sum.zip(row(c, position, width)).for_each(|(((s, a), b), c)| *s = a + b + c),
                    None => sum.for_each(|((s, a), b)| *s = a + b),
                }
            }
        }
    }
}
