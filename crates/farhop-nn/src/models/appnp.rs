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

use burn::tensor::Tensor;

use super::predictor::{self, Predictor};
use super::{About, Architecture, Common, Properties, Reach};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::EliminatedHops;
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, InputShape, Network, NnError, OutputShape, Shape, ops};

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
        predictor::defaults()
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
        Box::new(Predictor::build(common, inputs, outputs, seeds).spreading(Spread::Steps(self.clone())))
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        // A step holds the state, the start and the next state.
        ledger.symmetric_weights(shape);
        predictor::cost(common, shape, ledger, |x, _| {
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
        Properties { spreads: true, ..Properties::MESSAGE_PASSING }
    }

    /// The answers before every step, and their gradients.
    fn halo_numbers(&self, _common: &Common, shape: &Shape) -> [usize; 2] {
        [self.hops * shape.outputs; 2]
    }

    fn halo_rounds(&self, _common: &Common) -> [usize; 2] {
        [self.hops; 2]
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

impl Spread {
    /// What `x` becomes.
    pub fn apply(&self, x: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        match self {
            Spread::Steps(Appnp { hops, alpha, edge_dropout }) => {
                let dropout = context.dropout(*edge_dropout);
                ops::personal_pagerank(x, batch, &batch.symmetric_weights(), *hops, *alpha, dropout)
            }
            Spread::Eliminated(coefficients, weights) => {
                let hops = ops::Hops::Sum(weights.clone());
                ops::eliminate(x, batch.graph(), &coefficients.weights(batch), hops)
            }
        }
    }
}
