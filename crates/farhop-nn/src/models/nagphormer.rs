//! NAGphormer: every node is a short sequence, itself and its neighbourhoods hop by hop, that a transformer reads.
//!
//! Chen, Gao, Li and He, "NAGphormer: a tokenized graph transformer for node classification in large graphs", ICLR
//! 2023. N nodes, K hops, d channels, H heads; P is the symmetric normalisation with self-loops:
//!
//! ```text
//! tokens    t_k = P^k x W + b,   k = 0 .. K                                          [N, K + 1, d]
//! layer     t <- t + MHA(LN(t)),   t <- t + act(LN(t) W1 + b1) W2 + b2               attention among the tokens of one node
//! reading   c = softmax over k = 1 .. K of w . t_k,   g = t_0 + sum_k c_k t_k        t after a last LN, [N, d]
//! answers   head(g), whose inner layers have d / 2 channels
//! ```
//!
//! Cost: K E d + N (K + 1) (8 d² + 2 (K + 1) d) a layer. No node sees another but through P.
//! Differences: x W is spread instead of x, which is the same map with less memory where x is wide. The reading has no
//! part of t_0 and no bias, as these are constant over k and leave the softmax as it is. Eigenvectors come through the
//! shared encoder unless they are given as numbers of nodes, where they are spread as any other.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::dense::{Activation, Dropout, Finish};
use farhop_kernels::graph_attention::Settings;
use farhop_kernels::segments::Reduction;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, NormKind};
use crate::init::{self, Seeds};
use crate::knobs::knobs;
use crate::layers::{BlockConfig, Encoder, Head, HeadConfig, Layer, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::memory::floats;
use crate::ops::{self, Normalisation, bridge};
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// The settings of NAGphormer; `activation` is that between the maps of a layer.
    pub struct Nagphormer {
        /// Hops, each a token beside the node itself.
        hops: usize = 7, in 1..=100;
        /// Heads of attention.
        heads: usize = 8, in 1..=64;
        /// Probability of dropping a weight of attention.
        attention_dropout: f32 = 0.1, in 0.0..1.0;
    }
}

const LAYER_NORM: BlockConfig = BlockConfig { norm: NormKind::Layer, activation: ActivationKind::None, dropout: 0.0 };

fn head(common: &Common) -> HeadConfig {
    HeadConfig { width: (common.width / 2).max(1), ..common.head() }
}

impl Architecture for Nagphormer {
    const NAME: &'static str = "nagphormer";
    const ABOUT: About = About {
        title: "Neighbourhood aggregation graph transformer",
        citation: "Chen, Gao, Li and He, NAGphormer: a tokenized graph transformer, ICLR 2023",
        idea: "a transformer reads each node as the sequence of its neighbourhoods, hop by hop",
        cost: "K E F + N K F² + N K² F",
        limits: "edge features are not read",
    };
    const IDLE: &'static [&'static str] = &["norm", "residual"];

    fn defaults() -> Common {
        Common {
            layers: 1,
            width: 512,
            activation: ActivationKind::GeluExact,
            dropout: 0.1,
            head_layers: 2,
            ..Common::default()
        }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.heads_divide(Self::NAME, self.heads)
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
        Box::new(NagphormerNetwork {
            encoder,
            embedding: init::glorot(read, width, seeds.next_seed()),
            embedding_bias: init::constant(width, 0.0),
            layers: (0..common.layers).map(|_| TokenLayer::init(self, common, seeds)).collect(),
            norm: NormBlock::init(width, LAYER_NORM),
            reading: init::glorot(width, 1, seeds.next_seed()),
            head: Head::init(width, outputs, &head(common), seeds),
            hops: self.hops,
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        let tokens = nodes * (self.hops + 1);
        ledger.symmetric_weights(shape);
        ledger.hold("tokens", 2 * floats(nodes));
        let (x, read) = common.encoder().cost(shape, ledger);
        let mut hop = ledger.linear("embedding", x, nodes, read, width, true);
        let mut list = vec![hop.clone()];
        for _ in 0..self.hops {
            hop = ledger.spread("tokens", hop);
            list.push(hop.clone());
        }
        drop(hop);
        let mut t = ledger.spread("tokens", ledger.concat("tokens", list));
        for i in 0..common.layers {
            let name = format!("layers.{i}");
            let map = |x: &Tracked, from: usize, to: usize| ledger.linear(&name, x.clone(), tokens, from, to, true);
            let normed = ledger.norm_block(&name, t.clone(), None, tokens, width, LAYER_NORM);
            let qkv = [(); 3].map(|()| (map(&normed, width, width), true));
            drop(normed);
            let output = rows(tokens, width);
            let kept = output + rows(tokens, self.heads);
            let work = Work { name: name.clone(), output, kept, backward: kept + 7 * output, ..Work::default() };
            let attended = ledger.run(work, qkv);
            t = ledger.add(&name, map(&attended, width, width), t);
            drop(attended);
            let normed = ledger.norm_block(&name, t.clone(), None, tokens, width, LAYER_NORM);
            let inner = ledger.each(&name, map(&normed, width, 2 * width));
            t = ledger.add(&name, map(&inner, 2 * width, width), t);
        }
        let t = ledger.norm_block("reading", t, None, tokens, width, LAYER_NORM);
        let scores = ledger.linear("reading", t.clone(), tokens, width, 1, false);
        let weights = ledger.each("reading", scores);
        let weighed = ledger.run(
            Work { name: "reading".into(), output: rows(tokens, width), ..Work::default() },
            [(t, true), (weights, true)],
        );
        let read = ledger.reduce("reading", weighed, nodes, width);
        head(common).cost(read, width, shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(self.hops + 1)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "hops": 3, "heads": 2, "attention_dropout": 0.0 })
    }
}

