//! A multilayer perceptron on each node's features: the baseline that sees no graph.

use serde_json::{Value, json};

use super::stack::{self, Stack};
use super::{About, Architecture, Common, Properties, Reach};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::Linear;
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// `x -> [encoder ->] (linear -> norm -> activation -> dropout (+ x)) x layers -> head`. Edges and their features are not read.
    /// All settings are the shared ones; 0 layers are a linear classifier.
    pub struct Mlp {}
}

impl Architecture for Mlp {
    const NAME: &'static str = "mlp";
    const ABOUT: About = About {
        title: "Multilayer perceptron",
        citation: "the usual baseline",
        idea: "each node by itself: what the graph is worth is what others gain over it",
        cost: "N F²",
        limits: "sees no edges",
    };
    const HEADLESS: bool = true;
    const IDLE: &'static [&'static str] = &["input_projection"];

    fn defaults() -> Common {
        Common { layers: 2, ..Common::default() }
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
        let layer = Linear::init;
        Box::new(Stack::build(common, inputs, outputs, seeds, layer))
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        stack::cost(common, shape, ledger, |name, x, inputs, outputs| {
            ledger.linear(name, x, shape.nodes, inputs, outputs, true)
        })
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::Hops(0)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { spreads: true, ..Properties::MESSAGE_PASSING }
    }

    fn halo_rounds(&self, _common: &Common) -> [usize; 2] {
        [0, 0]
    }

    /// Those of a GEN, as far as it has them.
    fn general(many_graphs: bool) -> Value {
        if many_graphs {
            return stack::general_for_many();
        }
        json!({
            "model": {
                "width": 64, "layers": 2, "norm": "layer", "residual": false, "dropout": 0.6, "input_dropout": 0.2,
            },
            "train": { "optimizer": { "kind": "adamw", "weight_decay": 0.5 } },
        })
    }
}
