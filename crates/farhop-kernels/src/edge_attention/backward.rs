//! Gradients of scores from those of their coefficients.

use super::{Scores, halo, softmax_rows};
use crate::exchange::Halo;
use crate::parallel::{Blocks, SharedMut};
use crate::simd_fn;
use farhop_graph::Graph;
use std::ops::Range;

/// Gradients of the node scalars, `[N, H]` each.
pub struct ScoreGradients {
    /// Gradient of the receiver's part x.
    pub receiver: Vec<f32>,
    /// Gradient of the sender's part y.
    pub sender: Vec<f32>,
}

/// Gradients of x and y from those of the coefficients.
///
/// `edge` and `node` are what [`forward`] returned; `edge_gradient[E, H]` and `node_gradient[N, H]` come in as the gradients
/// of the coefficients. `edge_gradient` goes out as the gradient of the score before LeakyReLU, that is, of the bias.
pub fn backward(
    graph: &Graph,
    scores: &Scores,
    edge: &[f32],
    node: &[f32],
    edge_gradient: &mut [f32],
    node_gradient: &[f32],
) -> ScoreGradients {
    backward_within(graph, scores, edge, node, edge_gradient, node_gradient, None)
}

/// As [`backward`] for own rows of a part of a graph, with its halo and the `norms[2, N, H]` of all rows. What all scores of a row share, the
/// mean of its gradients, is exchanged (H numbers a node) while rows that need nothing of others are computed; it completes the gradients of
/// entries of the other rows, and with them those of the senders, which are own.
pub(crate) fn backward_within(
    graph: &Graph,
    scores: &Scores,
    edge: &[f32],
    node: &[f32],
    edge_gradient: &mut [f32],
    node_gradient: &[f32],
    around: Option<(&Halo, &[f32])>,
) -> ScoreGradients {
    let size = graph.nodes() * scores.heads;
    let mut found = ScoreGradients { receiver: vec![0.0; size], sender: vec![0.0; size] };
    let Some((halo, norms)) = around else {
        let all = 0..graph.nodes();
        through_rows(graph, scores, all.clone(), (edge, node), edge_gradient, node_gradient, &mut [], &mut found);
        pull_senders(graph, scores.heads, all, edge_gradient, &mut found.sender);
        return found;
    };
    let (own, heads) = (halo.own(), scores.heads);
    let (inside, edges) = (0..halo.interior(), halo.interior()..own);
    let mut means = vec![0.0; size];
    through_rows(graph, scores, edges.clone(), (edge, node), edge_gradient, node_gradient, &mut means, &mut found);
    let underway = halo.begin(&[(&means, heads)]);
    let mut nothing = [];
    through_rows(graph, scores, inside.clone(), (edge, node), edge_gradient, node_gradient, &mut nothing, &mut found);
    pull_senders(graph, heads, inside, edge_gradient, &mut found.sender);
    underway.fill(&mut [(&mut means, heads)]);
    halo::backward(graph, scores, own, norms, &means, edge_gradient);
    pull_senders(graph, heads, edges, edge_gradient, &mut found.sender);
    found
}

/// Gradients of the scores of some rows, and of what their nodes gave to them. The mean of the gradients of a row goes to `means[N, H]` unless that
/// is empty.
#[allow(clippy::too_many_arguments)]
fn through_rows(
    graph: &Graph,
    scores: &Scores,
    rows: Range<usize>,
    (edge, node): (&[f32], &[f32]),
    edge_gradient: &mut [f32],
    node_gradient: &[f32],
    means: &mut [f32],
    found: &mut ScoreGradients,
) {
    let heads = scores.heads;
    let shared_means = SharedMut::new(means);
    let shared_edge = SharedMut::new(edge_gradient);
    let shared_receiver = SharedMut::new(&mut found.receiver);
    let shared_sender = SharedMut::new(&mut found.sender);
    Blocks::some_by_entries(graph.offsets(), rows, 2, heads * 8).run(|rows| {
        let own = rows.start * heads..rows.end * heads;
        let entries = graph.offsets()[rows.start] * heads..graph.offsets()[rows.end] * heads;
        // SAFETY: blocks are disjoint ranges of rows, and a row owns its entries and its node.
        let (gradient, receiver, sender, means) = unsafe {
            (
                shared_edge.part(entries.clone()),
                shared_receiver.part(own.clone()),
                shared_sender.part(own.clone()),
                shared_means.part(if shared_means.is_empty() { 0..0 } else { own.clone() }),
            )
        };
        // The softmax needs the coefficients from before dropout: compute them again for this block.
        let again = scores.dropout.is_some();
        let mut plain_edge = vec![0.0; if again { entries.len() } else { 0 }];
        let mut plain_node = vec![0.0; if again { own.len() } else { 0 }];
        if again {
            softmax_rows(graph, scores, rows.start, &mut plain_edge, &mut plain_node, &mut [], &mut []);
        }
        let edge = if again { &plain_edge } else { &edge[entries] };
        let node = if again { &plain_node } else { &node[own.clone()] };
        let node_gradient = &node_gradient[own];
        backward_rows(graph, scores, rows.start, edge, node, gradient, node_gradient, receiver, sender, means);
    });
}

