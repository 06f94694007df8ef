//! The forward pass.

use super::coefficients::{Chain, attend, gather};
use super::rounds::{AHEAD, Increments, SEGMENT, dot_heads, states};
use super::{Coefficients, Config, Mode, Source, check, pairs_before};
use crate::heads::Heads;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{axpy, max_abs, prefetch};
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// What the forward pass returns, and all that the backward pass needs besides the inputs.
pub struct Kept {
    /// d^1 .. d^K, `[K, N, F]`.
    pub increments: Vec<f32>,
    /// Coefficients made by attention, `[rounds, E, H]`; empty when they were given.
    pub edge: Vec<f32>,
    /// The nodes' own coefficients made by attention, `[rounds, N, H]`; empty when they were given.
    pub node: Vec<f32>,
    /// Node scalars of the scores, `[rounds, 2, N, H]`; empty without attention.
    pub(super) scalars: Vec<f32>,
    /// sum_j p_ij^(k,s) for every round k and odd s, `[pairs, N, H]`.
    pub(super) sums: Vec<f32>,
}

impl Kept {
    /// The coefficients that were used.
    pub fn coefficients<'a>(&'a self, source: &Source<'a>, rounds: usize) -> Coefficients<'a> {
        match source {
            Source::Given(given) => *given,
            Source::Attention(a) => Coefficients { rounds: a.rounds(rounds), edge: &self.edge, node: &self.node },
        }
    }

    pub(super) fn scalars(&self, r: usize, size: usize) -> (&[f32], &[f32]) {
        self.scalars[r * 2 * size..(r + 1) * 2 * size].split_at(size)
    }
}

/// K rounds of elimination from `z[N, F]`.
///
/// Work: one gather of F numbers per entry and round, plus, for [`Mode::Exact`] with new attention each round, one more for
/// every second earlier round ((k + 1) / 2 in round k) that is not negligible. Memory: see [`super::bytes_kept`].
pub fn forward(graph: &Graph, config: &Config, source: &Source, z: &[f32]) -> Kept {
    check(graph, config, source, z);
    let (n, e, heads, rounds) = (graph.nodes(), graph.entries(), config.heads, config.rounds);
    let count = heads.count;
    let exact = config.mode == Mode::Exact;
    let sets = source.rounds(rounds);
    let attention = match source {
        Source::Attention(a) => Some(a),
        Source::Given(_) => None,
    };
    let made = if attention.is_some() { sets } else { 0 };
    let mut kept = Kept {
        increments: vec![0.0; rounds * n * heads.width],
        edge: vec![0.0; made * e * count],
        node: vec![0.0; made * n * count],
        scalars: vec![0.0; made * 2 * n * count],
        sums: vec![0.0; if exact { pairs_before(rounds + 1) * n * count } else { 0 }],
    };
    if let Some(a) = attention {
        let (left, right) = a.vectors(0, heads.width);
        let (x, y) = kept.scalars[..2 * n * count].split_at_mut(n * count);
        score_rows(heads, z, left, right, x, y);
    }
    let each_round = source.each_round();
    // One gather a round is enough when every coefficient is known beforehand.
    let spread = exact && !each_round && rounds > 2;
    let skip = config.skip_negligible && exact && !spread && rounds > 2;
    let mut norms = vec![0.0; if skip { rounds * n * count } else { 0 }];
    if skip {
        norm_rows(heads, z, &mut norms[..n * count]);
    }
    let mut state = if config.mode == Mode::None || (each_round && rounds > 1) { z.to_vec() } else { Vec::new() };
    let mut next_state = if config.mode == Mode::None { vec![0.0; state.len()] } else { Vec::new() };
    let mut reversed: Vec<Vec<f32>> = Vec::new();

    for k in 1..=rounds {
        if let Some(a) = attention
            && (k == 1 || each_round)
        {
            let r = k - 1;
            let (x, y) = kept.scalars[r * 2 * n * count..(r + 1) * 2 * n * count].split_at(n * count);
            let edge = &mut kept.edge[r * e * count..(r + 1) * e * count];
            attend(graph, a, r, count, (x, y), edge, &mut kept.node[r * n * count..(r + 1) * n * count]);
        }
        let coefficients = match source {
            Source::Given(given) => *given,
            Source::Attention(_) => Coefficients { rounds: sets, edge: &kept.edge, node: &kept.node },
        };
        // Round m's coefficients are needed backwards from round m + 1 on.
        if exact && rounds > 1 && reversed.len() < sets && (k < rounds || sets == 1) {
            let ahead = if each_round || sets == 1 { k } else { rounds };
            while reversed.len() < ahead.min(sets) {
                let values = coefficients.edge(reversed.len() + 1);
                reversed.push(gather(values, |e| graph.reverse()[e], e, count));
            }
        }
        let (done, current) = kept.increments.split_at_mut((k - 1) * n * heads.width);
        let past = Increments { z, slabs: done, width: heads.width };
        let chain = Chain {
            own: (1..=if spread { rounds } else { k }).map(|m| coefficients.edge(m)).collect(),
            back: (1..=if spread { rounds } else { k })
                .map(|m| reversed.get(if sets == 1 { 0 } else { m - 1 }).map_or(&[][..], |v| v))
                .collect(),
        };
        let first_sum = pairs_before(k) * n * count;
        let pass = Pass { graph, heads, k, rounds, past, chain, mode: config.mode, state: &state };
        let sums = if exact { &mut kept.sums[first_sum..first_sum + (k / 2) * n * count] } else { &mut [] };
        if spread {
            run_spread(&pass, current, sums);
        } else {
            run_gather(&pass, &norms, &mut current[..n * heads.width], sums);
        }
        let newest = &current[..n * heads.width];
        if skip && k < rounds {
            norm_rows(heads, newest, &mut norms[k * n * count..(k + 1) * n * count]);
        }
        if k < rounds && !state.is_empty() {
            let own = coefficients.node(k);
            if config.mode == Mode::None {
                step_states(heads, config.mode, own, newest, &state, &mut next_state);
                std::mem::swap(&mut state, &mut next_state);
            } else {
                step_states_in_place(heads, config.mode, own, newest, &mut state);
            }
            if let Some(a) = attention
                && each_round
            {
                let (left, right) = a.vectors(k, heads.width);
                let (x, y) = kept.scalars[k * 2 * n * count..(k + 1) * 2 * n * count].split_at_mut(n * count);
                score_rows(heads, &state, left, right, x, y);
            }
        }
    }
    kept
}

