//! Graph convolutional network (see [`GcnLayer`] for the formula), the first graph baseline, with the usual additions.

use serde_json::{Value, json};

use super::frame::{Frame, FrameConfig};
use super::stack;
use super::{About, Architecture, Common, Properties, Reach};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::GcnLayer;
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, OutputShape, Shape};

knobs! {
    /// `x -> [encoder ->] (convolution (+ linear skip) -> norm -> activation -> dropout (+ x)) x layers -> head`.
    pub struct Gcn {
        /// Whether a linear map of a layer's input is added to its output, before the norm.
        skip: bool = false;
    }
}

impl Gcn {
    fn frame(&self) -> FrameConfig {
        FrameConfig { skip: self.skip, ..FrameConfig::default() }
    }
}

impl Architecture for Gcn {
    const NAME: &'static str = "gcn";
    const ABOUT: About = About {
        title: "Graph convolutional network",
        citation: "Kipf and Welling, Semi-supervised classification with graph convolutional networks, ICLR 2017",
        idea: "a node is the normalised mean of its neighbours and itself, projected",
        cost: "E F + N F²",
        limits: "edge features are not read",
    };
    const HEADLESS: bool = true;

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        Box::new(Frame::build(self.frame(), common, inputs, outputs, seeds, |place, seed| {
            GcnLayer::init(place.inputs, place.outputs, seed)
        }))
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        ledger.symmetric_weights(shape);
        self.frame().cost(common, shape, ledger, |place, x| {
            let name = format!("layers.{}", place.index);
            let projected = ledger.linear(&name, x, shape.nodes, place.inputs, place.outputs, true);
            ledger.spread(&name, projected)
        })
    }

    fn reach(&self, common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(common.layers + 1)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { spreads: true, ..Properties::MESSAGE_PASSING }
    }

    /// What a layer gives before neighbours are added up, and its gradient.
    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2] {
        [stack::widths(common, shape).iter().map(|[_, outputs]| outputs).sum(); 2]
    }

    /// For one graph without norm and with decay in the gradient: it comes nearer to the bar of docs/datasets.md.
    fn general(many_graphs: bool) -> Value {
        if many_graphs {
            return stack::general_for_many();
        }
        json!({
            "model": {
                "width": 64, "layers": 2, "norm": "none", "residual": false, "dropout": 0.5, "input_dropout": 0.5,
                "head_layers": 0,
            },
            "train": { "schedule": "constant", "warmup_epochs": 0 },
        })
    }
}
