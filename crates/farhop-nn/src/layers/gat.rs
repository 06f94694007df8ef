//! Graph attention of Veličković et al., "Graph attention networks", ICLR 2018, with features of entries.
//!
//! H heads of C channels; head k owns the channels `k C .. (k + 1) C`. With `z = x W` `[N, H C]`:
//!
//! ```text
//! s_ij = LeakyReLU(a_receiver . z_i + a_sender . z_j (+ a_entry . (e_ij W_entry)))         one number a head
//! y_i  = sum over neighbours j and i itself of softmax(s_i.)_j z_j                         heads side by side, or their mean
//! ```
//!
//! As a neighbour of itself a node has the mean of the features of its entries. The vectors a are folded into W and `W_entry`
//! first, so that scores are products with matrices of H columns and nothing of size E x H C exists.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::Layer;
use crate::init::Seeds;
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::memory::floats;
use crate::ops::{self, PairScores, bridge};
use crate::{Batch, Context, Features, InputShape, RowsOf, Shape, init};

/// The size and kind of a [`GatLayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GatConfig {
    /// Heads, H.
    pub heads: usize,
    /// Channels of a head, C.
    pub channels: usize,
    /// Whether the result is the mean of the heads, `[N, C]`, instead of all side by side, `[N, H C]`.
    pub mean: bool,
    /// Whether there is a bias.
    pub bias: bool,
    /// Slope of LeakyReLU below zero.
    pub slope: f32,
    /// Probability of dropping a coefficient.
    pub dropout: f32,
}

impl GatConfig {
    fn outputs(&self) -> usize {
        if self.mean { self.channels } else { self.heads * self.channels }
    }

    /// Writes the layer into the ledger.
    pub(crate) fn cost(&self, name: &str, x: Tracked, inputs: usize, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, entries, heads) = (shape.nodes, shape.entries, self.heads);
        let all = heads * self.channels;
        let bias = if self.bias { self.outputs() } else { 0 };
        let features = shape.edge_numbers + shape.edge_category_rows;
        let of_entries = if features > 0 { (features + 1) * all } else { 0 };
        ledger.weights(&format!("{name} weights"), (inputs + 2) * all + bias + of_entries);
        let z = ledger.product(name, x.clone(), nodes, all);
        let receiver = ledger.product(name, x.clone(), nodes, heads);
        let sender = ledger.product(name, x, nodes, heads);
        let mut parts = vec![(z, true), (receiver, true), (sender, true)];
        if features > 0 {
            let scores = ledger.product(name, ledger.data(0), entries, heads);
            let sums = ledger.reduce(name, scores.clone(), nodes, heads);
            parts.extend([(scores, true), (ledger.each(name, sums), true)]);
        }
        let statistics = floats(2 * nodes * heads);
        let work = Work {
            name: name.into(),
            output: rows(nodes, all),
            kept: statistics,
            forward: rows(nodes, all) + statistics,
            backward: statistics + 2 * rows(nodes, all) + 2 * rows(entries + nodes, heads) + rows(nodes, 2 * heads),
            ..Work::default()
        };
        let y = ledger.run_all(work, parts);
        match (self.mean, self.bias) {
            (true, _) => ledger.product(name, y, nodes, self.channels),
            (false, true) => ledger.shift(name, y),
            (false, false) => y,
        }
    }
}

/// `[N, inputs]` to `[N, H C]` or `[N, C]`.
#[derive(Module, Debug)]
pub struct GatLayer {
    weight: Param<Tensor<2>>,
    receiver: Param<Tensor<2>>,
    sender: Param<Tensor<2>>,
    entries: Option<EntryScores>,
    bias: Option<Param<Tensor<1>>>,
    #[module(skip)]
    config: GatConfig,
}

/// What features of entries add to scores.
#[derive(Module, Debug)]
struct EntryScores {
    numbers: Option<Param<Tensor<2>>>,
    categories: Option<Param<Tensor<2>>>,
    vector: Param<Tensor<2>>,
}

/// One over the number of entries of each node, `[N, 1]`.
struct Shares(Tensor<2>);

