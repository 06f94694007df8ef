//! The propagation and update of one GEN layer (`eq9a`-`eq14` up to the feed-forward network), as one operation over slices.
//!
//! ```text
//! increments = elimination(z)                         K rounds, coefficients from attention or given
//! q   = z M,   M[:, head] = W_Q[:, head] W_K[head]^T  query and key projections folded into one (or in two steps)
//! m   = hop attention(increments, q, t)
//! pre = z W + m W_V                                   W: none, and the node itself is left out; W_V: none, and pre = z W + m
//! ```
//!
//! and, if it is asked for, the feed-forward network `pre + relu(pre W_1 + b_1) W_2 + b_2` behind it, while a tile of rows is in the cache.
//!
//! Kept for the backward pass: the increments (in 16 bits, if that is how they are gathered), the coefficients and a few scalars per
//! node; or nothing at all ([`Config::recompute`]), and the elimination runs again. Queries and mixed hops are never there as a
//! whole: a tile of rows has them in the cache, forward and again backward.

mod query;
mod reads;
mod update;

use crate::buffers;
use crate::dense::feed_forward;
use crate::dense::tiles::Tiles;
use crate::elimination::{self, Kept, Reused, Source, Start, Storage};
use crate::exchange::Halo;
use crate::hop_attention::{self, Hops};
use farhop_graph::Graph;
use query::Projection;
pub use reads::reads;
use update::{Tiled, Update, split};

/// The size and kind of a layer's propagation.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The rounds.
    pub elimination: elimination::Config,
    /// The reading of hops; its width is the elimination's.
    pub hops: hop_attention::Config,
    /// Channels of the output.
    pub outputs: usize,
    /// Run the elimination again in the backward pass instead of keeping the increments.
    pub recompute: bool,
}

/// Dense parameters. F input channels, O outputs, H heads of hop attention.
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    /// W_Q `[F, H * key]` and W_K `[F, key]` (the rows of head h's channels belong to head h); `None` without hop attention.
    pub query_key: Option<(&'a [f32], &'a [f32])>,
    /// t `[H, hops]`: a number per hop and head added to the scores of hop attention.
    pub hop_bias: Option<&'a [f32]>,
    /// W_V `[F, O]`; `None` where mixed hops are the output as they are (then O is F).
    pub value: Option<&'a [f32]>,
    /// W `[F, O]`; `None` where a node does not add itself.
    pub residual: Option<&'a [f32]>,
}

/// Gradients of everything a layer depends on, in the shapes of the inputs.
pub struct Gradients {
    /// Of the features, `[N, F]`; empty if it was not wanted.
    pub z: Vec<f32>,
    /// Of the attention vectors; empty without attention.
    pub attention: Vec<f32>,
    /// Of the edge bias, `[rounds, E, H]` (with given coefficients: of those).
    pub edge: Vec<f32>,
    /// Of W_Q and W_K; empty without hop attention.
    pub query: Vec<f32>,
    /// See `query`.
    pub key: Vec<f32>,
    /// Of t; empty without it.
    pub hop_bias: Vec<f32>,
    /// Of W_V; empty without it.
    pub value: Vec<f32>,
    /// Of W; empty without it.
    pub residual: Vec<f32>,
    /// Of the feed-forward network, if there is one.
    pub feed: Option<feed_forward::Gradients>,
}

/// What comes out of [`forward_fed`].
pub struct Fed {
    /// The result, `[N, O]`.
    pub output: Vec<f32>,
    /// What goes into the feed-forward network, for the backward pass; empty where there is none.
    pub pre: Vec<f32>,
    /// What the backward pass needs of the rounds; see [`forward`].
    pub kept: Option<Kept>,
}

/// What a backward pass starts from.
pub enum Given<'a> {
    /// The gradient of `pre`, `[N, O]`.
    Pre(Vec<f32>),
    /// `pre` itself, which is overwritten, the feed-forward network that it goes into, and the gradient of what comes out, `[N, O]`.
    Fed(Vec<f32>, feed_forward::Parameters<'a>, &'a [f32]),
}

