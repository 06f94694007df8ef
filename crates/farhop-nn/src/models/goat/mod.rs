//! GOAT: attention among neighbours beside attention to a codebook that stands for all nodes.
//!
//! Kong, Chen, Kirchenbauer, Ni, Bruss and Goldstein, "GOAT: a global transformer on large-scale graphs", ICML 2023. By default it has the full-graph
//! form that Luo, Shi and Wu ("Classic GNNs are strong baselines", NeurIPS 2024) compare with; `draws`, `code_width` and `positions` make it the
//! authors' own. N nodes, d channels, H heads of d channels each, M centroids:
//!
//! ```text
//! z = act(norm(x W1 + b1)) W2 + b2
//! layer    L_i = sum over neighbours j and i itself of softmax_j(q_i . k_j / sqrt(d)) v_j                       [N, H d]
//!          u = z Wp + bp,   G_i = sum_m softmax_m(u_i Wq . P_m Wk / sqrt(d) + log n_m) P_m Wv                   [N, H d]
//!          z <- act(norm(act(norm([L | G] W3 + b3)) W4 + b4))
//! codebook after each step of training, without a gradient: w = u with mean 0 and variance 1; every w goes to its nearest centroid E_m;
//!          sizes and sums of centroids are averages that decay, E = sums / sizes, P = E in the scale of u, n_m = rows of this step
//! ```
//!
//! A centroid that no row was near has weight zero. No residual anywhere.
//!
//! With `draws = [20, 10, 5]` node i reads tokens instead of neighbours: in every round each node found so far, i included, draws so many of its
//! neighbours, and who is new has the number of the round as its distance r. Scores are `q_i . k_j / sqrt(d) + b_r - log(tokens of i with that r)`, b
//! learned for every head. Steps of training draw anew, evaluation always draws the same. `code_width` gives u other channels than d, and with `positions`
//! u has the encodings of nodes beside it, `u = [z Wp + bp | positions]`, which the values of attention do not see. The authors take node2vec codes for
//! these; here they are the encodings that a run has (`walk`, `laplacian`), and the input does not read them then.
//!
//! Cost: E H d + N H d² + N M H d a layer, with all tokens as E; the N x M weights of a head are kept twice.
//! Differences: a codebook starts with sizes of 1 instead of 0, which would throw all centroids without a row far away
//! in the first step. n_m counts the rows of the last step; the authors' the last row of every node, which is the same where a step sees the whole graph.

mod codebook;
mod layer;
pub(crate) mod tokens;

use burn::module::Module;
use burn::tensor::Tensor;

use self::codebook::Codebook;
use self::layer::{GoatLayer, Seen};
use self::tokens::Tokens;
use super::{About, Architecture, Change, Common, Properties, Reach, narrower};
use crate::config::{Checks, NormKind};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{Encoder, Head, Layer, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::memory::floats;
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape, ops};

knobs! {
    /// The settings of GOAT.
    pub struct Goat {
        /// Heads of both attentions, each of `width` channels.
        heads: usize = 1, in 1..=64;
        /// Centroids of a layer's codebook, fewer than nodes; the authors take 4096 for graphs of 169,000 nodes.
        centroids: usize = 1024, in 1..=65_536;
        /// Share of the past in the averages of a codebook.
        decay: f32 = 0.99, in 0.0..1.0;
        /// Probability of dropping a weight of either attention.
        attention_dropout: f32 = 0.3, in 0.0..1.0;
        /// Neighbours that each node found so far draws in a round, to find the tokens of a node; without rounds, tokens are its neighbours. The authors' is [20, 10, 5].
        draws: Vec<usize> = Vec::new();
        /// Channels of a node in the codebook, positions not counted; 0 for the width.
        code_width: usize = 0, in 0..=65_536;
        /// Whether encodings of nodes go into the codebook, rather than into the input.
        positions: bool = false;
    }
}

/// Rounds of draws, and neighbours of a draw.
const MOST_ROUNDS: usize = 8;
const MOST_DRAWN: usize = 256;

impl Goat {
    /// Channels of a node in the codebook, without and with positions that have so many columns.
    fn code(&self, common: &Common, positions: usize) -> [usize; 2] {
        let width = if self.code_width == 0 { common.width } else { self.code_width };
        [width, width + if self.positions { positions } else { 0 }]
    }

