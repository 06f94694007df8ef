//! The layer of Graph Elimination Networks (Wang, Cheng and Zhang, "GEN: A Practical Alternative to Graph Transformers for
//! Long-Range Graph Modeling", NeurIPS 2025), `eq9a`-`eq14`:
//!
//! ```text
//! d^1 .. d^K = K rounds of elimination from Z            round k carries exactly the k-hop increment
//! b_i        = softmax over hops of (z_i W_Q) . (c_i^k W_K) / sqrt(key) + t_k      c: hops after compression
//! P_i        = z_i W + (sum over k of b_ik c_i^k) W_V
//! Z'         = P + relu(P W_1 + b_1) W_2 + b_2           the feed-forward network, if there is one
//! ```
//!
//! Where a layer gives fewer channels than it reads, W_V can go first (`project_first`), so that the rounds carry the few:
//!
//! ```text
//! U          = Z W_V
//! d^1 .. d^K = K rounds of elimination from U            edge attention reads U and what became of it, as in a GAT
//! b_i        = softmax over hops of (u_i W_Q) . (c_i^k W_K) / sqrt(key) + t_k
//! P_i        = z_i W + sum over k of b_ik c_i^k
//! ```
//!
//! Rounds are linear for given coefficients, so this is the layer above wherever nothing else looks at the hops: fixed coefficients or
//! attention that scores `z W_V a` in the place of `z a`, weights of hops that do not depend on their content, no compression. With them, the
//! scores and lengths are those of projected hops. Wide features that are mostly zeros are never made dense: the rounds begin behind two
//! sparse products.
//!
//! Features of entries (our addition) go into edge attention: a learned number per entry and head,
//! `e_ij = sum over columns c of T_c[category_ijc] + numbers_ij W_e`, `[E, H]`, is added to the score of the entry (i receives
//! from j) in every round, before LeakyReLU. The two directions of an edge have features of their own. T and W_e start at zero:
//! a new layer pays no heed to them.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::edge_attention::Dropout;
use farhop_kernels::elimination::{self, Mode, Reading, Storage};
use farhop_kernels::heads::Heads;
use farhop_kernels::{gen_layer, hop_attention};

use super::Layer;
use crate::init::Seeds;
use crate::knobs::{knobs, words};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::{FeedForwardInputs, GenCoefficients, GenInputs};
use crate::{Batch, Context, Features, InputShape, Shape, init, ops};

words! {
    /// Where the coefficients of a round come from.
    pub enum CoefficientKind {
        /// Edge attention with new scores from h^(k-1) in every round (`eq10`).
        #[default]
        AttentionPerRound = "attention-per-round",
        /// Edge attention once per layer, the same coefficients in all rounds.
        AttentionPerLayer = "attention-per-layer",
        /// Symmetric normalisation `1 / sqrt((deg_i + 1)(deg_j + 1))`: the paper's ablation without edge attention.
        Gcn = "gcn",
        /// All ones.
        Ones = "ones",
    }
}

words! {
    /// What is eliminated.
    pub enum EliminationKind {
        /// Everything that steps straight back: the paper's algorithm.
        #[default]
        Exact = "exact",
        /// Only the node's own term: the paper's cheap substitute.
        SelfLoop = "self-loop",
        /// Nothing: the paper's ablation without elimination.
        None = "none",
    }
}

words! {
    /// What is read at each hop.
    pub enum HopReading {
        /// The state h^k, which holds all hops up to k (`eq12` as printed).
        #[default]
        Cumulative = "cumulative",
        /// The increment d^k, which holds hop k alone.
        Increment = "increment",
    }
}

