//! SGFormer: one plain linear attention among all nodes beside a graph convolution.
//!
//! Wu, Zhao, Yang, Zhang, Nie, Jiang, Bian and Yan, "SGFormer: simplifying and empowering transformers for large-graph
//! representations", NeurIPS 2023. N nodes of a graph, d channels, H heads of d channels each:
//!
//! ```text
//! attention   z_0 = act(norm(x W + b));   Q, K, V = z Wq, z Wk, z Wv (or V = z);   Q^ = Q / |Q|_F,  K^ = K / |K|_F
//!             y_n = mean over heads of (N V_n + Q^_n (K^ᵀ V)) / (N + Q^_n . sum K^),   z <- norm(alpha y + (1 - alpha) z)
//! graph       g_0 = act(norm(x W + b)),   g <- act(norm(S g W + b)) + g_0      (branch = skip)
//!             g <- act(norm(S g W + b)), the last without norm and act         (branch = plain)
//! answers     head(w g + (1 - w) z)  or  head([z | g])
//! ```
//!
//! S is the symmetric normalisation with self-loops. Norms, sums and N are those of each graph of a batch. The share of
//! the attention in y is at most 1 / N: on large graphs the first branch is nearly a perceptron.
//! Cost: N H d² + E d; no array grows with pairs of nodes. Keeps Q, K and V.
//! Differences: one optimiser for both branches; a plain branch may have a single layer.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::linear_attention::Settings;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, NormKind};
use crate::init::{self, Seeds};
use crate::knobs::{knobs, words};
use crate::layers::{BlockConfig, Encoder, GcnLayer, Head, Layer, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, Features, InputShape, Network, OutputShape, Shape, ops};

words! {
    /// The graph branch.
    pub enum GraphBranch {
        /// An input map, then convolutions that each add its result.
        #[default]
        Skip = "skip",
        /// Convolutions one after the other, the last without norm and activation.
        Plain = "plain",
    }
}

words! {
    /// How two branches become one.
    pub enum BranchJoin {
        /// Their weighted sum.
        #[default]
        Add = "add",
        /// Side by side, attention first.
        Concat = "concat",
    }
}

knobs! {
    /// The settings of SGFormer; `layers`, `norm` and `dropout` are those of its graph branch, `residual` that of its
    /// attention.
    pub struct Sgformer {
        /// Layers of attention.
        attention_layers: usize = 1, in 1..=100;
        /// Heads of attention, each of `width` channels.
        heads: usize = 1, in 1..=64;
        /// Share of the attention where a layer keeps the rest of its input (`residual`).
        alpha: f32 = 0.5, in 0.0..=1.0;
        /// Normalisation of the attention branch.
        attention_norm: NormKind = NormKind::Layer;
        /// Whether the activation follows each layer of attention too.
        attention_activation: bool = false;
        /// Probability of dropping an element after each layer of attention.
        attention_dropout: f32 = 0.5, in 0.0..1.0;
        /// Whether values have a map of their own; without it they are the layer's input.
        value_weight: bool = true;
        /// Whether the attention branch gives the sum of its layers instead of the last one.
        jumps: bool = false;
        /// The graph branch.
        branch: GraphBranch = GraphBranch::Skip;
        /// Whether every convolution reads the first representation too (only with `branch = "skip"`).
        reads_first: bool = false;
        /// How the branches are joined.
        join: BranchJoin = BranchJoin::Add;
        /// Share of the graph branch in the sum.
        graph_weight: f32 = 0.5, in 0.0..=1.0;
    }
}

impl Sgformer {
    fn attention(&self, width: usize) -> Settings {
        Settings {
            heads: self.heads,
            features: width,
            channels: width,
            own: 1.0,
            epsilon: 0.0,
            normalise: true,
            shared_values: !self.value_weight,
            interleaved: false,
        }
    }

    fn joined(&self, width: usize) -> usize {
        if self.join == BranchJoin::Concat { 2 * width } else { width }
    }

    fn first(&self, common: &Common) -> BlockConfig {
        BlockConfig { norm: self.attention_norm, activation: common.activation, dropout: self.attention_dropout }
    }

    fn later(&self, common: &Common) -> BlockConfig {
        let activation = if self.attention_activation { common.activation } else { ActivationKind::None };
        BlockConfig { activation, ..self.first(common) }
    }

