//! MixHop: powers of the normalised graph side by side (see [`MixHopLayer`] for the formula).
//!
//! Abu-El-Haija et al., "MixHop: higher-order graph convolutional architectures via sparsified neighborhood mixing", ICML 2019. All powers
//! have equally many channels, which share the width; the authors choose them power by power, and end with a weighed sum of column blocks
//! where a shared head stands here. Cost of a layer: `P E F + N F²` with the highest power P; nothing of size E x F or N x N.

use super::frame::{Frame, FrameConfig};
use super::{About, Architecture, Common, Properties, Reach, stack};
use crate::config::{Checks, NormKind};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{EliminatedHops, MixHopConfig, MixHopLayer};
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// The settings of MixHop; `width` are the channels of all powers together.
    pub struct MixHop {
        /// Powers of the graph that a layer reads, in the order of its columns; 0 is the node itself.
        powers: Vec<usize> = vec![0, 1, 2], in 0..=32;
        /// Whether the last layer is normalised, too.
        norm_last: bool = true;
    }
}

/// What MixHop is with and without elimination.
pub(super) struct Mixed<'a> {
    pub powers: &'a [usize],
    pub eliminated: Option<EliminatedHops>,
    pub norm_last: bool,
}

impl Mixed<'_> {
    pub fn check(&self, model: &'static str, common: &Common) -> Result<(), NnError> {
        let mut powers = self.powers.to_vec();
        powers.sort_unstable();
        powers.dedup();
        let check = Checks(model);
        let text = format!("{:?}", self.powers);
        check.that(powers.len() == self.powers.len(), "powers", &text, || "each stands there once".into())?;
        let divides = common.width.is_multiple_of(self.powers.len());
        check.that(divides, "powers", &text, || format!("they share width = {} equally", common.width))?;
        self.frame().check(model, common)
    }

    fn frame(&self) -> FrameConfig {
        FrameConfig { bare_end: !self.norm_last, ..FrameConfig::default() }
    }

    fn layer(&self, inputs: usize, outputs: usize) -> MixHopConfig {
        let powers = self.powers.to_vec();
        MixHopConfig { inputs, channels: outputs / powers.len().max(1), powers, eliminated: self.eliminated }
    }

    pub fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        Box::new(Frame::build(self.frame(), common, inputs, outputs, seeds, |place, seed| {
            MixHopLayer::init(self.layer(place.inputs, place.outputs), seed)
        }))
    }

    pub fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        ledger.symmetric_weights(shape);
        self.frame().cost(common, shape, ledger, |place, x| {
            let layer = self.layer(place.inputs, place.outputs);
            layer.cost(&format!("layers.{}", place.index), x, shape, ledger)
        })
    }

    pub fn reach(&self, common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(common.layers * self.powers.iter().copied().max().unwrap_or(0) + 1)
    }

    pub fn defaults() -> Common {
        Common {
            layers: 2,
            width: 60,
            norm: NormKind::Batch,
            dropout: 0.9,
            input_dropout: 0.5,
            residual: false,
            ..Common::default()
        }
    }
}

impl MixHop {
    fn mixed(&self) -> Mixed<'_> {
        Mixed { powers: &self.powers, eliminated: None, norm_last: self.norm_last }
    }
}

impl Architecture for MixHop {
    const NAME: &'static str = "mixhop";
    const ABOUT: About = About {
        title: "MixHop",
        citation: "Abu-El-Haija et al., MixHop: higher-order graph convolutional architectures, ICML 2019",
        idea: "a layer reads several powers of the graph side by side, so that it can tell hops apart",
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
        Properties { spreads: true, ..Properties::MESSAGE_PASSING }
    }

    /// What every step of every layer adds up, and its gradient.
    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2] {
        let sent = |[inputs, outputs]: &[usize; 2]| self.mixed().layer(*inputs, *outputs).sent();
        [stack::widths(common, shape).iter().map(sent).sum(); 2]
    }

    fn halo_rounds(&self, common: &Common) -> [usize; 2] {
        [common.layers * self.powers.iter().sum::<usize>(); 2]
    }

    fn small() -> serde_json::Value {
        serde_json::json!({"powers": [1, 0, 2, 3], "input_dropout": 0.0})
    }
}
