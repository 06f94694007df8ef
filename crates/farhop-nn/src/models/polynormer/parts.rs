//! The layers of Polynormer.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, activation};
use farhop_graph::random::Stream;
use farhop_kernels::dense::{Dropout, Finish};
use farhop_kernels::linear_attention::Settings;

use super::{BetaKind, LAYER_NORM, LocalConvolution, Polynormer};
use crate::config::ActivationKind;
use crate::init::{self, Seeds};
use crate::layers::{GcnLayer, Layer, Linear, NormBlock};
use crate::models::Common;
use crate::ops::{self, Normalisation, PairScores, bridge};
use crate::{Batch, Context, Features};

/// Slope of the scores of graph attention below zero.
const SLOPE: f32 = 0.2;

/// A share for every channel.
#[derive(Module, Debug)]
pub(super) struct Beta {
    learned: Option<Param<Tensor<2>>>,
    #[module(skip)]
    bounded: bool,
    #[module(skip)]
    constant: f32,
}

impl Beta {
    /// Of a layer in a stack of `layers`.
    fn init(settings: &Polynormer, layers: usize, width: usize, seed: u64) -> Self {
        let start = (2.0 / (layers + width) as f64).sqrt();
        let mut stream = Stream::new(seed);
        let values: Option<Vec<f32>> = match settings.beta_kind {
            BetaKind::Sigmoid => Some((0..width).map(|_| (start * stream.normal()) as f32).collect()),
            BetaKind::Free => Some(vec![settings.beta; width]),
            BetaKind::Fixed => None,
        };
        let learned = values.map(|values| Param::from_tensor(bridge::from_vec(values, [1, width])));
        Beta { learned, bounded: settings.beta_kind == BetaKind::Sigmoid, constant: settings.beta }
    }

    /// `[1, D]`; none for a constant.
    fn value(&self) -> Option<Tensor<2>> {
        let value = self.learned.as_ref()?.val();
        Some(if self.bounded { activation::sigmoid(value) } else { value })
    }

    /// `(1 - beta) * a + beta * b`.
    fn between(&self, a: Tensor<2>, b: Tensor<2>) -> Tensor<2> {
        match self.value() {
            Some(beta) => ops::between(a, b, beta),
            None => ops::sum(vec![(a, 1.0 - self.constant), (b, self.constant)]),
        }
    }

    /// `x + beta`.
    fn added(&self, x: Tensor<2>) -> Tensor<2> {
        let width = x.dims()[1];
        match self.value() {
            Some(beta) => ops::add_row(x, beta.reshape([width])),
            None => ops::add_row(x, bridge::from_vec(vec![self.constant; width], [width])),
        }
    }
}

/// Graph attention without a bias.
#[derive(Module, Debug)]
pub(super) struct Gather {
    weight: Param<Tensor<2>>,
    /// Of every head, `[H, c]`.
    source: Param<Tensor<2>>,
    target: Param<Tensor<2>>,
}

impl Gather {
    fn init(inputs: usize, width: usize, heads: usize, seeds: &mut Seeds) -> Self {
        Gather {
            weight: init::glorot(inputs, width, seeds.next_seed()),
            source: init::glorot(heads, width / heads, seeds.next_seed()),
            target: init::glorot(heads, width / heads, seeds.next_seed()),
        }
    }

    fn forward(&self, u: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let s = u.linear(self.weight.val(), None);
        // The dot products of all heads as one map [D, H] that is zero where a channel is another head's.
        let [heads, channels] = self.source.dims();
        let width = heads * channels;
        let own = |at: usize| if at / heads / channels == at % heads { 1.0 } else { 0.0 };
        let own: Tensor<2> = bridge::from_vec((0..width * heads).map(own).collect(), [width, heads]);
        let score = |vector: &Param<Tensor<2>>| {
            let map = vector.val().reshape([width, 1]) * own.clone();
            ops::linear(s.clone(), map, None)
        };
        let (receiver, sender) = (score(&self.target), score(&self.source));
        let scores = PairScores { receiver, sender, entries: None, nodes: None, own: true, slope: SLOPE };
        context.saw_attention(batch.graph(), 1, || ops::attention_weights(scores.clone(), batch.graph()));
        ops::gat_attention(s, scores, batch.graph(), Dropout::NONE)
    }
}

