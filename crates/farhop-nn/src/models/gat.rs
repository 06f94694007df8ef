//! Graph attention network (see [`GatLayer`] for the formula).
//!
//! Veličković, Cucurull, Casanova, Romero, Liò and Bengio, "Graph attention networks", ICLR 2018. The layers stand in a
//! frame with linear skips, norms and jumps as settings. In the authors' network the last layer gives the answers itself, as the mean
//! of its heads: `head_layers = 0`, the default. Their dropout of the projected features is left out; that of inputs and coefficients is here.
//! Cost of a layer: `N F H C + E H C` time, no array of size E x H C.

use super::frame::{Frame, FrameConfig};
use super::jump::JumpKind;
use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, Checks, NormKind};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{GatConfig, GatLayer};
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// The settings of GAT; `width` are the channels of all heads of a layer together.
    pub struct Gat {
        /// Heads of a layer; they share the width.
        heads: usize = 8, in 1..=256;
        /// Heads of a last layer that answers by itself (`head_layers = 0`); their mean counts.
        output_heads: usize = 1, in 1..=256;
        /// Probability of dropping a coefficient of the attention.
        attention_dropout: f32 = 0.6, in 0.0..1.0;
        /// Slope of LeakyReLU below zero, in the scores.
        attention_slope: f32 = 0.2, in 0.0..=1.0;
        /// Whether features of entries are read, if there are any.
        edge_features: bool = true;
        /// Whether a linear map of a layer's input is added to its output, before the norm.
        skip: bool = false;
        /// How the states of the layers become what the head reads.
        jump: JumpKind = JumpKind::None;
    }
}

impl Gat {
    fn frame(&self) -> FrameConfig {
        FrameConfig { skip: self.skip, jump: self.jump, ..FrameConfig::default() }
    }

    fn layer(&self, outputs: usize, answers: bool) -> GatConfig {
        let heads = if answers { self.output_heads } else { self.heads };
        GatConfig {
            heads,
            channels: if answers { outputs } else { outputs / heads },
            mean: answers,
            // A skip has one.
            bias: !self.skip,
            slope: self.attention_slope,
            dropout: self.attention_dropout,
        }
    }
}

impl Architecture for Gat {
    const NAME: &'static str = "gat";
    const ABOUT: About = About {
        title: "Graph attention network",
        citation: "Veličković et al., Graph attention networks, ICLR 2018",
        idea: "a node is a mean of its neighbours and itself, weighed by scores of pairs that are learnt, in several heads",
        cost: "E F + N F²",
        limits: "",
    };
    const HEADLESS: bool = true;

    fn defaults() -> Common {
        Common {
            layers: 2,
            width: 64,
            norm: NormKind::None,
            activation: ActivationKind::Elu,
            dropout: 0.6,
            input_dropout: 0.6,
            residual: false,
            head_layers: 0,
            ..Common::default()
        }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        let divides = common.width.is_multiple_of(self.heads);
        Checks(Self::NAME).that(divides, "heads", self.heads, || format!("it must divide width = {}", common.width))?;
        self.frame().check(Self::NAME, common)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let entries = if self.edge_features { inputs.clone() } else { InputShape::default() };
        Box::new(Frame::build(self.frame(), common, inputs, outputs, seeds, |place, seed| {
            GatLayer::init(place.inputs, self.layer(place.outputs, place.answers), &entries, seed)
        }))
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let mut seen = shape.clone();
        if !self.edge_features {
            (seen.edge_numbers, seen.edge_categories, seen.edge_category_rows) = (0, 0, 0);
        }
        self.frame().cost(common, shape, ledger, |place, x| {
            let layer = self.layer(place.outputs, place.answers);
            layer.cost(&format!("layers.{}", place.index), x, place.inputs, &seen, ledger)
        })
    }

    fn reach(&self, common: &Common) -> Reach {
        Reach::Hops(common.layers)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { reads_edges: self.edge_features, spreads: true, ..Properties::MESSAGE_PASSING }
    }

    /// What a layer projects and the sender's part of its scores; backward the gradient of what it gives, and four numbers a head.
    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2] {
        let mut numbers = [0; 2];
        for index in 0..common.layers {
            let answers = common.head_layers == 0 && index + 1 == common.layers;
            let layer = self.layer(if answers { shape.outputs } else { common.width }, answers);
            numbers[0] += layer.heads * (layer.channels + 1);
            numbers[1] += layer.heads * (layer.channels + 4);
        }
        numbers
    }

    fn small() -> serde_json::Value {
        serde_json::json!({"heads": 2, "output_heads": 2, "attention_dropout": 0.0, "input_dropout": 0.0})
    }
}