/// Bytes that [`forward`] has when the elimination is done, besides what that keeps: the result, and the first of the increments to be
/// put away.
pub fn bytes_forward(nodes: usize, config: &Config) -> u64 {
    let away = if config.elimination.storage == Storage::Packed { config.hops.heads.width } else { 0 };
    (nodes * (config.outputs + away) * size_of::<f32>()) as u64
}

/// Bytes that [`backward`] has before the elimination's rounds, besides what that has and the gradient it gets: partial sums of the
/// gradients of the weights (`matrices` of W_V and W are there), and the gradient of z where it can't take the place of that of the output.
pub fn bytes_backward(nodes: usize, config: &Config, matrices: usize) -> u64 {
    let width = config.elimination.heads.width;
    let numbers = width * (matrices * config.outputs + width);
    let z = if config.outputs == width { 0 } else { nodes * width };
    (((Tiles::reduction(nodes, numbers).len() + 3) * numbers + z) * size_of::<f32>()) as u64
}

/// `pre[N, O]`, and what the backward pass needs if `keep` (nothing with [`Config::recompute`]).
pub fn forward(
    graph: &Graph,
    config: &Config,
    source: &Source,
    weights: &Weights,
    z: &[f32],
    keep: bool,
) -> (Vec<f32>, Option<Kept>) {
    forward_within(graph, config, source, weights, &mut Start::Here(z), keep, None)
}

/// As [`forward`], where the graph may be a part of one over several processes: `z` has the rows of all nodes, or will have, the output
/// those of own nodes.
pub fn forward_within(
    graph: &Graph,
    config: &Config,
    source: &Source,
    weights: &Weights,
    z: &mut Start,
    keep: bool,
    halo: Option<&Halo>,
) -> (Vec<f32>, Option<Kept>) {
    let Fed { output, kept, .. } = fed_within(graph, config, source, weights, None, z, keep, halo);
    (output, kept)
}

/// As [`forward`], with a feed-forward network behind it.
pub fn forward_fed(
    graph: &Graph,
    config: &Config,
    source: &Source,
    weights: &Weights,
    feed: Option<feed_forward::Parameters>,
    z: &[f32],
    keep: bool,
) -> Fed {
    fed_within(graph, config, source, weights, feed, &mut Start::Here(z), keep, None)
}

#[allow(clippy::too_many_arguments)]
fn fed_within(
    graph: &Graph,
    config: &Config,
    source: &Source,
    weights: &Weights,
    feed: Option<feed_forward::Parameters>,
    z: &mut Start,
    keep: bool,
    halo: Option<&Halo>,
) -> Fed {
    let mut kept = elimination::forward_within(graph, &config.elimination, source, z, halo);
    let own = halo.map_or(graph.nodes(), Halo::own);
    let hops = hops(config, source, weights, z.rows(), &kept);
    let (pre, fed) = update::forward(config, weights, &hops, feed, own, keep);
    let (output, pre) = if feed.is_some() { (fed, pre) } else { (pre, fed) };
    if keep && !config.recompute {
        kept.put_away(&config.elimination, graph.nodes());
        return Fed { output, pre, kept: Some(kept) };
    }
    kept.give_back();
    Fed { output, pre, kept: None }
}

/// The hop distributions of every node, `[N, H, hops]`: see [`hop_attention::distributions`].
pub fn distributions(graph: &Graph, config: &Config, source: &Source, weights: &Weights, z: &[f32]) -> Vec<f32> {
    let kept = elimination::forward(graph, &config.elimination, source, z);
    let query = weights.query_key.map(|(query, key)| {
        let projection = Projection::new(config, query, key);
        let (nodes, width) = (graph.nodes(), config.hops.heads.width);
        let mut q = vec![0.0; z.len()];
        let mut inner = vec![0.0; nodes * projection.inner()];
        projection.apply(nodes, width, z, &mut inner, &mut q);
        q
    });
    let found = hop_attention::distributions(&config.hops, &hops(config, source, weights, z, &kept), query.as_deref());
    kept.give_back();
    found
}

