//! APPNP over eliminated hops: the weights of personalised PageRank, GEN's elimination.
//!
//! ```text
//! z = MLP(x),   answers = sum over k < K of alpha (1 - alpha)^k d^k(z)  +  (1 - alpha)^K d^K(z)
//! ```
//!
//! with the hops `d^k` of [`ops::eliminate`](crate::ops::eliminate), which leave out what steps straight back. This is what the steps of
//! APPNP become when a node never gets back what it has just sent: the share alpha that starts anew in every step has not come
//! from anywhere and stays; the own term of symmetric normalisation would count hops again and is left out. A node without neighbours
//! therefore keeps the share alpha of its answer. The authors of GEN (NeurIPS 2025) name APPNP without a formula: this one is ours.
//! Cost: as APPNP, `N F² + K E C`; the hops are kept for the backward pass, `K N C`.

use super::appnp::Spread;
use super::predictor::{self, Predictor};
use super::{About, Architecture, Common, Properties, Reach};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::EliminatedHops;
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// The settings of APPNP with elimination; `layers` are the hidden layers of its perceptron.
    pub struct GeaAppnp {
        /// The farthest hop.
        hops: usize = 10, in 1..=64;
        /// Share of the prediction itself in every step: the probability of a walk to end.
        alpha: f32 = 0.1, in 0.0..=1.0;
        /// Coefficients of neighbours: `gcn` is symmetric normalisation.
        coefficients: EliminatedHops = EliminatedHops::Gcn;
    }
}

impl GeaAppnp {
    /// The weight of every hop.
    fn weights(&self) -> Vec<f32> {
        let stays = 1.0 - f64::from(self.alpha);
        let share = |k: usize| if k < self.hops { 1.0 - stays } else { 1.0 };
        (0..=self.hops).map(|k| (share(k) * stays.powi(k as i32)) as f32).collect()
    }
}

impl Architecture for GeaAppnp {
    const NAME: &'static str = "gea-appnp";
    const ABOUT: About = About {
        title: "Propagation of neural predictions with elimination",
        citation: "the elimination of GEN, NeurIPS 2025, on Klicpera, Bojchevski and Günnemann, ICLR 2019",
        idea: "PageRank's weights on hops that contain nothing that has only gone back and forth",
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
        let spread = Spread::Eliminated(self.coefficients, self.weights());
        Box::new(Predictor::build(common, inputs, outputs, seeds).spreading(spread))
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        ledger.symmetric_weights(shape);
        predictor::cost(common, shape, ledger, |x, width| {
            EliminatedHops::cost("steps", x, [self.hops, width], width, shape, ledger)
        })
    }

    fn reach(&self, _common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(self.hops + 1)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }

    fn small() -> serde_json::Value {
        serde_json::json!({"hops": 4, "input_dropout": 0.0})
    }
}
