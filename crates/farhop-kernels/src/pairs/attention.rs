//! Attention whose weights come from states of pairs (GRIT):
//!
//! ```text
//! a_p = softmax over the pairs p = (i <- j) of i of clamp(t_p . u, -limit, limit)
//! y_i = [ sum of a_p v_j | sum of a_p t_p ]
//! ```
//!
//! head by head: t `[P, F]`, v `[N, F]`, u `[F]`, y `[N, 2 F]`, a `[P, H]`. Dropout takes whole weights a_p after the softmax, in both sums.
//! Clamped scores need no maximum before their exponential. Sums over pairs are f64.

use super::Pairs;
use crate::dense::Dropout;
use crate::edges::row;
use crate::heads::Heads;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::exp;
use crate::simd_fn;
use std::ops::Range;

/// The largest `limit`: its exponential, summed over a graph, is far from the end of f32.
pub const MOST_LIMIT: f32 = 50.0;

/// What is attended to.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The pairs.
    pub pairs: &'a Pairs,
    /// The heads of the F channels.
    pub heads: Heads,
    /// Scores are cut off at this size, at most [`MOST_LIMIT`].
    pub limit: f32,
    /// Of weights: the row of a mask is that of a node and head, its column the place of the other node in their graph.
    pub dropout: Dropout,
    /// States of pairs, `[P, F]`.
    pub t: &'a [f32],
    /// Values of nodes, `[N, F]`.
    pub v: &'a [f32],
    /// What scores pairs, `[F]`.
    pub u: &'a [f32],
}

impl Inputs<'_> {
    /// What weight a of node i, head h and the other node's place is multiplied with.
    #[inline(always)]
    fn kept(&self, i: usize, h: usize, place: usize) -> f32 {
        self.dropout.factor(i * self.heads.count + h, place)
    }

    fn blocks(&self) -> Blocks {
        Blocks::by_entries(&self.pairs.rows, 1, 4 * self.heads.width)
    }
}

/// Writes y `[N, 2 F]` and the weights before dropout, a `[P, H]`.
///
/// # Panics
/// If an array is shorter than its shape.
pub fn forward(inputs: &Inputs, y: &mut [f32], a: &mut [f32]) {
    let (pairs, heads) = (inputs.pairs, inputs.heads);
    let y = SharedMut::new(&mut y[..pairs.nodes() * 2 * heads.width]);
    let a = SharedMut::new(&mut a[..pairs.count() * heads.count]);
    inputs.blocks().run(|block| {
        let of_pairs = pairs.rows[block.start] * heads.count..pairs.rows[block.end] * heads.count;
        // SAFETY: blocks are disjoint ranges of nodes, and so are the ranges of their pairs.
        let (y, a) = unsafe { (y.part(block.start * 2 * heads.width..block.end * 2 * heads.width), a.part(of_pairs)) };
        attend_rows(inputs, block, y, a);
    });
}

simd_fn! {
    fn attend_rows<M>(inputs: &Inputs, block: Range<usize>, y: &mut [f32], a: &mut [f32]) {
        let Inputs { pairs, heads, limit, .. } = *inputs;
        let (width, first) = (heads.width, pairs.rows[block.start]);
        let mut sums = vec![0.0f64; 2 * width];
        for (i, y) in block.zip(y.chunks_exact_mut(2 * width)) {
            let range = pairs.range(i);
            let a = &mut a[(range.start - first) * heads.count..(range.end - first) * heads.count];
            for h in 0..heads.count {
                let mut total = 0.0f64;
                for (p, a) in range.clone().zip(a.chunks_exact_mut(heads.count)) {
                    let score = M::dot(&row(inputs.t, p, width)[heads.range(h)], &inputs.u[heads.range(h)]);
                    a[h] = exp::<M>(score.clamp(-limit, limit));
                    total += f64::from(a[h]);
                }
                a.chunks_exact_mut(heads.count).for_each(|a| a[h] = (f64::from(a[h]) / total) as f32);
            }
            sums.fill(0.0);
            let (values, states) = sums.split_at_mut(width);
            for (place, (p, a)) in range.zip(a.chunks_exact(heads.count)).enumerate() {
                let (v, t) = (row(inputs.v, pairs.first[i] + place, width), row(inputs.t, p, width));
                for (h, a) in a.iter().enumerate() {
                    let weight = f64::from(a * inputs.kept(i, h, place));
                    for c in heads.range(h) {
                        values[c] += weight * f64::from(v[c]);
                        states[c] += weight * f64::from(t[c]);
                    }
                }
            }
            y.iter_mut().zip(&sums).for_each(|(y, sum)| *y = *sum as f32);
        }
    }
}

