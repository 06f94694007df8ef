//! MixHop over eliminated hops: instead of powers of the graph, hops without what steps straight back (see
//! [`MixHopLayer`](crate::layers::MixHopLayer) for the formula).
//!
//! The authors of GEN (NeurIPS 2025) name MixHop as a model that can carry their elimination, without a formula: this one is ours. Hops that are
//! not read are still needed for those after them. Cost of a layer: `(sum of powers) E F / |powers| + N F²`.

use super::mixhop::Mixed;
use super::{About, Architecture, Common, Properties, Reach};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::EliminatedHops;
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// The settings of MixHop with elimination; `width` are the channels of all hops together.
    pub struct GeaMixHop {
        /// Hops that a layer reads, in the order of its columns; 0 is the node itself.
        powers: Vec<usize> = vec![0, 1, 2], in 0..=32;
        /// Coefficients of neighbours: `gcn` is symmetric normalisation.
        coefficients: EliminatedHops = EliminatedHops::Gcn;
    }
}

impl GeaMixHop {
    fn mixed(&self) -> Mixed<'_> {
        Mixed { powers: &self.powers, eliminated: Some(self.coefficients), norm_last: true }
    }
}

impl Architecture for GeaMixHop {
    const NAME: &'static str = "gea-mixhop";
    const ABOUT: About = About {
        title: "MixHop with elimination",
        citation: "the elimination of GEN, NeurIPS 2025, on Abu-El-Haija et al., ICML 2019",
        idea: "a layer reads several hops side by side, none with what has only gone back and forth",
        cost: "P E F + N F², P the highest power",
        limits: "edge features are not read",
    };

    fn defaults() -> Common {
        Mixed::defaults()
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        self.mixed().check(Self::NAME, common)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        self.mixed().build(common, inputs, outputs, seeds)
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        self.mixed().cost(common, shape, ledger)
    }

    fn reach(&self, common: &Common) -> Reach {
        self.mixed().reach(common)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }

    fn small() -> serde_json::Value {
        serde_json::json!({"powers": [0, 3], "input_dropout": 0.0})
    }
}
