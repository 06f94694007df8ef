//! DAGNN: predictions spread, and every node weighs for itself what it has after each hop.
//!
//! Liu, Gao and Ji, "Towards deeper graph neural networks", KDD 2020:
//!
//! ```text
//! z       = MLP(x)                                        [N, C], C outputs
//! H_0     = z,   H_k = S H_(k-1),   k = 1 .. K
//! r_ik    = sigmoid(H_k[i] . p + q)                       one gate for every node and hop; p [C] and q are learned
//! answers = sum over k = 0 .. K of r_ik H_k[i]            the gates of a node do not add up to 1
//! S_ij    = 1 / sqrt((deg_i + 1)(deg_j + 1)),  S_ii = 1 / (deg_i + 1)
//! ```
//!
//! The gate has the offset q of the authors' program. Where answers are about graphs, the last hidden layer spreads instead of the
//! answers, and is read out then.
//! Cost: N F² for the perceptron, K E C for the hops. Training keeps every hop: K N C numbers.

use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

use super::predictor::{self, Predictor};
use super::{About, Architecture, Common, Properties, Reach};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{Layer, Linear};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape, ops};

knobs! {
    /// The settings of DAGNN; `layers` are the hidden layers of its perceptron.
    pub struct Dagnn {
        /// Hops that each node may choose from.
        hops: usize = 10, in 1..=1000;
    }
}

impl Architecture for Dagnn {
    const NAME: &'static str = "dagnn";
    const ABOUT: About = About {
        title: "Deep adaptive graph neural network",
        citation: "Liu, Gao and Ji, Towards deeper graph neural networks, KDD 2020",
        idea: "a perceptron answers for each node; the answers spread, and every node has a gate for every hop",
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
        let predictor = Predictor::build(common, inputs, outputs, seeds);
        let width = Predictor::spread_width(common, inputs, outputs);
        Box::new(DagnnNetwork { predictor, gate: Linear::init(width, 1, seeds.next_seed()), hops: self.hops })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        ledger.symmetric_weights(shape);
        predictor::cost(common, shape, ledger, |z, width| {
            ledger.weights("gate weights", Linear::size(width, 1));
            let mut sum = None;
            let mut state = z;
            for k in 0..=self.hops {
                if k > 0 {
                    state = ledger.spread("steps", state);
                }
                let score = ledger.product("gates", state.clone(), shape.nodes, 1);
                let gate = ledger.each("gates", score);
                let output = state.bytes();
                let kept = floats(shape.nodes);
                let work = Work { name: "steps".into(), output, kept, ..Work::default() };
                let part = ledger.run(work, [(state.clone(), true), (gate, true)]);
                sum = Some(match sum {
                    Some(sum) => ledger.add("steps", sum, part),
                    None => part,
                });
            }
            sum.unwrap_or(state)
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
        serde_json::json!({ "hops": 4 })
    }
}

/// A perceptron and a head, and the gated hops after it (before it for answers about graphs).
#[derive(Module, Debug)]
pub struct DagnnNetwork {
    predictor: Predictor,
    gate: Linear,
    #[module(skip)]
    hops: usize,
}

impl DagnnNetwork {
    fn gated(&self, state: Tensor<2>) -> Tensor<2> {
        let gate = sigmoid(self.gate.apply(state.clone().into()));
        ops::scale_rows(state, gate)
    }
}

impl Layer for DagnnNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        self.predictor.forward(features, batch, context, |z| {
            let mut sum = self.gated(z.clone());
            let mut state = z;
            for _ in 0..self.hops {
                state = ops::spread(state, batch, &batch.symmetric_weights(), None);
                sum = ops::add(sum, self.gated(state.clone()));
            }
            sum
        })
    }
}
