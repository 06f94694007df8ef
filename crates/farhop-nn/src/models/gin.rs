//! Graph isomorphism network, GIN, and with features of entries GINE (see [`GinLayer`] for the formulas).
//!
//! Xu, Hu, Leskovec and Jegelka, "How powerful are graph neural networks?", ICLR 2019; Hu et al., "Strategies for pre-training graph
//! neural networks", ICLR 2020.
//!
//! ```text
//! h^0 = encoder(x),   h^l = [h^(l-1) +] dropout(activation(norm(layer_l(h^(l-1)))))
//! answers = sum over l = 0 .. L of head_l(h^l)   with `every_layer` (the paper's),   or head(h^L)
//! ```
//!
//! Heads read out the nodes of a graph where answers are about graphs; the paper's readout is the sum. Cost of a layer:
//! `E F + N F²`; memory `N F`, and `E F` with features of entries, which the activation between gather and sum makes necessary.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::NormKind;
use crate::init::Seeds;
use crate::knobs::{knobs, words};
use crate::layers::{BlockConfig, Encoder, EntryEncoder, GinConfig, GinLayer, Head, Layer, NormBlock, ReadoutKind};
use crate::ledger::{Ledger, Tracked};
use crate::memory::floats;
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape, ops};

words! {
    /// How features of entries are read.
    pub enum EntryReading {
        /// Not at all: GIN.
        #[default]
        None = "none",
        /// By one encoder for all layers: GINE.
        Shared = "shared",
        /// By an encoder for each layer: GINE.
        EachLayer = "each-layer",
    }
}

knobs! {
    /// The settings of GIN.
    pub struct Gin {
        /// How features of entries are read, if there are any: with an encoder for all layers, one for each layer, or not at all.
        edge_features: EntryReading = EntryReading::None;
        /// Whether the weight of a node's own state is learnt; it is that of a neighbour if not.
        learn_epsilon: bool = false;
        /// Normalisation between the two maps of a layer.
        inner_norm: NormKind = NormKind::Batch;
        /// Whether the answers are the sum of a head's for every layer and for the input, instead of that of the last layer alone.
        every_layer: bool = true;
    }
}

impl Gin {
    fn layer(&self, common: &Common, inputs: usize) -> GinConfig {
        GinConfig {
            inputs,
            outputs: common.width,
            learn_epsilon: self.learn_epsilon,
            own_entries: self.edge_features == EntryReading::EachLayer,
            inner: BlockConfig { norm: self.inner_norm, activation: common.activation, dropout: 0.0 },
        }
    }

    fn shares_entries(&self) -> bool {
        self.edge_features == EntryReading::Shared
    }
}

impl Architecture for Gin {
    const NAME: &'static str = "gin";
    const ABOUT: About = About {
        title: "Graph isomorphism network",
        citation: "Xu, Hu, Leskovec and Jegelka, How powerful are graph neural networks?, ICLR 2019",
        idea: "a perceptron of the sum of neighbours and node tells apart what can be told by messages",
        cost: "E F + N F²",
        limits: "edge features are read only if edge_features says how",
    };

    fn defaults() -> Common {
        Common {
            layers: 4,
            width: 64,
            norm: NormKind::Batch,
            dropout: 0.0,
            residual: false,
            readout: ReadoutKind::Sum,
            ..Common::default()
        }
    }

