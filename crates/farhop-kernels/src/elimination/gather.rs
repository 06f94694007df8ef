//! One round of the forward pass: the gather over each row.

use super::Mode;
use super::coefficients::Chain;
use super::rounds::{AHEAD, Increments, SEGMENT};
use crate::heads::Heads;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{Arith, axpy, prefetch};
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// One round's inputs.
pub(super) struct Pass<'a> {
    pub graph: &'a Graph,
    pub heads: Heads,
    pub k: usize,
    pub rounds: usize,
    pub past: Increments<'a>,
    pub chain: Chain<'a>,
    pub mode: Mode,
    pub state: &'a [f32],
}

/// Increment k of every row, with a gather for every even s.
pub(super) fn run_gather(pass: &Pass, norms: &[f32], current: &mut [f32], sums: &mut [f32]) {
    let (width, count, n) = (pass.heads.width, pass.heads.count, pass.graph.nodes());
    let current = SharedMut::new(current);
    let sums = SharedMut::new(sums);
    Blocks::by_entries(pass.graph.offsets(), 4, width).run(|rows| {
        // SAFETY: blocks are disjoint ranges of rows; each pair's sums are cut the same way.
        let (current, sums) = unsafe {
            (
                current.part(rows.start * width..rows.end * width),
                (0..if pass.mode == Mode::Exact { pass.k / 2 } else { 0 })
                    .map(|p| sums.part((p * n + rows.start) * count..(p * n + rows.end) * count))
                    .collect::<Vec<_>>(),
            )
        };
        gather_rows(pass, norms, rows, current, sums);
    });
}

simd_fn! {
    /// Increment k of the rows `rows`, with a gather for every even s.
    fn gather_rows<M>(pass: &Pass, norms: &[f32], rows: Range<usize>, current: &mut [f32], sums: Vec<&mut [f32]>) {
        let mut sums = sums;
        let (heads, k, graph) = (pass.heads, pass.k, pass.graph);
        let (width, count) = (heads.width, heads.count);
        let exact = pass.mode == Mode::Exact;
        let depth = if exact { k } else { 1 };
        let stride = SEGMENT * count;
        let mut products = vec![0.0f32; depth * stride];
        let mut largest = vec![0.0f32; count];
        let node_heads = graph.nodes() * count;
        let source = if pass.mode == Mode::None { pass.state } else { pass.past.all(k - 1) };
        let sources = graph.sources();
        for (n, i) in rows.clone().enumerate() {
            let target = &mut current[n * width..(n + 1) * width];
            target.fill(0.0);
            largest.fill(0.0);
            let (start, end) = (graph.offsets()[i], graph.offsets()[i + 1]);
            let mut from = start;
            while from < end {
                let to = (from + SEGMENT).min(end);
                if exact {
                    pass.chain.products(k, from * count, to * count, &mut products, stride);
                    for (pair, sum) in sums.iter_mut().enumerate() {
                        let s = 2 * pair + 1;
                        let row = &mut sum[n * count..(n + 1) * count];
                        for p in products[s * stride..s * stride + (to - from) * count].chunks_exact(count) {
                            for (sum, p) in row.iter_mut().zip(p) {
                                *sum += p;
                            }
                        }
                    }
                } else {
                    products[..(to - from) * count].copy_from_slice(&pass.chain.own[k - 1][from * count..to * count]);
                }
                for entry in from..to {
                    let j = sources[entry] as usize;
                    if entry + AHEAD < end {
                        prefetch(source, sources[entry + AHEAD] as usize * width, width);
                    }
                    let at = (entry - from) * count;
                    let row = &source[j * width..(j + 1) * width];
                    for h in 0..count {
                        let p = products[at + h];
                        if p != 0.0 {
                            let range = heads.range(h);
                            axpy::<M>(p, &row[range.clone()], &mut target[range]);
                        }
                    }
                    let mut s = 2;
                    while s < depth {
                        let m = k - 1 - s;
                        let row = pass.past.row(m, j);
                        for h in 0..count {
                            let p = products[s * stride + at + h];
                            if !norms.is_empty() {
                                let size = norms[m * node_heads + j * count + h] * p.abs();
                                if s == 2 {
                                    let first = norms[(k - 1) * node_heads + j * count + h] * products[at + h].abs();
                                    largest[h] = largest[h].max(first);
                                }
                                if size <= largest[h] * f32::EPSILON * 0.5 {
                                    continue;
                                }
                            }
                            let range = heads.range(h);
                            axpy::<M>(p, &row[range.clone()], &mut target[range]);
                        }
                        s += 2;
                    }
                }
                from = to;
            }
            subtract_returned::<M>(pass, n, i, &sums, target);
        }
    }
}

/// The odd terms: what came back to the node itself, one scalar a round.
#[inline(always)]
pub(super) fn subtract_returned<M: Arith>(pass: &Pass, n: usize, i: usize, sums: &[&mut [f32]], target: &mut [f32]) {
    let count = pass.heads.count;
    for (pair, sum) in sums.iter().enumerate() {
        let s = 2 * pair + 1;
        let own = pass.past.row(pass.k - 1 - s, i);
        for h in 0..count {
            let range = pass.heads.range(h);
            axpy::<M>(-sum[n * count + h], &own[range.clone()], &mut target[range]);
        }
    }
}
