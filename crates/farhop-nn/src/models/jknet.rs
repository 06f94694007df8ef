//! Jumping knowledge network: graph convolutions, of which the head reads all and not only the last (see
//! [`JumpKind`] for the formulas).
//!
//! Xu, Li, Tian, Sonobe, Kawarabayashi and Jegelka, "Representation learning on graphs with jumping knowledge networks", ICML 2018.
//!
//! ```text
//! h^l = dropout(activation(norm(S h^(l-1) W_l + b_l))),  h^0 = encoder(x),  l = 1 .. L      S: symmetric normalisation, loops inside
//! answers = head(jump(h^1 .. h^L))                                                          h^0 is not among them
//! ```
//!
//! The paper leaves the size of the memory open: here it has L F / 2 cells a direction. Cost: `L (E F + N F²)`;
//! the memory comes to `N L³ F²` on top and is by far the dearest way.

use super::frame::{Frame, FrameConfig};
use super::jump::JumpKind;
use super::{About, Architecture, Common, Properties, Reach, stack};
use crate::config::NormKind;
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::GcnLayer;
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// The settings of a jumping knowledge network.
    pub struct JkNet {
        /// How the states of the layers become what the head reads.
        jump: JumpKind = JumpKind::Concat;
    }
}

impl JkNet {
    fn frame(&self) -> FrameConfig {
        FrameConfig { jump: self.jump, ..FrameConfig::default() }
    }
}

impl Architecture for JkNet {
    const NAME: &'static str = "jknet";
    const ABOUT: About = About {
        title: "Jumping knowledge network",
        citation: "Xu et al., Representation learning on graphs with jumping knowledge networks, ICML 2018",
        idea: "every node chooses how far it looks: the answer reads all layers",
        cost: "L (E F + N F²)",
        limits: "edge features are not read",
    };

    fn defaults() -> Common {
        Common { layers: 6, width: 32, norm: NormKind::None, dropout: 0.5, residual: false, ..Common::default() }
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

    fn small() -> serde_json::Value {
        serde_json::json!({"jump": "lstm"})
    }
}
