//! Edge attention (`eq10`): who a node listens to among its neighbours and itself.
//!
//! The score of an entry (i receives from j) is made of node scalars, one per head, plus an optional number per entry:
//!
//! ```text
//! e_ij = LeakyReLU(x_i + y_j + b_ij)        e_ii = LeakyReLU(x_i + y_i)
//! a_ij = exp(e_ij) / (exp(e_ii) + sum over neighbours l of exp(e_il))
//! ```
//!
//! computed with the row maximum subtracted, so that no logit is too large. With dropout, each coefficient (the node's own too)
//! is set to zero with probability p and divided by 1 - p otherwise; the mask is a function of (seed, entry, head) only.

mod backward;
pub(crate) mod halo;

use crate::exchange::Names;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{Arith, exp};
use crate::simd_fn;
use farhop_graph::{Graph, random};
use std::ops::Range;

pub(crate) use backward::backward_within;
pub use backward::{ScoreGradients, backward};

/// Attention dropout with a counter-based mask.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    /// Probability of dropping a coefficient, in [0, 1).
    pub probability: f32,
    /// Seed of the mask; each round and layer has its own.
    pub seed: u64,
    /// What the first entry and the first node are called where they are some of many; without it 0 and the number of entries.
    pub first: Option<[u64; 2]>,
}

impl Dropout {
    /// Of all entries and nodes of a graph.
    pub fn new(probability: f32, seed: u64) -> Self {
        Dropout { probability, seed, first: None }
    }

    /// 0 if element `counter` is dropped, 1 / (1 - p) if it is kept.
    #[inline(always)]
    pub fn factor(&self, counter: u64) -> f32 {
        let uniform = (random::mix(self.seed, counter) >> 40) as f32 / (1u64 << 24) as f32;
        if uniform < self.probability { 0.0 } else { 1.0 / (1.0 - self.probability) }
    }
}

/// What the coefficients are computed from.
#[derive(Clone, Copy)]
pub struct Scores<'a> {
    /// Number of heads H.
    pub heads: usize,
    /// Receiver's part x, `[N, H]`.
    pub receiver: &'a [f32],
    /// Sender's part y, `[N, H]`.
    pub sender: &'a [f32],
    /// A number per entry and head, `[E, H]`.
    pub bias: Option<&'a [f32]>,
    /// Slope of LeakyReLU below zero.
    pub slope: f32,
    /// Attention dropout.
    pub dropout: Option<Dropout>,
    /// What nodes and entries are called where the graph is a part of one: masks go by that.
    pub names: Option<Names<'a>>,
}

impl Scores<'_> {
    /// The counter of entry and head `at = entry * heads + head`.
    #[inline(always)]
    pub(crate) fn entry_counter(&self, at: usize) -> u64 {
        match self.names {
            None => self.first().map_or(0, |[entry, _]| entry * self.heads as u64) + at as u64,
            Some(names) => u64::from(names.entries[at / self.heads]) * self.heads as u64 + (at % self.heads) as u64,
        }
    }

    /// The counter of node and head `at = node * heads + head` in a graph of so many entries.
    #[inline(always)]
    pub(crate) fn node_counter(&self, entries: usize, at: usize) -> u64 {
        match self.names {
            None => self.first().map_or(entries as u64, |[_, node]| node) * self.heads as u64 + at as u64,
            Some(names) => {
                let node = names.total + u64::from(names.nodes[at / self.heads]);
                node * self.heads as u64 + (at % self.heads) as u64
            }
        }
    }

    #[inline(always)]
    fn first(&self) -> Option<[u64; 2]> {
        self.dropout.and_then(|dropout| dropout.first)
    }

    #[inline(always)]
    fn raw(&self, i: usize, j: usize, entry: usize, h: usize) -> f32 {
        let node = self.receiver[i * self.heads + h] + self.sender[j * self.heads + h];
        self.bias.map_or(node, |b| node + b[entry * self.heads + h])
    }

    #[inline(always)]
    fn raw_self(&self, i: usize, h: usize) -> f32 {
        self.receiver[i * self.heads + h] + self.sender[i * self.heads + h]
    }

    #[inline(always)]
    fn leaky(&self, score: f32) -> f32 {
        if score < 0.0 { score * self.slope } else { score }
    }

    #[inline(always)]
    fn leaky_gradient(&self, score: f32) -> f32 {
        if score < 0.0 { self.slope } else { 1.0 }
    }
}

/// Bytes that [`forward`] writes for a graph of `nodes` and `entries`: the coefficients.
pub fn bytes(nodes: usize, entries: usize, heads: usize) -> u64 {
    ((nodes + entries) * heads * size_of::<f32>()) as u64
}

/// Coefficients of every entry, `edge[E, H]`, and of every node with itself, `node[N, H]`.
pub fn forward(graph: &Graph, scores: &Scores, edge: &mut [f32], node: &mut [f32]) {
    forward_rows(graph, scores, 0..graph.nodes(), edge, node, &mut []);
}

