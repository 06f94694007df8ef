//! The forward pass: blocks of queries, each with a running maximum and sum over blocks of keys.

use super::{Inputs, KEYS, QUERIES, Settings};
use crate::dense::Dropout;
use crate::dense::strided::{Target, multiply};
use crate::parallel::SharedMut;
use crate::pieces::{Piece, Pieces};
use crate::simd::exp;
use crate::simd_fn;

/// Writes y `[N, H C]` and, for the backward pass, the logarithms of the sums of the softmax, `[N, H]`.
///
/// # Panics
/// If an array is shorter than its shape or the offsets do not ascend.
pub fn forward(inputs: Inputs, settings: &Settings, y: &mut [f32], log_sums: &mut [f32]) {
    let rows = inputs.checked(settings);
    let (width, heads) = (settings.width(), settings.heads);
    let y = SharedMut::new(&mut y[..rows * width]);
    let log_sums = SharedMut::new(&mut log_sums[..rows * heads]);
    Pieces::new(inputs.offsets, QUERIES, |n| 2 * n * width).run(|pieces, span| {
        // SAFETY: tasks have disjoint ranges of rows.
        let (y, log_sums) = unsafe {
            (y.part(span.start * width..span.end * width), log_sums.part(span.start * heads..span.end * heads))
        };
        let mut tile = vec![0.0; QUERIES * KEYS];
        for piece in pieces {
            let first = piece.rows.start - span.start;
            let end = piece.rows.end - span.start;
            let y = &mut y[first * width..end * width];
            queries(inputs, settings, piece, &mut tile, y, &mut log_sums[first * heads..end * heads]);
        }
    });
}

/// All heads of a block of queries.
fn queries(inputs: Inputs, settings: &Settings, piece: &Piece, tile: &mut [f32], y: &mut [f32], log_sums: &mut [f32]) {
    let (width, heads, channels) = (settings.width(), settings.heads, settings.channels);
    let segment = inputs.offsets[piece.segment]..inputs.offsets[piece.segment + 1];
    let count = piece.rows.len();
    let mut running = [Running::START; QUERIES];
    for head in 0..heads {
        let column = head * channels;
        running[..count].fill(Running::START);
        for keys in segment.clone().step_by(KEYS) {
            let size = KEYS.min(segment.end - keys);
            let tile = &mut tile[..count * size];
            let (q, k) = (inputs.q.matrix(piece.rows.start, column), inputs.k.matrix(keys, column).transposed());
            let scores = Target { data: tile, start: 0, row_step: size };
            multiply([count, channels, size], q, k, settings.scale, false, scores);
            let place = Place { row: piece.rows.start, head, heads, key: keys - segment.start };
            let later = keys > segment.start;
            weights(tile, size, &mut running[..count], settings.dropout, place);
            if later {
                for (i, running) in running[..count].iter().enumerate() {
                    y[i * width + column..][..channels].iter_mut().for_each(|y| *y *= running.shrink);
                }
            }
            let weights = crate::dense::strided::Matrix::rows(tile, 0, size);
            let out = Target { data: y, start: column, row_step: width };
            multiply([count, size, channels], weights, inputs.v.matrix(keys, column), 1.0, later, out);
        }
        for (i, running) in running[..count].iter().enumerate() {
            let factor = 1.0 / running.sum;
            y[i * width + column..][..channels].iter_mut().for_each(|y| *y *= factor);
            log_sums[i * heads + head] = running.most + running.sum.ln();
        }
    }
}

/// The softmax of a query as far as keys were seen.
#[derive(Clone, Copy)]
struct Running {
    /// The largest score.
    most: f32,
    /// The sum of `e^(score - most)`.
    sum: f32,
    /// What earlier sums are to be multiplied with since the maximum changed last.
    shrink: f32,
}

impl Running {
    const START: Running = Running { most: f32::NEG_INFINITY, sum: 0.0, shrink: 0.0 };
}

/// Where a tile lies: its first query's row, its head and its first key's place in the segment.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub row: usize,
    pub head: usize,
    pub heads: usize,
    pub key: usize,
}

impl Place {
    /// Applies the mask to row `i` of the tile.
    #[inline(always)]
    pub fn drop(&self, dropout: Dropout, i: usize, row: &mut [f32]) {
        let key = dropout.row_key((self.row + i) * self.heads + self.head);
        dropout.apply_from(key, self.key, row);
    }
}

simd_fn! {
    /// Turns a tile of scores into weights relative to the running maximum, dropped where the mask says so.
    fn weights<M>(tile: &mut [f32], size: usize, running: &mut [Running], dropout: Dropout, place: Place) {
        for (i, (row, running)) in tile.chunks_exact_mut(size).zip(running).enumerate() {
            let most = largest(row).max(running.most);
            running.shrink = if running.sum == 0.0 { 0.0 } else { exp::<M>(running.most - most) };
            running.most = most;
            let mut lanes = [0.0f32; 16];
            let (full, rest) = row.as_chunks_mut::<16>();
            for values in full {
                for (value, lane) in values.iter_mut().zip(&mut lanes) {
                    *value = exp::<M>(*value - most);
                    *lane += *value;
                }
            }
            for (value, lane) in rest.iter_mut().zip(&mut lanes) {
                *value = exp::<M>(*value - most);
                *lane += *value;
            }
            running.sum = running.sum * running.shrink + lanes.iter().sum::<f32>();
            if !dropout.is_none() {
                place.drop(dropout, i, row);
            }
        }
    }
}

/// The largest number; NaN is passed over, and shows in the weights.
#[inline(always)]
fn largest(row: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; 16];
    let (full, rest) = row.as_chunks::<16>();
    for values in full {
        for (value, lane) in values.iter().zip(&mut lanes) {
            *lane = if *value > *lane { *value } else { *lane };
        }
    }
    rest.iter().chain(&lanes).fold(f32::NEG_INFINITY, |most, v| most.max(*v))
}
