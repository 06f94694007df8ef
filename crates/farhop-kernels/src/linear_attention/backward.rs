//! The backward pass. With `P = sum_j w_j k_j v_j` and `t = sum_j w_j k_j` of a segment, `n_i` the denominator,
//! `g_i = dy_i / n_i` and `e_i = -(dy_i . y_i) / n_i`: `dq_i = P g_i + e_i t`, `dP = sum_i q_i g_i`,
//! `dt = sum_i e_i q_i`, `dk_j = w_j (dP v_j + dt)`, `dv_j = w_j k_j dP + a g_j`. Division by the norms takes from dq
//! and dk their parts along q and k.

use super::forward::denominators;
use super::sums::{Sums, factor, head_sums, key_sums, segment_size};
use super::{Inputs, Settings, Work};
use crate::dense::Write;
use crate::dense::product::{tile_product, tile_product_transposed, tile_weight_gradient};
use crate::parallel::{SharedMut, clear};
use crate::pieces::{Piece, Pieces};
use crate::simd::{axpy, dot};
use crate::simd_fn;

/// Writes the gradients of q, k and v, in their shapes, from that of y.
///
/// # Panics
/// If an array has another length than its shape or the offsets do not ascend.
pub fn backward(inputs: Inputs, settings: &Settings, dy: &[f32], gradients: [&mut [f32]; 3]) {
    let rows = inputs.checked(settings);
    assert_eq!(dy.len(), rows * settings.width(), "dy must be [N, H C]");
    let [dq, dk, dv] = gradients;
    assert!(dq.len() == inputs.q.len() && dk.len() == inputs.k.len(), "dq and dk must be [N, H M]");
    assert_eq!(dv.len(), inputs.v.len(), "dv must be as large as v");
    [&mut *dq, &mut *dk, &mut *dv].into_iter().for_each(clear);
    let pieces = inputs.pieces(settings);
    let [dq, dk, dv] = [dq, dk, dv].map(SharedMut::new);
    let pass = Pass { inputs, settings, pieces: &pieces, dy, dq, dk, dv };
    for draw in 0..inputs.draws(settings) {
        pass.draw(draw);
    }
}

struct Pass<'a> {
    inputs: Inputs<'a>,
    settings: &'a Settings,
    pieces: &'a Pieces,
    dy: &'a [f32],
    dq: SharedMut<'a, f32>,
    dk: SharedMut<'a, f32>,
    dv: SharedMut<'a, f32>,
}

impl<'p> Pass<'p> {
    fn draw(&self, draw: usize) {
        let (settings, pieces) = (self.settings, self.pieces);
        let sums = key_sums(&self.inputs, settings, pieces, draw);
        let segments = self.inputs.offsets.len().saturating_sub(1);
        let size = segment_size(settings);
        let mut back = Sums::collect(
            pieces,
            segments,
            size,
            || Work::new(settings),
            |piece, work, back| {
                self.queries(piece, &sums, work, back);
            },
        );
        for segment in 0..segments {
            let factor = factor(settings, sums.of(segment));
            back.of_mut(segment)[..size - 2].iter_mut().for_each(|v| *v *= factor);
        }
        pieces.run(|pieces, _| {
            let mut work = Work::new(settings);
            for piece in pieces {
                self.keys_and_values(piece, draw, &sums, &back, &mut work);
            }
        });
    }

    /// dq of a piece, the part of dv that goes to rows themselves, and the piece's share of dP and dt. The last but one
    /// number of `back` is the sum of `q . dq`.
    fn queries(&self, piece: &Piece, sums: &Sums, work: &mut Work, back: &mut [f32]) {
        let settings = self.settings;
        let (features, channels, count) = (settings.features, settings.channels, piece.rows.len());
        let own = self.inputs.own(settings, piece.segment);
        let share = 1.0 / self.inputs.draws(settings) as f32;
        let along = back.len() - 2;
        // SAFETY: a row is in one piece, and a piece in one task.
        let (dq, dv) = unsafe { (self.rows(&self.dq, settings.key_width(), piece), self.values(piece)) };
        for head in 0..settings.heads {
            let (products, totals) = sums.of(piece.segment)[head_sums(settings, head)].split_at(features * channels);
            let (q, keys) = (&mut work.q[..count * features], &mut work.keys[..count * features]);
            let (v, g) = (&mut work.v[..count * channels], &mut work.dy[..count * channels]);
            settings.keys(head).gather(self.inputs.q, piece.rows.clone(), q);
            settings.results(head).gather(self.dy, piece.rows.clone(), g);
            g.iter_mut().for_each(|g| *g *= share);
            settings.values(head).gather(self.inputs.v, piece.rows.clone(), v);
            tile_product_transposed(count, channels, features, g, products, Write::Replace, keys);
            let per_row = &mut work.per_row[..count];
            denominators(q, totals, own + settings.epsilon, per_row);
            back[along] += query_rows(q, v, totals, own, keys, g, per_row);
            settings.keys(head).add(keys, 1.0, dq);
            let (d_products, d_totals) = back[head_sums(settings, head)].split_at_mut(features * channels);
            tile_weight_gradient(features, count, channels, q, g, d_products);
            for (row, e) in q.chunks_exact(features.max(1)).zip(per_row) {
                d_totals.iter_mut().zip(row).for_each(|(t, q)| *t += *e * q);
            }
            if own != 0.0 {
                settings.values(head).add(g, own, dv);
            }
        }
    }