knobs! {
    /// The settings of a [`GenLayer`], which are those that a GEN has beside the shared ones.
    pub struct GenConfig {
        /// Rounds of propagation K: how many hops a node sees in one layer.
        hops: usize = 4, in 1..=64;
        /// Heads of edge and hop attention: each owns its share of the channels, with edge coefficients and a hop distribution of its own.
        heads: usize = 1, in 1..=65_536;
        /// Exponent of the compression of hops (`eq11a`); 0 turns it off.
        gamma: f32 = 0.5, in 0.0..=1.0;
        /// Added to a hop's norm before the compression.
        epsilon: f32 = 1e-6, in 1e-30..=1.0;
        /// Coefficients of a round: edge attention with new scores in every round, once per layer, fixed as in a GCN, or all ones.
        coefficients: CoefficientKind = CoefficientKind::AttentionPerRound;
        /// What is eliminated: everything that steps straight back, the paper's cheap substitute, or nothing.
        elimination: EliminationKind = EliminationKind::Exact;
        /// Whether hops are weighed by attention; without, all hops count the same.
        hop_attention: bool = true;
        /// Whether hop attention has a learned number per hop and head besides the content of the hops, so that a layer can prefer a
        /// distance as such; it starts at 0. Our addition: `false` is the paper as printed.
        hop_bias: bool = true;
        /// What is read at each hop: the state so far, or what this hop added.
        hop_reading: HopReading = HopReading::Cumulative;
        /// Whether hop 0, the node itself, takes part in hop attention. In the paper it does not.
        hop_zero: bool = false;
        /// Whether a node adds a map of itself to what it reads of its hops, `z W` of `eq14`.
        own_term: bool = true;
        /// Whether a layer that gives fewer channels than it reads projects before its rounds instead of behind them, so that rounds carry
        /// the few; attention then reads projected features. Our addition: `false` is the paper as printed.
        project_first: bool = false;
        /// Whether the feed-forward network of `eq14` is part of a layer.
        feed_forward: bool = true;
        /// Slope of LeakyReLU in the attention scores.
        attention_slope: f32 = 0.2, in 0.0..=1.0;
        /// Probability of dropping an attention coefficient.
        attention_dropout: f32 = 0.0, in 0.0..1.0;
        /// Whether features of entries, if there are any, take part in edge attention.
        edge_features: bool = true;
        /// Run the rounds again in the backward pass instead of keeping their increments: less memory, more time.
        recompute: bool = false;
        /// How rows are stored while rounds gather them: 32 bits a number, or 16 with a scale per row, which gathers half the bytes and
        /// is off by 2^-16 of a row's largest number.
        gather_bits: usize = 32, in [16, 32];
    }
}

impl GenConfig {
    /// Whether coefficients come from edge attention.
    pub fn attends(&self) -> bool {
        matches!(self.coefficients, CoefficientKind::AttentionPerRound | CoefficientKind::AttentionPerLayer)
    }

    /// How many sets of attention vectors there are.
    pub fn sets(&self) -> usize {
        if self.coefficients == CoefficientKind::AttentionPerRound { self.hops } else { 1 }
    }

    /// Hops that hop attention weighs.
    pub fn hops_read(&self) -> usize {
        self.hops + usize::from(self.hop_zero)
    }

    fn has_hop_bias(&self) -> bool {
        self.hop_attention && self.hop_bias
    }

    /// Channels that the rounds of a layer carry.
    pub(crate) fn carried(&self, inputs: usize, outputs: usize) -> usize {
        if self.project_first { inputs.min(outputs) } else { inputs }
    }

    /// Channels of a key of hop attention.
    pub fn key(&self, outputs: usize) -> usize {
        (outputs / self.heads).max(1)
    }

    /// The kernel's settings for rounds of `carried` channels to `outputs`.
    pub fn kernel(&self, carried: usize, outputs: usize) -> gen_layer::Config {
        let mode = match self.elimination {
            EliminationKind::Exact => Mode::Exact,
            EliminationKind::SelfLoop => Mode::SelfLoop,
            EliminationKind::None => Mode::None,
        };
        let reading = match self.hop_reading {
            HopReading::Cumulative => Reading::Cumulative,
            HopReading::Increment => Reading::Increment,
        };
        // Fixed coefficients are the same for all heads.
        let edge_heads = if self.attends() { self.heads } else { 1 };
        gen_layer::Config {
            elimination: elimination::Config {
                rounds: self.hops,
                heads: Heads::new(carried, edge_heads),
                mode,
                skip_negligible: true,
                storage: if self.gather_bits == 16 { Storage::Packed } else { Storage::Full },
            },
            hops: hop_attention::Config {
                heads: Heads::new(carried, self.heads),
                reading,
                include_self: self.hop_zero,
                gamma: self.gamma,
                epsilon: self.epsilon,
                scale: 1.0 / (self.key(outputs) as f32).sqrt(),
            },
            outputs,
            recompute: self.recompute,
        }
    }

    pub(crate) fn reads_edges(&self) -> bool {
        self.edge_features && self.attends()
    }

    /// Number of parameters that read `numbers` numbers and `categories` categories (of all columns) of an entry.
    pub fn edge_size(&self, numbers: usize, categories: usize) -> usize {
        if self.reads_edges() { (numbers + categories) * self.heads } else { 0 }
    }

    /// Bytes of one number per entry and head, if entries have features that are read.
    fn edge_bytes(&self, shape: &Shape) -> u64 {
        let columns = shape.edge_numbers + shape.edge_categories;
        if self.reads_edges() && columns > 0 { floats(shape.entries * self.heads) } else { 0 }
    }

