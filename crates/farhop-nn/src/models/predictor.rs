//! The frame of models that answer from a node's own features first and let the answers spread then:
//! `batch -> encoder -> (linear -> norm -> activation -> dropout (+ x)) x layers -> head -> spread`.
//!
//! Where answers are about graphs, the last hidden layer spreads instead of the answers, and the head reads it out.

use burn::module::Module;
use burn::tensor::Tensor;

use super::Common;
use super::appnp::Spread;
use crate::config::NormKind;
use crate::init::Seeds;
use crate::layers::{Encoder, Head, Layer, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, Features, InputShape, Level, OutputShape, Shape};

/// A perceptron and a head, with a place for what spreads.
#[derive(Module, Debug)]
pub struct Predictor {
    encoder: Encoder,
    layers: Vec<Linear>,
    norms: Vec<NormBlock>,
    head: Head,
    #[module(skip)]
    residual: bool,
    #[module(skip)]
    spreads_first: bool,
    /// What spreads without weights of its own; a network with weights passes it to [`Predictor::forward`].
    #[module(skip)]
    spread: Option<Spread>,
}

/// Shared settings of those that predict first: a hidden layer of 64 channels, half of everything dropped.
pub fn defaults() -> Common {
    Common {
        layers: 1,
        width: 64,
        norm: NormKind::None,
        dropout: 0.5,
        input_dropout: 0.5,
        residual: false,
        ..Common::default()
    }
}

impl Predictor {
    /// Glorot weights, zero biases.
    pub fn build(common: &Common, inputs: &InputShape, outputs: &OutputShape, seeds: &mut Seeds) -> Self {
        let (encoder, mut width) = common.build_encoder(inputs, seeds);
        let mut layers = Vec::new();
        for _ in 0..common.layers {
            layers.push(Linear::init(width, common.width, seeds.next_seed()));
            width = common.width;
        }
        Predictor {
            encoder,
            layers,
            norms: (0..common.layers).map(|_| common.build_norm(common.width)).collect(),
            head: common.build_head(width, outputs, seeds),
            residual: common.residual,
            spreads_first: outputs.level == Level::Graph,
            spread: None,
        }
    }

    /// The same with something that spreads, which makes it a network.
    pub fn spreading(self, spread: Spread) -> Self {
        Predictor { spread: Some(spread), ..self }
    }

    /// Channels of what spreads: the answers of nodes, or the last hidden layer where answers are about graphs.
    pub fn spread_width(common: &Common, inputs: &InputShape, outputs: &OutputShape) -> usize {
        match outputs.level {
            Level::Graph if common.layers > 0 => common.width,
            Level::Graph => common.encoder().outputs(inputs.numbers, inputs.needs_encoder()),
            Level::Node | Level::Pair => outputs.outputs,
        }
    }

    /// The answers; `spread` takes `[N, spread_width]` and gives the same shape.
    pub fn forward(
        &self,
        features: Features,
        batch: &Batch,
        context: &Context,
        spread: impl FnOnce(Tensor<2>) -> Tensor<2>,
    ) -> Tensor<2> {
        context.input(&features);
        let mut x = self.encoder.stage(features, batch, context);
        for (i, (layer, norm)) in self.layers.iter().zip(&self.norms).enumerate() {
            let hidden = layer.apply(x.clone());
            let residual = (self.residual && x.width() == hidden.dims()[1]).then(|| x.into_dense(batch));
            x = context.stage(|| format!("norms.{i}"), norm.apply(hidden, residual, context)).into();
        }
        if self.spreads_first {
            let spread = context.stage(|| "steps".into(), spread(x.into_dense(batch)));
            return self.head.forward(spread.into(), batch, context);
        }
        let answers = context.stage(|| "head".into(), self.head.forward(x, batch, context));
        context.stage(|| "steps".into(), spread(answers))
    }
}

impl Layer for Predictor {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        Predictor::forward(self, features, batch, context, |x| match &self.spread {
            Some(spread) => spread.apply(x, batch, context),
            None => x,
        })
    }
}

/// What it needs; `spread` writes the steps from their start and its channels.
pub fn cost(
    common: &Common,
    shape: &Shape,
    ledger: &Ledger,
    spread: impl FnOnce(Tracked, usize) -> Tracked,
) -> Tracked {
    let (mut x, mut width) = common.encoder().cost(shape, ledger);
    for i in 0..common.layers {
        let residual = (common.residual && width == common.width).then(|| x.clone());
        x = ledger.linear(&format!("layers.{i}"), x, shape.nodes, width, common.width, true);
        x = ledger.norm_block(&format!("norms.{i}"), x, residual, shape.nodes, common.width, common.block());
        width = common.width;
    }
    if shape.level == Level::Graph {
        return common.head().cost(spread(x, width), width, shape, ledger);
    }
    spread(common.head().cost(x, width, shape, ledger), shape.outputs)
}
