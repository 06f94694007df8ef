//! What one node reads: the layer's mixed hops as a sum over nodes and hops, exactly.
//!
//! For given coefficients the rounds are linear, so every increment of node i is a weighted sum of features, and so is what hop attention
//! mixes of them. With d^0 = z:
//!
//! ```text
//! d_i^k = sum over n of w_in^k z_n                          w_in^k: non-backtracking walks of k steps from i to n (Mode::Exact)
//! m_i   = sum over k of f_ik r_i^k                          f_ik = b_ik (|r_i^k| + epsilon)^-gamma, r: increments or states
//!       = sum over n and k of (g_ik w_in^k) z_n             g_ik = f_ik, or for states f_ik + a_ii^(k+1) g_i(k+1)
//! ```
//!
//! One adjoint propagation from the unit vector of i gives w for every node and hop at once: hop k has a channel of its own, whose gradient is
//! 1 at d_i^k. It runs on the nodes within K hops of i alone; no walk of K steps leaves them.

use super::{Config, Weights, hops};
use crate::elimination::{self, Coefficients, Mode, Reading, RowGradient, Source, Storage};
use crate::gen_layer::query::Projection;
use crate::heads::Heads;
use crate::hop_attention;
use farhop_graph::{Graph, HaloFinder, InduceScratch, Subgraph, induce};

/// The weights with which node `node` reads the features of every node at every hop, `[N, H, K + 1]`: head h of its mixed hops is
/// `m_h = sum over n and k of weight[n, h, k] z_n`, over the channels of that head. Hop 0 is the node itself.
///
/// # Panics
/// If there is no such node.
pub fn reads(graph: &Graph, config: &Config, source: &Source, weights: &Weights, z: &[f32], node: usize) -> Vec<f32> {
    assert!(node < graph.nodes(), "node {node} of {}", graph.nodes());
    let (rounds, count, width) = (config.elimination.rounds, config.hops.heads.count, config.hops.heads.width);
    let kept = elimination::forward(graph, &config.elimination, source, z);
    let read = hops(config, source, weights, z, &kept);
    let query = weights.query_key.map(|(query, key)| {
        let projection = Projection::new(config, query, key);
        let mut q = vec![0.0; width];
        let row = &z[node * width..(node + 1) * width];
        projection.apply(1, width, row, &mut vec![0.0; projection.inner()], &mut q);
        q
    });
    // [H, K + 1]: of hops as they are read, then of increments.
    let mut factors = hop_attention::factors(&config.hops, &read, query.as_deref(), node);
    let edge_heads = config.elimination.heads.count;
    let edge_head = |head: usize| if edge_heads == 1 { 0 } else { head };
    if config.hops.reading == Reading::Cumulative && config.elimination.mode != Mode::SelfLoop {
        for (head, factors) in factors.chunks_exact_mut(rounds + 1).enumerate() {
            for k in (1..=rounds).rev() {
                factors[k - 1] += factors[k] * read.coefficients.node(k)[node * edge_heads + edge_head(head)];
            }
        }
    }
    let (nodes, walks) = walks(graph, &config.elimination, read.coefficients, node);
    let mut found = vec![0.0; graph.nodes() * count * (rounds + 1)];
    let per_node = count * (rounds + 1);
    for (place, &other) in nodes.iter().enumerate() {
        let out = &mut found[other as usize * per_node..(other as usize + 1) * per_node];
        for (head, out) in out.chunks_exact_mut(rounds + 1).enumerate() {
            let of_head = (place * edge_heads + edge_head(head)) * rounds;
            for (k, weight) in out.iter_mut().enumerate().skip(1) {
                *weight = factors[head * (rounds + 1) + k] * walks[of_head + k - 1];
            }
        }
    }
    for head in 0..count {
        found[node * per_node + head * (rounds + 1)] = factors[head * (rounds + 1)];
    }
    kept.give_back();
    found
}

/// The nodes within K hops of `node`, ascending, and for each of them, head and hop k the weight of its features in d^k of `node`:
/// `[nodes, H, K]`.
fn walks(graph: &Graph, config: &elimination::Config, coefficients: Coefficients, node: usize) -> (Vec<u32>, Vec<f32>) {
    let (rounds, count) = (config.rounds, config.heads.count);
    let around = HaloFinder::new(graph).around(&[node as u32], rounds as u32);
    let mut nodes = around.unwrap_or_default();
    nodes.sort_unstable();
    let Ok(Subgraph { graph: ball, entries, .. }) = induce(graph, &nodes, &mut InduceScratch::new()) else {
        unreachable!("nodes of the graph, each once")
    };
    let (mut edge, mut own) = (Vec::new(), Vec::new());
    let row = |all: &[f32], at: u32| all[at as usize * count..(at as usize + 1) * count].to_vec();
    for set in 1..=coefficients.rounds {
        edge.extend(entries.iter().flat_map(|entry| row(coefficients.edge(set), *entry)));
        own.extend(nodes.iter().flat_map(|node| row(coefficients.node(set), *node)));
    }
    let given = Source::Given(Coefficients { rounds: coefficients.rounds, edge: &edge, node: &own });
    let heads = Heads::new(rounds * count, count);
    let config = elimination::Config { heads, skip_negligible: false, storage: Storage::Full, ..*config };
    let nothing = vec![0.0; nodes.len() * heads.width];
    let kept = elimination::forward(&ball, &config, &given, &nothing);
    let place = nodes.iter().position(|other| *other as usize == node);
    let unit = || -> RowGradient {
        Box::new(move |i: usize, block: &mut [f32]| {
            if Some(i) == place {
                for (k, hop) in block.chunks_exact_mut(heads.width).enumerate() {
                    hop.iter_mut().skip(k).step_by(rounds).for_each(|gradient| *gradient = 1.0);
                }
            }
        })
    };
    let gradients = elimination::backward(&ball, &config, &given, &nothing, kept, Reading::Increment, &unit);
    (nodes, gradients.z)
}