    /// Number of parameters, those for features of entries not counted.
    pub fn size(&self, inputs: usize, outputs: usize) -> usize {
        let carried = self.carried(inputs, outputs);
        let attention = if self.attends() { self.sets() * 2 * carried } else { 0 };
        let keys = if self.hop_attention { carried * self.key(outputs) * (self.heads + 1) } else { 0 }
            + if self.has_hop_bias() { self.heads * self.hops_read() } else { 0 };
        let feed = if self.feed_forward { 2 * (outputs * outputs + outputs) } else { 0 };
        let maps = (1 + usize::from(self.own_term)) * inputs * outputs;
        attention + keys + maps + feed
    }

    /// Writes a layer of `inputs` channels to `outputs` into the ledger.
    pub(crate) fn cost(
        &self,
        name: &str,
        z: Tracked,
        inputs: usize,
        outputs: usize,
        shape: &Shape,
        ledger: &Ledger,
    ) -> Tracked {
        let Shape { nodes, entries, .. } = *shape;
        let carried = self.carried(inputs, outputs);
        let first = carried < inputs;
        let config = self.kernel(carried, outputs);
        let (sets, attends) = (self.sets(), self.attends());
        let edges = self.edge_size(shape.edge_numbers, shape.edge_category_rows);
        ledger.weights(&format!("{name} weights"), self.size(inputs, outputs) + edges);
        let (edge, output) = (self.edge_bytes(shape), floats(nodes * outputs));
        let rounds = elimination::bytes_kept(&config.elimination, sets, attends, nodes, entries);
        let waiting = elimination::bytes_waiting(&config.elimination, sets, attends, nodes, entries);
        let eliminate = elimination::bytes_forward(&config.elimination, sets, attends, nodes, entries);
        let propagate = edge + rounds + eliminate.max(gen_layer::bytes_forward(nodes, &config));
        let kept = edge + if self.recompute { 0 } else { waiting };
        // Backward, the rounds give the increments back as they go.
        let begun = elimination::bytes_begun(&config.elimination, nodes);
        let matrices = if first { 0 } else { 1 + usize::from(self.own_term) };
        let mix = rounds + output + begun + gen_layer::bytes_backward(nodes, &config, matrices);
        let increments = floats(self.hops * nodes * carried);
        let eliminate_back = elimination::bytes_finish(&config.elimination, sets, nodes, entries);
        // With features of entries, in the end their gradients of all rounds side by side and in one piece.
        let back = mix.max(rounds - increments + eliminate_back).max(2 * sets as u64 * edge);
        let work = Work {
            name: name.into(),
            output,
            kept,
            // The numbers of entries are the sum of two terms at most, which are there while it is made.
            forward: propagate.max(3 * edge),
            backward: edge + back,
            ..Work::default()
        };
        let own = (first && self.own_term).then(|| z.clone());
        let read = if first { ledger.product(name, z, nodes, carried) } else { z };
        let mut updated = ledger.run(work, [(read, true)]);
        if let Some(own) = own {
            let own = ledger.product(name, own, nodes, outputs);
            updated = ledger.add(name, updated, own);
        }
        if !self.feed_forward {
            return updated;
        }
        // The inner layer is computed again, tile by tile.
        ledger.run(Work { name: name.into(), output, ..Work::default() }, [(updated, true)])
    }
}

/// One GEN layer, `[N, inputs]` to `[N, outputs]`.
#[derive(Module, Debug)]
pub struct GenLayer {
    attention: Option<Param<Tensor<2>>>,
    edge_table: Option<Param<Tensor<2>>>,
    edge_weight: Option<Param<Tensor<2>>>,
    query: Option<Param<Tensor<2>>>,
    key: Option<Param<Tensor<2>>>,
    hop_bias: Option<Param<Tensor<1>>>,
    value: Param<Tensor<2>>,
    residual: Option<Param<Tensor<2>>>,
    feed_forward: Option<FeedForward>,
    #[module(skip)]
    config: GenConfig,
}

/// The two layers of `eq14`'s feed-forward network.
#[derive(Module, Debug)]
struct FeedForward {
    w1: Param<Tensor<2>>,
    b1: Param<Tensor<1>>,
    w2: Param<Tensor<2>>,
    b2: Param<Tensor<1>>,
}