    /// dk and dv of a piece, and what the norms take away.
    fn keys_and_values(&self, piece: &Piece, draw: usize, sums: &Sums, back: &Sums, work: &mut Work) {
        let settings = self.settings;
        let (features, channels, count) = (settings.features, settings.channels, piece.rows.len());
        let back = back.of(piece.segment);
        // SAFETY: a row is in one piece, and a piece in one task.
        let (dk, dv) = unsafe { (self.rows(&self.dk, settings.key_width(), piece), self.values(piece)) };
        for head in 0..settings.heads {
            let (products, totals) = back[head_sums(settings, head)].split_at(features * channels);
            let (k, keys) = (&mut work.k[..count * features], &mut work.keys[..count * features]);
            let (v, values) = (&mut work.v[..count * channels], &mut work.values[..count * channels]);
            settings.keys(head).gather(self.inputs.k, piece.rows.clone(), k);
            settings.values(head).gather(self.inputs.v, piece.rows.clone(), v);
            self.inputs.weigh(settings, draw, head, &piece.rows, k);
            tile_product(count, features, channels, k, products, Write::Replace, values);
            settings.values(head).add(values, 1.0, dv);
            for row in keys.chunks_exact_mut(features.max(1)) {
                row.copy_from_slice(totals);
            }
            tile_product_transposed(count, channels, features, v, products, Write::Add, keys);
            self.inputs.weigh(settings, draw, head, &piece.rows, keys);
            settings.keys(head).add(keys, 1.0, dk);
        }
        let squares = &sums.of(piece.segment)[back.len() - 2..];
        if settings.normalise && !squares.contains(&0.0) {
            let width = settings.key_width();
            // SAFETY: as above; the queries' pass is over.
            let dq = unsafe { self.rows(&self.dq, width, piece) };
            let range = piece.rows.start * width..piece.rows.end * width;
            let along = back[back.len() - 2];
            for (gradient, array, square) in [(dq, self.inputs.q, squares[0]), (dk, self.inputs.k, squares[1])] {
                let factor = along / square;
                gradient.iter_mut().zip(&array[range.clone()]).for_each(|(g, v)| *g -= factor * v);
            }
        }
    }

    /// The rows of a piece of an array `[N, width]`.
    ///
    /// # Safety
    /// No other part with these rows is in use at the same time.
    unsafe fn rows(&self, array: &SharedMut<'p, f32>, width: usize, piece: &Piece) -> &'p mut [f32] {
        // SAFETY: by the caller's promise.
        unsafe { array.part(piece.rows.start * width..piece.rows.end * width) }
    }

    /// The rows of a piece of dv.
    ///
    /// # Safety
    /// As [`Pass::rows`].
    unsafe fn values(&self, piece: &Piece) -> &'p mut [f32] {
        // SAFETY: by the caller's promise.
        unsafe { self.rows(&self.dv, self.settings.value_width(), piece) }
    }
}

simd_fn! {
    /// From `keys` = P dy, `g` = dy and `per_row` = n: `keys` = dq, `g` = dy / n, `per_row` = e; returns the sum of
    /// `q . dq`.
    fn query_rows<M>(
        q: &[f32],
        v: &[f32],
        totals: &[f32],
        own: f32,
        keys: &mut [f32],
        g: &mut [f32],
        per_row: &mut [f32],
    ) -> f32 {
        let features = totals.len();
        let channels = g.len() / per_row.len().max(1);
        let mut sum = 0.0;
        for (i, per_row) in per_row.iter_mut().enumerate() {
            let (q, keys) = (&q[i * features..(i + 1) * features], &mut keys[i * features..(i + 1) * features]);
            let (v, g) = (&v[i * channels..(i + 1) * channels], &mut g[i * channels..(i + 1) * channels]);
            let inverse = 1.0 / *per_row;
            let read = dot::<M, _>(q, keys) + if own == 0.0 { 0.0 } else { own * dot::<M, _>(v, g) };
            *per_row = -read * inverse * inverse;
            keys.iter_mut().for_each(|k| *k *= inverse);
            axpy::<M, _>(*per_row, totals, keys);
            g.iter_mut().for_each(|g| *g *= inverse);
            sum += dot::<M, _>(q, keys);
        }
        sum
    }
}
