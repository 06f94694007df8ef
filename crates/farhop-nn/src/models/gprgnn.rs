//! GPR-GNN: predictions spread over any number of hops, and how much each hop counts is learned.
//!
//! Chien, Peng, Li and Milenkovic, "Adaptive universal generalized PageRank graph neural network", ICLR 2021:
//!
//! ```text
//! z       = MLP(x)                                   [N, C], C outputs
//! answers = sum over k = 0 .. K of gamma_k S^k z     gamma [K + 1], one number a hop, of either sign
//! S_ij    = 1 / sqrt((deg_i + 1)(deg_j + 1)),  S_ii = 1 / (deg_i + 1)
//! ```
//!
//! Hop 0 is the prediction itself. The coefficients are neither normalised nor decayed. Where answers are about graphs, the last hidden
//! layer spreads instead of the answers, and is read out then.
//! Cost: N F² for the perceptron, K E C for the hops, forwards by Horner's rule and backwards in one sweep: memory does not grow with K.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::random::Stream;
use farhop_kernels::dense::{Activation, Finish};

use super::predictor::{self, Predictor};
use super::{About, Architecture, Common, Properties, Reach};
use crate::init::Seeds;
use crate::knobs::{knobs, words};
use crate::layers::Layer;
use crate::ledger::{Ledger, Tracked, Work};
use crate::ops::{Normalisation, bridge};
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape, ops};

words! {
    /// What the coefficients of hops are before training.
    pub enum HopStart {
        /// Those of personalised PageRank: `alpha (1 - alpha)^k`, the last one `(1 - alpha)^K`.
        #[default]
        Pagerank = "pagerank",
        /// Powers: `alpha^k`, divided by the sum of their sizes; signs alternate where alpha is negative.
        Powers = "powers",
        /// All on the hop `start_hop`.
        OneHop = "one-hop",
        /// Drawn at random, divided by the sum of their sizes.
        Random = "random",
    }
}

knobs! {
    /// The settings of GPR-GNN; `layers` are the hidden layers of its perceptron.
    pub struct Gprgnn {
        /// Hops that the predictions spread over.
        hops: usize = 10, in 1..=1000;
        /// What the coefficients of hops are before training.
        start: HopStart = HopStart::Pagerank;
        /// The number that `pagerank` (0 to 1) and `powers` start from.
        alpha: f32 = 0.1, in -1.0..=1.0;
        /// The hop that `one-hop` starts from.
        start_hop: usize = 2, in 0..=1000;
        /// Probability of dropping a prediction before it spreads.
        spread_dropout: f32 = 0.5, in 0.0..1.0;
    }
}

impl Gprgnn {
    /// The coefficients before training, `[hops + 1]`.
    pub(crate) fn coefficients(&self, seed: u64) -> Vec<f32> {
        let (hops, alpha) = (self.hops, f64::from(self.alpha));
        let whole = |values: Vec<f64>| -> Vec<f64> {
            let sum: f64 = values.iter().map(|value| value.abs()).sum();
            values.into_iter().map(|value| value / sum).collect()
        };
        let power = |base: f64, k: usize| base.powi(k as i32);
        let values: Vec<f64> = match self.start {
            HopStart::Pagerank => {
                let end = |k: usize| if k < hops { alpha } else { 1.0 };
                (0..=hops).map(|k| end(k) * power(1.0 - alpha, k)).collect()
            }
            HopStart::Powers => whole((0..=hops).map(|k| power(alpha, k)).collect()),
            HopStart::OneHop => (0..=hops).map(|k| if k == self.start_hop { 1.0 } else { 0.0 }).collect(),
            HopStart::Random => {
                let mut stream = Stream::new(seed);
                whole((0..=hops).map(|_| stream.uniform() * 2.0 - 1.0).collect())
            }
        };
        values.into_iter().map(|value| value as f32).collect()
    }
}

impl Architecture for Gprgnn {
    const NAME: &'static str = "gprgnn";
    const ABOUT: About = About {
        title: "Generalised PageRank graph neural network",
        citation: "Chien, Peng, Li and Milenkovic, Adaptive universal generalized PageRank graph neural network, ICLR 2021",
        idea: "a perceptron answers for each node; the answers spread, with a learned coefficient for every hop",
        cost: "N F² + K E C",
        limits: "edge features are not read",
    };

    fn defaults() -> Common {
        predictor::defaults()
    }

    fn check(&self, _common: &Common) -> Result<(), NnError> {
        let checks = crate::config::Checks(Self::NAME);
        let negative = self.start == HopStart::Pagerank && self.alpha < 0.0;
        checks.that(!negative, "alpha", self.alpha, || "with start = \"pagerank\" allowed is 0 to 1".into())?;
        let beyond = self.start == HopStart::OneHop && self.start_hop > self.hops;
        checks.that(!beyond, "start_hop", self.start_hop, || format!("allowed is 0 to {}, the hops", self.hops))
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let predictor = Predictor::build(common, inputs, outputs, seeds);
        let hops = self.coefficients(seeds.next_seed());
        let hops = Param::from_tensor(bridge::from_vec(hops, [self.hops + 1]));
        Box::new(GprgnnNetwork { predictor, hops, spread_dropout: self.spread_dropout })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        ledger.symmetric_weights(shape);
        ledger.weights("hop weights", self.hops + 1);
        predictor::cost(common, shape, ledger, |x, _| {
            let dropped =
                if ledger.training() && self.spread_dropout > 0.0 { ledger.each("spread dropout", x) } else { x };
            let bytes = dropped.bytes();
            let work = Work {
                name: "steps".into(),
                output: bytes,
                forward: 2 * bytes,
                backward: 3 * bytes,
                ..Work::default()
            };
            ledger.run(work, [(dropped, true)])
        })
    }

    fn reach(&self, _common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(self.hops + 1)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { spreads: true, ..Properties::MESSAGE_PASSING }
    }

    /// The answers before every step, and their gradients.
    fn halo_numbers(&self, _common: &Common, shape: &Shape) -> [usize; 2] {
        [self.hops * shape.outputs; 2]
    }

    fn halo_rounds(&self, _common: &Common) -> [usize; 2] {
        [self.hops; 2]
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "hops": 4, "spread_dropout": 0.0 })
    }
}

/// A perceptron and a head, and the hops after it (before it for answers about graphs).
#[derive(Module, Debug)]
pub struct GprgnnNetwork {
    predictor: Predictor,
    hops: Param<Tensor<1>>,
    #[module(skip)]
    spread_dropout: f32,
}

impl Layer for GprgnnNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        self.predictor.forward(features, batch, context, |z| {
            let finish = Finish { activation: Activation::Identity, dropout: context.dropout(self.spread_dropout) };
            let z = if finish.is_identity() { z } else { ops::norm_block(z, Normalisation::None, finish, None) };
            ops::polynomial_filter(z, self.hops.val(), batch, &batch.symmetric_weights())
        })
    }
}