/// As [`forward`] for some rows alone. What a row's exponentials were made of, its largest score and the inverse of its sum, goes to
/// `norms[2, N, H]` unless that is empty: whoever has them can compute the row's coefficients ([`halo::forward`]).
pub(crate) fn forward_rows(
    graph: &Graph,
    scores: &Scores,
    rows: Range<usize>,
    edge: &mut [f32],
    node: &mut [f32],
    norms: &mut [f32],
) {
    let heads = scores.heads;
    let edge = SharedMut::new(edge);
    let node = SharedMut::new(node);
    let (most, scale) = norms.split_at_mut(norms.len() / 2);
    let (most, scale) = (SharedMut::new(most), SharedMut::new(scale));
    Blocks::some_by_entries(graph.offsets(), rows, 2, heads * 8).run(|rows| {
        let offsets = graph.offsets();
        let of_rows = rows.start * heads..rows.end * heads;
        let kept = if most.is_empty() { 0..0 } else { of_rows.clone() };
        // SAFETY: blocks are disjoint ranges of rows, and a row owns its entries and its node.
        let (edge, node, most, scale) = unsafe {
            (
                edge.part(offsets[rows.start] * heads..offsets[rows.end] * heads),
                node.part(of_rows),
                most.part(kept.clone()),
                scale.part(kept),
            )
        };
        softmax_rows(graph, scores, rows.start, edge, node, most, scale);
        drop_some(graph, scores, rows.start, edge, node);
    });
}

/// Dropout of the coefficients of the rows from `first` on.
fn drop_some(graph: &Graph, scores: &Scores, first: usize, edge: &mut [f32], node: &mut [f32]) {
    let Some(dropout) = scores.dropout else { return };
    let start = graph.offsets()[first] * scores.heads;
    for (n, value) in edge.iter_mut().enumerate() {
        *value *= dropout.factor(scores.entry_counter(start + n));
    }
    let start = first * scores.heads;
    for (n, value) in node.iter_mut().enumerate() {
        *value *= dropout.factor(scores.node_counter(graph.entries(), start + n));
    }
}

simd_fn! {
    /// The softmax of the rows from `first` on, without dropout; `edge` and `node` are the parts these rows own, and so are `kept_most` and
    /// `kept_scale`, or empty.
    fn softmax_rows<M>(
        graph: &Graph,
        scores: &Scores,
        first: usize,
        edge: &mut [f32],
        node: &mut [f32],
        kept_most: &mut [f32],
        kept_scale: &mut [f32],
    ) {
        let heads = scores.heads;
        let offsets = graph.offsets();
        let base = offsets[first];
        let mut most = vec![0.0f32; heads];
        let mut scales = vec![0.0f32; heads];
        for (n, own) in node.chunks_exact_mut(heads).enumerate() {
            let i = first + n;
            let row = &mut edge[(offsets[i] - base) * heads..(offsets[i + 1] - base) * heads];
            for h in 0..heads {
                own[h] = scores.leaky(scores.raw_self(i, h));
                most[h] = own[h];
            }
            if heads == 1 {
                most[0] = one_head_scores(scores, i, offsets[i], graph.neighbours(i), most[0], row);
            } else {
                for (n, &j) in graph.neighbours(i).iter().enumerate() {
                    for h in 0..heads {
                        let score = scores.leaky(scores.raw(i, j as usize, offsets[i] + n, h));
                        row[n * heads + h] = score;
                        most[h] = if score > most[h] { score } else { most[h] };
                    }
                }
            }
            normalise::<M>(row, own, &most, &mut scales);
            if !kept_most.is_empty() {
                kept_most[n * heads..(n + 1) * heads].copy_from_slice(&most);
                kept_scale[n * heads..(n + 1) * heads].copy_from_slice(&scales);
            }
        }
    }
}

/// The scores of row i with one head, whose entries begin at `first`, and the largest of them and of `most`. In steps, so that signs, which are as
/// good as random, make no branches.
#[inline(always)]
fn one_head_scores(scores: &Scores, i: usize, first: usize, neighbours: &[u32], most: f32, row: &mut [f32]) -> f32 {
    let own = scores.receiver[i];
    for (value, &j) in row.iter_mut().zip(neighbours) {
        *value = own + scores.sender[j as usize];
    }
    if let Some(bias) = scores.bias {
        row.iter_mut().zip(&bias[first..]).for_each(|(value, bias)| *value += bias);
    }
    for value in row.iter_mut() {
        let below = *value * scores.slope;
        *value = if *value < 0.0 { below } else { *value };
    }
    row.iter().fold(most, |most, &value| if value > most { value } else { most })
}

/// Turns the scores of one row into exp(score - most) divided by their sum, head by head; `scales` are the inverse sums.
#[inline(always)]
fn normalise<M: Arith>(row: &mut [f32], own: &mut [f32], most: &[f32], scales: &mut [f32]) {
    let heads = own.len();
    if heads == 1 {
        let most = most[0];
        for value in row.iter_mut() {
            *value = exp::<M>(*value - most);
        }
        let mut lanes = [0.0f32; 8];
        let (chunks, tail) = row.as_chunks::<8>();
        for chunk in chunks {
            for l in 0..8 {
                lanes[l] += chunk[l];
            }
        }
        let own_value = exp::<M>(own[0] - most);
        let total = own_value + lanes.iter().sum::<f32>() + tail.iter().sum::<f32>();
        let scale = 1.0 / total;
        scales[0] = scale;
        own[0] = own_value * scale;
        for value in row.iter_mut() {
            *value *= scale;
        }
        return;
    }
    for h in 0..heads {
        let mut total = exp::<M>(own[h] - most[h]);
        own[h] = total;
        for value in row.iter_mut().skip(h).step_by(heads) {
            *value = exp::<M>(*value - most[h]);
            total += *value;
        }
        let scale = 1.0 / total;
        scales[h] = scale;
        own[h] *= scale;
        for value in row.iter_mut().skip(h).step_by(heads) {
            *value *= scale;
        }
    }
}