/// One round's inputs.
struct Pass<'a> {
    graph: &'a Graph,
    heads: Heads,
    k: usize,
    rounds: usize,
    past: Increments<'a>,
    chain: Chain<'a>,
    mode: Mode,
    state: &'a [f32],
}

fn run_gather(pass: &Pass, norms: &[f32], current: &mut [f32], sums: &mut [f32]) {
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
fn subtract_returned<M: crate::simd::Arith>(pass: &Pass, n: usize, i: usize, sums: &[&mut [f32]], target: &mut [f32]) {
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

/// With all coefficients known: d_j^m passes by once and is added to rounds m + 1, m + 3, ... at the same time.
fn run_spread(pass: &Pass, slabs: &mut [f32], sums: &mut [f32]) {
    let (width, count, n) = (pass.heads.width, pass.heads.count, pass.graph.nodes());
    let slabs = SharedMut::new(slabs);
    let sums = SharedMut::new(sums);
    Blocks::by_entries(pass.graph.offsets(), 4, width).run(|rows| {
        // Slab 0 is round k, slab 2 is round k + 2, ...
        let later = (0..=pass.rounds - pass.k).step_by(2);
        // SAFETY: blocks are disjoint ranges of rows, and every slab is cut the same way.
        let (targets, sums) = unsafe {
            (
                later.map(|l| slabs.part((l * n + rows.start) * width..(l * n + rows.end) * width)).collect::<Vec<_>>(),
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
        let (mut targets, mut sums) = (targets, sums);
        let (heads, k, graph) = (pass.heads, pass.k, pass.graph);
        let (width, count) = (heads.width, heads.count);
        let stride = SEGMENT * count;
        // p^(k', s) with k' - 1 - s = k - 1, one table per later round k' = k, k + 2, ...
        let mut products = vec![0.0f32; targets.len() * stride];
        let mut scratch = vec![0.0f32; pass.rounds * stride];
        let source = pass.past.all(k - 1);
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
                    if entry + AHEAD < end {
                        prefetch(source, sources[entry + AHEAD] as usize * width, width);
                    }
                    let j = sources[entry] as usize;
                    let row = &source[j * width..(j + 1) * width];
                    for (l, target) in targets.iter_mut().enumerate() {
                        for h in 0..count {
                            let p = products[l * stride + (entry - from) * count + h];
                            let range = heads.range(h);
                            axpy::<M>(p, &row[range.clone()], &mut target[n * width..(n + 1) * width][range]);
                        }
                    }
                }
                from = to;
            }
            subtract_returned::<M>(pass, n, i, &sums, &mut targets[0][n * width..(n + 1) * width]);
        }
    }
}

/// Node scalars of the attention scores: `x = a_left . h`, `y = a_right . h`, head by head.
fn score_rows(heads: Heads, state: &[f32], left: &[f32], right: &[f32], x: &mut [f32], y: &mut [f32]) {
    let (width, count) = (heads.width, heads.count);
    let (x, y) = (SharedMut::new(x), SharedMut::new(y));
    Blocks::by_rows(state.len() / width.max(1), 2 * width).run(|rows| {
        let own = rows.start * count..rows.end * count;
        // SAFETY: blocks are disjoint ranges of rows.
        let (x, y) = unsafe { (x.part(own.clone()), y.part(own)) };
        score_block(heads, &state[rows.start * width..rows.end * width], left, right, x, y);
    });
}

simd_fn! {
    fn score_block<M>(heads: Heads, state: &[f32], left: &[f32], right: &[f32], x: &mut [f32], y: &mut [f32]) {
        let count = heads.count;
        for (n, row) in state.chunks_exact(heads.width).enumerate() {
            dot_heads::<M>(heads, left, row, &mut x[n * count..(n + 1) * count]);
            dot_heads::<M>(heads, right, row, &mut y[n * count..(n + 1) * count]);
        }
    }
}

/// The largest absolute value of each row and head.
fn norm_rows(heads: Heads, rows_of: &[f32], norms: &mut [f32]) {
    let (width, count) = (heads.width, heads.count);
    let norms = SharedMut::new(norms);
    Blocks::by_rows(rows_of.len() / width.max(1), width).run(|rows| {
        // SAFETY: blocks are disjoint ranges of rows.
        let norms = unsafe { norms.part(rows.start * count..rows.end * count) };
        norm_block(heads, &rows_of[rows.start * width..rows.end * width], norms);
    });
}

simd_fn! {
    fn norm_block<M>(heads: Heads, rows: &[f32], norms: &mut [f32]) {
        for (row, norms) in rows.chunks_exact(heads.width).zip(norms.chunks_exact_mut(heads.count)) {
            for (h, norm) in norms.iter_mut().enumerate() {
                *norm = max_abs(&row[heads.range(h)]);
            }
        }
    }
}

/// `next = a_ii * state + increment`, row by row.
fn step_states(heads: Heads, mode: Mode, own: &[f32], increment: &[f32], state: &[f32], next: &mut [f32]) {
    next.copy_from_slice(state);
    step_states_in_place(heads, mode, own, increment, next);
}

fn step_states_in_place(heads: Heads, mode: Mode, own: &[f32], increment: &[f32], state: &mut [f32]) {
    let (width, count) = (heads.width, heads.count);
    let state = SharedMut::new(state);
    Blocks::by_rows(increment.len() / width.max(1), width).run(|rows| {
        let at = rows.start * width..rows.end * width;
        // SAFETY: blocks are disjoint ranges of rows.
        let state = unsafe { state.part(at.clone()) };
        step_block(heads, mode, &own[rows.start * count..rows.end * count], &increment[at], state);
    });
}

simd_fn! {
    fn step_block<M>(heads: Heads, mode: Mode, own: &[f32], increment: &[f32], state: &mut [f32]) {
        let (width, count) = (heads.width, heads.count);
        if mode == Mode::SelfLoop {
            state.copy_from_slice(increment);
            return;
        }
        for (n, (state, increment)) in state.chunks_exact_mut(width).zip(increment.chunks_exact(width)).enumerate() {
            for h in 0..count {
                let a = own[n * count + h];
                let range = heads.range(h);
                for (s, d) in state[range.clone()].iter_mut().zip(&increment[range]) {
                    *s = M::fma(a, *s, *d);
                }
            }
        }
    }
}

/// The states h^1 .. h^K, `[K, N, F]`, from the increments and the nodes' own coefficients.
pub fn cumulative(config: &Config, coefficients: &Coefficients, z: &[f32], increments: &[f32]) -> Vec<f32> {
    let (width, rounds) = (config.heads.width, config.rounds);
    let n = if width == 0 { 0 } else { z.len() / width };
    let mut out = vec![0.0; increments.len()];
    let shared = SharedMut::new(&mut out);
    let all = Increments { z, slabs: increments, width };
    Blocks::by_rows(n, rounds * width).run(|rows| {
        for i in rows {
            let mut block = vec![0.0; (rounds + 1) * width];
            states_of(&all, config, coefficients, i, &mut block);
            for k in 1..=rounds {
                let at = ((k - 1) * n + i) * width;
                // SAFETY: row i belongs to this block only.
                unsafe { shared.part(at..at + width) }.copy_from_slice(&block[k * width..(k + 1) * width]);
            }
        }
    });
    out
}

simd_fn! {
    fn states_of<M>(all: &Increments, config: &Config, coefficients: &Coefficients, i: usize, block: &mut [f32]) {
        states::<M>(all, config.heads, config.mode, |k| coefficients.node(k), i, config.rounds, block);
    }
}