/// The coefficients of every set of a layer, `[sets, E + N, H]`: those of entries, then those of nodes with themselves.
pub fn coefficients(graph: &Graph, config: &Config, source: &Source, z: &[f32]) -> Vec<f32> {
    let kept = elimination::forward(graph, &config.elimination, source, z);
    let used = kept.coefficients(source, config.elimination.rounds);
    let found = (1..=used.rounds).flat_map(|set| [used.edge(set), used.node(set)]).flatten().copied().collect();
    kept.give_back();
    found
}

/// Gradients from that of the output. `kept` is what [`forward`] returned. Without `needs_z` there is none of the features, and the work for it
/// is left out.
#[allow(clippy::too_many_arguments)]
pub fn backward(
    graph: &Graph,
    config: &Config,
    source: &Source,
    weights: &Weights,
    z: &[f32],
    kept: Option<Kept>,
    given: Given,
    needs_z: bool,
) -> Gradients {
    backward_within(graph, config, source, weights, z, kept, given, needs_z, None)
}

/// As [`backward`], for a part of a graph: `z` has the rows of all nodes, `given` and the gradient of z those of own nodes. Gradients of
/// parameters are this process's share of a sum over all.
#[allow(clippy::too_many_arguments)]
pub fn backward_within(
    graph: &Graph,
    config: &Config,
    source: &Source,
    weights: &Weights,
    z: &[f32],
    kept: Option<Kept>,
    given: Given,
    needs_z: bool,
    halo: Option<&Halo>,
) -> Gradients {
    let again = || elimination::forward_within(graph, &config.elimination, source, &mut Start::Here(z), halo);
    let mut kept = kept.unwrap_or_else(again);
    kept.take_out();
    let (given, feed) = match given {
        Given::Pre(gradient) => (gradient, None),
        Given::Fed(pre, feed, gradient) => (pre, Some((feed, gradient))),
    };
    // A tile's part of what is given is read before a gradient takes its place, which is as large where all nodes are own.
    let (held, given) = if config.outputs == config.hops.heads.width && given.len() == z.len() {
        (given, Vec::new())
    } else {
        (buffers::take(z.len()), given)
    };
    let reused = Reused { last: kept.take_last(), held, needs_z };
    let projection = weights.query_key.map(|(query, key)| Projection::new(config, query, key));
    let (mut begun, sizes) = {
        let hops = hops(config, source, weights, z, &kept);
        let update = Update { config, weights, hops, projection: projection.as_ref(), given: &given, feed, needs_z };
        let tiles = || -> elimination::RowGradient { Box::new(Tiled::new(&update)) };
        let reading = config.hops.reading;
        let begun =
            elimination::begin_within(graph, &config.elimination, source, z, &kept, reused, reading, &tiles, halo);
        (begun, update.sizes())
    };
    let sums = begun.take_sums(sizes.iter().sum());
    let [value, residual, hop_bias, query, of_feed] = split(&sums, sizes);
    let (query, key) = projection.map_or_else(Default::default, |projection| projection.finish(config, query));
    buffers::give(given);
    let mut rounds = begun.finish(graph, &config.elimination, source, z, kept, halo);
    buffers::give(rounds.node);
    if let Some(halo) = halo {
        rounds.z.truncate(halo.own() * config.hops.heads.width);
    }
    Gradients {
        z: rounds.z,
        attention: rounds.weights,
        edge: rounds.edge,
        query,
        key,
        hop_bias: hop_bias.to_vec(),
        value: value.to_vec(),
        residual: residual.to_vec(),
        feed: feed.map(|(feed, _)| feed_forward::Gradients::from_sums(feed, of_feed)),
    }
}

fn hops<'a>(config: &'a Config, source: &Source<'a>, weights: &Weights<'a>, z: &'a [f32], kept: &'a Kept) -> Hops<'a> {
    Hops {
        elimination: &config.elimination,
        coefficients: kept.coefficients(source, config.elimination.rounds),
        z,
        increments: &kept.increments,
        bias: weights.hop_bias,
    }
}
