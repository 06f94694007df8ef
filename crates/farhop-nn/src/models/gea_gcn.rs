//! Graph convolutions over eliminated hops: GCN's coefficients, GEN's elimination (see [`EliminatedLayer`] for the formula).
//!
//! The authors of GEN (NeurIPS 2025) remark that elimination can be carried by any propagation of the form "own term and weighed neighbours",
//! and derive it for GCN. A layer reads the hops 0 to K, without what steps straight back, as a sum or side by side. Elimination
//! begins anew in every layer. Cost of a layer: `K E F + N F²` time, `K N F` memory.

use super::frame::{Frame, FrameConfig};
use super::{About, Architecture, Common, Properties, Reach};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{EliminatedConfig, EliminatedHops, EliminatedLayer, HopJoin};
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// The settings of GCN with elimination.
    pub struct GeaGcn {
        /// Hops that a layer reads.
        hops: usize = 4, in 1..=64;
        /// Whether hops are added up before they are projected, or stand side by side, each with a map of its own.
        join: HopJoin = HopJoin::Sum;
        /// Coefficients of neighbours: `gcn` is symmetric normalisation.
        coefficients: EliminatedHops = EliminatedHops::Gcn;
    }
}

impl GeaGcn {
    fn layer(&self, inputs: usize, outputs: usize) -> EliminatedConfig {
        let GeaGcn { hops, join, coefficients } = *self;
        EliminatedConfig { inputs, outputs, hops, join, coefficients }
    }
}

impl Architecture for GeaGcn {
    const NAME: &'static str = "gea-gcn";
    const ABOUT: About = About {
        title: "Graph convolutions with elimination",
        citation: "the elimination of GEN, NeurIPS 2025, on Kipf and Welling, ICLR 2017",
        idea: "a layer reads several hops, none of which contains what has only gone back and forth",
        cost: "K E F + N F²",
        limits: "edge features are not read",
    };
    const HEADLESS: bool = true;

    fn check(&self, common: &Common) -> Result<(), NnError> {
        FrameConfig::default().check(Self::NAME, common)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        Box::new(Frame::build(FrameConfig::default(), common, inputs, outputs, seeds, |place, seed| {
            EliminatedLayer::init(self.layer(place.inputs, place.outputs), seed)
        }))
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        ledger.symmetric_weights(shape);
        FrameConfig::default().cost(common, shape, ledger, |place, x| {
            let layer = self.layer(place.inputs, place.outputs);
            layer.cost(&format!("layers.{}", place.index), x, shape, ledger)
        })
    }

    fn reach(&self, common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(common.layers * self.hops + 1)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }

    fn small() -> serde_json::Value {
        serde_json::json!({"hops": 3})
    }
}