    fn local_cost(&self, name: &str, z: &Tracked, width: usize, shape: &Shape, ledger: &Ledger) -> Tracked {
        let Shape { nodes, entries, .. } = *shape;
        let wide = self.heads * width;
        let map = || ledger.linear(name, z.clone(), nodes, width, wide, true);
        let (q, k, v) = (map(), map(), map());
        let output = |count: usize| Work { name: name.into(), output: rows(count, self.heads), ..Work::default() };
        let edges = ledger.run(output(entries), [(q.clone(), true), (k.clone(), true)]);
        let own = ledger.reduce(name, ledger.multiply(name, q, k), nodes, self.heads);
        let mut scores = ledger.run(output(entries + nodes), [(edges, false), (own, false)]);
        if !self.draws.is_empty() {
            ledger.weights(&format!("{name} weights"), (self.draws.len() + 1) * self.heads);
            let bias = ledger.run(output(entries + nodes), [(ledger.data(0), false)]);
            scores = ledger.spread(name, ledger.add(name, scores, bias));
        }
        let weights = ledger.each(name, scores);
        let work = Work { name: name.into(), output: rows(nodes, wide), ..Work::default() };
        ledger.run(work, [(v, true), (weights, true)])
    }

    fn global_cost(&self, name: &str, z: &Tracked, common: &Common, shape: &Shape, ledger: &Ledger) -> Vec<Tracked> {
        let (nodes, count, width) = (shape.nodes, self.centroids, common.width);
        let (wide, [own, whole]) = (self.heads * width, self.code(common, shape.array_columns()));
        let mut u = ledger.linear(name, z.clone(), nodes, width, own, true);
        if whole > own {
            u = ledger.reduce(name, u, nodes, whole);
        }
        let q = ledger.linear(name, u, nodes, whole, wide, true);
        let map = |inputs: usize| ledger.linear(name, ledger.data(0), count, inputs, wide, true);
        let (k, v) = (map(whole), map(own));
        ledger.hold("codebook", floats(Codebook::size(count, whole)));
        let head = |_| {
            let part = |x: &Tracked, rows_of: usize| ledger.reduce(name, x.clone(), rows_of, width);
            let output = rows(nodes, count);
            let work = Work { name: name.into(), output, ..Work::default() };
            let scores = ledger.run(work.clone(), [(part(&q, nodes), true), (part(&k, count), true)]);
            let mut weights = ledger.run(Work { kept: output, ..work.clone() }, [(scores, false)]);
            if self.attention_dropout > 0.0 {
                weights = ledger.each(name, weights);
            }
            let work = Work { output: rows(nodes, width), ..work };
            ledger.run(work, [(weights, true), (part(&v, count), true)])
        };
        (0..self.heads).map(head).collect()
    }
}

