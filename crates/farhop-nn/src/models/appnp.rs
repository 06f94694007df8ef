//! APPNP: predict from each node's own features, then let the predictions spread.
//!
//! Klicpera, Bojchevski and Günnemann, "Predict then propagate: graph neural networks meet personalized PageRank", ICLR 2019:
//!
//! ```text
//! z    = MLP(x)                                     [N, C], C outputs
//! Z_0  = z,   Z_k = (1 - alpha) S Z_(k-1) + alpha z,   k = 1 .. K,   answers Z_K
//! S_ij = 1 / sqrt((deg_i + 1)(deg_j + 1)),  S_ii = 1 / (deg_i + 1)
//! ```
//!
//! Coefficients are dropped in every step anew from the whole of S, loops and both directions apart, as the authors do.
//! Where answers are about graphs, the last hidden layer spreads instead of the answers, and is read out then.
//! Cost: N F² for the perceptron, K E C for the steps; the steps keep nothing for the backward pass.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{About, Architecture, Common, Properties, Reach};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{EliminatedHops, Encoder, Head, Layer, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, Features, InputShape, Level, Network, NnError, OutputShape, Shape, ops};

knobs! {
    /// The settings of APPNP; `layers` are the hidden layers of its perceptron.
    pub struct Appnp {
        /// Steps of propagation.
        hops: usize = 10, in 1..=1000;
        /// Share of the prediction itself in every step: the probability of a walk to end.
        alpha: f32 = 0.1, in 0.0..=1.0;
        /// Probability of dropping a coefficient of the propagation.
        edge_dropout: f32 = 0.0, in 0.0..1.0;
    }
}

impl Architecture for Appnp {
    const NAME: &'static str = "appnp";
    const ABOUT: About = About {
        title: "Approximate personalised propagation of neural predictions",
        citation: "Klicpera, Bojchevski and Günnemann, Predict then propagate, ICLR 2019",
        idea: "a perceptron answers for each node; the answers spread as personalised PageRank",
        cost: "N F² + K E C",
        limits: "edge features are not read",
    };

    fn defaults() -> Common {
        Common {
            layers: 1,
            width: 64,
            norm: crate::NormKind::None,
            dropout: 0.5,
            input_dropout: 0.5,
            residual: false,
            ..Common::default()
        }
    }

    fn check(&self, _common: &Common) -> Result<(), NnError> {
        Ok(())
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        Box::new(AppnpNetwork::build(Spread::Steps(self.clone()), common, inputs, outputs, seeds))
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        // A step holds the state, the start and the next state.
        AppnpNetwork::cost(common, shape, ledger, |x, _| {
            let bytes = x.bytes();
            let work = crate::ledger::Work {
                name: "steps".into(),
                output: bytes,
                forward: 2 * bytes,
                backward: 3 * bytes,
                ..Default::default()
            };
            ledger.run(work, [(x, false)])
        })
    }

    fn reach(&self, _common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(self.hops + 1)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }
}

/// How answers spread.
#[derive(Clone, Debug)]
pub(super) enum Spread {
    /// Step by step.
    Steps(Appnp),
    /// As a sum of hops without what steps straight back, with a weight for each.
    Eliminated(EliminatedHops, Vec<f32>),
}

/// A perceptron, a head, and the steps after it (before it for answers about graphs).
#[derive(Module, Debug)]
pub struct AppnpNetwork {
    encoder: Encoder,
    layers: Vec<Linear>,
    norms: Vec<NormBlock>,
    head: Head,
    #[module(skip)]
    residual: bool,
    #[module(skip)]
    spread: Spread,
    #[module(skip)]
    spreads_first: bool,
}

impl AppnpNetwork {
    pub(super) fn build(
        spread: Spread,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Self {
        let (encoder, mut width) = common.build_encoder(inputs, seeds);
        let mut layers = Vec::new();
        for _ in 0..common.layers {
            layers.push(Linear::init(width, common.width, seeds.next_seed()));
            width = common.width;
        }
        AppnpNetwork {
            encoder,
            layers,
            norms: (0..common.layers).map(|_| common.build_norm(common.width)).collect(),
            head: common.build_head(width, outputs, seeds),
            residual: common.residual,
            spread,
            spreads_first: outputs.level == Level::Graph,
        }
    }

    /// `spread` writes the steps from what spreads and the channels of that.
    pub(super) fn cost(
        common: &Common,
        shape: &Shape,
        ledger: &Ledger,
        spread: impl Fn(Tracked, usize) -> Tracked,
    ) -> Tracked {
        ledger.symmetric_weights(shape);
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
}

impl Layer for AppnpNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut x = self.encoder.stage(features, batch, context);
        for (i, (layer, norm)) in self.layers.iter().zip(&self.norms).enumerate() {
            let hidden = layer.apply(x.clone());
            let residual = (self.residual && x.width() == hidden.dims()[1]).then(|| x.into_dense(batch));
            x = context.stage(|| format!("norms.{i}"), norm.apply(hidden, residual, context)).into();
        }
        let spread = |x: Tensor<2>| {
            let spread = match &self.spread {
                Spread::Steps(Appnp { hops, alpha, edge_dropout }) => {
                    let dropout = context.dropout(*edge_dropout);
                    ops::personal_pagerank(x, batch.graph(), batch.symmetric_weights(), *hops, *alpha, dropout)
                }
                Spread::Eliminated(coefficients, weights) => {
                    let hops = ops::Hops::Sum(weights.clone());
                    ops::eliminate(x, batch.graph(), coefficients.weights(batch), hops)
                }
            };
            context.stage(|| "steps".into(), spread)
        };
        if self.spreads_first {
            return self.head.forward(spread(x.into_dense(batch)).into(), batch, context);
        }
        spread(context.stage(|| "head".into(), self.head.forward(x, batch, context)))
    }
}
