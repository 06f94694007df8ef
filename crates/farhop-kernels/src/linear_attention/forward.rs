//! The forward pass: sums over keys, then every row by itself.

use super::sums::{head_sums, key_sums};
use super::{Inputs, Settings, Work};
use crate::dense::Write;
use crate::dense::product::tile_product;
use crate::parallel::{SharedMut, clear};
use crate::simd_fn;

/// Writes y `[N, H C]`.
///
/// # Panics
/// If an array has another length than its shape or the offsets do not ascend.
pub fn forward(inputs: Inputs, settings: &Settings, y: &mut [f32]) {
    let rows = inputs.checked(settings);
    let width = settings.width();
    assert_eq!(y.len(), rows * width, "y must be [N, H C]");
    clear(y);
    let draws = inputs.draws(settings);
    let pieces = inputs.pieces(settings);
    let y = SharedMut::new(y);
    for draw in 0..draws {
        let sums = key_sums(&inputs, settings, &pieces, draw);
        pieces.run(|pieces, span| {
            // SAFETY: tasks have disjoint ranges of rows.
            let y = unsafe { y.part(span.start * width..span.end * width) };
            let mut work = Work::new(settings);
            for piece in pieces {
                let own = inputs.own(settings, piece.segment);
                let y = &mut y[(piece.rows.start - span.start) * width..(piece.rows.end - span.start) * width];
                for head in 0..settings.heads {
                    let (features, channels, count) = (settings.features, settings.channels, piece.rows.len());
                    let (products, totals) =
                        sums.of(piece.segment)[head_sums(settings, head)].split_at(features * channels);
                    let q = &mut work.q[..count * features];
                    let values = &mut work.values[..count * channels];
                    settings.keys(head).gather(inputs.q, piece.rows.clone(), q);
                    let mut write = Write::Replace;
                    if own != 0.0 {
                        settings.values(head).gather(inputs.v, piece.rows.clone(), values);
                        values.iter_mut().for_each(|v| *v *= own);
                        write = Write::Add;
                    }
                    tile_product(count, features, channels, q, products, write, values);
                    let divisors = &mut work.per_row[..count];
                    denominators(q, totals, own + settings.epsilon, divisors);
                    for (row, divisor) in values.chunks_exact_mut(channels.max(1)).zip(divisors) {
                        let factor = 1.0 / *divisor;
                        row.iter_mut().for_each(|v| *v *= factor);
                    }
                    settings.results(head).add(values, 1.0 / draws as f32, y);
                }
            }
        });
    }
}

simd_fn! {
    /// `q_i . totals + base` for every row.
    pub(super) fn denominators<M>(q: &[f32], totals: &[f32], base: f32, out: &mut [f32]) {
        for (q, out) in q.chunks_exact(totals.len().max(1)).zip(out) {
            *out = M::dot(q, totals) + base;
        }
    }
}
