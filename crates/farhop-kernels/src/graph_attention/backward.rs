//! The backward pass: the weights of a tile again, from the kept logarithms of their sums.
//!
//! With `p` the weights before dropout and `m` the factors of the mask: `dv_j = sum_i m p dy_i`,
//! `ds_ij = p (m dy_i . v_j - dy_i . y_i)`, `dq_i = scale sum_j ds_ij k_j`, `dk_j = scale sum_i ds_ij q_i`.

use super::forward::Place;
use super::{Inputs, KEYS, QUERIES, SMALL, Settings};
use crate::dense::strided::{Matrix, Target, multiply};
use crate::parallel::{Blocks, SharedMut};
use crate::pieces::Pieces;
use crate::simd::exp;
use crate::simd_fn;
use std::ops::Range;

/// What the forward pass left and the gradient of its output.
#[derive(Clone, Copy)]
struct Pass<'a> {
    inputs: Inputs<'a>,
    settings: &'a Settings,
    log_sums: &'a [f32],
    dy: &'a [f32],
    /// `dy_i^h . y_i^h`, `[N, H]`.
    shares: &'a [f32],
}

/// Which gradients a task computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Queries,
    KeysAndValues,
}

/// Tiles that a task uses again.
struct Tiles {
    weights: Vec<f32>,
    slopes: Vec<f32>,
    dropped: Vec<f32>,
}

impl Tiles {
    fn new(settings: &Settings) -> Self {
        let tile = || vec![0.0; QUERIES * KEYS];
        let dropped = if settings.dropout.is_none() { Vec::new() } else { tile() };
        Tiles { weights: tile(), slopes: tile(), dropped }
    }
}

/// Writes the gradients of queries, keys and values side by side, `[N, 3 H C]`; y and `log_sums` are what the forward
/// pass wrote.
///
/// # Panics
/// If an array is shorter than its shape or the offsets do not ascend.
pub fn backward(inputs: Inputs, settings: &Settings, y: &[f32], log_sums: &[f32], dy: &[f32], gradient: &mut [f32]) {
    let rows = inputs.checked(settings);
    let (width, heads) = (settings.width(), settings.heads);
    let shares = shares(y, dy, rows, settings);
    assert!(log_sums.len() >= rows * heads, "logarithms of sums must be [N, H]");
    let pass = Pass { inputs, settings, log_sums, dy, shares: &shares };
    let gradient = SharedMut::new(&mut gradient[..rows * 3 * width]);
    let offsets = inputs.offsets;
    let small = |segment: usize| offsets[segment + 1] - offsets[segment] <= SMALL;
    let cost = |n: usize| 5 * n * width;
    let run = |step: usize, part: Part| {
        Pieces::new(offsets, step, cost).run(|pieces, span| {
            // SAFETY: tasks have disjoint ranges of rows, and the passes follow each other.
            let gradient = unsafe { gradient.part(span.start * 3 * width..span.end * 3 * width) };
            let mut tiles = Tiles::new(settings);
            for piece in pieces.iter().filter(|piece| small(piece.segment) == (part == Part::All)) {
                let rows = &piece.rows;
                let own = &mut gradient[(rows.start - span.start) * 3 * width..(rows.end - span.start) * 3 * width];
                pass.piece(piece.segment, rows.clone(), part, &mut tiles, own);
            }
        });
    };
    let segments = 0..offsets.len().saturating_sub(1);
    if segments.clone().any(small) {
        // Pieces as long as a small segment: each is the whole of it.
        run(SMALL, Part::All);
    }
    if segments.clone().any(|segment| !small(segment)) {
        run(KEYS, Part::KeysAndValues);
        run(QUERIES, Part::Queries);
    }
}

/// `dy_i^h . y_i^h`, `[N, H]`.
fn shares(y: &[f32], dy: &[f32], rows: usize, settings: &Settings) -> Vec<f32> {
    let (width, heads) = (settings.width(), settings.heads);
    let mut shares = vec![0.0; rows * heads];
    let shared = SharedMut::new(&mut shares);
    Blocks::by_rows(rows, width).run(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        let part = unsafe { shared.part(block.start * heads..block.end * heads) };
        let range = block.start * width..block.end * width;
        dots(&y[range.clone()], &dy[range], settings.channels, part);
    });
    shares
}

simd_fn! {
    fn dots<M>(x: &[f32], y: &[f32], channels: usize, out: &mut [f32]) {
        for ((x, y), out) in x.chunks_exact(channels.max(1)).zip(y.chunks_exact(channels.max(1))).zip(out) {
            *out = M::dot(x, y);
        }
    }
}

