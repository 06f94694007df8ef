//! One round of the forward pass: the gather over each row.

use super::Mode;
use super::coefficients::Chain;
use super::nodes::highest;
use super::rounds::{Increments, SEGMENT, ahead, dot_heads, pieces};
use super::stored::{Rows, Stored};
use crate::heads::Heads;
use crate::packed::Packed;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{Arith, axpy, max_abs, prefetch};
use crate::{by_width, simd_fn};
use farhop_graph::Graph;
use std::ops::Range;

/// Entries from which a row is long.
const LONG_ROW: usize = SEGMENT / 2;

/// Products below this are likely to be skipped, so their rows are not asked for ahead of time. Only speed depends on it.
const WORTH_FETCHING: f32 = 1e-8;

/// One round's inputs.
pub(super) struct Pass<'a> {
    pub graph: &'a Graph,
    pub heads: Heads,
    pub k: usize,
    pub rounds: usize,
    /// Rows that are computed. Others are gathered from, and computed at another time or by another process.
    pub computed: Range<usize>,
    pub past: Increments<'a>,
    pub chain: Chain<'a>,
    pub mode: Mode,
    /// h^(k-1), `[N, F]`, where it is not in the place of h^k: before the first round, and where others read it ([`Mode::None`]).
    pub state: &'a [f32],
    /// The increments so far (not eliminating: only what this round gathers), packed; empty where they are gathered as they are.
    pub packed: &'a Packed,
}

impl<'a> Pass<'a> {
    /// What is gathered of increment m (where nothing is eliminated, of state m).
    #[inline(always)]
    pub fn rows<T: Stored>(&self, m: usize) -> Rows<'a, T> {
        let full = if self.mode == Mode::None { self.state } else { self.past.all(m) };
        // The last is that of increment k - 1.
        T::rows(full, self.packed, (self.packed.len() + m).wrapping_sub(self.k))
    }
}

/// What is done with a row as soon as its increment is complete and still in the cache.
pub(super) struct After<'a> {
    /// The nodes' own coefficients of this round, `[N, H]`.
    pub own: &'a [f32],
    /// h^(k-1) in, h^k out; where h^(k-1) is [elsewhere](Pass::state), only out.
    pub state: SharedMut<'a, f32>,
    /// Attention vectors of the next round, and where its node scalars x and y go.
    pub next: Option<Scalars<'a>>,
}

/// Vectors and node scalars of a round's scores.
pub(super) struct Scalars<'a> {
    pub left: &'a [f32],
    pub right: &'a [f32],
    pub x: SharedMut<'a, f32>,
    pub y: SharedMut<'a, f32>,
}

/// Increment k of the computed rows, with a gather for every even s. `peaks[m, H]` are the largest absolute values of the increments so
/// far, by which negligible products are told; empty to skip none. Returns those of increment k.
pub(super) fn run_gather(
    pass: &Pass,
    peaks: &[f32],
    after: Option<&After>,
    current: &mut [f32],
    sums: &mut [f32],
) -> Vec<f32> {
    let (width, count, n) = (pass.heads.width, pass.heads.count, pass.graph.nodes());
    let current = SharedMut::new(current);
    let sums = SharedMut::new(sums);
    let found = Blocks::some_by_entries(pass.graph.offsets(), pass.computed.clone(), 4, width).map(|rows| {
        // SAFETY: blocks are disjoint ranges of rows; each pair's sums are cut the same way.
        let (current, sums) = unsafe {
            (
                current.part(rows.start * width..rows.end * width),
                (0..if pass.mode == Mode::Exact { pass.k / 2 } else { 0 })
                    .map(|p| sums.part((p * n + rows.start) * count..(p * n + rows.end) * count))
                    .collect::<Vec<_>>(),
            )
        };
        gather_rows(pass, peaks, after, rows, current, sums)
    });
    highest(count, found)
}

simd_fn! {
    fn gather_rows<M>(
        pass: &Pass,
        peaks: &[f32],
        after: Option<&After>,
        rows: Range<usize>,
        current: &mut [f32],
        sums: Vec<&mut [f32]>,
    ) -> Vec<f32> {
        if pass.packed.is_empty() {
            by_width!(pass.heads, gather_fixed::<M, f32>(pass, peaks, after, rows, current, sums))
        } else {
            by_width!(pass.heads, gather_fixed::<M, i16>(pass, peaks, after, rows, current, sums))
        }
    }
}