    fn accepts(&self, common: &Common, inputs: &InputShape, _outputs: &OutputShape) -> Result<(), NnError> {
        let first = common.encoder().outputs(inputs.numbers, inputs.needs_encoder());
        if self.shares_entries() && inputs.has_edges() && first != common.width {
            return Err(NnError::CanNot {
                model: Self::NAME,
                what: format!("add edge states of {} channels to nodes of {first}", common.width),
                remedy: "Set input_projection = true, or edge_features = \"each-layer\".".into(),
            });
        }
        Ok(())
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let (encoder, mut width) = common.build_encoder(inputs, seeds);
        let entries = self.shares_entries().then(|| EntryEncoder::init(inputs, common.width, seeds)).flatten();
        let (mut layers, mut heads) = (Vec::new(), Vec::new());
        for _ in 0..common.layers {
            layers.push(GinLayer::init(self.layer(common, width), inputs, seeds.next_seed()));
            if self.every_layer {
                heads.push(common.build_head(width, outputs, seeds));
            }
            width = common.width;
        }
        heads.push(common.build_head(width, outputs, seeds));
        Box::new(GinNetwork {
            encoder,
            entries,
            layers,
            norms: (0..common.layers).map(|_| common.build_norm(common.width)).collect(),
            heads,
            width,
            residual: common.residual,
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        ledger.hold("coefficients", floats(shape.entries + shape.nodes));
        let (mut x, mut width) = common.encoder().cost(shape, ledger);
        let shared =
            self.shares_entries().then(|| EntryEncoder::cost("entries", common.width, shape, ledger)).flatten();
        let mut answers: Option<Tracked> = None;
        let mut answer = |x: Tracked, width: usize| {
            let more = common.head().cost(x, width, shape, ledger);
            answers = Some(match answers.take() {
                Some(sum) => ledger.add("heads", sum, more),
                None => more,
            });
        };
        for i in 0..common.layers {
            if self.every_layer {
                answer(x.clone(), width);
            }
            let residual = (common.residual && width == common.width).then(|| x.clone());
            let layer = self.layer(common, width);
            let hidden = layer.cost(&format!("layers.{i}"), x, shared.clone(), shape, ledger);
            x = ledger.norm_block(&format!("norms.{i}"), hidden, residual, shape.nodes, common.width, common.block());
            width = common.width;
        }
        answer(x, width);
        answers.unwrap_or_else(|| ledger.data(0))
    }

    fn reach(&self, common: &Common) -> Reach {
        Reach::Hops(common.layers)
    }

    fn properties(&self, _common: &Common) -> Properties {
        let reads_edges = self.edge_features != EntryReading::None;
        // What neighbours say along edges with features is not exchanged.
        Properties { reads_edges, spreads: !reads_edges, ..Properties::MESSAGE_PASSING }
    }

    /// What a layer projects before neighbours are added up, and its gradient.
    fn halo_numbers(&self, common: &Common, _shape: &Shape) -> [usize; 2] {
        [common.layers * common.width; 2]
    }

    fn small() -> serde_json::Value {
        serde_json::json!({"learn_epsilon": true, "edge_features": "each-layer"})
    }
}

/// Layers, and a head for each of them or one for the last.
#[derive(Module, Debug)]
pub struct GinNetwork {
    encoder: Encoder,
    entries: Option<EntryEncoder>,
    layers: Vec<GinLayer>,
    norms: Vec<NormBlock>,
    heads: Vec<Head>,
    #[module(skip)]
    width: usize,
    #[module(skip)]
    residual: bool,
}

impl Layer for GinNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut x = self.encoder.stage(features, batch, context);
        let entries = self.entries.as_ref().and_then(|encoder| encoder.forward(batch));
        // As many heads as states, or one for the last state.
        let first = self.layers.len() + 1 - self.heads.len();
        let mut answers: Option<Tensor<2>> = None;
        let mut answer = |state: usize, x: &Features| {
            let Some(head) = state.checked_sub(first).and_then(|at| self.heads.get(at)) else { return };
            let more = head.forward(x.clone(), batch, context);
            answers = Some(match answers.take() {
                Some(sum) => ops::add(sum, more),
                None => more,
            });
        };
        for (i, (layer, norm)) in self.layers.iter().zip(&self.norms).enumerate() {
            answer(i, &x);
            let residual = (self.residual && x.width() == self.width).then(|| x.clone().into_dense(batch));
            let hidden = layer.forward(x, entries.clone(), batch, context);
            let hidden = context.stage(|| format!("layers.{i}"), hidden);
            x = context.stage(|| format!("norms.{i}"), norm.apply(hidden, residual, context)).into();
        }
        answer(self.layers.len(), &x);
        let answers = answers.unwrap_or_else(|| x.into_dense(batch));
        context.stage(|| "head".into(), answers)
    }
}
