//! Polynormer: local attention whose result is multiplied with the node itself, layer after layer, then linear
//! attention among all nodes.
//!
//! Deng, Yue and Zhang, "Polynormer: polynomial-expressive graph transformer in linear time", ICLR 2024. N nodes, D = H
//! c channels, `*` number by number:
//!
//! ```text
//! local    h = act(u Wh + bh),   y = act(norm(conv(u) + u Wl + bl)),   x <- (1 - beta) * LN(h * y) + beta * y,   u = x or LN(x)
//!          X = sum of the x of all local layers
//! global   t = LN(X);  k = sigmoid(t Wk + bk),  v = t Wv + bv,  h = t Wh + bh
//!          a_n = k_n (sum_l k_lᵀ v_l) / (k_n . sum_l k_l) for each head,   t <- act((LN(a) * (h + beta)) Wo + bo), Wo shared by all
//! conv     graph attention with self-loops (slope 0.2, no bias), or the symmetric normalisation of u W, plus b
//! ```
//!
//! beta `[D]` is learned, through a sigmoid or free, or one constant. In the local attention a head owns channels next
//! to each other, in the global one every H-th channel. Queries are keys. Sums over l stay within a graph.
//! Cost: local E D + N D², global N D c + N D²; nothing grows with pairs of nodes, nothing of size E D is kept.
//! With `first_epochs` training has the authors' two phases: first a head of its own answers from X, then the global layers join.

mod parts;

use burn::module::{Module, ParamId};
use burn::tensor::Tensor;
use farhop_kernels::dense::Finish;
use farhop_kernels::linear_attention::Settings;

use self::parts::{Global, Local};
use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, NormKind};
use crate::init::Seeds;
use crate::knobs::{knobs, words};
use crate::layers::{BlockConfig, Encoder, Head, Layer, Linear, NormBlock, Phase};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::memory::floats;
use crate::ops::{self, Normalisation};
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape, Targets};

words! {
    /// What a local layer gathers from neighbours with.
    pub enum LocalConvolution {
        /// Graph attention.
        #[default]
        Attention = "attention",
        /// Graph convolution.
        Gcn = "gcn",
    }
}

words! {
    /// What `beta` is.
    pub enum BetaKind {
        /// Learned, between 0 and 1; starts near one half.
        Sigmoid = "sigmoid",
        /// Learned, any number; starts at `beta`.
        #[default]
        Free = "free",
        /// The constant `beta`.
        Fixed = "fixed",
    }
}

knobs! {
    /// The settings of Polynormer; `layers` are the local ones, `norm` is that of their sum before its activation.
    pub struct Polynormer {
        /// Layers of attention among all nodes; 0 answers from the local layers.
        global_layers: usize = 2, in 0..=100;
        /// Heads of both attentions.
        heads: usize = 8, in 1..=64;
        /// What local layers gather with.
        convolution: LocalConvolution = LocalConvolution::Attention;
        /// Whether a local layer starts with layer normalisation.
        pre_norm: bool = false;
        /// What beta is.
        beta_kind: BetaKind = BetaKind::Free;
        /// Where a free beta starts, or the constant.
        beta: f32 = 0.5, in 0.0..=1.0;
        /// Probability of dropping an element after each global layer.
        global_dropout: f32 = 0.5, in 0.0..1.0;
        /// Epochs in which the local layers are trained alone, with a head of their own, before the global ones join; 0: all at once.
        first_epochs: usize = 0, in 0..=1_000_000;
    }
}

const LAYER_NORM: BlockConfig = BlockConfig { norm: NormKind::Layer, activation: ActivationKind::None, dropout: 0.0 };

impl Polynormer {
    fn two_phases(&self) -> bool {
        self.first_epochs > 0 && self.global_layers > 0
    }

    fn betas(&self, width: usize) -> usize {
        if self.beta_kind == BetaKind::Fixed { 0 } else { width }
    }

    fn finish(&self, common: &Common) -> BlockConfig {
        BlockConfig { norm: NormKind::None, activation: common.activation, dropout: self.global_dropout }
    }

