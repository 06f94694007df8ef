//! NodeFormer: attention among all nodes through random features, with random noise while it trains.
//!
//! Wu, Zhao, Li, Wipf and Yan, "NodeFormer: a scalable graph structure learning transformer for node classification",
//! NeurIPS 2022. N nodes of a graph, d channels, H heads of d channels each, M features, tau the temperature:
//!
//! ```text
//! z_0 = act(norm(x W + b));   Q, K, V = z Wq, z Wk, z Wv;   q~ = q / (sqrt(tau) d^(1/4)),  k~ likewise;   P [M, d] drawn
//! q'_im = exp(q~_i . P_m - |q~_i|²/2 - max over m) + 1e-6,    k'_jm the same with one maximum over j and m
//! y_i   = q'_i (sum_j k'_jᵀ v_j) / (q'_i . sum_j k'_j)        training: k'_j times e_j^(-1/tau), e exponential; mean over samples
//!         + sum over orders r of phi(b_rh) sum_j v_j / sqrt(in_r(i) out_r(j)) over the entries of A_r
//! z <- norm(y Wo + bo + z)                                    A_0 = A + I,  A_(r+1) = pattern(A_r A_r)
//! ```
//!
//! P has blocks of orthogonal rows; it is drawn anew in every step of training, and the same in every evaluation. The
//! maxima are part of the function, and of its gradient. Maxima and sums are those of each graph of a batch.
//! Cost: N H M d a layer, times the samples in training, plus |A_r| H d. Keeps q' and k' (N H M); noise of samples x N
//! x H numbers.
//! Differences: the authors' further loss on the attention along edges is left out, as their lambda = 0 would.

mod draws;
mod relations;

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::{Tensor, activation};
use farhop_graph::random::mix;
use farhop_kernels::linear_attention::Settings;
use farhop_kernels::segments::Reduction;

