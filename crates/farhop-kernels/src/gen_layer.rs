//! The propagation and update of one GEN layer (`eq9a`-`eq14` up to the feed-forward network), as one operation over slices.
//!
//! ```text
//! increments = elimination(z)                         K rounds, coefficients from attention or given
//! q   = z M,   M[:, head] = W_Q[:, head] W_K[head]^T  query and key projections folded into one (or in two steps)
//! m   = hop attention(increments, q, t)
//! pre = z W + m W_V
//! ```
//!
//! Kept for the backward pass: the increments, the coefficients and a few scalars per node; or nothing at all
//! ([`Config::recompute`]), and the elimination runs again. Queries and mixed hops are always computed again.

use crate::buffers;
use crate::dense::Write;
use crate::dense::product::{Shape, column_sums, matmul, matmul_transposed, weight_gradient};
use crate::elimination::{self, Kept, Source};
use crate::hop_attention::{self, Hops, RowGradients, Scratch};
use crate::parallel::{SharedMut, add};
use farhop_graph::Graph;

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
    /// W_V `[F, O]`.
    pub value: &'a [f32],
    /// W `[F, O]`.
    pub residual: &'a [f32],
}

/// Gradients of everything a layer depends on, in the shapes of the inputs.
pub struct Gradients {
    /// Of the features, `[N, F]`.
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
    /// Of W_V.
    pub value: Vec<f32>,
    /// Of W.
    pub residual: Vec<f32>,
}

fn shape(nodes: usize, config: &Config) -> Shape {
    Shape { rows: nodes, inputs: config.elimination.heads.width, outputs: config.outputs }
}

/// Bytes that [`forward`] has at most at once when the elimination is done, besides what that keeps: mixed hops, with queries
/// or the result.
pub fn bytes_forward(nodes: usize, config: &Config) -> u64 {
    let width = config.elimination.heads.width;
    (nodes * (width + width.max(config.outputs)) * size_of::<f32>()) as u64
}

/// Bytes that [`backward`] has before the elimination's rounds, besides what that has: queries, mixed hops, hop 0, and the
/// gradients of the scores of hops with a `hop_bias`.
pub fn bytes_backward(nodes: usize, config: &Config, hop_bias: bool) -> u64 {
    let rows = if config.hops.include_self { 3 } else { 2 };
    let scores = if hop_bias { config.hops.heads.count * config.hops.hops(config.elimination.rounds) } else { 0 };
    (nodes * (rows * config.elimination.heads.width + scores) * size_of::<f32>()) as u64
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
    let shape = shape(graph.nodes(), config);
    let kept = elimination::forward(graph, &config.elimination, source, z);
    let query = queries(config, weights, z, graph.nodes());
    let hops = hops(config, source, weights, z, &kept);
    let mixed = hop_attention::forward(&config.hops, &hops, query.as_deref());
    if let Some(query) = query {
        buffers::give(query);
    }
    let mut pre = buffers::take(graph.nodes() * config.outputs);
    matmul(z, weights.residual, None, shape, Write::Replace, &mut pre);
    matmul(&mixed, weights.value, None, shape, Write::Add, &mut pre);
    buffers::give(mixed);
    if keep && !config.recompute {
        return (pre, Some(kept));
    }
    kept.give_back();
    (pre, None)
}

