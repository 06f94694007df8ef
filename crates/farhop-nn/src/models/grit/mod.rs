//! GRIT: attention among all nodes of a graph whose weights come from states of pairs, which begin with random walks.
//!
//! Ma, Lin, Lim, Romero-Soriano, Dokania, Coates, Torr and Lim, "Graph inductive biases in transformers without message passing",
//! ICML 2023. With `M = D^-1 A` and `R_ij = [I, M, M², ..]_ij`, K numbers for every pair of nodes of a graph:
//!
//! ```text
//! h_i  = encoder(x_i) + R_ii W_own,     e_ij = R_ij W_pair + encoder of the edge j -> i, if there is one
//! t_ij = relu(root((q_i + k_j) * w_ij) + b_ij)       q = h W_Q + b_Q,  k = h W_K,  [w | b] = e W_E + b_E,  root(s) = sign(s) sqrt|s|
//! a_ij = dropout(softmax over j of clamp(t_ij . u))                                                       head by head
//! y_i  = sum over j of a_ij (h_j W_V) + (sum over j of a_ij t_ij) V_E,      y_i <- y_i * (theta_0 + log(1 + degree_i) theta_1)
//! h    = norm(h + dropout(y) W + b),  then norm(h + W_2 dropout(activation(W_1 h)))
//! e    = norm(e + dropout(t) W' + b')
//! ```
//!
//! h is `[N, F]`, e and t are `[P, F]` for the P pairs of all graphs, n² of a graph of n nodes. Batch norm of e counts pairs, so that a large
//! graph weighs more. The states of pairs after the last layer are not made. The pair (j -> i) carries the walk from i to j, as in
//! the authors' code since December 2024; before, it was the walk from j to i. Cost: K n E once, then P F² a layer; kept are about five
//! arrays `[P, F]` a layer, so it is for small graphs.

mod walks;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::pairs::attention::MOST_LIMIT;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, NormKind};
use crate::init::{self, Seeds, Start};
use crate::knobs::knobs;
use crate::layers::{
    BlockConfig, Encoder, EncoderConfig, EntryEncoder, Feed, FeedConfig, Head, HeadConfig, Layer, Linear, NormBlock,
    plain,
};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::ops::{self, PairGateInputs};
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape};
use walks::PairWalks;

knobs! {
    /// The settings of GRIT.
    pub struct Grit {
        /// Heads of attention.
        heads: usize = 4, in 1..=1024;
        /// Random walk probabilities of a pair: K.
        walk_steps: usize = 17, in 1..=1024;
        /// Whether the first of them is that of no step at all.
        walk_identity: bool = true;
        /// Scores of attention are cut off at this size.
        clamp: f32 = 5.0, in 0.1..=MOST_LIMIT;
        /// Probability of dropping a weight of attention.
        attention_dropout: f32 = 0.5, in 0.0..1.0;
        /// Whether states of pairs change from layer to layer.
        update_pairs: bool = true;
        /// Whether what a node takes is scaled by its degree.
        degree_scale: bool = true;
        /// Whether the signed root is taken of what two nodes make of a pair.
        signed_root: bool = true;
        /// Whether each hidden map of the head has half the channels of the one before.
        halving_head: bool = false;
    }
}

impl Grit {
    fn encoder(common: &Common) -> EncoderConfig {
        EncoderConfig { projection: true, start: Start::Uniform, ..common.encoder() }
    }

    fn head(&self, common: &Common) -> HeadConfig {
        HeadConfig { halving: self.halving_head, start: Start::Uniform, ..common.head() }
    }

    /// Whether a layer gives states of pairs to the next one.
    fn updates(&self, common: &Common, layer: usize) -> bool {
        self.update_pairs && layer + 1 < common.layers
    }
}

fn norm(common: &Common) -> BlockConfig {
    BlockConfig { norm: common.norm, ..plain(ActivationKind::None, 0.0) }
}

/// Nothing is dropped after the feed-forward part.
fn feed(common: &Common) -> FeedConfig {
    let twice = FeedConfig::twice(common.width, common.activation, common.dropout);
    FeedConfig { end_dropout: 0.0, ..twice }
}

