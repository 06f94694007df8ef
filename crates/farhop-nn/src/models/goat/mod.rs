//! GOAT: attention among neighbours beside attention to a codebook that stands for all nodes.
//!
//! Kong, Chen, Kirchenbauer, Ni, Bruss and Goldstein, "GOAT: a global transformer on large-scale graphs", ICML 2023, in
//! the full-graph form that Luo, Shi and Wu ("Classic GNNs are strong baselines", NeurIPS 2024) compare with. N nodes,
//! d channels, H heads of d channels each, M centroids:
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
//! Cost: E H d + N H d² + N M H d a layer; the N x M weights of a head are kept twice.
//! Differences: a codebook starts with sizes of 1 instead of 0, which would throw all centroids without a row far away
//! in the first step. The authors' tokens from sampled neighbourhoods with distances, and their positions of nodes, are
//! not part of this form.

mod codebook;

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_kernels::dense::{Activation, Finish};

use self::codebook::Codebook;
use super::{About, Architecture, Change, Common, Properties, Reach, narrower};
use crate::config::NormKind;
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{Encoder, Head, Layer, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::memory::floats;
use crate::ops::{self, Normalisation};
use crate::{Batch, Context, Features, InputShape, Network, OutputShape, Shape};

knobs! {
    /// The settings of GOAT.
    pub struct Goat {
        /// Heads of both attentions, each of `width` channels.
        heads: usize = 4, in 1..=64;
        /// Centroids of a layer's codebook.
        centroids: usize = 4096, in 1..=65_536;
        /// Share of the past in the averages of a codebook.
        decay: f32 = 0.99, in 0.0..1.0;
        /// Probability of dropping a weight of either attention.
        attention_dropout: f32 = 0.0, in 0.0..1.0;
    }
}

impl Goat {
    fn local_cost(&self, name: &str, z: &Tracked, width: usize, shape: &Shape, ledger: &Ledger) -> Tracked {
        let Shape { nodes, entries, .. } = *shape;
        let wide = self.heads * width;
        let map = || ledger.linear(name, z.clone(), nodes, width, wide, true);
        let (q, k, v) = (map(), map(), map());
        let output = |count: usize| Work { name: name.into(), output: rows(count, self.heads), ..Work::default() };
        let edges = ledger.run(output(entries), [(q.clone(), true), (k.clone(), true)]);
        let own = ledger.reduce(name, ledger.multiply(name, q, k), nodes, self.heads);
        let scores = ledger.run(output(entries + nodes), [(edges, false), (own, false)]);
        let weights = ledger.each(name, scores);
        let work = Work { name: name.into(), output: rows(nodes, wide), ..Work::default() };
        ledger.run(work, [(v, true), (weights, true)])
    }

    fn global_cost(&self, name: &str, z: &Tracked, width: usize, shape: &Shape, ledger: &Ledger) -> Vec<Tracked> {
        let (nodes, count, wide) = (shape.nodes, self.centroids, self.heads * width);
        let u = ledger.linear(name, z.clone(), nodes, width, width, true);
        let q = ledger.linear(name, u, nodes, width, wide, true);
        let map = || ledger.linear(name, ledger.data(0), count, width, wide, true);
        let (k, v) = (map(), map());
        ledger.hold("codebook", floats(Codebook::size(count, width)));
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
        limits: "edge features are not read; tokens are neighbours, not sampled neighbourhoods",
    };
    const IDLE: &'static [&'static str] = &["residual"];

    fn defaults() -> Common {
        Common { layers: 1, width: 128, norm: NormKind::Batch, dropout: 0.5, ..Common::default() }
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let (encoder, read) = common.build_encoder(inputs, seeds);
        let width = common.width;
        Box::new(GoatNetwork {
            encoder,
            input: Linear::init(read, width, seeds.next_seed()),
            input_norm: common.build_norm(width),
            input_output: Linear::init(width, width, seeds.next_seed()),
            layers: (0..common.layers).map(|_| GoatLayer::init(self, common, seeds)).collect(),
            head: common.build_head(width, outputs, seeds),
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width, wide) = (shape.nodes, common.width, self.heads * common.width);
        let (x, read) = common.encoder().cost(shape, ledger);
        let mut z = ledger.linear("input", x, nodes, read, width, true);
        z = ledger.norm_block("input norm", z, None, nodes, width, common.block());
        z = ledger.linear("input", z, nodes, width, width, true);
        for i in 0..common.layers {
            let name = format!("layers.{i}");
            let mut parts = vec![self.local_cost(&name, &z, width, shape, ledger)];
            parts.extend(self.global_cost(&name, &z, width, shape, ledger));
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
        Reach::Hops(common.layers)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }

    fn smaller(&self, common: &Common, _training: bool) -> Vec<Vec<Change>> {
        let halves = std::iter::successors(Some(self.centroids / 2), |count| Some(count / 2));
        let fewer = halves.take_while(|count| *count >= 256).map(|count| vec![Change::new("centroids", count)]);
        fewer.chain(narrower(common.width)).collect()
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "heads": 2, "centroids": 5, "norm": "layer" })
    }
}