impl GatLayer {
    /// Glorot weights, zero bias.
    pub(crate) fn init(inputs: usize, config: GatConfig, shape: &InputShape, seed: u64) -> Self {
        let mut seeds = Seeds::new(seed);
        let GatConfig { heads, channels, .. } = config;
        let all = heads * channels;
        let weight = init::glorot(inputs, all, seeds.next_seed());
        let mut vector = || init::glorot(heads, channels, seeds.next_seed());
        let (receiver, sender, entry) = (vector(), vector(), vector());
        let [numbers, categories] = [seeds.next_seed(), seeds.next_seed()];
        GatLayer {
            weight,
            receiver,
            sender,
            entries: shape.has_edges().then(|| EntryScores {
                numbers: (shape.edge_numbers > 0).then(|| init::glorot(shape.edge_numbers, all, numbers)),
                categories: (!shape.edge_categories.is_empty())
                    .then(|| init::tables(&shape.edge_categories, all, categories)),
                vector: entry,
            }),
            bias: config.bias.then(|| init::constant(config.outputs(), 0.0)),
            config,
        }
    }

    /// A matrix `[rows, H C]` and a vector `[H, C]` to `[rows, H]`: the dot products of every head.
    fn folded(&self, matrix: Tensor<2>, vector: &Param<Tensor<2>>) -> Tensor<2> {
        let GatConfig { heads, channels, .. } = self.config;
        let own = |at: usize| if at / heads / channels == at % heads { 1.0 } else { 0.0 };
        let ones = (0..heads * channels * heads).map(own).collect();
        let ones = bridge::from_vec(ones, [heads * channels, heads]);
        ops::linear(matrix * vector.val().reshape([1, heads * channels]), ones, None)
    }

    /// What entries and nodes (for themselves) add to their scores, `[E, H]` and `[N, H]`.
    fn entry_scores(&self, batch: &Batch) -> Option<(Tensor<2>, Tensor<2>)> {
        let graph = batch.graph();
        let entries = self.entries.as_ref().filter(|_| graph.entries() > 0)?;
        let numbers = entries
            .numbers
            .as_ref()
            .map(|weight| ops::linear(batch.edge_numbers(), self.folded(weight.val(), &entries.vector), None));
        let table = entries
            .categories
            .as_ref()
            .map(|table| ops::embedding(batch.edge_categories(), self.folded(table.val(), &entries.vector)));
        let scores = numbers.into_iter().chain(table).reduce(ops::add)?;
        let shares = batch.derived(0, |batch| {
            let (graph, own) = (batch.graph(), batch.nodes());
            let shares = (0..own).map(|i| 1.0 / graph.degree(i).max(1) as f32).collect();
            Shares(bridge::from_vec(shares, [own, 1]))
        });
        let mut sums = ops::entry_sum(scores.clone(), graph);
        if batch.halo().is_some() {
            // Rows of own nodes are complete, and come first.
            sums = sums.narrow(0, 0, batch.nodes());
        }
        let own = ops::scale_rows(sums, shares.0.clone());
        Some((scores, own))
    }
}

impl Layer for GatLayer {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let GatConfig { heads, channels, mean, slope, dropout, .. } = self.config;
        let weight = self.weight.val();
        let receiver = features.clone().linear(self.folded(weight.clone(), &self.receiver), None);
        let sender = features.clone().linear(self.folded(weight.clone(), &self.sender), None);
        let z = features.linear(weight, None);
        let (entries, nodes) = self.entry_scores(batch).unzip();
        let scores = PairScores { receiver, sender, entries, nodes, own: true, slope };
        context.saw_attention(batch.graph(), 1, || ops::attention_weights(scores.clone(), batch.graph()));
        let dropout = context.dropout_of(RowsOf::Entries(batch.graph().entries()), dropout);
        let y = ops::gat_attention_within(z, scores, batch.graph(), dropout, batch.halo());
        let bias = self.bias.as_ref().map(Param::val);
        if mean {
            let share = |at: usize| if at / channels % channels == at % channels { 1.0 / heads as f32 } else { 0.0 };
            let shares = (0..heads * channels * channels).map(share).collect();
            return ops::linear(y, bridge::from_vec(shares, [heads * channels, channels]), bias);
        }
        match bias {
            Some(bias) => ops::add_row(y, bias),
            None => y,
        }
    }
}
