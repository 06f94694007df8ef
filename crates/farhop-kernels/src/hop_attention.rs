//! Hop attention: how far a node looks (`eq11a`-`eq13a`), without projecting every hop.
//!
//! With `r_i^k` the hop that is read (state or increment), for every head with its own channels:
//!
//! ```text
//! c_i^k  = r_i^k / (|r_i^k| + epsilon)^gamma                  compression, the norm over all channels
//! b_i    = softmax over k of (q_i . c_i^k) * scale + t_k      q_i = (z W_Q) W_K^T, folded into one projection
//! m_i    = sum over k of b_ik c_i^k
//! ```
//!
//! The number t_k per hop and head is optional. Without it (as the paper prints the equation) hops are told apart by their content
//! alone, and a node can't prefer a distance as such.
//!
//! A node's hops are rebuilt from its increments while they are in the cache, forward and backward: nothing is kept.
//! Without hop attention every hop has the same weight.

use crate::elimination::{Coefficients, Config as Elimination, Increments, Mode, Reading, states};
use crate::heads::Heads;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{Arith, axpy, dot, exp};
use crate::{by_width, simd_fn};

/// How hops are read and weighed.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Channels F and heads H of the hop distributions.
    pub heads: Heads,
    /// States or increments.
    pub reading: Reading,
    /// Whether hop 0, the node itself, takes part.
    pub include_self: bool,
    /// Exponent of the compression, in [0, 1]; 0 leaves hops as they are.
    pub gamma: f32,
    /// Added to the norm so that a zero hop stays zero.
    pub epsilon: f32,
    /// Factor of the scores, 1 / sqrt(key channels).
    pub scale: f32,
}

impl Config {
    fn first(&self) -> usize {
        usize::from(!self.include_self)
    }

    /// `(norm + epsilon)^-gamma`, without the general power where the exponent is a usual one.
    #[inline(always)]
    fn compression(&self, norm: f32) -> f32 {
        let size = norm + self.epsilon;
        match self.gamma {
            0.0 => 1.0,
            0.5 => 1.0 / size.sqrt(),
            0.75 => 1.0 / (size.sqrt() * size.sqrt().sqrt()),
            1.0 => 1.0 / size,
            gamma => size.powf(-gamma),
        }
    }

    /// How many hops are weighed after `rounds` rounds.
    pub fn hops(&self, rounds: usize) -> usize {
        rounds + usize::from(self.include_self)
    }
}

/// Where the hops come from.
#[derive(Clone, Copy)]
pub struct Hops<'a> {
    /// The elimination that made them.
    pub elimination: &'a Elimination,
    /// Its coefficients (the nodes' own ones are used).
    pub coefficients: Coefficients<'a>,
    /// d^0 = z, `[N, F]`.
    pub z: &'a [f32],
    /// d^1 .. d^K, `[N, F]` each.
    pub increments: &'a [Vec<f32>],
    /// t, `[H, hops]`; only used where there is a query.
    pub bias: Option<&'a [f32]>,
}

/// Memory for one node at a time.
pub struct Scratch {
    hops: Vec<f32>,
    compression: Vec<f32>,
    norms: Vec<f32>,
    weights: Vec<f32>,
    scores: Vec<f32>,
    gradient: Vec<f32>,
}

impl Scratch {
    /// Scratch for `rounds` hops.
    pub fn new(config: &Config, rounds: usize) -> Self {
        let (hops, width) = (rounds + 1, config.heads.width);
        Scratch {
            hops: vec![0.0; hops * width],
            compression: vec![0.0; hops],
            norms: vec![0.0; hops],
            weights: vec![0.0; hops * config.heads.count],
            scores: vec![0.0; hops],
            gradient: vec![0.0; width],
        }
    }
}

/// The mixed hops m, `[N, F]`. `query[N, F]` is q; `None` gives every hop the same weight.
pub fn forward(config: &Config, hops: &Hops, query: Option<&[f32]>) -> Vec<f32> {
    let mut mixed = crate::buffers::take(hops.z.len());
    each_row(config, hops, &mut mixed, |i, row, scratch| {
        mix_row(config, hops, query_row(config, query, i), i, scratch, row);
    });
    mixed
}

/// The hop distributions b, `[N, H, hops]` (hop 0 first if it takes part): which distances each node reads.
pub fn distributions(config: &Config, hops: &Hops, query: Option<&[f32]>) -> Vec<f32> {
    let rounds = hops.elimination.rounds;
    let (per, count, width) = (config.hops(rounds), config.heads.count, config.heads.width);
    let nodes = hops.z.len().checked_div(width).unwrap_or(0);
    let mut all = vec![0.0; nodes * count * per];
    let shared = SharedMut::new(&mut all);
    Blocks::by_rows(nodes, rounds * width).run(|rows| {
        let mut scratch = Scratch::new(config, rounds);
        let mut row = vec![0.0; width];
        for i in rows {
            mix_row(config, hops, query_row(config, query, i), i, &mut scratch, &mut row);
            // SAFETY: row i belongs to this block only.
            let out = unsafe { shared.part(i * count * per..(i + 1) * count * per) };
            for h in 0..count {
                out[h * per..(h + 1) * per].copy_from_slice(&scratch.weights[h * (rounds + 1)..h * (rounds + 1) + per]);
            }
        }
    });
    all
}

