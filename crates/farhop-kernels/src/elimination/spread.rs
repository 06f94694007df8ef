//! One round of the forward pass when every coefficient is known beforehand.

use super::gather::{Pass, subtract_returned};
use super::rounds::{SEGMENT, ahead};
use super::stored::Stored;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{Arith, axpy};
use crate::simd_fn;
use std::ops::Range;

/// With all coefficients known: d_j^m passes by once and is added to rounds m + 1, m + 3, ... at the same time.
pub(super) fn run_spread(pass: &Pass, slabs: &mut [Vec<f32>], sums: &mut [f32]) {
    let (width, count, n) = (pass.heads.width, pass.heads.count, pass.graph.nodes());
    let slabs: Vec<SharedMut<f32>> = slabs.iter_mut().map(|slab| SharedMut::new(slab)).collect();
    let sums = SharedMut::new(sums);
    Blocks::some_by_entries(pass.graph.offsets(), pass.computed.clone(), 4, width).run(|rows| {
        // Slab 0 is round k, slab 2 is round k + 2, ...
        let later = (0..=pass.rounds - pass.k).step_by(2);
        // SAFETY: blocks are disjoint ranges of rows, and every slab is cut the same way.
        let (targets, sums) = unsafe {
            (
                later.map(|l| slabs[l].part(rows.start * width..rows.end * width)).collect::<Vec<_>>(),
                (0..pass.k / 2)
                    .map(|p| sums.part((p * n + rows.start) * count..(p * n + rows.end) * count))
                    .collect::<Vec<_>>(),
            )
        };
        spread_rows(pass, rows, targets, sums);
    });
}

simd_fn! {
    fn spread_rows<M>(pass: &Pass, rows: Range<usize>, targets: Vec<&mut [f32]>, sums: Vec<&mut [f32]>) {
        if pass.packed.is_empty() {
            spread_stored::<M, f32>(pass, rows, targets, sums)
        } else {
            spread_stored::<M, i16>(pass, rows, targets, sums)
        }
    }
}

#[inline(always)]
fn spread_stored<M: Arith, T: Stored>(
    pass: &Pass,
    rows: Range<usize>,
    mut targets: Vec<&mut [f32]>,
    mut sums: Vec<&mut [f32]>,
) {
    let (heads, k, graph) = (pass.heads, pass.k, pass.graph);
    let (width, count) = (heads.width, heads.count);
    let stride = SEGMENT * count;
    // p^(k', s) with k' - 1 - s = k - 1, one table per later round k' = k, k + 2, ...
    let mut products = vec![0.0f32; targets.len() * stride];
    let mut scratch = vec![0.0f32; pass.rounds * stride];
    let source = pass.rows::<T>(k - 1);
    let sources = graph.sources();
    for (n, i) in rows.clone().enumerate() {
        let (start, end) = (graph.offsets()[i], graph.offsets()[i + 1]);
        let mut from = start;
        while from < end {
            let to = (from + SEGMENT).min(end);
            let len = (to - from) * count;
            for l in 0..targets.len() {
                pass.chain.products(k + 2 * l, from * count, to * count, &mut scratch, stride);
                products[l * stride..l * stride + len].copy_from_slice(&scratch[2 * l * stride..2 * l * stride + len]);
                if l == 0 {
                    for (pair, sum) in sums.iter_mut().enumerate() {
                        let s = 2 * pair + 1;
                        for p in scratch[s * stride..s * stride + len].chunks_exact(count) {
                            for (sum, p) in sum[n * count..(n + 1) * count].iter_mut().zip(p) {
                                *sum += p;
                            }
                        }
                    }
                }
            }
            for entry in from..to {
                if let Some(&next) = sources.get(entry + ahead(width * size_of::<T>())) {
                    source.prefetch(next as usize, width);
                }
                let j = sources[entry] as usize;
                let (row, scale) = (source.row(j, width), source.scale(j));
                for (l, target) in targets.iter_mut().enumerate() {
                    for h in 0..count {
                        let p = products[l * stride + (entry - from) * count + h] * scale;
                        let range = heads.range(h);
                        axpy::<M, _>(p, &row[range.clone()], &mut target[n * width..(n + 1) * width][range]);
                    }
                }
            }
            from = to;
        }
        subtract_returned::<M>(pass, heads, n, i, &sums, &mut targets[0][n * width..(n + 1) * width]);
    }
}
