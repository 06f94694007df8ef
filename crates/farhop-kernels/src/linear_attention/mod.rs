//! Attention whose weights are products of features of queries and keys, in time linear in the rows of a segment:
//!
//! `y_i^h = (q_i^h (sum_j w_jh k_j^h v_j^h) + a v_i^h) / (q_i^h . sum_j w_jh k_j^h + a + epsilon)`
//!
//! with sums over the rows j of the segment of i, `a = own n` for a segment of n rows, q and k `[N, H M]`, v and y
//! `[N, H C]`. Queries and keys have gone through a feature map before. All three published forms are of this kind:
//! `own = 1` with q and k divided by their norms over the segment (SGFormer), `own = 0` (Polynormer; NodeFormer, where
//! `w` is the Gumbel noise of a draw and y is the mean over the draws).
//!
//! Nothing grows with the pairs of rows: a segment has `H M (C + 1)` sums, which both passes compute in fixed blocks of
//! rows and add up in order. Nothing is kept but the inputs.

mod backward;
mod forward;
mod sums;

use crate::pieces::{Pieces, rows_of};
use std::ops::Range;

pub use backward::backward;
pub use forward::forward;

/// Bytes that [`forward`] allocates while it runs, for `segments` segments: sums, and those that tasks found.
pub fn forward_bytes(settings: &Settings, segments: usize) -> usize {
    2 * segments * sums::segment_size(settings) * size_of::<f32>()
}

/// Bytes that [`backward`] allocates while it runs: sums, their gradients, and what tasks found of these.
pub fn backward_bytes(settings: &Settings, segments: usize) -> usize {
    3 * segments * sums::segment_size(settings) * size_of::<f32>()
}

/// Rows of a tile.
const TILE: usize = 256;

/// What is not an array.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of heads H.
    pub heads: usize,
    /// Features M of a head in q and k.
    pub features: usize,
    /// Channels C of a head in v and y.
    pub channels: usize,
    /// How much a row's own value counts, times the number of rows of its segment, in numerator and denominator.
    pub own: f32,
    /// Added to the denominator.
    pub epsilon: f32,
    /// Divides q by the square root of the sum of its squares over all rows and heads of the segment, and k likewise.
    pub normalise: bool,
    /// v is `[N, C]`, the same for all heads.
    pub shared_values: bool,
    /// Column c of head h is at `c H + h` in every array instead of `h C + c`.
    pub interleaved: bool,
}

impl Settings {
    /// Columns of q and k.
    pub fn key_width(&self) -> usize {
        self.heads * self.features
    }

    /// Columns of v.
    pub fn value_width(&self) -> usize {
        if self.shared_values { self.channels } else { self.width() }
    }

    /// Columns of y.
    pub fn width(&self) -> usize {
        self.heads * self.channels
    }

    fn keys(&self, head: usize) -> Columns {
        Columns::new(self, head, self.features)
    }

    fn values(&self, head: usize) -> Columns {
        if self.shared_values {
            return Columns { width: self.channels, start: 0, step: 1, count: self.channels };
        }
        self.results(head)
    }

    fn results(&self, head: usize) -> Columns {
        Columns::new(self, head, self.channels)
    }
}

/// The arrays.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Queries, `[N, H M]`.
    pub q: &'a [f32],
    /// Keys, `[N, H M]`.
    pub k: &'a [f32],
    /// Values, `[N, H C]` or, if shared, `[N, C]`.
    pub v: &'a [f32],
    /// Bounds of the segments, `[G + 1]`.
    pub offsets: &'a [usize],
    /// Factors of the keys, `[draws, N, H]`, without a gradient: y is the mean over the draws. One draw of ones if
    /// absent.
    pub key_weights: Option<&'a [f32]>,
}

