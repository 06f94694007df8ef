//! Graph attention over a part of a graph: what crosses the boundary.
//!
//! Forward, one message brings v and y of the nodes around (F + H numbers a node): rows of own nodes are complete, so their softmax is here.
//! Backward, one message brings the gradient of z, x, largest score and sum of the row, and what all scores of the row share, D (F + 4 H). With
//! them both owners of an entry between them know its weight, and with
//!
//! ```text
//! dv_j = sum over entries (i <- j) of a_e dz_i        ds_e = p_e (m_e dz_i . v_j - D_i) leaky_relu'        dy_j = sum over entries (i <- j) of ds_e
//! ```
//!
//! the gradients of own nodes are sums over own columns: nothing is sent back. Rows that need nothing of others are computed while messages are
//! under way.

use super::gat::{
    Attention, Given, backward_scores_of_others, backward_scores_rows, backward_values_rows, forward_rows,
};
use super::scores::Pairs;
use super::sums;
use crate::buffers;
use crate::exchange::Halo;
use farhop_graph::Graph;

/// What the backward pass needs beside the inputs.
#[derive(Debug, Default)]
pub struct Kept {
    /// Largest score and inverse sum of every row, `[N, 2, H]`; of own rows.
    statistics: Vec<f32>,
    /// v of the nodes around.
    v: Vec<f32>,
    /// y of the nodes around.
    sender: Vec<f32>,
}

/// Gradients of own rows.
#[derive(Debug)]
pub struct Gradients {
    /// Of v, `[own, F]`.
    pub v: Vec<f32>,
    /// Of x, `[own, H]`.
    pub receiver: Vec<f32>,
    /// Of y, `[own, H]`.
    pub sender: Vec<f32>,
    /// Of b, `[E, H]`: an entry counts once, where its row is, and is 0 in rows of others.
    pub entries: Vec<f32>,
    /// Of c, `[own, H]`; empty where nodes do not attend to themselves.
    pub nodes: Vec<f32>,
}

impl Kept {
    /// Gives the memory to whoever needs some next.
    pub fn give_back(self) {
        [self.statistics, self.v, self.sender].into_iter().for_each(buffers::give);
    }
}

/// Bytes kept for the backward pass.
pub fn bytes_kept(nodes: usize, others: usize, width: usize, heads: usize) -> u64 {
    ((2 * nodes * heads + others * (width + heads)) * size_of::<f32>()) as u64
}

/// Writes z from v, `[own, F]` each. x, y and c of `attention` are those of own nodes, b that of all entries of the part.
///
/// # Panics
/// If a slice is not of its shape.
pub fn forward(graph: &Graph, attention: &Attention, v: &[f32], width: usize, z: &mut [f32], halo: &Halo) -> Kept {
    let (own, inside, heads) = (halo.own(), halo.interior(), attention.pairs.heads);
    let sender = attention.pairs.sender;
    let underway = halo.begin(&[(v, width), (sender, heads)]);
    let (mut all_v, mut all_y) = (halo.with_room(v, width), halo.with_room(sender, heads));
    let mut statistics = buffers::take(2 * graph.nodes() * heads);
    let receiver = attention.pairs.receiver;
    forward_rows(graph, &around(attention, receiver, &all_y), &all_v, width, 0..inside, z, &mut statistics);
    underway.fill(&mut [(&mut all_v, width), (&mut all_y, heads)]);
    forward_rows(graph, &around(attention, receiver, &all_y), &all_v, width, inside..own, z, &mut statistics);
    let kept = Kept { statistics, v: all_v[own * width..].to_vec(), sender: all_y[own * heads..].to_vec() };
    [all_v, all_y].into_iter().for_each(buffers::give);
    kept
}

/// All gradients from that of z, `[own, F]`, with the inputs of [`forward`].
///
/// # Panics
/// If a slice is not of its shape.
pub fn backward(
    graph: &Graph,
    attention: &Attention,
    v: &[f32],
    width: usize,
    kept: &mut Kept,
    dz: &[f32],
    halo: &Halo,
) -> Gradients {
    let (n, own, inside, heads) = (graph.nodes(), halo.own(), halo.interior(), attention.pairs.heads);
    let Pairs { receiver, sender, .. } = attention.pairs;
    let all_v = halo.extended_by(v, &kept.v, width);
    let all_y = halo.extended_by(sender, &kept.sender, heads);
    let (mut all_x, mut all_dz) = (halo.with_room(receiver, heads), halo.with_room(dz, width));
    let mut means = buffers::take(n * heads);
    let mut entries = buffers::take(graph.entries() * heads);
    let mut nodes = buffers::take(if attention.own { own * heads } else { 0 });
    let mut dv = buffers::take(own * width);
    {
        let around = around(attention, &all_x, &all_y);
        // What others wait for comes first.
        let given = Given { v: &all_v, statistics: &kept.statistics, dz: &all_dz, width };
        backward_scores_rows(graph, &around, given, inside..own, &mut entries, &mut nodes, &mut means);
    }
    let underway = halo.begin(&[(&all_dz, width), (&all_x, heads), (&kept.statistics, 2 * heads), (&means, heads)]);
    {
        let around = around(attention, &all_x, &all_y);
        let given = Given { v: &all_v, statistics: &kept.statistics, dz: &all_dz, width };
        backward_scores_rows(graph, &around, given, 0..inside, &mut entries, &mut nodes, &mut []);
        backward_values_rows(graph, &around, &kept.statistics, &all_dz, width, 0..inside, &mut dv);
    }
    underway.fill(&mut [
        (&mut all_dz, width),
        (&mut all_x, heads),
        (&mut kept.statistics, 2 * heads),
        (&mut means, heads),
    ]);
    let around = around(attention, &all_x, &all_y);
    let given = Given { v: &all_v, statistics: &kept.statistics, dz: &all_dz, width };
    backward_scores_of_others(graph, &around, given, own..n, &means, &mut entries);
    backward_values_rows(graph, &around, &kept.statistics, &all_dz, width, inside..own, &mut dv);
    let sum = |sum: fn(&Graph, usize, &[f32], &mut [f32])| {
        let mut total = buffers::take(n * heads);
        sum(graph, heads, &entries, &mut total);
        total.truncate(own * heads);
        total.iter_mut().zip(&nodes).for_each(|(total, node)| *total += node);
        total
    };
    let (receiver, sender) = (sum(sums::to_targets), sum(sums::to_sources));
    entries[graph.offsets()[own] * heads..].fill(0.0);
    [all_v, all_y, all_x, all_dz, means].into_iter().for_each(buffers::give);
    Gradients { v: dv, receiver, sender, entries, nodes }
}

/// The same attention with x and y of all nodes.
fn around<'a>(attention: &Attention<'a>, receiver: &'a [f32], sender: &'a [f32]) -> Attention<'a> {
    Attention { pairs: Pairs { receiver, sender, ..attention.pairs }, ..*attention }
}
