//! A layer of GOAT, and what a pass reads beside features. See the model for the formulas.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::dense::{Activation, Finish};

use super::Goat;
use super::codebook::Codebook;
use super::tokens::Tokens;
use crate::Context;
use crate::init::{self, Seeds};
use crate::layers::{Linear, NormBlock};
use crate::models::Common;
use crate::ops::{self, Normalisation};

/// Both attentions and the block after them.
#[derive(Module, Debug)]
pub(super) struct GoatLayer {
    local_query: Linear,
    local_key: Linear,
    local_value: Linear,
    projection: Linear,
    global_query: Linear,
    global_key: Linear,
    global_value: Linear,
    codebook: Codebook,
    /// `[rounds + 1, H]`.
    distances: Option<Param<Tensor<2>>>,
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
    /// `own` channels of a node in the codebook, `whole` with its positions.
    pub fn init(settings: &Goat, common: &Common, [own, whole]: [usize; 2], seeds: &mut Seeds) -> Self {
        let (width, wide) = (common.width, settings.heads * common.width);
        let codebook = Codebook::init(settings.centroids, whole, settings.decay, seeds.next_seed());
        let rounds = settings.draws.len();
        let mut map = |inputs, outputs| Linear::init(inputs, outputs, seeds.next_seed());
        GoatLayer {
            local_query: map(width, wide),
            local_key: map(width, wide),
            local_value: map(width, wide),
            projection: map(width, own),
            global_query: map(whole, wide),
            global_key: map(whole, wide),
            global_value: map(own, wide),
            codebook,
            distances: (rounds > 0).then(|| init::uniform(rounds + 1, settings.heads, 0.0, 0)),
            inner: map(2 * wide, wide),
            inner_norm: common.build_norm(wide),
            outer: map(wide, width),
            outer_norm: common.build_norm(width),
            heads: settings.heads,
            attention_dropout: settings.attention_dropout,
        }
    }

    /// Among neighbours, or tokens, and the node itself, `[N, H d]`.
    fn local(&self, z: &Tensor<2>, seen: &Seen, context: &Context) -> Tensor<2> {
        let graph = seen.graph();
        let [nodes, width] = z.dims();
        let maps = [&self.local_query, &self.local_key, &self.local_value];
        let [q, k, v] = maps.map(|map| map.apply(z.clone().into()));
        let scale = 1.0 / (width as f32).sqrt();
        let edges = ops::edge_dot(q.clone(), k.clone(), graph, self.heads, scale);
        let own = (q * k).reshape([nodes * self.heads, width]).sum_dim(1).reshape([nodes, self.heads]) * scale;
        let mut scores = Tensor::cat(vec![edges, own], 0);
        if let (Some(tokens), Some(bias)) = (&seen.tokens, &self.distances) {
            scores = ops::add(scores, ops::embedding(&tokens.distances, bias.val())) + tokens.shares.clone();
        }
        let weights = ops::edge_softmax(scores, graph, context.dropout(self.attention_dropout));
        context.saw_attention(graph, 1, || weights.clone());
        ops::attend(v, weights, None, graph)
    }

    /// To the codebook, `[N, d]` for every head.
    fn global(&self, z: &Tensor<2>, positions: Option<&Tensor<2>>, context: &Context) -> Vec<Tensor<2>> {
        let [nodes, width] = z.dims();
        let mut u = self.projection.apply(z.clone().into());
        let own = u.dims()[1];
        if let Some(positions) = positions {
            u = ops::concat(vec![u, positions.clone()]);
        }
        let values = self.codebook.values();
        let count = values.dims()[0];
        let q = self.global_query.apply(u.clone().into());
        let k = self.global_key.apply(values.clone().into()) * (1.0 / (width as f32).sqrt());
        let v = self.global_value.apply(values.slice([0..count, 0..own]).into());
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

    /// The states after the layer, of the rows that answer.
    pub fn forward(&self, z: Tensor<2>, seen: &Seen, context: &Context) -> Tensor<2> {
        let mut parts = vec![seen.answering(self.local(&z, seen, context))];
        parts.extend(self.global(&seen.answering(z), seen.positions.as_ref(), context));
        let joined = ops::concat(parts);
        let inner = self.inner.apply(joined.into());
        let inner = self.inner_norm.apply(inner, None, context);
        self.outer_norm.apply(self.outer.apply(inner.into()), None, context)
    }
}

/// What a pass reads beside features.
pub(super) struct Seen {
    pub graph: Arc<Graph>,
    pub tokens: Option<Arc<Tokens>>,
    pub positions: Option<Tensor<2>>,
}

impl Seen {
    /// Who reads whom.
    fn graph(&self) -> &Arc<Graph> {
        self.tokens.as_ref().map_or(&self.graph, |tokens| &tokens.graph)
    }

    /// The rows that are read, out of those of the batch.
    pub fn read(&self, x: Tensor<2>) -> Tensor<2> {
        match self.tokens.as_ref().and_then(|tokens| tokens.nodes.as_ref()) {
            Some(nodes) => ops::take_rows(x, nodes),
            None => x,
        }
    }

    /// The rows that answer, out of those that are read.
    pub fn answering(&self, x: Tensor<2>) -> Tensor<2> {
        let [rows, width] = x.dims();
        let targets = self.tokens.as_ref().map_or(rows, |tokens| tokens.targets);
        if targets == rows { x } else { x.slice([0..targets, 0..width]) }
    }
}