impl GenLayer {
    /// Glorot weights, zero biases.
    pub fn init(inputs: usize, outputs: usize, config: &GenConfig, seed: u64) -> Self {
        let mut seeds = Seeds::new(seed);
        let (carried, key) = (config.carried(inputs, outputs), config.key(outputs));
        let mut matrix = |rows, columns| init::glorot(rows, columns, seeds.next_seed());
        GenLayer {
            attention: config.attends().then(|| matrix(config.sets(), 2 * carried)),
            edge_table: None,
            edge_weight: None,
            query: config.hop_attention.then(|| matrix(carried, config.heads * key)),
            key: config.hop_attention.then(|| matrix(carried, key)),
            hop_bias: config.has_hop_bias().then(|| init::constant(config.heads * config.hops_read(), 0.0)),
            value: matrix(inputs, outputs),
            residual: config.own_term.then(|| matrix(inputs, outputs)),
            feed_forward: config.feed_forward.then(|| FeedForward {
                w1: matrix(outputs, outputs),
                b1: init::constant(outputs, 0.0),
                w2: matrix(outputs, outputs),
                b2: init::constant(outputs, 0.0),
            }),
            config: config.clone(),
        }
    }

    /// The same layer, which also reads the features of entries in `shape` if its settings say so.
    pub fn with_edges(mut self, shape: &InputShape) -> Self {
        let zeros = |rows: usize| {
            let there = rows > 0 && self.config.reads_edges();
            there.then(|| init::uniform(rows, self.config.heads, 0.0, 0))
        };
        (self.edge_table, self.edge_weight) = (zeros(shape.edge_category_rows()), zeros(shape.edge_numbers));
        self
    }

    /// A number per entry and head, `[E, H]`, if entries have features that are read.
    fn edge_bias(&self, batch: &Batch) -> Option<Tensor<2>> {
        if batch.graph().entries() == 0 {
            return None;
        }
        let table = self.edge_table.as_ref().map(|table| ops::embedding(batch.edge_categories(), table.val()));
        let weight = self.edge_weight.as_ref().map(|weight| ops::linear(batch.edge_numbers(), weight.val(), None));
        table.into_iter().chain(weight).reduce(ops::add)
    }

    fn coefficients(&self, batch: &Batch, context: &Context) -> GenCoefficients {
        let Some(attention) = &self.attention else {
            return GenCoefficients::Fixed(match self.config.coefficients {
                CoefficientKind::Ones => batch.ones(),
                _ => batch.symmetric_weights(),
            });
        };
        let probability = self.config.attention_dropout;
        let seed = context.next_seed().filter(|_| probability > 0.0);
        let first = batch.share().map(|share| share.first_of_entries_and_nodes());
        let dropout = seed.map(|seed| Dropout { first, ..Dropout::new(probability, seed) });
        GenCoefficients::Attention {
            weights: attention.val(),
            each_round: self.config.coefficients == CoefficientKind::AttentionPerRound,
            slope: self.config.attention_slope,
            dropout,
            bias: self.edge_bias(batch),
        }
    }
}

impl Layer for GenLayer {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let [width, outputs] = self.value.dims();
        let carried = self.config.carried(width, outputs);
        let (value, mut residual) = (self.value.val(), self.residual.as_ref().map(|residual| residual.val()));
        let mut own = None;
        let (z, value) = if carried < width {
            own = residual.take().map(|residual| (features.clone(), residual));
            (features.linear(value, None), None)
        } else {
            (features.into_dense(batch), Some(value))
        };
        let inputs = GenInputs {
            coefficients: self.coefficients(batch, context),
            query_key: self.query.as_ref().zip(self.key.as_ref()).map(|(query, key)| (query.val(), key.val())),
            hop_bias: self.hop_bias.as_ref().map(|bias| bias.val()),
            value,
            residual,
            z,
        };
        let config = self.config.kernel(carried, outputs);
        if context.looks_at_hops() {
            context.saw_hops(ops::hop_distributions(inputs.clone(), batch.graph(), config));
        }
        if let Some(node) = context.looks_at_reads_of() {
            let weights = ops::hop_reads(inputs.clone(), batch.graph(), config, node);
            context.saw_reads(weights, self.config.heads);
        }
        if self.config.attends() {
            let weights = || ops::edge_coefficients(inputs.clone(), batch.graph(), config);
            context.saw_attention(batch.graph(), self.config.sets(), weights);
        }
        let mut updated = ops::gen_layer(inputs, batch.graph(), config, batch.halo());
        if let Some((features, weight)) = own {
            updated = updated + features.linear(weight, None);
        }
        match &self.feed_forward {
            None => updated,
            Some(feed) => ops::feed_forward(FeedForwardInputs {
                x: updated,
                w1: feed.w1.val(),
                b1: feed.b1.val(),
                w2: feed.w2.val(),
                b2: feed.b2.val(),
            }),
        }
    }
}