    fn gather_cost(
        &self,
        name: &str,
        u: Tracked,
        inputs: usize,
        width: usize,
        shape: &Shape,
        ledger: &Ledger,
    ) -> Tracked {
        let Shape { nodes, entries, .. } = *shape;
        let bias = self.convolution == LocalConvolution::Gcn;
        let s = ledger.linear(name, u, nodes, inputs, width, bias);
        if bias {
            return ledger.spread(name, s);
        }
        // A weight for every channel; the result has a number for every head.
        let score = || {
            ledger.weights(&format!("{name} weights"), width);
            ledger.product(name, s.clone(), nodes, self.heads)
        };
        let (receiver, sender) = (score(), score());
        let output = rows(nodes, width);
        let kept = floats(2 * nodes * self.heads);
        let backward = kept + 2 * output + floats((entries + 3 * nodes) * self.heads);
        let work = Work { name: name.into(), output, kept, backward, ..Work::default() };
        ledger.run(work, [(s.clone(), true), (receiver, true), (sender, true)])
    }

    fn local_cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        let (mut x, mut inputs) = common.encoder().cost(shape, ledger);
        if ledger.training() && common.dropout > 0.0 && inputs == width {
            x = ledger.each("encoder", x);
        }
        let mut sum: Option<Tracked> = None;
        for i in 0..common.layers {
            let name = format!("local.{i}");
            if self.pre_norm {
                x = ledger.norm_block(&name, x, None, nodes, inputs, LAYER_NORM);
            }
            let h = ledger.each(&name, ledger.linear(&name, x.clone(), nodes, inputs, width, true));
            let gathered = self.gather_cost(&name, x.clone(), inputs, width, shape, ledger);
            let y = ledger.add(&name, gathered, ledger.linear(&name, x, nodes, inputs, width, true));
            let y = ledger.norm_block(&name, y, None, nodes, width, common.block());
            let product = ledger.multiply(&name, h, y.clone());
            let normed = ledger.norm_block(&name, product, None, nodes, width, LAYER_NORM);
            ledger.weights(&format!("{name} weights"), self.betas(width));
            let between = Work { name: name.clone(), output: y.bytes(), back_in_place: true, ..Work::default() };
            x = ledger.run(between, [(y, true), (normed, true)]);
            sum = Some(match sum.take() {
                Some(sum) => ledger.add("local sum", sum, x.clone()),
                None => x.clone(),
            });
            inputs = width;
        }
        sum.unwrap_or(x)
    }

    /// The attention of a global layer.
    fn attention(&self, width: usize) -> Settings {
        let channels = width / self.heads;
        Settings {
            heads: self.heads,
            features: channels,
            channels,
            own: 0.0,
            epsilon: 0.0,
            normalise: false,
            shared_values: false,
            interleaved: true,
        }
    }

    fn global_cost(&self, common: &Common, x: Tracked, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        let mut t = ledger.norm_block("global norm", x, None, nodes, width, LAYER_NORM);
        ledger.weights("global weights", Linear::size(width, width));
        for i in 0..self.global_layers {
            let name = format!("global.{i}");
            let map = |t: &Tracked| ledger.linear(&name, t.clone(), nodes, width, width, true);
            let (h, k, v) = (map(&t), ledger.each(&name, map(&t)), map(&t));
            drop(t);
            let a = ledger.linear_attention(&name, [k.clone(), k, v], &self.attention(width), shape, 0);
            let a = ledger.norm_block(&name, a, None, nodes, width, LAYER_NORM);
            ledger.weights(&format!("{name} weights"), self.betas(width));
            let product = ledger.multiply(&name, a, ledger.shift(&name, h));
            t = ledger.product(&name, product, nodes, width);
            t = ledger.norm_block(&name, t, None, nodes, width, self.finish(common));
        }
        t
    }
}

