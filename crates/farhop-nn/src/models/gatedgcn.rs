//! Gated graph convnet with states of entries (see [`GatedGcnLayer`] for the formula).
//!
//! Bresson and Laurent, "Residual gated graph convnets", 2017; Dwivedi et al., "Benchmarking graph neural networks", 2020.
//!
//! ```text
//! h = encoder(x), e = entry encoder(features of entries)  ->  layers  ->  head(h)
//! ```
//!
//! Where entries have no features, they have no state before the first layer: there the gate is of the two nodes alone. Numbers go into the
//! first layer raw, of nodes and of entries alike, unless `input_projection` is set or there is more to encode.
//! Norm, activation and dropout are those of nodes and of entries. Cost of a layer: `(N + E) F²` time, `E F` memory.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::NormKind;
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{Encoder, EntryEncoder, GatedGcnConfig, GatedGcnLayer, Head, Layer};
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, Features, InputShape, Network, OutputShape, Shape};

knobs! {
    /// The settings of GatedGCN.
    pub struct GatedGcn {
        /// Whether features of entries are read, if there are any.
        edge_features: bool = true;
    }
}

impl GatedGcn {
    /// Whether features of entries are encoded, and the channels that the first layer reads.
    fn entries(&self, common: &Common, numbers: usize, categories: usize) -> (bool, usize) {
        let encoded = common.input_projection || categories > 0;
        match self.edge_features && (numbers > 0 || categories > 0) {
            false => (false, 0),
            true => (encoded, if encoded { common.width } else { numbers }),
        }
    }

    fn layer(&self, common: &Common, i: usize, inputs: usize, entry_inputs: usize) -> GatedGcnConfig {
        GatedGcnConfig {
            inputs,
            entry_inputs,
            outputs: common.width,
            gives_entries: i + 1 < common.layers,
            residual: common.residual,
            block: common.block(),
        }
    }
}

impl Architecture for GatedGcn {
    const NAME: &'static str = "gatedgcn";
    const ABOUT: About = About {
        title: "Gated graph convnet with edge states",
        citation: "Bresson and Laurent, Residual gated graph convnets, 2017",
        idea: "edges have states too, and gate what flows along them, channel by channel",
        cost: "(N + E) F²",
        limits: "memory grows with edges times width",
    };

    fn defaults() -> Common {
        Common {
            layers: 8,
            width: 100,
            input_projection: true,
            norm: NormKind::Batch,
            dropout: 0.1,
            ..Common::default()
        }
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let (encoder, mut width) = common.build_encoder(inputs, seeds);
        let (encoded, mut of_entry) = self.entries(common, inputs.edge_numbers, inputs.edge_category_rows());
        let entries = encoded.then(|| EntryEncoder::init(inputs, common.width, seeds)).flatten();
        let raw = !encoded && of_entry > 0;
        let mut layers = Vec::new();
        for i in 0..common.layers {
            layers.push(GatedGcnLayer::init(self.layer(common, i, width, of_entry), seeds.next_seed()));
            (width, of_entry) = (common.width, common.width);
        }
        Box::new(GatedGcnNetwork { encoder, entries, layers, head: common.build_head(width, outputs, seeds), raw })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (mut h, mut width) = common.encoder().cost(shape, ledger);
        let (encoded, mut of_entry) = self.entries(common, shape.edge_numbers, shape.edge_category_rows);
        let mut e = match (encoded, of_entry) {
            (_, 0) => None,
            (true, _) => EntryEncoder::cost("entries", common.width, shape, ledger),
            (false, _) => Some(ledger.data(0)),
        };
        for i in 0..common.layers {
            let layer = self.layer(common, i, width, of_entry);
            (h, e) = layer.cost(&format!("layers.{i}"), h, e, shape, ledger);
            (width, of_entry) = (common.width, common.width);
        }
        common.head().cost(h, width, shape, ledger)
    }

    fn reach(&self, common: &Common) -> Reach {
        Reach::Hops(common.layers)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { reads_edges: self.edge_features, ..Properties::MESSAGE_PASSING }
    }
}

/// Nodes and entries through the layers, nodes through the head.
#[derive(Module, Debug)]
pub struct GatedGcnNetwork {
    encoder: Encoder,
    entries: Option<EntryEncoder>,
    layers: Vec<GatedGcnLayer>,
    head: Head,
    /// Whether the numbers of entries go in as they are.
    #[module(skip)]
    raw: bool,
}

impl Layer for GatedGcnNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut h = self.encoder.stage(features, batch, context);
        let mut e = match &self.entries {
            Some(encoder) => encoder.forward(batch),
            None => self.raw.then(|| batch.edge_numbers()),
        };
        for (i, layer) in self.layers.iter().enumerate() {
            let (nodes, entries) = layer.forward(h, e, batch, context);
            h = context.stage(|| format!("layers.{i}"), nodes).into();
            e = entries;
        }
        context.stage(|| "head".into(), self.head.forward(h, batch, context))
    }
}