impl Inputs<'_> {
    /// Number of rows, after a check of all lengths.
    fn checked(&self, settings: &Settings) -> usize {
        let rows = rows_of(self.offsets);
        let keys = rows * settings.key_width();
        assert!(self.q.len() == keys && self.k.len() == keys, "q and k must be [N, H M]");
        assert_eq!(self.v.len(), rows * settings.value_width(), "v must be [N, H C], or [N, C] if shared");
        let whole = |weights: &[f32]| weights.len().is_multiple_of((rows * settings.heads).max(1));
        assert!(self.key_weights.is_none_or(whole), "key weights must be [draws, N, H]");
        rows
    }

    /// Number of draws.
    fn draws(&self, settings: &Settings) -> usize {
        let rows = self.offsets.last().copied().unwrap_or(0);
        self.key_weights.map_or(1, |weights| weights.len() / (rows * settings.heads).max(1))
    }

    /// Multiplies rows of a tile with the weights of their keys in a draw.
    fn weigh(&self, settings: &Settings, draw: usize, head: usize, rows: &Range<usize>, tile: &mut [f32]) {
        if let Some(weights) = self.key_weights {
            let all = self.offsets.last().copied().unwrap_or(0);
            let width = tile.len() / rows.len().max(1);
            for (row, values) in rows.clone().zip(tile.chunks_exact_mut(width.max(1))) {
                let weight = weights[(draw * all + row) * settings.heads + head];
                values.iter_mut().for_each(|v| *v *= weight);
            }
        }
    }

    /// What numerator and denominator have of a row itself: `own n`.
    fn own(&self, settings: &Settings, segment: usize) -> f32 {
        settings.own * (self.offsets[segment + 1] - self.offsets[segment]) as f32
    }

    fn pieces(&self, settings: &Settings) -> Pieces {
        let cost = 2 * settings.key_width() * (settings.channels + 1);
        Pieces::new(self.offsets, TILE, |_| cost)
    }
}

/// The columns of one head in rows of `width` numbers.
#[derive(Clone, Copy)]
struct Columns {
    width: usize,
    start: usize,
    step: usize,
    count: usize,
}

impl Columns {
    fn new(settings: &Settings, head: usize, count: usize) -> Self {
        let width = settings.heads * count;
        if settings.interleaved {
            Columns { width, start: head, step: settings.heads, count }
        } else {
            Columns { width, start: head * count, step: 1, count }
        }
    }

    /// Copies the head's columns of `rows` into a tile `[rows, count]`.
    fn gather(&self, data: &[f32], rows: Range<usize>, tile: &mut [f32]) {
        for (row, out) in rows.zip(tile.chunks_exact_mut(self.count.max(1))) {
            let from = &data[row * self.width + self.start..];
            if self.step == 1 {
                out.copy_from_slice(&from[..self.count]);
            } else {
                out.iter_mut().zip(from.iter().step_by(self.step)).for_each(|(o, v)| *o = *v);
            }
        }
    }

    /// Adds `factor` times a tile to the head's columns; `data` starts with the tile's first row.
    fn add(&self, tile: &[f32], factor: f32, data: &mut [f32]) {
        for (values, row) in tile.chunks_exact(self.count.max(1)).zip(data.chunks_exact_mut(self.width.max(1))) {
            let to = row[self.start..].iter_mut().step_by(self.step);
            if self.step == 1 {
                row[self.start..self.start + self.count].iter_mut().zip(values).for_each(|(o, v)| *o += factor * v);
            } else {
                to.zip(values).for_each(|(o, v)| *o += factor * v);
            }
        }
    }
}

/// Tiles that a task uses again.
struct Work {
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    dy: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    per_row: Vec<f32>,
}

impl Work {
    fn new(settings: &Settings) -> Self {
        let keys = || vec![0.0; TILE * settings.features];
        let values = || vec![0.0; TILE * settings.channels];
        Work {
            q: keys(),
            k: keys(),
            v: values(),
            dy: values(),
            keys: keys(),
            values: values(),
            per_row: vec![0.0; TILE],
        }
    }
}