impl Architecture for Goat {
    const NAME: &'static str = "goat";
    const ABOUT: About = About {
        title: "Global transformer with a codebook",
        citation: "Kong and others, GOAT: a global transformer on large-scale graphs, ICML 2023",
        idea: "attention among neighbours beside attention to centroids that stand for all nodes",
        cost: "E H F + N H F² + N M H F",
        limits: "edge features are not read; draws of tokens follow the numbers of nodes",
    };
    const IDLE: &'static [&'static str] = &["residual"];

    /// Of the settings among which Luo, Shi and Wu search, those that validation chose on Cora. Theirs are not published.
    fn defaults() -> Common {
        Common { layers: 2, width: 64, norm: NormKind::Batch, dropout: 0.3, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(Self::NAME, 1)?;
        let fits = self.draws.len() <= MOST_ROUNDS && self.draws.iter().all(|size| (1..=MOST_DRAWN).contains(size));
        Checks(Self::NAME).that(fits, "draws", format!("{:?}", self.draws), || {
            format!("allowed is a list of at most {MOST_ROUNDS} rounds, each 1 to {MOST_DRAWN}")
        })
    }

    fn accepts(&self, _common: &Common, inputs: &InputShape, _outputs: &OutputShape) -> Result<(), NnError> {
        if !self.positions {
            return Ok(());
        }
        let can_not = |what: &str, remedy: &str| {
            Err(NnError::CanNot { model: Self::NAME, what: what.into(), remedy: remedy.into() })
        };
        if inputs.arrays.is_empty() {
            return can_not(
                "put positions into its codebook without any",
                "Ask for an encoding, or set positions to false.",
            );
        }
        if inputs.numbers == 0 && inputs.categories.is_empty() {
            return can_not("read nodes that have nothing but positions", "Set positions to false.");
        }
        Ok(())
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let bare = inputs.with_arrays(|_| !self.positions);
        let (encoder, read) = common.build_encoder(&bare, seeds);
        let width = common.width;
        let code = self.code(common, inputs.arrays.iter().map(|array| array.width).sum());
        Box::new(GoatNetwork {
            encoder,
            input: Linear::init(read, width, seeds.next_seed()),
            input_norm: common.build_norm(width),
            input_output: Linear::init(width, width, seeds.next_seed()),
            layers: (0..common.layers).map(|_| GoatLayer::init(self, common, code, seeds)).collect(),
            head: common.build_head(width, outputs, seeds),
            draws: self.draws.clone(),
            positions: self.positions,
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width, wide) = (shape.nodes, common.width, self.heads * common.width);
        let encoder = common.encoder();
        encoder.hold(shape, ledger);
        let (x, read) = encoder.pass(&shape.with_arrays(|_| !self.positions), ledger);
        let mut seen = shape.clone();
        if !self.draws.is_empty() {
            seen.entries = Tokens::expected(shape, &self.draws);
            // In training those of the step, beside those of evaluation, which stay.
            let sets = if ledger.training() { 2 } else { 1 };
            ledger.hold("tokens", sets * Tokens::bytes(seen.entries, nodes));
        }
        let mut z = ledger.linear("input", x, nodes, read, width, true);
        z = ledger.norm_block("input norm", z, None, nodes, width, common.block());
        z = ledger.linear("input", z, nodes, width, width, true);
        for i in 0..common.layers {
            let name = format!("layers.{i}");
            let mut parts = vec![self.local_cost(&name, &z, width, &seen, ledger)];
            parts.extend(self.global_cost(&name, &z, common, shape, ledger));
            let both = ledger.concat(&name, parts);
            z = ledger.linear(&name, both, nodes, 2 * wide, wide, true);
            z = ledger.norm_block(&name, z, None, nodes, wide, common.block());
            z = ledger.linear(&name, z, nodes, wide, width, true);
            z = ledger.norm_block(&name, z, None, nodes, width, common.block());
        }
        common.head().cost(z, width, shape, ledger)
    }

    fn reach(&self, common: &Common) -> Reach {
        // Other nodes are seen through the codebook, which does not change outside of training.
        Reach::Hops(common.layers * self.draws.len().max(1))
    }

    fn properties(&self, _common: &Common) -> Properties {
        // The code book is a mean over what all batches gave.
        Properties { equivariant: self.draws.is_empty(), shares: false, ..Properties::MESSAGE_PASSING }
    }

    fn smaller(&self, common: &Common, _training: bool) -> Vec<Vec<Change>> {
        let halves = std::iter::successors(Some(self.centroids / 2), |count| Some(count / 2));
        let fewer = halves.take_while(|count| *count >= 256).map(|count| vec![Change::new("centroids", count)]);
        fewer.chain(narrower(common.width)).collect()
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "heads": 2, "centroids": 5, "norm": "layer", "attention_dropout": 0.0 })
    }
}

/// Input block, layers and head.
#[derive(Module, Debug)]
pub struct GoatNetwork {
    encoder: Encoder,
    input: Linear,
    input_norm: NormBlock,
    input_output: Linear,
    layers: Vec<GoatLayer>,
    head: Head,
    #[module(skip)]
    draws: Vec<usize>,
    #[module(skip)]
    positions: bool,
}

impl GoatNetwork {
    fn seen(&self, batch: &Batch, context: &Context) -> Seen {
        let tokens = (!self.draws.is_empty()).then(|| Tokens::of(batch, &self.draws, context));
        let mut seen = Seen { graph: batch.graph().clone(), tokens, positions: None };
        if self.positions {
            let arrays: Vec<Tensor<2>> = batch.shape().arrays.iter().map(|array| batch.array(&array.name)).collect();
            seen.positions = Some(seen.answering(seen.read(ops::concat(arrays))));
        }
        seen
    }
}

impl Layer for GoatNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let seen = self.seen(batch, context);
        let x = match self.encoder.stage(features, batch, context) {
            Features::Dense(x) => seen.read(x).into(),
            sparse => sparse,
        };
        let hidden = self.input_norm.apply(self.input.apply(x), None, context);
        let mut z = self.input_output.apply(hidden.into());
        for (i, layer) in self.layers.iter().enumerate() {
            z = context.stage(|| format!("layers.{i}"), layer.forward(z, &seen, context));
        }
        context.stage(|| "head".into(), self.head.forward(z.into(), batch, context))
    }
}