impl Pass<'_> {
    /// The gradients of `rows` of a segment: of them as queries, as keys or as both (then they are the whole segment).
    fn piece(&self, segment: usize, rows: Range<usize>, part: Part, tiles: &mut Tiles, gradient: &mut [f32]) {
        let whole = self.inputs.offsets[segment]..self.inputs.offsets[segment + 1];
        let (queries, keys) = match part {
            Part::All => (rows.clone(), rows.clone()),
            Part::Queries => (rows.clone(), whole.clone()),
            Part::KeysAndValues => (whole.clone(), rows.clone()),
        };
        for head in 0..self.settings.heads {
            for first in queries.clone().step_by(QUERIES) {
                let some = first..(first + QUERIES).min(queries.end);
                for key in keys.clone().step_by(KEYS) {
                    let block = key..(key + KEYS).min(keys.end);
                    let begins = (first == queries.start, key == keys.start);
                    self.tile(head, &whole, some.clone(), block, part, begins, rows.start, tiles, gradient);
                }
            }
        }
    }

    /// One tile; `begins` says whether it is the first one of its keys and the first one of its queries.
    #[allow(clippy::too_many_arguments)]
    fn tile(
        &self,
        head: usize,
        segment: &Range<usize>,
        queries: Range<usize>,
        keys: Range<usize>,
        part: Part,
        begins: (bool, bool),
        row: usize,
        tiles: &mut Tiles,
        gradient: &mut [f32],
    ) {
        let Settings { heads, channels, scale, dropout } = *self.settings;
        let (width, column) = (heads * channels, head * channels);
        let (n, m) = (queries.len(), keys.len());
        let Inputs { q, k, v, .. } = self.inputs;
        let (q, k, v) = (q.matrix(queries.start, column), k.matrix(keys.start, column), v.matrix(keys.start, column));
        let dy = Matrix::rows(self.dy, queries.start * width + column, width);
        let weights = &mut tiles.weights[..n * m];
        let slopes = &mut tiles.slopes[..n * m];
        multiply([n, channels, m], q, k.transposed(), scale, false, Target { data: weights, start: 0, row_step: m });
        multiply([n, channels, m], dy, v.transposed(), 1.0, false, Target { data: slopes, start: 0, row_step: m });
        let per_row = |i: usize| (queries.start + i) * heads + head;
        relative(weights, m, self.log_sums, per_row(0), heads);
        let place = Place { row: queries.start, head, heads, key: keys.start - segment.start };
        if !dropout.is_none() {
            for (i, row) in slopes.chunks_exact_mut(m).enumerate() {
                place.drop(dropout, i, row);
            }
        }
        let step = 3 * width;
        if part != Part::Queries {
            let mut used = &*weights;
            if !dropout.is_none() {
                let dropped = &mut tiles.dropped[..n * m];
                dropped.copy_from_slice(weights);
                for (i, row) in dropped.chunks_exact_mut(m).enumerate() {
                    place.drop(dropout, i, row);
                }
                used = dropped;
            }
            let start = (keys.start - row) * step + 2 * width + column;
            let out = Target { data: gradient, start, row_step: step };
            multiply([m, n, channels], Matrix::rows(used, 0, m).transposed(), dy, 1.0, !begins.0, out);
        }
        if keys == *segment {
            through_whole_softmax(weights, slopes, m);
        } else {
            through_softmax(weights, slopes, m, self.shares, per_row(0), heads);
        }
        let slopes = Matrix::rows(slopes, 0, m);
        if part != Part::Queries {
            let start = (keys.start - row) * step + width + column;
            let out = Target { data: gradient, start, row_step: step };
            multiply([m, n, channels], slopes.transposed(), q, scale, !begins.0, out);
        }
        if part != Part::KeysAndValues {
            let start = (queries.start - row) * step + column;
            let out = Target { data: gradient, start, row_step: step };
            multiply([n, m, channels], slopes, k, scale, !begins.1, out);
        }
    }
}

simd_fn! {
    /// `tile = e^(tile - log_sum of the row)`.
    fn relative<M>(tile: &mut [f32], size: usize, log_sums: &[f32], first: usize, step: usize) {
        for (row, sum) in tile.chunks_exact_mut(size).zip(log_sums[first..].iter().step_by(step)) {
            row.iter_mut().for_each(|v| *v = exp::<M>(*v - *sum));
        }
    }
}

simd_fn! {
    /// `slopes = weights (slopes - share of the row)`.
    #[allow(clippy::extra_unused_type_parameters)]
    fn through_softmax<M>(weights: &[f32], slopes: &mut [f32], size: usize, shares: &[f32], first: usize, step: usize) {
        let rows = weights.chunks_exact(size).zip(slopes.chunks_exact_mut(size));
        for ((weights, slopes), share) in rows.zip(shares[first..].iter().step_by(step)) {
            slopes.iter_mut().zip(weights).for_each(|(s, w)| *s = w * (*s - share));
        }
    }
}

simd_fn! {
    /// As [`through_softmax`], where rows are whole: a share is then the mean of the row's own slopes. Slopes are counted from that of the largest
    /// weight, so that rows in which one weight is nearly 1 don't lose what is left of it.
    fn through_whole_softmax<M>(weights: &[f32], slopes: &mut [f32], size: usize) {
        for (weights, slopes) in weights.chunks_exact(size).zip(slopes.chunks_exact_mut(size)) {
            let largest = weights.iter().zip(slopes.iter()).max_by(|a, b| a.0.total_cmp(b.0));
            let base = largest.map_or(0.0, |(_, slope)| *slope);
            slopes.iter_mut().for_each(|s| *s -= base);
            let share = M::dot(weights, slopes) / weights.iter().sum::<f32>();
            slopes.iter_mut().zip(weights).for_each(|(s, w)| *s = w * (*s - share));
        }
    }
}

/// Copies the three parts of `[N, 3 width]` into arrays `[N, width]` of their own.
///
/// # Panics
/// If an array is shorter than its shape.
pub fn split(packed: &[f32], width: usize, parts: [&mut [f32]; 3]) {
    let rows = packed.len() / (3 * width).max(1);
    let parts = parts.map(|part| SharedMut::new(&mut part[..rows * width]));
    Blocks::by_rows(rows, 3 * width).run(|block| {
        // SAFETY: blocks are disjoint ranges of rows.
        let outs = parts.map(|part| unsafe { part.part(block.start * width..block.end * width) });
        for (at, out) in outs.into_iter().enumerate() {
            for (row, out) in block.clone().zip(out.chunks_exact_mut(width)) {
                out.copy_from_slice(&packed[(3 * row + at) * width..][..width]);
            }
        }
    });
}