/// The sender's part of entry (i <- j) belongs to j: pulls it over some of the transposed rows.
fn pull_senders(graph: &Graph, heads: usize, rows: Range<usize>, edge_gradient: &[f32], sender: &mut [f32]) {
    let transposed = graph.transposed();
    let shared = SharedMut::new(sender);
    Blocks::some_by_entries(graph.offsets(), rows, 2, heads * 8).run(|rows| {
        // SAFETY: blocks are disjoint ranges of rows.
        let sender = unsafe { shared.part(rows.start * heads..rows.end * heads) };
        if heads == 1 {
            for (own, j) in sender.iter_mut().zip(rows) {
                let entries = &transposed.entries[transposed.offsets[j]..transposed.offsets[j + 1]];
                *own += entries.iter().map(|entry| edge_gradient[*entry as usize]).sum::<f32>();
            }
            return;
        }
        for (own, j) in sender.chunks_exact_mut(heads).zip(rows) {
            for &entry in &transposed.entries[transposed.offsets[j]..transposed.offsets[j + 1]] {
                let entry = entry as usize * heads;
                for (sum, value) in own.iter_mut().zip(&edge_gradient[entry..entry + heads]) {
                    *sum += value;
                }
            }
        }
    });
}

simd_fn! {
    /// Softmax, dropout and LeakyReLU backward for the rows from `first` on. `sender` receives the part of the node itself.
    fn backward_rows<M>(
        graph: &Graph,
        scores: &Scores,
        first: usize,
        edge: &[f32],
        node: &[f32],
        gradient: &mut [f32],
        node_gradient: &[f32],
        receiver: &mut [f32],
        sender: &mut [f32],
        means: &mut [f32],
    ) {
        let heads = scores.heads;
        let offsets = graph.offsets();
        let base = offsets[first];
        let mut mean = vec![0.0f32; heads];
        let mut own_gradient = vec![0.0f32; heads];
        for n in 0..receiver.len() / heads {
            let i = first + n;
            let at = (offsets[i] - base) * heads..(offsets[i + 1] - base) * heads;
            let coefficients = &edge[at.clone()];
            let gradients = &mut gradient[at];
            for h in 0..heads {
                let mut g = node_gradient[n * heads + h];
                if let Some(dropout) = scores.dropout {
                    g *= dropout.factor(scores.node_counter(graph.entries(), i * heads + h));
                }
                own_gradient[h] = g;
                mean[h] = g * node[n * heads + h];
            }
            if let Some(dropout) = scores.dropout {
                let start = offsets[i] * heads;
                for (m, g) in gradients.iter_mut().enumerate() {
                    *g *= dropout.factor(scores.entry_counter(start + m));
                }
            }
            for (g, a) in gradients.chunks_exact(heads).zip(coefficients.chunks_exact(heads)) {
                for h in 0..heads {
                    mean[h] = M::fma(g[h], a[h], mean[h]);
                }
            }
            if !means.is_empty() {
                means[n * heads..(n + 1) * heads].copy_from_slice(&mean);
            }
            for h in 0..heads {
                let own = node[n * heads + h] * (own_gradient[h] - mean[h]) * scores.leaky_gradient(scores.raw_self(i, h));
                receiver[n * heads + h] = own;
                sender[n * heads + h] = own;
            }
            if let ([mean], None) = (&mean[..], scores.bias) {
                receiver[n] += one_head_row(scores, i, graph.neighbours(i), *mean, coefficients, gradients);
                continue;
            }
            for (m, &j) in graph.neighbours(i).iter().enumerate() {
                for h in 0..heads {
                    let e = m * heads + h;
                    let slope = scores.leaky_gradient(scores.raw(i, j as usize, offsets[i] + m, h));
                    let g = coefficients[e] * (gradients[e] - mean[h]) * slope;
                    gradients[e] = g;
                    receiver[n * heads + h] += g;
                }
            }
        }
    }
}

/// Gradients of a row's scores for one head and no bias: `gradients` go from those of the coefficients to those of the scores.
/// Returns their sum.
#[inline(always)]
fn one_head_row(
    scores: &Scores,
    i: usize,
    neighbours: &[u32],
    mean: f32,
    coefficients: &[f32],
    gradients: &mut [f32],
) -> f32 {
    let own = scores.receiver[i];
    let mut sum = 0.0;
    for ((g, a), &j) in gradients.iter_mut().zip(coefficients).zip(neighbours) {
        *g = a * (*g - mean) * scores.leaky_gradient(own + scores.sender[j as usize]);
        sum += *g;
    }
    sum
}