/// Where the tokens of every node begin.
struct TokenOffsets(Arc<Vec<usize>>);

/// A transformer layer with normalisation before its two parts.
#[derive(Module, Debug)]
struct TokenLayer {
    attention_norm: NormBlock,
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    forward_norm: NormBlock,
    inner: Linear,
    outer: Linear,
    #[module(skip)]
    heads: usize,
    #[module(skip)]
    attention_dropout: f32,
    #[module(skip)]
    activation: ActivationKind,
    #[module(skip)]
    dropout: f32,
}

impl TokenLayer {
    fn init(settings: &Nagphormer, common: &Common, seeds: &mut Seeds) -> Self {
        let width = common.width;
        let mut map = |inputs, outputs| Linear::init(inputs, outputs, seeds.next_seed());
        TokenLayer {
            attention_norm: NormBlock::init(width, LAYER_NORM),
            query: map(width, width),
            key: map(width, width),
            value: map(width, width),
            output: map(width, width),
            forward_norm: NormBlock::init(width, LAYER_NORM),
            inner: map(width, 2 * width),
            outer: map(2 * width, width),
            heads: settings.heads,
            attention_dropout: settings.attention_dropout,
            activation: common.activation,
            dropout: common.dropout,
        }
    }

    fn forward(&self, t: Tensor<2>, offsets: &Arc<Vec<usize>>, context: &Context) -> Tensor<2> {
        let channels = t.dims()[1] / self.heads;
        let settings = Settings {
            heads: self.heads,
            channels,
            scale: 1.0 / (channels as f32).sqrt(),
            dropout: context.dropout(self.attention_dropout),
        };
        let normed = self.attention_norm.apply(t.clone(), None, context);
        let [q, k, v] = [&self.query, &self.key, &self.value].map(|map| map.apply(normed.clone().into()));
        let attended = self.output.apply(ops::graph_attention(q, k, v, offsets, settings).into());
        let t = finished(attended, Activation::Identity, context.dropout(self.dropout), Some(t));
        let normed = self.forward_norm.apply(t.clone(), None, context);
        let inner = finished(self.inner.apply(normed.into()), self.activation.into(), Dropout::NONE, None);
        finished(self.outer.apply(inner.into()), Activation::Identity, context.dropout(self.dropout), Some(t))
    }
}

fn finished(x: Tensor<2>, activation: Activation, dropout: Dropout, residual: Option<Tensor<2>>) -> Tensor<2> {
    ops::norm_block(x, Normalisation::None, Finish { activation, dropout }, residual)
}

/// Tokens, layers, reading and head.
#[derive(Module, Debug)]
pub struct NagphormerNetwork {
    encoder: Encoder,
    embedding: Param<Tensor<2>>,
    embedding_bias: Param<Tensor<1>>,
    layers: Vec<TokenLayer>,
    norm: NormBlock,
    reading: Param<Tensor<2>>,
    head: Head,
    #[module(skip)]
    hops: usize,
}

impl NagphormerNetwork {
    /// `[N (K + 1), d]`, the tokens of a node one below the other.
    fn tokens(&self, x: Features, batch: &Batch) -> Tensor<2> {
        let mut hop = x.linear(self.embedding.val(), None);
        let [nodes, width] = hop.dims();
        let mut list = vec![hop.clone()];
        for _ in 0..self.hops {
            hop = ops::spmm(hop, batch.graph(), &batch.symmetric_weights(), None);
            list.push(hop.clone());
        }
        drop(hop);
        let tokens = ops::concat(list).reshape([nodes * (self.hops + 1), width]);
        tokens + self.embedding_bias.val().reshape([1, width])
    }

    /// `g = t_0 + sum_k c_k t_k`, `[N, d]`.
    fn read(&self, t: Tensor<2>, nodes: usize, offsets: &Arc<Vec<usize>>) -> Tensor<2> {
        let count = self.hops + 1;
        let scores = ops::linear(t.clone(), self.reading.val(), None).reshape([nodes, count]);
        let shares = ops::row_softmax(scores.slice([0..nodes, 1..count]));
        let own = bridge::from_vec(vec![1.0; nodes], [nodes, 1]);
        let weights = ops::concat([own, shares]).reshape([nodes * count, 1]);
        ops::readout(ops::scale_rows(t, weights), offsets, Reduction::Sum)
    }
}

impl Layer for NagphormerNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let x = self.encoder.stage(features, batch, context);
        let (nodes, count) = (batch.nodes(), self.hops + 1);
        let starts = |_: &Batch| TokenOffsets(Arc::new((0..=nodes).map(|node| node * count).collect()));
        let offsets = batch.derived(self.hops as u64, starts);
        let mut t = context.stage(|| "tokens".into(), self.tokens(x, batch));
        for (i, layer) in self.layers.iter().enumerate() {
            t = context.stage(|| format!("layers.{i}"), layer.forward(t, &offsets.0, context));
        }
        let t = self.norm.apply(t, None, context);
        let g = context.stage(|| "reading".into(), self.read(t, nodes, &offsets.0));
        context.stage(|| "head".into(), self.head.forward(g.into(), batch, context))
    }
}
