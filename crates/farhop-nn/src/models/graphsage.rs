//! GraphSAGE with the mean aggregator (see [`SageLayer`] for the formula).
//!
//! Hamilton, Ying and Leskovec, "Inductive representation learning on large graphs", NeurIPS 2017. All neighbours are read: the authors
//! draw 25 and 10 of them. Root and neighbours are two maps that are added; the authors' code puts their results side by
//! side. Linear skips, norms and jumps are those of tuned baselines; with `self_in_mean` the mean is theirs, too.
//! Cost of a layer: `E F + N F²` time, `N F` memory.

use super::frame::{Frame, FrameConfig};
use super::jump::JumpKind;
use super::{About, Architecture, Common, Properties, Reach, stack};
use crate::config::NormKind;
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{SageConfig, SageLayer};
use crate::ledger::{Ledger, Tracked};
use crate::memory::floats;
use crate::{InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// The settings of GraphSAGE.
    pub struct GraphSage {
        /// Whether neighbours go through a linear map and relu before their mean.
        project: bool = false;
        /// Whether the rows of a layer's result are divided by their length, before norm and activation.
        normalise: bool = false;
        /// Whether a node is part of the mean of its neighbours.
        self_in_mean: bool = false;
        /// Whether a linear map of a layer's input is added to its output, before the norm.
        skip: bool = false;
        /// How the states of the layers become what the head reads.
        jump: JumpKind = JumpKind::None;
    }
}

impl GraphSage {
    fn frame(&self) -> FrameConfig {
        FrameConfig { skip: self.skip, jump: self.jump, ..FrameConfig::default() }
    }

    fn layer(&self) -> SageConfig {
        SageConfig { project: self.project, normalise: self.normalise, self_in_mean: self.self_in_mean }
    }
}

impl Architecture for GraphSage {
    const NAME: &'static str = "graphsage";
    const ABOUT: About = About {
        title: "GraphSAGE with the mean aggregator",
        citation: "Hamilton, Ying and Leskovec, Inductive representation learning on large graphs, NeurIPS 2017",
        idea: "a node is a map of itself plus a map of the mean of its neighbours",
        cost: "E F + N F²",
        limits: "edge features are not read",
    };
    const HEADLESS: bool = true;

    fn defaults() -> Common {
        Common { layers: 2, width: 128, norm: NormKind::None, dropout: 0.0, residual: false, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        self.frame().check(Self::NAME, common)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        Box::new(Frame::build(self.frame(), common, inputs, outputs, seeds, |place, seed| {
            SageLayer::init(place.inputs, place.outputs, self.layer(), seed)
        }))
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let own = if self.self_in_mean { shape.nodes } else { 0 };
        ledger.hold("coefficients", floats(shape.entries + own));
        self.frame().cost(common, shape, ledger, |place, x| {
            let name = format!("layers.{}", place.index);
            self.layer().cost(&name, x, [place.inputs, place.outputs], shape, ledger)
        })
    }

    fn reach(&self, common: &Common) -> Reach {
        Reach::Hops(common.layers)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { spreads: true, ..Properties::MESSAGE_PASSING }
    }

    /// What is averaged: a layer's input or its projection, whichever is narrower, and its gradient.
    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2] {
        let layer = self.layer();
        let sent = |[inputs, outputs]: &[usize; 2]| if layer.project { *inputs } else { *inputs.min(outputs) };
        [stack::widths(common, shape).iter().map(sent).sum(); 2]
    }
}
