//! Where the coefficients of a round come from, and their products along an edge.

use crate::buffers;
use crate::edge_attention::{Dropout, Scores};
use crate::exchange::Halo;
use crate::parallel::{Blocks, SharedMut};
use farhop_graph::{NO_EDGE, random};
use std::ops::Range;

/// Attention parameters of a layer.
#[derive(Clone, Copy)]
pub struct Attention<'a> {
    /// `[rounds, 2 F]`: the receiver's vector a_left, then the sender's a_right; head h reads its own channels.
    pub weights: &'a [f32],
    /// New scores from h^(k-1) in each round (`eq10`), or once from h^0 for all rounds.
    pub each_round: bool,
    /// A number per entry and head, added to the score: `[rounds, E, H]`, or `[E, H]` for all rounds the same.
    pub bias: Option<&'a [f32]>,
    /// Slope of LeakyReLU below zero.
    pub slope: f32,
    /// Attention dropout; each round draws its own mask from this seed.
    pub dropout: Option<Dropout>,
}

impl<'a> Attention<'a> {
    /// How many sets of coefficients there are.
    pub fn rounds(&self, rounds: usize) -> usize {
        if self.each_round { rounds } else { 1 }
    }

    /// The vectors (a_left, a_right) of set `r`.
    pub(super) fn vectors(&self, r: usize, width: usize) -> (&'a [f32], &'a [f32]) {
        self.weights[r * 2 * width..(r + 1) * 2 * width].split_at(width)
    }

    pub(super) fn scores<'s>(
        &self,
        r: usize,
        heads: usize,
        entries: usize,
        receiver: &'s [f32],
        sender: &'s [f32],
        halo: Option<&'s Halo>,
    ) -> Scores<'s>
    where
        'a: 's,
    {
        Scores {
            heads,
            receiver,
            sender,
            bias: self.bias.map(|b| {
                let r = if b.len() == entries * heads { 0 } else { r };
                &b[r * entries * heads..(r + 1) * entries * heads]
            }),
            slope: self.slope,
            dropout: self.dropout.map(|d| Dropout { seed: random::mix(d.seed, r as u64), ..d }),
            names: halo.map(Halo::names),
        }
    }
}

/// Coefficients given as numbers, for one round (used in all) or for every round.
#[derive(Clone, Copy)]
pub struct Coefficients<'a> {
    /// 1 or K.
    pub rounds: usize,
    /// `[rounds, E, H]`.
    pub edge: &'a [f32],
    /// `[rounds, N, H]`.
    pub node: &'a [f32],
}

impl<'a> Coefficients<'a> {
    /// The entries' coefficients of round `k` (from 1), `[E, H]`.
    pub fn edge(&self, k: usize) -> &'a [f32] {
        round_of(self.edge, self.rounds, k)
    }

    /// The nodes' own coefficients of round `k` (from 1), `[N, H]`.
    pub fn node(&self, k: usize) -> &'a [f32] {
        round_of(self.node, self.rounds, k)
    }
}

fn round_of(all: &[f32], rounds: usize, k: usize) -> &[f32] {
    let size = all.len() / rounds;
    let r = if rounds == 1 { 0 } else { k - 1 };
    &all[r * size..(r + 1) * size]
}

/// Where the coefficients come from.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Edge attention.
    Attention(Attention<'a>),
    /// Numbers: symmetric normalisation, all ones, or the user's own.
    Given(Coefficients<'a>),
}

impl Source<'_> {
    /// How many sets of coefficients there are: 1, or one per round.
    pub fn rounds(&self, rounds: usize) -> usize {
        match self {
            Source::Attention(a) => a.rounds(rounds),
            Source::Given(c) => c.rounds,
        }
    }

    /// True if the coefficients of a round depend on the rounds before it.
    pub(super) fn each_round(&self) -> bool {
        matches!(self, Source::Attention(a) if a.each_round)
    }
}

/// `out[e] = values[index[e]]` per head, 0 where the index is [`NO_EDGE`].
pub(super) fn gather(
    values: &[f32],
    index: impl Fn(usize) -> u32 + Sync + Send,
    count: usize,
    heads: usize,
) -> Vec<f32> {
    let mut out = buffers::take(count * heads);
    gather_some(values, index, 0..count, heads, &mut out);
    out
}

/// As [`gather`] for some places of `out`.
pub(super) fn gather_some(
    values: &[f32],
    index: impl Fn(usize) -> u32 + Sync + Send,
    places: Range<usize>,
    heads: usize,
    out: &mut [f32],
) {
    let shared = SharedMut::new(out);
    Blocks::by_rows(places.len(), heads * 4).run(|rows| {
        let rows = places.start + rows.start..places.start + rows.end;
        // SAFETY: blocks are disjoint ranges.
        let part = unsafe { shared.part(rows.start * heads..rows.end * heads) };
        if heads == 1 {
            for (value, e) in part.iter_mut().zip(rows) {
                let from = index(e);
                *value = if from == NO_EDGE { 0.0 } else { values[from as usize] };
            }
            return;
        }
        for (row, e) in part.chunks_exact_mut(heads).zip(rows) {
            let from = index(e);
            if from == NO_EDGE {
                row.fill(0.0);
            } else {
                row.copy_from_slice(&values[from as usize * heads..(from as usize + 1) * heads]);
            }
        }
    });
}

/// `sums[e] += values[index[e]]` per head; every index is an entry.
pub(super) fn add_gathered(mut sums: Vec<f32>, values: &[f32], index: &[u32], heads: usize) -> Vec<f32> {
    let shared = SharedMut::new(&mut sums);
    Blocks::by_rows(index.len(), heads * 4).run(|rows| {
        // SAFETY: blocks are disjoint ranges.
        let part = unsafe { shared.part(rows.start * heads..rows.end * heads) };
        if heads == 1 {
            part.iter_mut().zip(&index[rows]).for_each(|(sum, from)| *sum += values[*from as usize]);
            return;
        }
        for (row, from) in part.chunks_exact_mut(heads).zip(&index[rows]) {
            let values = &values[*from as usize * heads..(*from as usize + 1) * heads];
            row.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
    });
    sums
}

/// The two coefficients of an edge in every round, seen from the row that walks over it: `own[k]` along the walk's entry,
/// `back[k]` against it. Index 0 is round 1; `[E, H]` each.
pub(super) struct Chain<'a> {
    pub own: Vec<&'a [f32]>,
    pub back: Vec<&'a [f32]>,
}

impl Chain<'_> {
    /// Writes the alternating products p^(k,s), s = 0..k, of the entries in `from..to` (times heads) into rows of `products`.
    #[inline(always)]
    pub fn products(&self, k: usize, from: usize, to: usize, products: &mut [f32], stride: usize) {
        let len = to - from;
        products[..len].copy_from_slice(&self.own[k - 1][from..to]);
        for s in 1..k {
            let factors = if s % 2 == 1 { &self.back[k - 1 - s][from..to] } else { &self.own[k - 1 - s][from..to] };
            let (done, next) = products.split_at_mut(s * stride);
            let previous = &done[(s - 1) * stride..(s - 1) * stride + len];
            for ((p, q), f) in next[..len].iter_mut().zip(previous).zip(factors) {
                *p = q * f;
            }
        }
    }
}
