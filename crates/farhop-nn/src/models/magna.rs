//! MAGNA: attention over neighbours that spreads over several hops within a layer.
//!
//! Wang, Ying, Huang and Leskovec, "Multi-hop attention graph neural network", IJCAI 2021. A layer, for rows h `[N, F]`, head by head:
//!
//! ```text
//! y    = norm(h),   V = y W                                   norm by the deviation of a sample, values V [N, H, C]
//! e_ij = leaky_relu(u_s . tanh(V_j) + u_t . tanh(V_i))        for every neighbour j of i and i itself
//! a_ij = softmax of e_ij over j                               after all but the `top_entries` largest are left out
//! Z_0  = V,   Z_(k+1) = (1 - alpha) a Z_k + alpha V           K steps with the same weights
//! t    = R h + Z_K W_o,   out = t + W_2 relu(W_1 norm(t))     R is a map where channels differ; 4 F inner channels
//! ```
//!
//! With `shared_scores` off, scores have maps of their own instead of V. In training, weights are dropped anew in every step, and pairs
//! of neighbours are dropped with half of `edge_dropout`, each by itself (the authors draw a fixed number of them). The norm has
//! nothing added to the deviation but what keeps constant rows finite (theirs adds 1e-6).
//! Cost of a layer: N F² and K E F. Memory: K N F, and E H for the weights, K times that where they are dropped.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::Checks;
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{Encoder, Head, Layer, Linear, MagnaLayer, MagnaLayerConfig};
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape};

knobs! {
    /// The settings of MAGNA.
    pub struct Magna {
        /// Attention heads; they divide the width.
        heads: usize = 8, in 1..=64;
        /// Steps of diffusion within a layer.
        hops: usize = 4, in 1..=100;
        /// Share of the values themselves in every step.
        alpha: f32 = 0.15, in 0.0..=1.0;
        /// Slope of the scores below zero.
        slope: f32 = 0.2, in 0.0..=1.0;
        /// Neighbours, the node itself among them, that a node pays attention to; 0 for all.
        top_entries: usize = 5, in 0..=1_000_000;
        /// Whether every head chooses these by itself, or all heads together.
        top_per_head: bool = true;
        /// Whether scores are made from the values, or by maps of their own.
        shared_scores: bool = true;
        /// Probability of dropping an attention weight, anew in every step.
        attention_dropout: f32 = 0.5, in 0.0..1.0;
        /// Twice the probability of dropping a pair of neighbours.
        edge_dropout: f32 = 0.1, in 0.0..=1.0;
        /// Probability of dropping an element inside the feed-forward block.
        inner_dropout: f32 = 0.1, in 0.0..1.0;
        /// Channels of a linear map before the first layer; 0 for none.
        projection_width: usize = 0, in 0..=65_536;
    }
}

impl Magna {
    fn layer(&self, common: &Common) -> MagnaLayerConfig {
        MagnaLayerConfig {
            width: common.width,
            heads: self.heads,
            hops: self.hops,
            alpha: self.alpha,
            slope: self.slope,
            top_entries: self.top_entries,
            top_per_head: self.top_per_head,
            shared_scores: self.shared_scores,
            dropout: common.dropout,
            attention_dropout: self.attention_dropout,
            edge_dropout: self.edge_dropout,
            inner_dropout: self.inner_dropout,
            activation: common.activation,
        }
    }
}

impl Architecture for Magna {
    const NAME: &'static str = "magna";
    const ABOUT: About = About {
        title: "Multi-hop attention graph neural network",
        citation: "Wang, Ying, Huang and Leskovec, Multi-hop attention graph neural network, IJCAI 2021",
        idea: "attention weights of neighbours spread over several hops within a layer, as personalised PageRank",
        cost: "N F² + K E F",
        limits: "edge features are not read",
    };
    const IDLE: &'static [&'static str] = &["norm", "residual", "input_projection"];

    fn defaults() -> Common {
        Common { layers: 2, width: 512, dropout: 0.25, input_dropout: 0.25, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(Self::NAME, 1)?;
        let divides = common.width.is_multiple_of(self.heads);
        Checks(Self::NAME)
            .that(divides, "heads", self.heads, || format!("they must divide the width, {}", common.width))
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let (encoder, mut width) = common.build_encoder(inputs, seeds);
        let projection =
            (self.projection_width > 0).then(|| Linear::init(width, self.projection_width, seeds.next_seed()));
        if projection.is_some() {
            width = self.projection_width;
        }
        let mut layers = Vec::new();
        for _ in 0..common.layers {
            layers.push(MagnaLayer::init(width, self.layer(common), seeds));
            width = common.width;
        }
        Box::new(MagnaNetwork { encoder, projection, layers, head: common.build_head(width, outputs, seeds) })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (mut x, mut width) = common.encoder().cost(shape, ledger);
        if self.projection_width > 0 {
            x = ledger.linear("projection", x, shape.nodes, width, self.projection_width, true);
            width = self.projection_width;
        } else if shape.non_zeros.is_some() && !shape.needs_encoder() {
            ledger.hold("dense features", crate::memory::floats(shape.nodes * width));
        }
        for i in 0..common.layers {
            x = self.layer(common).cost(&format!("layers.{i}"), x, width, shape, ledger);
            width = common.width;
        }
        common.head().cost(x, width, shape, ledger)
    }

    fn reach(&self, common: &Common) -> Reach {
        Reach::Hops(common.layers * self.hops)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }

    fn small() -> serde_json::Value {
        // A choice of entries is not smooth.
        serde_json::json!({
            "heads": 2, "hops": 2, "top_entries": 0, "attention_dropout": 0.0, "edge_dropout": 0.0, "inner_dropout": 0.0,
            "input_dropout": 0.0
        })
    }
}

/// Layers of multi-hop attention, and a head.
#[derive(Module, Debug)]
pub struct MagnaNetwork {
    encoder: Encoder,
    projection: Option<Linear>,
    layers: Vec<MagnaLayer>,
    head: Head,
}

impl Layer for MagnaNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let x = self.encoder.stage(features, batch, context);
        let mut h = match &self.projection {
            Some(projection) => projection.apply(x),
            None => x.into_dense(batch),
        };
        for (i, layer) in self.layers.iter().enumerate() {
            h = context.stage(|| format!("layers.{i}"), layer.apply(h, batch, context));
        }
        context.stage(|| "head".into(), self.head.forward(h.into(), batch, context))
    }
}