/// Writes the gradients of t, v and u from that of y; a is what the forward pass wrote.
///
/// # Panics
/// If an array is shorter than its shape.
pub fn backward(inputs: &Inputs, a: &[f32], dy: &[f32], dt: &mut [f32], dv: &mut [f32], du: &mut [f32]) {
    let (pairs, heads) = (inputs.pairs, inputs.heads);
    let width = heads.width;
    let dt = SharedMut::new(&mut dt[..pairs.count() * width]);
    let parts = inputs.blocks().map(|block| {
        // SAFETY: blocks are disjoint ranges of nodes, and so are the ranges of their pairs.
        let dt = unsafe { dt.part(pairs.rows[block.start] * width..pairs.rows[block.end] * width) };
        let mut du = vec![0.0; width];
        state_rows(inputs, a, dy, block, dt, &mut du);
        du
    });
    du.fill(0.0);
    let mut total = vec![0.0f64; width];
    parts.iter().for_each(|part| total.iter_mut().zip(part).for_each(|(total, v)| *total += v));
    du.iter_mut().zip(total).for_each(|(du, total)| *du = total as f32);
    let dv = SharedMut::new(&mut dv[..pairs.nodes() * width]);
    // Node j is in as many pairs with others as it has pairs itself.
    inputs.blocks().run(|block| {
        // SAFETY: blocks are disjoint ranges of nodes.
        let dv = unsafe { dv.part(block.start * width..block.end * width) };
        value_rows(inputs, a, dy, block, dv);
    });
}

simd_fn! {
    fn state_rows<M>(inputs: &Inputs, a: &[f32], dy: &[f32], block: Range<usize>, dt: &mut [f32], du: &mut [f64]) {
        let Inputs { pairs, heads, limit, .. } = *inputs;
        let (width, first) = (heads.width, pairs.rows[block.start]);
        let mut slopes = Vec::new();
        for i in block {
            let (range, dy) = (pairs.range(i), row(dy, i, 2 * width));
            let (of_values, of_states) = dy.split_at(width);
            slopes.clear();
            let mut shares = vec![0.0f64; heads.count];
            for (place, p) in range.clone().enumerate() {
                let (v, t) = (row(inputs.v, pairs.first[i] + place, width), row(inputs.t, p, width));
                for (h, share) in shares.iter_mut().enumerate() {
                    let r = heads.range(h);
                    let taken = M::dot(&of_values[r.clone()], &v[r.clone()]) + M::dot(&of_states[r.clone()], &t[r]);
                    let slope = inputs.kept(i, h, place) * taken;
                    *share += f64::from(a[p * heads.count + h]) * f64::from(slope);
                    slopes.push(slope);
                }
            }
            for (place, p) in range.enumerate() {
                let t = row(inputs.t, p, width);
                let dt = &mut dt[(p - first) * width..(p - first + 1) * width];
                for (h, share) in shares.iter().enumerate() {
                    let r = heads.range(h);
                    let weight = a[p * heads.count + h];
                    let within = M::dot(&t[r.clone()], &inputs.u[r.clone()]).abs() <= limit;
                    let slope = f64::from(slopes[place * heads.count + h]) - share;
                    let slope = if within { f64::from(weight) * slope } else { 0.0 };
                    let kept = weight * inputs.kept(i, h, place);
                    for c in r {
                        dt[c] = kept * of_states[c] + slope as f32 * inputs.u[c];
                        du[c] += slope * f64::from(t[c]);
                    }
                }
            }
        }
    }
}

simd_fn! {
    #[allow(clippy::extra_unused_type_parameters)]
    fn value_rows<M>(inputs: &Inputs, a: &[f32], dy: &[f32], block: Range<usize>, dv: &mut [f32]) {
        let Inputs { pairs, heads, .. } = *inputs;
        let width = heads.width;
        let mut sum = vec![0.0f64; width];
        for (j, dv) in block.zip(dv.chunks_exact_mut(width.max(1))) {
            sum.fill(0.0);
            let place = j - pairs.first[j];
            for i in pairs.others(j) {
                let (p, dy) = (pairs.place(i, j), row(dy, i, 2 * width));
                for h in 0..heads.count {
                    let weight = f64::from(a[p * heads.count + h] * inputs.kept(i, h, place));
                    for c in heads.range(h) {
                        sum[c] += weight * f64::from(dy[c]);
                    }
                }
            }
            dv.iter_mut().zip(&sum).for_each(|(dv, sum)| *dv = *sum as f32);
        }
    }
}