/// A local layer.
#[derive(Module, Debug)]
pub(super) struct Local {
    pre_norm: Option<NormBlock>,
    hidden: Linear,
    own: Linear,
    attention: Option<Gather>,
    convolution: Option<GcnLayer>,
    /// Norm, activation and dropout of y.
    block: NormBlock,
    /// Of the product.
    norm: NormBlock,
    beta: Beta,
    #[module(skip)]
    activation: ActivationKind,
}

impl Local {
    pub(super) fn init(settings: &Polynormer, common: &Common, inputs: usize, seeds: &mut Seeds) -> Self {
        let width = common.width;
        let attends = settings.convolution == LocalConvolution::Attention;
        Local {
            pre_norm: settings.pre_norm.then(|| NormBlock::init(inputs, LAYER_NORM)),
            hidden: Linear::init(inputs, width, seeds.next_seed()),
            own: Linear::init(inputs, width, seeds.next_seed()),
            attention: attends.then(|| Gather::init(inputs, width, settings.heads, seeds)),
            convolution: (!attends).then(|| GcnLayer::init(inputs, width, seeds.next_seed())),
            block: common.build_norm(width),
            norm: NormBlock::init(width, LAYER_NORM),
            beta: Beta::init(settings, common.layers, width, seeds.next_seed()),
            activation: common.activation,
        }
    }

    pub(super) fn forward(&self, x: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let u = match &self.pre_norm {
            Some(norm) => norm.apply(x.into_dense(batch), None, context).into(),
            None => x,
        };
        let h = activated(self.hidden.apply(u.clone()), self.activation);
        let near = match (&self.attention, &self.convolution) {
            (Some(attention), _) => Some(attention.forward(u.clone(), batch, context)),
            (None, convolution) => convolution.as_ref().map(|layer| layer.forward(u.clone(), batch, context)),
        };
        // After what neighbours give: then one array less is there while they are gathered.
        let own = self.own.apply(u);
        let y = match near {
            Some(near) => ops::add(near, own),
            None => own,
        };
        let y = self.block.apply(y, None, context);
        let product = self.norm.apply(ops::multiply(h, y.clone()), None, context);
        self.beta.between(product, y)
    }
}

/// A global layer.
#[derive(Module, Debug)]
pub(super) struct Global {
    hidden: Linear,
    key: Linear,
    value: Linear,
    norm: NormBlock,
    beta: Beta,
    #[module(skip)]
    settings: Settings,
}

impl Global {
    pub(super) fn init(settings: &Polynormer, common: &Common, seeds: &mut Seeds) -> Self {
        let width = common.width;
        let mut map = || Linear::init(width, width, seeds.next_seed());
        Global {
            hidden: map(),
            key: map(),
            value: map(),
            norm: NormBlock::init(width, LAYER_NORM),
            beta: Beta::init(settings, settings.global_layers, width, seeds.next_seed()),
            settings: settings.attention(width),
        }
    }

    /// What goes into the shared map.
    pub(super) fn forward(&self, t: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let h = self.hidden.apply(t.clone().into());
        let k = activated(self.key.apply(t.clone().into()), ActivationKind::Sigmoid);
        let v = self.value.apply(t.into());
        let a = ops::linear_attention(k.clone(), k, v, batch.offsets(), self.settings, None);
        ops::multiply(self.norm.apply(a, None, context), self.beta.added(h))
    }
}

fn activated(x: Tensor<2>, kind: ActivationKind) -> Tensor<2> {
    let finish = Finish { activation: kind.into(), dropout: Dropout::NONE };
    ops::norm_block(x, Normalisation::None, finish, None)
}