/// Both attentions and the block after them.
#[derive(Module, Debug)]
struct GoatLayer {
    local_query: Linear,
    local_key: Linear,
    local_value: Linear,
    projection: Linear,
    global_query: Linear,
    global_key: Linear,
    global_value: Linear,
    codebook: Codebook,
    inner: Linear,
    inner_norm: NormBlock,
    outer: Linear,
    outer_norm: NormBlock,
    #[module(skip)]
    heads: usize,
    #[module(skip)]
    attention_dropout: f32,
}

impl GoatLayer {
    fn init(settings: &Goat, common: &Common, seeds: &mut Seeds) -> Self {
        let (width, wide) = (common.width, settings.heads * common.width);
        let codebook = Codebook::init(settings.centroids, width, settings.decay, seeds.next_seed());
        let mut map = |inputs, outputs| Linear::init(inputs, outputs, seeds.next_seed());
        GoatLayer {
            local_query: map(width, wide),
            local_key: map(width, wide),
            local_value: map(width, wide),
            projection: map(width, width),
            global_query: map(width, wide),
            global_key: map(width, wide),
            global_value: map(width, wide),
            codebook,
            inner: map(2 * wide, wide),
            inner_norm: common.build_norm(wide),
            outer: map(wide, width),
            outer_norm: common.build_norm(width),
            heads: settings.heads,
            attention_dropout: settings.attention_dropout,
        }
    }

    /// Among neighbours and the node itself, `[N, H d]`.
    fn local(&self, z: &Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let [nodes, width] = z.dims();
        let maps = [&self.local_query, &self.local_key, &self.local_value];
        let [q, k, v] = maps.map(|map| map.apply(z.clone().into()));
        let scale = 1.0 / (width as f32).sqrt();
        let edges = ops::edge_dot(q.clone(), k.clone(), batch.graph(), self.heads, scale);
        let own = (q * k).reshape([nodes * self.heads, width]).sum_dim(1).reshape([nodes, self.heads]) * scale;
        let scores = Tensor::cat(vec![edges, own], 0);
        let weights = ops::edge_softmax(scores, batch.graph(), context.dropout(self.attention_dropout));
        context.saw_attention(batch.graph(), 1, || weights.clone());
        ops::attend(v, weights, None, batch.graph())
    }

    /// To the codebook, `[N, d]` for every head.
    fn global(&self, z: &Tensor<2>, context: &Context) -> Vec<Tensor<2>> {
        let [nodes, width] = z.dims();
        let u = self.projection.apply(z.clone().into());
        let values = self.codebook.values();
        let count = values.dims()[0];
        let q = self.global_query.apply(u.clone().into());
        let k = self.global_key.apply(values.clone().into()) * (1.0 / (width as f32).sqrt());
        let v = self.global_value.apply(values.into());
        let log_counts = self.codebook.log_counts();
        let head = |head: usize| {
            let columns = head * width..(head + 1) * width;
            let map = k.clone().slice([0..count, columns.clone()]).transpose();
            let scores = ops::linear(q.clone().slice([0..nodes, columns.clone()]), map, Some(log_counts.clone()));
            let mut weights = ops::row_softmax(scores);
            if self.attention_dropout > 0.0 && context.is_training() {
                let dropout = context.dropout(self.attention_dropout);
                let finish = Finish { activation: Activation::Identity, dropout };
                weights = ops::norm_block(weights, Normalisation::None, finish, None);
            }
            ops::linear(weights, v.clone().slice([0..count, columns]), None)
        };
        let heads = (0..self.heads).map(head).collect();
        self.codebook.follow(&u, context);
        heads
    }

    fn forward(&self, z: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let mut parts = vec![self.local(&z, batch, context)];
        parts.extend(self.global(&z, context));
        let joined = ops::concat(parts);
        let inner = self.inner.apply(joined.into());
        let inner = self.inner_norm.apply(inner, None, context);
        self.outer_norm.apply(self.outer.apply(inner.into()), None, context)
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
}

impl Layer for GoatNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let x = self.encoder.stage(features, batch, context);
        let hidden = self.input_norm.apply(self.input.apply(x), None, context);
        let mut z = self.input_output.apply(hidden.into());
        for (i, layer) in self.layers.iter().enumerate() {
            z = context.stage(|| format!("layers.{i}"), layer.forward(z, batch, context));
        }
        context.stage(|| "head".into(), self.head.forward(z.into(), batch, context))
    }
}