/// What the hops of node i are multiplied with to give its mixed hops, `[H, K + 1]`: weight times compression; 0 for hop 0 where it takes no
/// part. `query` is the node's row.
pub fn factors(config: &Config, hops: &Hops, query: Option<&[f32]>, i: usize) -> Vec<f32> {
    let (rounds, first) = (hops.elimination.rounds, config.first());
    let mut scratch = Scratch::new(config, rounds);
    mix_row(config, hops, query, i, &mut scratch, &mut vec![0.0; config.heads.width]);
    let factor = |head: usize, hop: usize| match hop.checked_sub(first) {
        Some(place) => scratch.weights[head * (rounds + 1) + place] * scratch.compression[hop],
        None => 0.0,
    };
    (0..config.heads.count)
        .flat_map(|head| (0..=rounds).map(move |hop| (head, hop)))
        .map(|(h, k)| factor(h, k))
        .collect()
}

fn query_row<'a>(config: &Config, query: Option<&'a [f32]>, i: usize) -> Option<&'a [f32]> {
    query.map(|q| &q[i * config.heads.width..(i + 1) * config.heads.width])
}

fn each_row(
    config: &Config,
    hops: &Hops,
    out: &mut [f32],
    task: impl Fn(usize, &mut [f32], &mut Scratch) + Sync + Send,
) {
    let width = config.heads.width;
    let rounds = hops.elimination.rounds;
    let shared = SharedMut::new(out);
    Blocks::by_rows(hops.z.len().checked_div(width).unwrap_or(0), 2 * rounds * width).run(|rows| {
        let mut scratch = Scratch::new(config, rounds);
        for i in rows {
            // SAFETY: row i belongs to this block only.
            task(i, unsafe { shared.part(i * width..(i + 1) * width) }, &mut scratch);
        }
    });
}

/// Fills the scratch with node i's hops as they are read, their norms, compressions and weights. `query` is the node's row, and so is
/// `last` of d^K where `hops` is without that.
#[inline(always)]
fn read_hops<M: Arith, const WIDTH: usize>(
    config: &Config,
    hops: &Hops,
    query: Option<&[f32]>,
    last: Option<&[f32]>,
    i: usize,
    scratch: &mut Scratch,
) {
    let (heads, rounds) = (config.heads.fixed::<WIDTH>(), hops.elimination.rounds);
    let (width, first) = (heads.width, config.first());
    // The elimination may have fewer heads than the hops; its channels are the same.
    let elimination_heads = hops.elimination.heads.fixed_if_single::<WIDTH>();
    let all = Increments { z: hops.z, slabs: hops.increments, width };
    let increment = |k: usize| last.filter(|_| k == rounds).map_or_else(|| all.row(k, i), |row| &row[..width]);
    if config.reading == Reading::Cumulative && hops.elimination.mode != Mode::SelfLoop {
        let own = |k: usize| hops.coefficients.node(k);
        states::<M>(increment, elimination_heads, hops.elimination.mode, own, i, rounds, &mut scratch.hops);
    } else {
        for k in 0..=rounds {
            scratch.hops[k * width..(k + 1) * width].copy_from_slice(increment(k));
        }
    }
    for k in first..=rounds {
        let hop = &scratch.hops[k * width..(k + 1) * width];
        let norm = dot::<M, _>(hop, hop).sqrt();
        scratch.norms[k] = norm;
        scratch.compression[k] = config.compression(norm);
    }
    for h in 0..heads.count {
        let range = heads.range(h);
        let weights = &mut scratch.weights[h * (rounds + 1)..][..rounds + 1 - first];
        let Some(query) = query else {
            weights.fill(1.0 / (rounds + 1 - first) as f32);
            continue;
        };
        let query = &query[range.clone()];
        let mut most = f32::NEG_INFINITY;
        for (n, weight) in weights.iter_mut().enumerate() {
            let k = first + n;
            let score = dot::<M, _>(query, &scratch.hops[k * width..(k + 1) * width][range.clone()])
                * scratch.compression[k]
                * config.scale
                + hops.bias.map_or(0.0, |t| t[h * (rounds + 1 - first) + n]);
            *weight = score;
            most = if score > most { score } else { most };
        }
        let mut total = 0.0;
        for weight in weights.iter_mut() {
            *weight = exp::<M>(*weight - most);
            total += *weight;
        }
        for weight in weights.iter_mut() {
            *weight /= total;
        }
    }
}

#[inline(always)]
fn mix<M: Arith, const WIDTH: usize>(config: &Config, rounds: usize, scratch: &Scratch, mixed: &mut [f32]) {
    let (heads, first) = (config.heads.fixed::<WIDTH>(), config.first());
    let width = heads.width;
    mixed.fill(0.0);
    for h in 0..heads.count {
        let range = heads.range(h);
        for k in first..=rounds {
            let weight = scratch.weights[h * (rounds + 1) + k - first] * scratch.compression[k];
            axpy::<M, _>(weight, &scratch.hops[k * width..(k + 1) * width][range.clone()], &mut mixed[range.clone()]);
        }
    }
}