#[cfg(test)]
pub(crate) use self::draws::RecordedNoise;
use self::relations::Relations;
use super::{About, Architecture, Common, Properties, Reach};
use crate::config::ActivationKind;
use crate::init::Seeds;
use crate::knobs::{knobs, words};
use crate::layers::{BlockConfig, Encoder, Head, Layer, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::memory::floats;
use crate::ops::{self, bridge};
use crate::{Batch, Context, Features, InputShape, Network, OutputShape, Shape};

/// Added to every feature.
const EPSILON: f32 = 1e-6;

/// What features are drawn from outside of training.
const EVALUATION: u64 = 0x6E6F_6465_666F_726D;

words! {
    /// How the weight of an order is read.
    pub enum RelationWeight {
        /// Through a sigmoid; starts at 0.1 before it.
        #[default]
        Sigmoid = "sigmoid",
        /// As it is; starts at 1.
        Identity = "identity",
    }
}

knobs! {
    /// The settings of NodeFormer.
    pub struct Nodeformer {
        /// Heads of attention, each of `width` channels.
        heads: usize = 4, in 1..=64;
        /// Random features of a head.
        features: usize = 30, in 1..=4096;
        /// Samples of noise in a step of training.
        samples: usize = 10, in 1..=1000;
        /// Temperature of the attention: lower is sharper.
        temperature: f32 = 0.25, in 0.01..=100.0;
        /// Orders of neighbourhoods that values are added from: 1 has neighbours, 2 also those within two hops, 3
        /// within four.
        orders: usize = 2, in 0..=5;
        /// How the weight of an order is read.
        relation_weight: RelationWeight = RelationWeight::Sigmoid;
        /// Whether the activation follows each layer too, and not the input map alone.
        layer_activation: bool = false;
        /// Whether the head reads all layers side by side instead of the last one.
        jumps: bool = false;
        /// Weight of the loss on edges: attention without noise is to fall on neighbours.
        edge_loss: f32 = 1.0, in 0.0..=1000.0;
    }
}

impl Nodeformer {
    fn later(&self, common: &Common) -> BlockConfig {
        let activation = if self.layer_activation { common.activation } else { ActivationKind::None };
        BlockConfig { activation, ..common.block() }
    }

    fn read(&self, common: &Common) -> usize {
        if self.jumps { (common.layers + 1) * common.width } else { common.width }
    }

    /// A feature map in the ledger.
    fn features_cost(&self, name: &str, x: Tracked, nodes: usize, ledger: &Ledger) -> Tracked {
        let heads = nodes * self.heads;
        let scores = ledger.product(name, x.clone(), heads, self.features);
        let half = ledger.reduce(name, ledger.multiply(name, x.clone(), x), heads, 1);
        let top = ledger.run(
            // The places of the largest scores.
            Work { name: name.into(), output: rows(heads, 1), kept: 2 * floats(heads), ..Work::default() },
            [(scores.clone(), false)],
        );
        let power = ledger.add(name, scores, ledger.add(name, half, top));
        ledger.spread(name, ledger.each(name, power))
    }

    fn attention(&self, width: usize) -> Settings {
        Settings {
            heads: self.heads,
            features: self.features,
            channels: width,
            own: 0.0,
            epsilon: 0.0,
            normalise: false,
            shared_values: false,
            interleaved: false,
        }
    }

    fn layer_cost(&self, name: &str, z: Tracked, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        let wide = self.heads * width;
        let map = || ledger.linear(name, z.clone(), nodes, width, wide, true);
        let q = self.features_cost(name, map(), nodes, ledger);
        let k = self.features_cost(name, map(), nodes, ledger);
        let v = map();
        if ledger.training() && self.edge_loss > 0.0 {
            // The logarithms of weights, and what they are made of.
            let dots = |count: usize| {
                let work = Work { name: name.into(), output: rows(count, self.heads), ..Work::default() };
                ledger.each(name, ledger.run(work, [(q.clone(), true), (k.clone(), true)]))
            };
            let (entries, own) = (dots(shape.entries), dots(nodes));
            let spread =
                ledger.run(Work { name: name.into(), output: q.bytes(), ..Work::default() }, [(k.clone(), false)]);
            let total = ledger.reduce(name, ledger.multiply(name, q.clone(), spread), nodes, self.heads);
            drop((entries, own, ledger.each(name, total)));
        }
        let noise = if ledger.training() { floats(self.samples * nodes * self.heads) } else { 0 };
        let mut y = ledger.linear_attention(name, [q, k, v.clone()], &self.attention(width), shape, noise);
        ledger.weights(&format!("{name} weights"), self.orders * self.heads);
        for _ in 0..self.orders {
            let added = ledger.each(name, ledger.spread(name, v.clone()));
            y = ledger.add(name, y, added);
        }
        drop(v);
        y = ledger.linear(name, y, nodes, wide, width, true);
        if common.residual { ledger.add(name, y, z) } else { y }
    }
}

impl Architecture for Nodeformer {
    const NAME: &'static str = "nodeformer";
    const ABOUT: About = About {
        title: "Kernelised Gumbel-softmax graph transformer",
        citation: "Wu, Zhao, Li, Wipf and Yan, NodeFormer: a scalable graph structure learning transformer, NeurIPS 2022",
        idea: "attention among all nodes through random features, beside neighbourhoods of several orders",
        cost: "N H M F + |A²| H F",
        limits: "edge features are not read; orders above 1 need the two-hop and four-hop neighbourhoods in memory",
    };

    fn defaults() -> Common {
        Common { layers: 2, width: 32, activation: ActivationKind::Elu, dropout: 0.0, ..Common::default() }
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let (encoder, read) = common.build_encoder(inputs, seeds);
        Box::new(NodeformerNetwork {
            encoder,
            input: Linear::init(read, common.width, seeds.next_seed()),
            input_norm: common.build_norm(common.width),
            layers: (0..common.layers).map(|_| NodeformerLayer::init(self, common.width, seeds)).collect(),
            norms: (0..common.layers).map(|_| NormBlock::init(common.width, self.later(common))).collect(),
            head: common.build_head(self.read(common), outputs, seeds),
            settings: self.clone(),
            residual: common.residual,
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        for order in 0..self.orders {
            let entries = Relations::entries(shape, order);
            // Sources, where their opposites are, and coefficients; order 0 has the coefficients alone.
            let numbers = if order == 0 { shape.entries + nodes } else { 3 * entries + 3 * nodes };
            ledger.hold("neighbourhoods", floats(numbers));
        }
        let (x, read) = common.encoder().cost(shape, ledger);
        let mut z = ledger.linear("input", x, nodes, read, width, true);
        z = ledger.norm_block("input norm", z, None, nodes, width, common.block());
        let mut all: Vec<Tracked> = self.jumps.then(|| z.clone()).into_iter().collect();
        for i in 0..common.layers {
            let y = self.layer_cost(&format!("layers.{i}"), z, common, shape, ledger);
            z = ledger.norm_block(&format!("norms.{i}"), y, None, nodes, width, self.later(common));
            if self.jumps {
                all.push(z.clone());
            }
        }
        if self.jumps {
            drop(z);
            z = ledger.concat("jumps", all);
        }
        common.head().cost(z, self.read(common), shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn properties(&self, _common: &Common) -> Properties {
        // Noise and the loss of edges are over the nodes of a batch.
        Properties { shares: false, ..Properties::MESSAGE_PASSING }
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "heads": 2, "features": 6, "samples": 2, "temperature": 1.0 })
    }
}

/// `1 / (1 + degree)`, `[N, 1]`.
struct EdgeShares(Tensor<2>);

/// A layer of attention and neighbourhoods.
#[derive(Module, Debug)]
struct NodeformerLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    /// Of every order, `[1, H]`.
    relations: Vec<Param<Tensor<2>>>,
}

impl NodeformerLayer {
    fn init(settings: &Nodeformer, width: usize, seeds: &mut Seeds) -> Self {
        let wide = settings.heads * width;
        let start = if settings.relation_weight == RelationWeight::Sigmoid { 0.1 } else { 1.0 };
        let weights = || Param::from_tensor(bridge::from_vec(vec![start; settings.heads], [1, settings.heads]));
        let mut map = |inputs, outputs| Linear::init(inputs, outputs, seeds.next_seed());
        NodeformerLayer {
            query: map(width, wide),
            key: map(width, wide),
            value: map(width, wide),
            output: map(wide, width),
            relations: (0..settings.orders).map(|_| weights()).collect(),
        }
    }
}

/// Input map, layers and head.
#[derive(Module, Debug)]
pub struct NodeformerNetwork {
    encoder: Encoder,
    input: Linear,
    input_norm: NormBlock,
    layers: Vec<NodeformerLayer>,
    norms: Vec<NormBlock>,
    head: Head,
    #[module(skip)]
    settings: Nodeformer,
    #[module(skip)]
    residual: bool,
}

impl NodeformerNetwork {
    /// Directions of the features of a layer and, in training, factors of its keys.
    fn draw(&self, layer: usize, width: usize, batch: &Batch, context: &Context) -> (Vec<f64>, Option<Arc<Vec<f32>>>) {
        let Nodeformer { heads, features, samples, temperature, .. } = self.settings;
        let weights = |e: &[f64]| draws::key_weights(e, batch.offsets(), heads, f64::from(temperature));
        let seed = context.next_seed();
        #[cfg(test)]
        {
            let recorded = batch.derived(0, |_| RecordedNoise::default());
            if let Some(directions) = recorded.directions.get(layer) {
                return (directions.clone(), recorded.exponentials.get(layer).map(|e| weights(e)));
            }
        }
        match seed {
            Some(seed) => {
                let noise = draws::exponentials(samples * batch.nodes() * heads, mix(seed, 1));
                (draws::directions(features, width, mix(seed, 0)), Some(weights(&noise)))
            }
            None => (draws::directions(features, width, mix(EVALUATION, layer as u64)), None),
        }
    }

    /// Features `[N, H M]` of x `[N, H d]`; `common` has one maximum for all nodes of a graph.
    fn features(&self, x: Tensor<2>, projection: &Tensor<2>, scale: f64, common: bool, batch: &Batch) -> Tensor<2> {
        let heads = self.settings.heads;
        let [nodes, wide] = x.dims();
        let x = x.reshape([nodes * heads, wide / heads]);
        let scores = ops::linear(x.clone(), projection.clone(), None);
        let half = (x.clone() * x).sum_dim(1) * ((scale * scale / 2.0) as f32);
        let mut top = scores.clone().max_dim(1);
        if common {
            let largest = ops::readout(top.reshape([nodes, heads]), batch.offsets(), Reduction::Max);
            top = ops::to_nodes(largest, batch.offsets()).reshape([nodes * heads, 1]);
        }
        ((scores - (half + top)).exp() + EPSILON).reshape([nodes, heads * self.settings.features])
    }

    /// The mean over entries, nodes themselves among them, and heads of `log(w_ij) / d_i`: w_ij is the attention without noise, d_i the entries of
    /// node i, itself included.
    fn edge_term(&self, q: &Tensor<2>, k: &Tensor<2>, batch: &Batch) -> Tensor<1> {
        let (graph, heads) = (batch.graph(), self.settings.heads);
        let [nodes, wide] = q.dims();
        let by_head = |x: Tensor<2>| x.reshape([nodes * heads, wide / heads]).sum_dim(1).reshape([nodes, heads]);
        let sums = ops::to_nodes(ops::readout(k.clone(), batch.offsets(), Reduction::Sum), batch.offsets());
        let total = by_head(q.clone() * sums).log();
        let mut logs = by_head(q.clone() * k.clone()).log();
        if graph.entries() > 0 {
            let dots = ops::edge_dot(q.clone(), k.clone(), graph, heads, 1.0);
            logs = logs + ops::entry_sum(dots.log(), graph);
        }
        let shares = batch.derived(0, |batch| {
            let share = |i: usize| 1.0 / (1 + batch.graph().degree(i)) as f32;
            EdgeShares(bridge::from_vec((0..batch.nodes()).map(share).collect(), [batch.nodes(), 1]))
        });
        // Every entry of a node has the same divisor, so that its total counts once.
        let per_node = ops::scale_rows(logs, shares.0.clone()) - total;
        per_node.sum() / ((graph.entries() + nodes) * heads).max(1) as f32
    }

    fn layer(&self, i: usize, z: Tensor<2>, relations: &Relations, batch: &Batch, context: &Context) -> Tensor<2> {
        let (layer, heads, width) = (&self.layers[i], self.settings.heads, z.dims()[1]);
        let (directions, key_weights) = self.draw(i, width, batch, context);
        let scale = 1.0 / (f64::from(self.settings.temperature).sqrt() * (width as f64).powf(0.25));
        let projection = draws::projection(&directions, width, scale);
        let [q, k, v] = [&layer.query, &layer.key, &layer.value].map(|map| map.apply(z.clone().into()));
        let q = self.features(q, &projection, scale, false, batch);
        let k = self.features(k, &projection, scale, true, batch);
        if self.settings.edge_loss > 0.0 && context.is_training() {
            let share = self.settings.edge_loss / self.layers.len() as f32;
            context.add_loss(self.edge_term(&q, &k, batch) * -share);
        }
        let settings = self.settings.attention(width);
        let mut y = ops::linear_attention(q, k, v.clone(), batch.offsets(), settings, key_weights);
        for ((graph, weights), share) in relations.0.iter().zip(&layer.relations) {
            let share = match self.settings.relation_weight {
                RelationWeight::Sigmoid => activation::sigmoid(share.val()),
                RelationWeight::Identity => share.val(),
            };
            let share = share.reshape([heads, 1]).expand([heads, width]).reshape([1, heads * width]);
            y = ops::add(y, ops::spmm(v.clone(), graph, weights, None) * share);
        }
        let y = layer.output.apply(y.into());
        if self.residual { ops::add(y, z) } else { y }
    }
}

impl Layer for NodeformerNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let x = self.encoder.stage(features, batch, context);
        let orders = self.settings.orders;
        let relations = batch.derived(orders as u64, |batch| Relations::new(batch.graph(), orders));
        let mut z = self.input_norm.apply(self.input.apply(x), None, context);
        let mut all: Vec<Tensor<2>> = self.settings.jumps.then(|| z.clone()).into_iter().collect();
        for (i, norm) in self.norms.iter().enumerate() {
            let y = context.stage(|| format!("layers.{i}"), self.layer(i, z, &relations, batch, context));
            z = norm.apply(y, None, context);
            if self.settings.jumps {
                all.push(z.clone());
            }
        }
        if self.settings.jumps {
            drop(z);
            z = ops::concat(all);
        }
        context.stage(|| "head".into(), self.head.forward(z.into(), batch, context))
    }
}