impl Architecture for Grit {
    const NAME: &'static str = "grit";
    const ABOUT: About = About {
        title: "Graph inductive bias transformer",
        citation: "Ma et al., Graph inductive biases in transformers without message passing, ICML 2023",
        idea: "attention among all nodes by states of pairs, which begin with probabilities of random walks",
        cost: "N² F²",
        limits: "memory grows with the square of a graph's nodes times width",
    };
    const IDLE: &'static [&'static str] = &["input_projection", "residual"];

    fn defaults() -> Common {
        Common { layers: 4, width: 96, norm: NormKind::Batch, dropout: 0.0, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(Self::NAME, 1)?;
        common.heads_divide(Self::NAME, self.heads)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let width = common.width;
        Box::new(GritNetwork {
            encoder: Encoder::init(inputs, &Grit::encoder(common), seeds),
            edges: EntryEncoder::init_as(Start::Uniform, inputs, width, seeds),
            own_walks: init::glorot(self.walk_steps, width, seeds.next_seed()),
            pair_walks: init::glorot(self.walk_steps, width, seeds.next_seed()),
            layers: (0..common.layers).map(|layer| GritLayer::init(self, common, layer, seeds)).collect(),
            head: Head::init(width, outputs, &self.head(common), seeds),
            steps: self.walk_steps,
            identity: self.walk_identity,
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        // Graphs of one size: others have more pairs.
        let pairs = nodes * nodes.div_ceil(shape.graphs.max(1));
        ledger.hold("walks of pairs", PairWalks::bytes(nodes, shape.entries, pairs, self.walk_steps));
        let (x, _) = Grit::encoder(common).cost(shape, ledger);
        let own = ledger.linear("encoder", ledger.data(0), nodes, self.walk_steps, width, false);
        let mut h = ledger.add("encoder", x, own);
        let mut e = ledger.linear("pairs", ledger.data(0), pairs, self.walk_steps, width, false);
        if let Some(edges) = EntryEncoder::cost("pairs", width, shape, ledger) {
            let spread = ledger.reduce("pairs", edges, pairs, width);
            e = ledger.add("pairs", e, spread);
        }
        for layer in 0..common.layers {
            let name = format!("layers.{layer}");
            let weights = |count: usize| ledger.weights(&format!("{name} weights"), count);
            // Queries with bias, keys, and those of pairs.
            weights((width + 1) * width + width * width + (width + 1) * 2 * width);
            let (states, wide) = (rows(pairs, width), 2 * rows(nodes, width));
            let gates = Work {
                name: name.clone(),
                output: states,
                forward: states + 3 * wide,
                backward: 2 * states + 5 * wide,
                ..Work::default()
            };
            let t = ledger.run(gates, [(h.clone(), true), (e.clone(), true)]);
            let v = ledger.linear(&name, h.clone(), nodes, width, width, false);
            weights(width);
            let kept = rows(pairs, self.heads);
            let work = Work { name: name.clone(), output: rows(nodes, 2 * width), kept, ..Work::default() };
            let both = ledger.run(work, [(t.clone(), true), (v, true)]);
            let half = |x: &Tracked| ledger.reduce(&name, x.clone(), nodes, width);
            let (values, taken) = (half(&both), half(&both));
            drop(both);
            weights(width * width / self.heads);
            let mut y = ledger.add(&name, values, ledger.product(&name, taken, nodes, width));
            y = ledger.norm_block(&name, y, None, nodes, width, plain(ActivationKind::None, common.dropout));
            if self.degree_scale {
                let factors = ledger.linear(&name, ledger.data(0), nodes, 2, width, false);
                y = ledger.multiply(&name, y, factors);
            }
            let y = ledger.add(&name, h, ledger.linear(&name, y, nodes, width, width, true));
            h = ledger.norm_block(&name, y, None, nodes, width, norm(common));
            h = feed(common).cost(ledger, &name, h, nodes);
            h = ledger.norm_block(&name, h, None, nodes, width, norm(common));
            if self.updates(common, layer) {
                let t = ledger.norm_block(&name, t, None, pairs, width, plain(ActivationKind::None, common.dropout));
                let moved = ledger.add(&name, e, ledger.linear(&name, t, pairs, width, width, true));
                e = ledger.norm_block(&name, moved, None, pairs, width, norm(common));
            }
        }
        drop(e);
        self.head(common).cost(h, width, shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { reads_edges: true, most_nodes: Some(3_000), ..Properties::MESSAGE_PASSING }
    }

    fn burden(&self, common: &Common, nodes: usize) -> String {
        let gib = (nodes as f64).powi(2) * common.width as f64 * 4.0 / f64::from(1 << 30);
        format!("keeps numbers of all pairs of nodes, {gib:.0} GiB of them several times in every layer")
    }

    fn small() -> serde_json::Value {
        // The root has no bounded slope, so that small steps say nothing of it: its gradients have tests of their own.
        serde_json::json!({ "heads": 2, "walk_steps": 4, "attention_dropout": 0.0, "signed_root": false })
    }
}

/// Encoders of nodes and pairs, layers and a head.
#[derive(Module, Debug)]
pub struct GritNetwork {
    encoder: Encoder,
    edges: Option<EntryEncoder>,
    own_walks: Param<Tensor<2>>,
    pair_walks: Param<Tensor<2>>,
    layers: Vec<GritLayer>,
    head: Head,
    #[module(skip)]
    steps: usize,
    #[module(skip)]
    identity: bool,
}

impl Layer for GritNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let key = 2 * self.steps as u64 + u64::from(self.identity);
        let walks = batch.derived(key, |batch| PairWalks::new(batch, self.steps, self.identity));
        let own = ops::linear(walks.own.clone(), self.own_walks.val(), None);
        let mut h = self.encoder.forward(features, batch, context).into_dense(batch) + own;
        h = context.stage(|| "encoder".into(), h);
        let mut e = ops::linear(walks.all.clone(), self.pair_walks.val(), None);
        if let Some(edges) = self.edges.as_ref().and_then(|edges| edges.forward(batch)) {
            e = e + ops::sum_rows(edges, &walks.entries);
        }
        for (i, layer) in self.layers.iter().enumerate() {
            (h, e) = layer.apply(h, e, &walks, context);
            h = context.stage(|| format!("layers.{i}"), h);
        }
        context.stage(|| "head".into(), self.head.forward(h.into(), batch, context))
    }
}

/// Attention by pairs, the feed-forward part, and the next states of pairs.
#[derive(Module, Debug)]
struct GritLayer {
    query: Linear,
    key: Param<Tensor<2>>,
    value: Param<Tensor<2>>,
    pair: Linear,
    /// u, `[1, F]`.
    score: Param<Tensor<2>>,
    /// V_E, `[F, F / H]`: the maps of heads one below the other.
    pair_value: Param<Tensor<2>>,
    /// theta, `[2, F]`.
    degree: Option<Param<Tensor<2>>>,
    drop: NormBlock,
    output: Linear,
    norm: NormBlock,
    feed: Feed,
    feed_norm: NormBlock,
    pair_output: Option<Linear>,
    pair_norm: Option<NormBlock>,
    #[module(skip)]
    settings: Grit,
}

impl GritLayer {
    /// The authors' start: normal weights of attention, uniform ones elsewhere, biases uniform too.
    fn init(settings: &Grit, common: &Common, layer: usize, seeds: &mut Seeds) -> Self {
        let (width, heads) = (common.width, settings.heads);
        let channels = width / heads;
        let normal = |rows: usize, columns: usize, sum: usize, seed: u64| {
            init::normal(rows, columns, (2.0 / sum as f64).sqrt(), seed)
        };
        let mut attention = |outputs: usize| {
            let seed = seeds.next_seed();
            (normal(width, outputs, width + outputs, seed), seed)
        };
        let [(query, at_query), (key, _), (value, _)] = [(); 3].map(|()| attention(width));
        let (pair, at_pair) = attention(2 * width);
        let updates = settings.updates(common, layer);
        GritLayer {
            query: Linear::init_with(query, at_query),
            key,
            value,
            pair: Linear::init_with(pair, at_pair),
            score: normal(1, width, heads + channels, seeds.next_seed()),
            pair_value: normal(width, channels, width + channels * channels, seeds.next_seed()),
            degree: settings.degree_scale.then(|| normal(2, width, 2 * width + 2, seeds.next_seed())),
            drop: NormBlock::init(width, plain(ActivationKind::None, common.dropout)),
            output: Linear::init_uniform(width, width, seeds.next_seed()),
            norm: NormBlock::init(width, norm(common)),
            feed: Feed::init(&feed(common), seeds),
            feed_norm: NormBlock::init(width, norm(common)),
            pair_output: updates.then(|| Linear::init_uniform(width, width, seeds.next_seed())),
            pair_norm: updates.then(|| NormBlock::init(width, norm(common))),
            settings: settings.clone(),
        }
    }

    fn apply(&self, h: Tensor<2>, e: Tensor<2>, walks: &PairWalks, context: &Context) -> (Tensor<2>, Tensor<2>) {
        let Grit { heads, clamp, attention_dropout, signed_root, .. } = self.settings;
        let [nodes, width] = h.dims();
        let inputs = PairGateInputs {
            h: h.clone(),
            query: self.query.weight(),
            query_bias: self.query.bias(),
            key: self.key.val(),
            e: e.clone(),
            pair: self.pair.weight(),
            pair_bias: self.pair.bias(),
        };
        let t = ops::pair_gates(inputs, &walks.pairs, heads, signed_root);
        let v = ops::linear(h.clone(), self.value.val(), None);
        let dropout = context.dropout(attention_dropout);
        let both = ops::pair_attention([t.clone(), v, self.score.val()], &walks.pairs, heads, clamp, dropout);
        let half = |from: usize| both.clone().slice([0..nodes, from * width..(from + 1) * width]);
        let taken = ops::head_linear(half(1), self.pair_value.val(), heads);
        let mut y = self.drop.apply(half(0) + taken, None, context);
        if let Some(degree) = &self.degree {
            y = y * ops::linear(walks.scales.clone(), degree.val(), None);
        }
        let h = self.norm.apply(h + self.output.apply(y.into()), None, context);
        let h = self.feed_norm.apply(self.feed.apply(h, context), None, context);
        let e = match (&self.pair_output, &self.pair_norm) {
            (Some(output), Some(norm)) => {
                let moved = output.apply(self.drop.apply(t, None, context).into());
                norm.apply(e + moved, None, context)
            }
            _ => e,
        };
        (h, e)
    }
}