simd_fn! {
    pub(crate) fn mix_row<M>(config: &Config, hops: &Hops, query: Option<&[f32]>, i: usize, scratch: &mut Scratch, mixed: &mut [f32]) {
        by_width!(config.heads, mix_fixed::<M>(config, hops, query, i, scratch, mixed))
    }
}

#[inline(always)]
fn mix_fixed<M: Arith, const WIDTH: usize>(
    config: &Config,
    hops: &Hops,
    query: Option<&[f32]>,
    i: usize,
    scratch: &mut Scratch,
    mixed: &mut [f32],
) {
    read_hops::<M, WIDTH>(config, hops, query, None, i, scratch);
    mix::<M, WIDTH>(config, hops.elimination.rounds, scratch, mixed);
}

/// Gradient rows of one node, to be filled by [`backward_row`].
pub struct RowGradients<'a> {
    /// Of hops 1..K as they are read, `[K, F]`.
    pub hops: &'a mut [f32],
    /// Of hop 0 (zeros unless it takes part), `[F]`.
    pub own: &'a mut [f32],
    /// Comes in as the query q_i, goes out as its gradient; `None` without hop attention.
    pub query: Option<&'a mut [f32]>,
    /// Of the scores before the softmax, so of t: `[H, hops]`; `None` without t.
    pub scores: Option<&'a mut [f32]>,
    /// Comes in as the gradient of m_i, goes out as m_i itself (which the gradient of the value projection needs).
    pub mixed: &'a mut [f32],
}

simd_fn! {
    /// Backward for node i, one node at a time so that its gradients can be used while they are in the cache. `last` is its row of d^K
    /// where `hops` has no such increment any more.
    pub fn backward_row<M>(config: &Config, hops: &Hops, last: Option<&[f32]>, i: usize, scratch: &mut Scratch, row: RowGradients) {
        by_width!(config.heads, backward_fixed::<M>(config, hops, last, i, scratch, row))
    }
}

#[inline(always)]
fn backward_fixed<M: Arith, const WIDTH: usize>(
    config: &Config,
    hops: &Hops,
    last: Option<&[f32]>,
    i: usize,
    scratch: &mut Scratch,
    row: RowGradients,
) {
    let (heads, rounds, first) = (config.heads.fixed::<WIDTH>(), hops.elimination.rounds, config.first());
    let width = heads.width;
    let RowGradients { hops: out, own, query, mut scores, mixed } = row;
    read_hops::<M, WIDTH>(config, hops, query.as_deref(), last, i, scratch);
    own.fill(0.0);
    scratch.gradient.fill(0.0);
    for h in 0..heads.count {
        let range = heads.range(h);
        let from = h * (rounds + 1);
        let count = rounds + 1 - first;
        let given = &mixed[range.clone()];
        let mut mean = 0.0;
        for n in 0..count {
            let k = first + n;
            let g =
                dot::<M, _>(given, &scratch.hops[k * width..(k + 1) * width][range.clone()]) * scratch.compression[k];
            scratch.scores[n] = g;
            mean += g * scratch.weights[from + n];
        }
        for n in 0..count {
            let k = first + n;
            let weight = scratch.weights[from + n];
            let target =
                if k == 0 { &mut own[range.clone()] } else { &mut out[(k - 1) * width..k * width][range.clone()] };
            axpy::<M, _>(weight, given, target);
            if let Some(query) = query.as_deref() {
                let plain = weight * (scratch.scores[n] - mean);
                if let Some(scores) = scores.as_deref_mut() {
                    scores[h * count + n] = plain;
                }
                let score = plain * config.scale;
                axpy::<M, _>(score, &query[range.clone()], target);
                let hop = &scratch.hops[k * width..(k + 1) * width][range.clone()];
                axpy::<M, _>(score * scratch.compression[k], hop, &mut scratch.gradient[range.clone()]);
            }
        }
    }
    // So far the gradients are those of the compressed hops; now through c = r (|r| + epsilon)^-gamma.
    for k in first..=rounds {
        let hop = &scratch.hops[k * width..(k + 1) * width];
        let target = if k == 0 { &mut own[..] } else { &mut out[(k - 1) * width..k * width] };
        let compression = scratch.compression[k];
        let norm = scratch.norms[k];
        let along = if norm > 0.0 && config.gamma != 0.0 {
            -config.gamma * compression / ((norm + config.epsilon) * norm) * dot::<M, _>(target, hop)
        } else {
            0.0
        };
        for (t, r) in target.iter_mut().zip(hop) {
            *t = M::fma(along, *r, compression * *t);
        }
    }
    mix::<M, WIDTH>(config, rounds, scratch, mixed);
    if let Some(query) = query {
        query.copy_from_slice(&scratch.gradient);
    }
}