    fn attention_cost(&self, common: &Common, x: Tracked, inputs: usize, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        let mut z = ledger.linear("attention input", x, nodes, inputs, width, true);
        z = ledger.norm_block("attention input", z, None, nodes, width, self.first(common));
        let mut sum: Option<Tracked> = None;
        for i in 0..self.attention_layers {
            let name = format!("attention.{i}");
            let map = |z: &Tracked| ledger.linear(&name, z.clone(), nodes, width, self.heads * width, true);
            let (q, k) = (map(&z), map(&z));
            let v = if self.value_weight { map(&z) } else { z.clone() };
            let mut y = ledger.linear_attention(&name, [q, k, v], &self.attention(width), shape, 0);
            if self.heads > 1 {
                y = ledger.reduce(&name, y, nodes, width);
            }
            if common.residual {
                y = ledger.add(&name, y, z);
            }
            z = ledger.norm_block(&format!("{name} norm"), y, None, nodes, width, self.later(common));
            if self.jumps {
                sum = Some(match sum.take() {
                    Some(sum) => ledger.add("jumps", sum, z.clone()),
                    None => z.clone(),
                });
            }
        }
        sum.unwrap_or(z)
    }

    fn graph_cost(&self, common: &Common, x: Tracked, inputs: usize, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        let block = common.block();
        let (mut g, mut inputs, mut first) = (x, inputs, None);
        if self.branch == GraphBranch::Skip {
            g = ledger.linear("graph input", g, nodes, inputs, width, true);
            g = ledger.norm_block("graph input", g, None, nodes, width, block);
            (inputs, first) = (width, Some(g.clone()));
        }
        for i in 0..common.layers {
            let name = format!("convolutions.{i}");
            let mut y = ledger.spread(&name, ledger.linear(&name, g, nodes, inputs, width, true));
            if let Some(first) = first.as_ref().filter(|_| self.reads_first) {
                let read = ledger.linear(&name, first.clone(), nodes, width, width, false);
                y = ledger.add(&name, y, read);
            }
            let bare = self.branch == GraphBranch::Plain && i + 1 == common.layers;
            g = if bare { y } else { ledger.norm_block(&name, y, first.clone(), nodes, width, block) };
            inputs = width;
        }
        g
    }
}

impl Architecture for Sgformer {
    const NAME: &'static str = "sgformer";
    const ABOUT: About = About {
        title: "Simplified graph transformer",
        citation: "Wu and others, SGFormer: simplifying and empowering transformers for large-graph representations, NeurIPS 2023",
        idea: "one linear attention among all nodes beside a graph convolution",
        cost: "E F + N H F²",
        limits: "edge features are not read; attention has at most a share of 1 / N beside a node's own value",
    };

    fn defaults() -> Common {
        Common { width: 256, norm: NormKind::Batch, dropout: 0.5, ..Common::default() }
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
        let input = Linear::init(read, width, seeds.next_seed());
        let attention = (0..self.attention_layers).map(|_| Attention::init(self, common, seeds)).collect();
        let skips = self.branch == GraphBranch::Skip;
        let graph_input = skips.then(|| Linear::init(read, width, seeds.next_seed()));
        let inputs_of = |i: usize| if i == 0 && !skips { read } else { width };
        let convolutions = (0..common.layers).map(|i| GcnLayer::init(inputs_of(i), width, seeds.next_seed())).collect();
        let reading = if skips && self.reads_first { common.layers } else { 0 };
        let norms = common.layers - usize::from(!skips);
        Box::new(SgformerNetwork {
            encoder,
            input,
            input_norm: NormBlock::init(width, self.first(common)),
            attention,
            graph_input,
            graph_input_norm: skips.then(|| common.build_norm(width)),
            convolutions,
            first: (0..reading).map(|_| init::glorot(width, width, seeds.next_seed())).collect(),
            norms: (0..norms).map(|_| common.build_norm(width)).collect(),
            head: common.build_head(self.joined(width), outputs, seeds),
            settings: self.clone(),
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        ledger.symmetric_weights(shape);
        let (x, read) = common.encoder().cost(shape, ledger);
        let z = self.attention_cost(common, x.clone(), read, shape, ledger);
        let g = self.graph_cost(common, x, read, shape, ledger);
        let joined = match self.join {
            BranchJoin::Concat => ledger.concat("join", vec![z, g]),
            BranchJoin::Add => ledger.add("join", z, g),
        };
        common.head().cost(joined, self.joined(common.width), shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "heads": 2, "attention_dropout": 0.0, "norm": "layer" })
    }
}

/// A layer of attention.
#[derive(Module, Debug)]
struct Attention {
    query: Linear,
    key: Linear,
    value: Option<Linear>,
    norm: NormBlock,
    #[module(skip)]
    settings: Settings,
    /// Share of the attention beside the layer's input, if that is kept.
    #[module(skip)]
    alpha: Option<f32>,
}

impl Attention {
    fn init(settings: &Sgformer, common: &Common, seeds: &mut Seeds) -> Self {
        let width = common.width;
        let mut map = || Linear::init(width, settings.heads * width, seeds.next_seed());
        Attention {
            query: map(),
            key: map(),
            value: settings.value_weight.then(map),
            norm: NormBlock::init(width, settings.later(common)),
            settings: settings.attention(width),
            alpha: common.residual.then_some(settings.alpha),
        }
    }