/// Gradients from that of `pre`. `kept` is what [`forward`] returned. Without `needs_z` the gradient of the features is incomplete
/// and only good for being thrown away.
#[allow(clippy::too_many_arguments)]
pub fn backward(
    graph: &Graph,
    config: &Config,
    source: &Source,
    weights: &Weights,
    z: &[f32],
    kept: Option<Kept>,
    gradient: Vec<f32>,
    needs_z: bool,
) -> Gradients {
    let (nodes, shape) = (graph.nodes(), shape(graph.nodes(), config));
    let width = shape.inputs;
    let kept = kept.unwrap_or_else(|| elimination::forward(graph, &config.elimination, source, z));
    let mut query = queries(config, weights, z, nodes);
    let mut mixed = buffers::take(nodes * width);
    matmul_transposed(&gradient, weights.value, shape, Write::Replace, &mut mixed);
    let mut own = if config.hops.include_self { buffers::take(nodes * width) } else { Vec::new() };
    let per_node = config.hops.heads.count * config.hops.hops(config.elimination.rounds);
    let mut scores = buffers::take(if weights.hop_bias.is_some() { nodes * per_node } else { 0 });
    let mut begun = {
        let hops = hops(config, source, weights, z, &kept);
        let mixed = SharedMut::new(&mut mixed);
        let own = SharedMut::new(&mut own);
        let query = query.as_mut().map(|q| SharedMut::new(q));
        let scores = weights.hop_bias.map(|_| SharedMut::new(&mut scores));
        let hop_gradient = || -> elimination::RowGradient {
            let mut scratch = Scratch::new(&config.hops, config.elimination.rounds);
            let mut unused = vec![0.0; width];
            Box::new(move |i, block| {
                let row = i * width..(i + 1) * width;
                // SAFETY: the elimination asks for every node once, and row i of each array belongs to node i.
                let (mixed, query, scores, own) = unsafe {
                    (
                        mixed.part(row.clone()),
                        query.map(|q| q.part(row.clone())),
                        scores.map(|s| s.part(i * per_node..(i + 1) * per_node)),
                        if own.is_empty() { &mut unused[..] } else { own.part(row) },
                    )
                };
                let rows = RowGradients { hops: block, own, query, scores, mixed };
                hop_attention::backward_row(&config.hops, &hops, i, &mut scratch, rows);
            })
        };
        elimination::begin(graph, &config.elimination, source, z, &kept, config.hops.reading, &hop_gradient)
    };
    // `mixed` now holds the mixed hops, `query` its own gradient. All that needs them comes before the rounds, which need the most
    // memory.
    let mut result = Gradients {
        z: Vec::new(),
        attention: Vec::new(),
        edge: Vec::new(),
        query: Vec::new(),
        key: Vec::new(),
        hop_bias: vec![0.0; if weights.hop_bias.is_some() { per_node } else { 0 }],
        value: vec![0.0; width * config.outputs],
        residual: vec![0.0; width * config.outputs],
    };
    if weights.hop_bias.is_some() {
        column_sums(&scores, nodes, per_node, Write::Replace, &mut result.hop_bias);
    }
    buffers::give(scores);
    weight_gradient(&mixed, &gradient, shape, Write::Replace, &mut result.value);
    weight_gradient(z, &gradient, shape, Write::Replace, &mut result.residual);
    buffers::give(mixed);
    if needs_z {
        matmul_transposed(&gradient, weights.residual, shape, Write::Add, begun.z());
        if config.hops.include_self {
            add(&own, begun.z());
        }
    }
    buffers::give(own);
    if let (Some(query), Some(query_key)) = (query, weights.query_key) {
        let d_z = needs_z.then_some(begun.z());
        (result.query, result.key) = query_gradients(config, query_key, z, nodes, &query, d_z);
        buffers::give(query);
    }
    buffers::give(gradient);
    let rounds = begun.finish(graph, &config.elimination, source, z, kept);
    buffers::give(rounds.node);
    Gradients { z: rounds.z, attention: rounds.weights, edge: rounds.edge, ..result }
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

/// Whether q is computed in two steps, `(z W_Q) W_K^T`, instead of through M: cheaper where features are much wider than keys.
fn two_steps(config: &Config, query: &[f32]) -> bool {
    let width = config.hops.heads.width;
    2 * query.len() < width * width
}

/// q, `[N, F]`.
fn queries(config: &Config, weights: &Weights, z: &[f32], nodes: usize) -> Option<Vec<f32>> {
    let (query, key) = weights.query_key?;
    let width = config.elimination.heads.width;
    let mut out = buffers::take(nodes * width);
    if two_steps(config, query) {
        let inner = query.len() / width;
        let projected = project(z, query, nodes, width);
        let shape = Shape { rows: nodes, inputs: width, outputs: inner };
        matmul_transposed(&projected, &spread_keys(config, key, inner), shape, Write::Replace, &mut out);
        buffers::give(projected);
    } else {
        let shape = Shape { rows: nodes, inputs: width, outputs: width };
        matmul(z, &fold(config, query, key), None, shape, Write::Replace, &mut out);
    }
    Some(out)
}

/// z W_Q, `[N, H * key]`.
fn project(z: &[f32], query: &[f32], nodes: usize, width: usize) -> Vec<f32> {
    let inner = query.len() / width;
    let mut out = buffers::take(nodes * inner);
    matmul(z, query, None, Shape { rows: nodes, inputs: width, outputs: inner }, Write::Replace, &mut out);
    out
}

/// W_K with every head's rows moved to the columns of its own keys, zeros elsewhere: `[F, H * key]`.
fn spread_keys(config: &Config, key: &[f32], inner: usize) -> Vec<f32> {
    let heads = config.hops.heads;
    let size = inner / heads.count;
    let mut out = vec![0.0; heads.width * inner];
    for h in 0..heads.count {
        for f in heads.range(h) {
            out[f * inner + h * size..f * inner + (h + 1) * size].copy_from_slice(&key[f * size..(f + 1) * size]);
        }
    }
    out
}

/// Gradients of W_Q and W_K, and what goes to z, from that of q.
fn query_gradients(
    config: &Config,
    weights: (&[f32], &[f32]),
    z: &[f32],
    nodes: usize,
    gradient: &[f32],
    d_z: Option<&mut [f32]>,
) -> (Vec<f32>, Vec<f32>) {
    let (query, key) = weights;
    let width = config.hops.heads.width;
    if !two_steps(config, query) {
        let square = Shape { rows: nodes, inputs: width, outputs: width };
        if let Some(d_z) = d_z {
            matmul_transposed(gradient, &fold(config, query, key), square, Write::Add, d_z);
        }
        let mut d_fold = vec![0.0; width * width];
        weight_gradient(z, gradient, square, Write::Replace, &mut d_fold);
        return unfold(config, query, key, &d_fold);
    }
    let heads = config.hops.heads;
    let inner = query.len() / width;
    let shape = Shape { rows: nodes, inputs: width, outputs: inner };
    // q = t S^T with t = z W_Q and S the spread keys: dS = dq^T t, dt = dq S.
    let projected = project(z, query, nodes, width);
    let mut d_spread = vec![0.0; width * inner];
    weight_gradient(gradient, &projected, shape, Write::Replace, &mut d_spread);
    let mut d_projected = projected;
    matmul(gradient, &spread_keys(config, key, inner), None, shape, Write::Replace, &mut d_projected);
    let mut d_query = vec![0.0; query.len()];
    weight_gradient(z, &d_projected, shape, Write::Replace, &mut d_query);
    if let Some(d_z) = d_z {
        matmul_transposed(&d_projected, query, shape, Write::Add, d_z);
    }
    buffers::give(d_projected);
    let size = inner / heads.count;
    let mut d_key = vec![0.0; key.len()];
    for h in 0..heads.count {
        for f in heads.range(h) {
            d_key[f * size..(f + 1) * size]
                .copy_from_slice(&d_spread[f * inner + h * size..f * inner + (h + 1) * size]);
        }
    }
    (d_query, d_key)
}

/// Each head's part of W_Q, `[F, key]`, made contiguous.
fn head_query(query: &[f32], h: usize, count: usize, key: usize) -> Vec<f32> {
    query.chunks_exact(count * key).flat_map(|row| &row[h * key..(h + 1) * key]).copied().collect()
}

/// M `[F, F]`.
fn fold(config: &Config, query: &[f32], key: &[f32]) -> Vec<f32> {
    let heads = config.hops.heads;
    let (width, size) = (heads.width, key.len() / heads.width.max(1));
    let mut folded = vec![0.0; width * width];
    for h in 0..heads.count {
        let range = heads.range(h);
        let part = head_query(query, h, heads.count, size);
        let mut product = vec![0.0; width * range.len()];
        let shape = Shape { rows: width, inputs: range.len(), outputs: size };
        matmul_transposed(&part, &key[range.start * size..range.end * size], shape, Write::Replace, &mut product);
        for (row, values) in folded.chunks_exact_mut(width).zip(product.chunks_exact(range.len().max(1))) {
            row[range.clone()].copy_from_slice(values);
        }
    }
    folded
}

/// Gradients of W_Q and W_K from that of M.
fn unfold(config: &Config, query: &[f32], key: &[f32], d_fold: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let heads = config.hops.heads;
    let (width, size) = (heads.width, key.len() / heads.width.max(1));
    let mut d_query = vec![0.0; query.len()];
    let mut d_key = vec![0.0; key.len()];
    for h in 0..heads.count {
        let range = heads.range(h);
        let rows = range.start * size..range.end * size;
        let given: Vec<f32> = d_fold.chunks_exact(width).flat_map(|row| &row[range.clone()]).copied().collect();
        let shape = Shape { rows: width, inputs: range.len(), outputs: size };
        // M_h = Q_h K_h^T: dQ_h = dM_h K_h, dK_h = dM_h^T Q_h.
        let mut part = vec![0.0; width * size];
        matmul(&given, &key[rows.clone()], None, shape, Write::Replace, &mut part);
        for (row, values) in d_query.chunks_exact_mut(heads.count * size).zip(part.chunks_exact(size)) {
            row[h * size..(h + 1) * size].copy_from_slice(values);
        }
        weight_gradient(&given, &head_query(query, h, heads.count, size), shape, Write::Replace, &mut d_key[rows]);
    }
    (d_query, d_key)
}
