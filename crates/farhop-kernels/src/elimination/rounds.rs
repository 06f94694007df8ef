//! What the passes share: where increments lie, and the states of one node.

use super::Mode;
use crate::heads::Heads;
use crate::simd::{Arith, dot};
use std::ops::Range;

/// Entries whose products are computed at a time, before their neighbours are gathered.
pub const SEGMENT: usize = 128;

/// How many entries ahead a neighbour's row is asked for, across the ends of rows: far enough for the memory, near enough for the rows to be in the
/// first cache still, two arrays of them at a time.
#[inline(always)]
pub fn ahead(row_bytes: usize) -> usize {
    if row_bytes <= 512 { 16 } else { 8 }
}

/// Consecutive rows and a range of their entries: whole rows of at most [`SEGMENT`] entries together, or a part of one longer row.
///
/// What is computed per entry alone runs over a whole piece: most rows are too short to fill a vector.
pub struct Piece {
    pub rows: Range<usize>,
    pub entries: Range<usize>,
}

impl Piece {
    /// The entries of row `i` within this piece.
    #[inline(always)]
    pub fn of_row(&self, offsets: &[usize], i: usize) -> Range<usize> {
        offsets[i].max(self.entries.start)..offsets[i + 1].min(self.entries.end)
    }
}

/// Cuts rows into pieces.
#[inline(always)]
pub fn pieces(offsets: &[usize], rows: Range<usize>) -> impl Iterator<Item = Piece> {
    let mut row = rows.start;
    let mut from = offsets[row];
    std::iter::from_fn(move || {
        if row >= rows.end {
            return None;
        }
        let (first, start) = (row, from);
        if offsets[row + 1] - from > SEGMENT {
            from += SEGMENT;
            return Some(Piece { rows: first..first + 1, entries: start..from });
        }
        while row < rows.end && offsets[row + 1] - start <= SEGMENT {
            row += 1;
            // The end of a longer row is a piece of its own.
            if start != offsets[first] {
                break;
            }
        }
        from = offsets[row];
        Some(Piece { rows: first..row, entries: start..from })
    })
}

/// Increments 0..: d^0 = z and the later ones, `[N, F]` each; those that nobody reads any more may be empty.
#[derive(Clone, Copy)]
pub struct Increments<'a> {
    pub z: &'a [f32],
    pub slabs: &'a [Vec<f32>],
    pub width: usize,
}

impl<'a> Increments<'a> {
    /// Row of node `i` in increment `m`.
    #[inline(always)]
    pub fn row(&self, m: usize, i: usize) -> &'a [f32] {
        &self.all(m)[i * self.width..][..self.width]
    }

    /// The whole of increment `m`.
    #[inline(always)]
    pub fn all(&self, m: usize) -> &'a [f32] {
        if m == 0 { self.z } else { &self.slabs[m - 1] }
    }
}

/// `states[k] = h_i^k` for k = 0..=last, one row of `width` each, from the node's rows of the increments and its own coefficients
/// (`own(k)[N, H]`, k from 1).
#[inline(always)]
pub fn states<'a, 'b, M: Arith>(
    increment: impl Fn(usize) -> &'b [f32],
    heads: Heads,
    mode: Mode,
    own: impl Fn(usize) -> &'a [f32],
    i: usize,
    last: usize,
    states: &mut [f32],
) {
    let width = heads.width;
    states[..width].copy_from_slice(increment(0));
    for k in 1..=last {
        let (before, now) = states.split_at_mut(k * width);
        let before = &before[(k - 1) * width..];
        let now = &mut now[..width];
        let increment = increment(k);
        if mode == Mode::SelfLoop {
            now.copy_from_slice(increment);
            continue;
        }
        let own = &own(k)[i * heads.count..(i + 1) * heads.count];
        for (h, &a) in own.iter().enumerate() {
            let range = heads.range(h);
            let (now, before, increment) = (&mut now[range.clone()], &before[range.clone()], &increment[range]);
            for ((n, b), d) in now.iter_mut().zip(before).zip(increment) {
                *n = M::fma(a, *b, *d);
            }
        }
    }
}

/// `out[h] = vector[h] . row[h]` head by head.
#[inline(always)]
pub fn dot_heads<M: Arith>(heads: Heads, vector: &[f32], row: &[f32], out: &mut [f32]) {
    for (h, value) in out.iter_mut().enumerate() {
        let range = heads.range(h);
        *value = dot::<M, _>(&vector[range.clone()], &row[range]);
    }
}