impl Architecture for Polynormer {
    const NAME: &'static str = "polynormer";
    const ABOUT: About = About {
        title: "Polynomial-expressive graph transformer",
        citation: "Deng, Yue and Zhang, Polynormer: polynomial-expressive graph transformer in linear time, ICLR 2024",
        idea: "local attention multiplied with the node itself, then linear attention among all nodes",
        cost: "E F + N F²",
        limits: "edge features are not read",
    };
    const IDLE: &'static [&'static str] = &["residual"];

    fn defaults() -> Common {
        Common {
            layers: 10,
            width: 512,
            norm: NormKind::None,
            dropout: 0.3,
            input_dropout: 0.15,
            input_projection: true,
            ..Common::default()
        }
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
        let (encoder, mut read) = common.build_encoder(inputs, seeds);
        let width = common.width;
        let encodes = common.input_projection || inputs.needs_encoder();
        let mut local = Vec::new();
        for _ in 0..common.layers {
            local.push(Local::init(self, common, read, seeds));
            read = width;
        }
        let global = (0..self.global_layers).map(|_| Global::init(self, common, seeds)).collect();
        let both = self.global_layers > 0;
        Box::new(PolynormerNetwork {
            encoder,
            local,
            global_norm: both.then(|| NormBlock::init(width, LAYER_NORM)),
            global,
            global_output: both.then(|| Linear::init(width, width, seeds.next_seed())),
            head: common.build_head(width, outputs, seeds),
            local_head: self.two_phases().then(|| common.build_head(width, outputs, seeds)),
            phase: Phase::init(self.two_phases()),
            finish: self.finish(common),
            encoder_dropout: if encodes { common.dropout } else { 0.0 },
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        if self.convolution == LocalConvolution::Gcn {
            ledger.symmetric_weights(shape);
        }
        let mut x = self.local_cost(common, shape, ledger);
        if self.two_phases() {
            // Its answers are read in the first phase, which needs less than the second.
            common.head().weights(common.width, shape, ledger);
        }
        if self.global_layers > 0 {
            x = self.global_cost(common, x, shape, ledger);
        }
        common.head().cost(x, common.width, shape, ledger)
    }

    fn reach(&self, common: &Common) -> Reach {
        match self.global_layers {
            // Symmetric normalisation also counts the neighbours of those that it reads.
            0 => Reach::Hops(common.layers + usize::from(self.convolution == LocalConvolution::Gcn)),
            _ => Reach::WholeGraph,
        }
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }

    fn first_epochs(&self) -> usize {
        if self.two_phases() { self.first_epochs } else { 0 }
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "heads": 2, "global_dropout": 0.0, "input_dropout": 0.0 })
    }
}

/// Local layers, global layers and the head.
#[derive(Module, Debug)]
pub struct PolynormerNetwork {
    encoder: Encoder,
    local: Vec<Local>,
    global_norm: Option<NormBlock>,
    global: Vec<Global>,
    global_output: Option<Linear>,
    head: Head,
    local_head: Option<Head>,
    phase: Phase,
    #[module(skip)]
    finish: BlockConfig,
    #[module(skip)]
    encoder_dropout: f32,
}

impl Layer for PolynormerNetwork {
    fn next_phase(&self, _batch: &Batch, _targets: &Targets) -> Vec<(ParamId, Vec<f32>)> {
        self.phase.next()
    }

    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut x = self.encoder.stage(features, batch, context);
        if context.is_training() && self.encoder_dropout > 0.0 {
            let activation = ActivationKind::None.into();
            let finish = Finish { activation, dropout: context.dropout(self.encoder_dropout) };
            x = ops::norm_block(x.into_dense(batch), Normalisation::None, finish, None).into();
        }
        let mut sum: Option<Tensor<2>> = None;
        for (i, layer) in self.local.iter().enumerate() {
            let y = context.stage(|| format!("local.{i}"), layer.forward(x, batch, context));
            sum = Some(match sum.take() {
                Some(sum) => ops::add(sum, y.clone()),
                None => y.clone(),
            });
            x = y.into();
        }
        let mut t = sum.unwrap_or_else(|| x.into_dense(batch));
        if let Some(head) = self.local_head.as_ref().filter(|_| self.phase.is_first()) {
            return context.stage(|| "head".into(), head.forward(t.into(), batch, context));
        }
        if let (Some(norm), Some(output)) = (&self.global_norm, &self.global_output) {
            t = norm.apply(t, None, context);
            for (i, layer) in self.global.iter().enumerate() {
                t = output.apply(layer.forward(t, batch, context).into());
                let dropout = context.dropout(self.finish.dropout);
                let finish = Finish { activation: self.finish.activation.into(), dropout };
                t = ops::norm_block(t, Normalisation::None, finish, None);
                t = context.stage(|| format!("global.{i}"), t);
            }
        }
        context.stage(|| "head".into(), self.head.forward(t.into(), batch, context))
    }
}