#[inline(always)]
fn gather_fixed<M: Arith, T: Stored, const WIDTH: usize>(
    pass: &Pass,
    peaks: &[f32],
    after: Option<&After>,
    rows: Range<usize>,
    current: &mut [f32],
    mut sums: Vec<&mut [f32]>,
) -> Vec<f32> {
    let (heads, k, offsets) = (pass.heads.fixed::<WIDTH>(), pass.k, pass.graph.offsets());
    let (width, count) = (heads.width, heads.count);
    let exact = pass.mode == Mode::Exact;
    let depth = if exact { k } else { 1 };
    let stride = SEGMENT * count;
    let mut products = vec![0.0f32; depth * stride];
    let mut peak = vec![0.0f32; count];
    let first = rows.start;
    for piece in pieces(offsets, rows) {
        let (from, to) = (piece.entries.start, piece.entries.end);
        if exact {
            pass.chain.products(k, from * count, to * count, &mut products, stride);
        } else {
            products[..(to - from) * count].copy_from_slice(&pass.chain.own[k - 1][from * count..to * count]);
        }
        for i in piece.rows.clone() {
            let n = i - first;
            let target = &mut current[n * width..(n + 1) * width];
            let entries = piece.of_row(offsets, i);
            if entries.start == offsets[i] {
                target.fill(0.0);
            }
            for (pair, sum) in sums.iter_mut().enumerate() {
                let at = (2 * pair + 1) * stride;
                let values = &products[at + (entries.start - from) * count..at + (entries.end - from) * count];
                add_to_heads(values, &mut sum[n * count..(n + 1) * count]);
            }
            gather_row::<M, T>(
                pass,
                heads,
                peaks,
                depth,
                entries.clone(),
                &products[(entries.start - from) * count..],
                target,
            );
            if entries.end < offsets[i + 1] {
                continue;
            }
            subtract_returned::<M>(pass, heads, n, i, &sums, target);
            for h in 0..count {
                peak[h] = peak[h].max(max_abs(&target[heads.range(h)]));
            }
            if let Some(after) = after {
                finish_row::<M>(pass.mode, pass.state, heads, after, i, target);
            }
        }
    }
    peak
}

/// Adds the even terms of some of a row's entries to `target`. `products` start at the first of these entries.
#[inline(always)]
fn gather_row<M: Arith, T: Stored>(
    pass: &Pass,
    heads: Heads,
    peaks: &[f32],
    depth: usize,
    entries: Range<usize>,
    products: &[f32],
    target: &mut [f32],
) {
    let (width, count, k) = (heads.width, heads.count, pass.k);
    let stride = SEGMENT * count;
    let sources = pass.graph.sources();
    let source = pass.rows::<T>(k - 1);
    // Most rows are short: their terms s = 0 and s = 2 come together, both asked for well ahead. In a long row many products are
    // negligible: there it pays to know the row's size first.
    let together = depth > 2 && (peaks.is_empty() || entries.len() < LONG_ROW);
    let older = if together { pass.rows::<T>(k - 3) } else { source };
    let first_older = if together { 4 } else { 2 };
    let ahead = ahead(width * size_of::<T>());
    for (n, entry) in entries.clone().enumerate() {
        if let Some(&next) = sources.get(entry + ahead) {
            source.prefetch(next as usize, width);
            if together {
                older.prefetch(next as usize, width);
            }
        }
        let j = sources[entry] as usize;
        if first_older < depth && products[first_older * stride + n * count].abs() > WORTH_FETCHING {
            pass.rows::<T>(k - 1 - first_older).prefetch(j, width);
        }
        let (row, scale) = (source.row(j, width), source.scale(j));
        for h in 0..count {
            let p = products[n * count + h] * scale;
            if p != 0.0 {
                let range = heads.range(h);
                axpy::<M, _>(p, &row[range.clone()], &mut target[range]);
            }
        }
        if together {
            let (row, scale) = (older.row(j, width), older.scale(j));
            for h in 0..count {
                let p = products[2 * stride + n * count + h] * scale;
                if p != 0.0 {
                    let range = heads.range(h);
                    axpy::<M, _>(p, &row[range.clone()], &mut target[range]);
                }
            }
        }
    }
    for s in (first_older..depth).step_by(2) {
        add_older::<M, T>(pass, heads, peaks, s, entries.clone(), products, target);
    }
}

