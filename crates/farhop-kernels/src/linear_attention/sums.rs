//! Sums over the rows of every segment.

use super::{Inputs, Settings, Work};
use crate::dense::product::tile_weight_gradient;
use crate::pieces::{Piece, Pieces};

/// Sums of every segment, one after the other.
pub(super) struct Sums {
    /// Numbers of a segment.
    size: usize,
    values: Vec<f32>,
}

impl Sums {
    /// The sums of a segment.
    pub fn of(&self, segment: usize) -> &[f32] {
        &self.values[segment * self.size..(segment + 1) * self.size]
    }

    /// The sums of a segment, to change.
    pub fn of_mut(&mut self, segment: usize) -> &mut [f32] {
        &mut self.values[segment * self.size..(segment + 1) * self.size]
    }

    /// Adds up `size` numbers for every segment: `add` adds those of a piece. Tasks are added in their order, in f64.
    pub fn collect(
        pieces: &Pieces,
        segments: usize,
        size: usize,
        new: impl Fn() -> Work + Sync + Send,
        add: impl Fn(&Piece, &mut Work, &mut [f32]) + Sync + Send,
    ) -> Sums {
        let parts = pieces.map(|pieces, _| {
            let mut work = new();
            let mut part = Part::new(pieces, size);
            for piece in pieces {
                add(piece, &mut work, part.sums_of(piece.segment, size));
            }
            part
        });
        Sums::in_order(parts, segments, size)
    }

    /// Adds up what tasks found for their segments, of which only one is held in f64 at a time.
    fn in_order(parts: Vec<Part>, segments: usize, size: usize) -> Sums {
        let mut values = vec![0.0; segments * size];
        let (mut total, mut current) = (vec![0.0f64; size], None);
        let mut finish = |segment: Option<usize>, total: &mut [f64]| {
            let Some(segment) = segment else { return };
            let values = &mut values[segment * size..(segment + 1) * size];
            values.iter_mut().zip(&*total).for_each(|(v, t)| *v = *t as f32);
            total.fill(0.0);
        };
        for part in parts {
            for (at, &segment) in part.segments.iter().enumerate() {
                if current != Some(segment) {
                    finish(current.replace(segment), &mut total);
                }
                let sums = &part.values[at * size..(at + 1) * size];
                total.iter_mut().zip(sums).for_each(|(t, v)| *t += f64::from(*v));
            }
        }
        finish(current, &mut total);
        Sums { size, values }
    }
}

/// What a task found: its segments in ascending order, and their sums in one array.
struct Part {
    segments: Vec<usize>,
    values: Vec<f32>,
}

impl Part {
    /// Room for all segments of the pieces.
    fn new(pieces: &[Piece], size: usize) -> Part {
        let others = pieces.windows(2).filter(|pair| pair[0].segment != pair[1].segment).count();
        let count = others + usize::from(!pieces.is_empty());
        Part { segments: Vec::with_capacity(count), values: Vec::with_capacity(count * size) }
    }

    /// The sums of a segment, which is the last one or a new one.
    fn sums_of(&mut self, segment: usize, size: usize) -> &mut [f32] {
        if self.segments.last() != Some(&segment) {
            self.segments.push(segment);
            self.values.resize(self.values.len() + size, 0.0);
        }
        let start = self.values.len() - size;
        &mut self.values[start..]
    }
}

/// Where the sums of a head lie within those of a segment: `k^T v` `[M, C]`, then the sum of k `[M]`.
pub(super) fn head_sums(settings: &Settings, head: usize) -> std::ops::Range<usize> {
    let size = settings.features * (settings.channels + 1);
    head * size..(head + 1) * size
}

/// Numbers of a segment: the sums of all heads, then the sums of squares of q and k.
pub(super) fn segment_size(settings: &Settings) -> usize {
    settings.heads * settings.features * (settings.channels + 1) + 2
}

/// The sums of weighted keys and values of a draw, divided by the norms of q and k if the settings say so.
pub(super) fn key_sums(inputs: &Inputs, settings: &Settings, pieces: &Pieces, draw: usize) -> Sums {
    let segments = inputs.offsets.len().saturating_sub(1);
    let size = segment_size(settings);
    let mut sums = Sums::collect(
        pieces,
        segments,
        size,
        || Work::new(settings),
        |piece, work, sums| {
            for head in 0..settings.heads {
                let (features, channels) = (settings.features, settings.channels);
                let count = piece.rows.len();
                let (k, v) = (&mut work.k[..count * features], &mut work.v[..count * channels]);
                settings.keys(head).gather(inputs.k, piece.rows.clone(), k);
                settings.values(head).gather(inputs.v, piece.rows.clone(), v);
                inputs.weigh(settings, draw, head, &piece.rows, k);
                let (products, totals) = sums[head_sums(settings, head)].split_at_mut(features * channels);
                tile_weight_gradient(features, count, channels, k, v, products);
                for row in k.chunks_exact(features.max(1)) {
                    totals.iter_mut().zip(row).for_each(|(t, k)| *t += k);
                }
            }
            if settings.normalise {
                let width = settings.key_width();
                let range = piece.rows.start * width..piece.rows.end * width;
                for (sum, array) in sums[size - 2..].iter_mut().zip([inputs.q, inputs.k]) {
                    *sum += array[range.clone()].iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>() as f32;
                }
            }
        },
    );
    for segment in 0..segments {
        let factor = factor(settings, sums.of(segment));
        sums.of_mut(segment)[..size - 2].iter_mut().for_each(|v| *v *= factor);
    }
    sums
}

/// What the products of q and k are multiplied with: 1, or 1 over both norms; 0 where one of them is 0.
pub(super) fn factor(settings: &Settings, sums: &[f32]) -> f32 {
    let squares = &sums[sums.len() - 2..];
    match settings.normalise {
        false => 1.0,
        true if squares.contains(&0.0) => 0.0,
        true => 1.0 / (squares[0].sqrt() * squares[1].sqrt()),
    }
}