    fn forward(&self, z: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let [nodes, width] = z.dims();
        let (q, k) = (self.query.apply(z.clone().into()), self.key.apply(z.clone().into()));
        let v = self.value.as_ref().map_or_else(|| z.clone(), |value| value.apply(z.clone().into()));
        let mut y = ops::linear_attention(q, k, v, batch.offsets(), self.settings, None);
        if self.settings.heads > 1 {
            y = y.reshape([nodes, self.settings.heads, width]).mean_dim(1).reshape([nodes, width]);
        }
        if let Some(alpha) = self.alpha {
            y = ops::sum(vec![(y, alpha), (z, 1.0 - alpha)]);
        }
        self.norm.apply(y, None, context)
    }
}

/// The two branches and the head.
#[derive(Module, Debug)]
pub struct SgformerNetwork {
    encoder: Encoder,
    input: Linear,
    input_norm: NormBlock,
    attention: Vec<Attention>,
    graph_input: Option<Linear>,
    graph_input_norm: Option<NormBlock>,
    convolutions: Vec<GcnLayer>,
    /// How each convolution reads the first representation.
    first: Vec<Param<Tensor<2>>>,
    norms: Vec<NormBlock>,
    head: Head,
    #[module(skip)]
    settings: Sgformer,
}

impl SgformerNetwork {
    fn attention_branch(&self, x: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let mut z = self.input_norm.apply(self.input.apply(x), None, context);
        let mut sum: Option<Tensor<2>> = None;
        for (i, layer) in self.attention.iter().enumerate() {
            z = context.stage(|| format!("attention.{i}"), layer.forward(z, batch, context));
            if self.settings.jumps {
                sum = Some(match sum.take() {
                    Some(sum) => ops::add(sum, z.clone()),
                    None => z.clone(),
                });
            }
        }
        sum.unwrap_or(z)
    }

    fn graph_branch(&self, x: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let (mut g, mut first) = (x, None);
        if let (Some(input), Some(norm)) = (&self.graph_input, &self.graph_input_norm) {
            let start = norm.apply(input.apply(g), None, context);
            (g, first) = (start.clone().into(), Some(start));
        }
        for (i, layer) in self.convolutions.iter().enumerate() {
            let mut y = layer.forward(g, batch, context);
            if let (Some(first), Some(weight)) = (&first, self.first.get(i)) {
                y = ops::add(y, ops::linear(first.clone(), weight.val(), None));
            }
            if let Some(norm) = self.norms.get(i) {
                y = norm.apply(y, first.clone(), context);
            }
            g = context.stage(|| format!("convolutions.{i}"), y).into();
        }
        g.into_dense(batch)
    }
}

impl Layer for SgformerNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let x = self.encoder.stage(features, batch, context);
        let z = self.attention_branch(x.clone(), batch, context);
        let g = self.graph_branch(x, batch, context);
        let joined = match self.settings.join {
            BranchJoin::Concat => ops::concat([z, g]),
            BranchJoin::Add => {
                let share = self.settings.graph_weight;
                ops::sum(vec![(z, 1.0 - share), (g, share)])
            }
        };
        context.stage(|| "head".into(), self.head.forward(joined.into(), batch, context))
    }
}