/// Adds the terms `s` of some of a row's entries, those that are not negligible.
#[inline(always)]
fn add_older<M: Arith, T: Stored>(
    pass: &Pass,
    heads: Heads,
    peaks: &[f32],
    s: usize,
    entries: Range<usize>,
    products: &[f32],
    target: &mut [f32],
) {
    let (width, count, m) = (heads.width, heads.count, pass.k - 1 - s);
    let (older, sources) = (pass.rows::<T>(m), &pass.graph.sources()[entries]);
    let stride = SEGMENT * count;
    for h in 0..count {
        let range = heads.range(h);
        // A product below this can't change the row by more than its rounding error.
        let limit = if peaks.is_empty() {
            -1.0
        } else {
            max_abs(&target[range.clone()]) * T::ERROR / peaks[m * count + h].max(f32::MIN_POSITIVE)
        };
        for (n, &j) in sources.iter().enumerate() {
            let j = j as usize;
            // This row was asked for one level earlier; now it is the turn of the next level.
            if m >= 2 && products[(s + 2) * stride + n * count + h].abs() > WORTH_FETCHING {
                prefetch(pass.rows::<T>(m - 2).numbers, j * width + range.start, range.len());
            }
            let p = products[s * stride + n * count + h];
            if p.abs() > limit {
                axpy::<M, _>(p * older.scale(j), &older.row(j, width)[range.clone()], &mut target[range.clone()]);
            }
        }
    }
}

/// `sums[h] += every value of head h`.
#[inline(always)]
fn add_to_heads(values: &[f32], sums: &mut [f32]) {
    if let [sum] = sums {
        *sum += values.iter().sum::<f32>();
        return;
    }
    for values in values.chunks_exact(sums.len()) {
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
}

/// h^k of row i, and its scalars for the next round's scores. `before` is h^(k-1) where it is [elsewhere](Pass::state).
#[inline(always)]
pub(super) fn finish_row<M: Arith>(
    mode: Mode,
    before: &[f32],
    heads: Heads,
    after: &After,
    i: usize,
    increment: &[f32],
) {
    let (width, count) = (heads.width, heads.count);
    // SAFETY: row i of every array belongs to the calling block only.
    let state = unsafe { after.state.part(i * width..(i + 1) * width) };
    if mode == Mode::SelfLoop {
        state.copy_from_slice(increment);
    } else {
        if !before.is_empty() {
            state.copy_from_slice(&before[i * width..(i + 1) * width]);
        }
        for h in 0..count {
            let a = after.own[i * count + h];
            let range = heads.range(h);
            for (s, d) in state[range.clone()].iter_mut().zip(&increment[range]) {
                *s = M::fma(a, *s, *d);
            }
        }
    }
    if let Some(next) = &after.next {
        let own = i * count..(i + 1) * count;
        // SAFETY: as above.
        let (x, y) = unsafe { (next.x.part(own.clone()), next.y.part(own)) };
        dot_heads::<M>(heads, next.left, state, x);
        dot_heads::<M>(heads, next.right, state, y);
    }
}

/// The odd terms: what came back to the node itself, one scalar a round.
#[inline(always)]
pub(super) fn subtract_returned<M: Arith>(
    pass: &Pass,
    heads: Heads,
    n: usize,
    i: usize,
    sums: &[&mut [f32]],
    target: &mut [f32],
) {
    let count = heads.count;
    for (pair, sum) in sums.iter().enumerate() {
        let s = 2 * pair + 1;
        let own = &pass.past.row(pass.k - 1 - s, i)[..heads.width];
        for h in 0..count {
            let range = heads.range(h);
            axpy::<M, _>(-sum[n * count + h], &own[range.clone()], &mut target[range]);
        }
    }
}
