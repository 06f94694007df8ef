//! GPS: message passing and attention over the whole graph side by side, in every layer.
//!
//! Rampášek, Galkin, Dwivedi, Luu, Wolf and Beaini, "Recipe for a general, powerful, scalable graph transformer",
//! NeurIPS 2022:
//!
//! ```text
//! l   = norm(local(h, e))                                                  local part with its own residual, see `LocalKind`
//! a   = norm(h + dropout(W_O concat over heads of softmax_j(q_i . k_j / sqrt(d)) v_j))       over all nodes j of the graph of i
//! z   = l + a
//! h'  = norm(z + dropout(W_2 dropout(activation(W_1 z))))                                    W_1 to 2 F channels
//! ```
//!
//! h is `[N, F]`, the states of edges e are `[E, F]`. Attention never leaves a graph, and has no array of pairs:
//! weights are computed again in the backward pass. Inputs go through the encoder that all models share; with
//! `position_width` the encodings of a node's place are columns of their own beside the features, as the authors have
//! it. Cost: N F² + E F + (sum over graphs of n²) F a layer.

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_kernels::graph_attention::Settings;

use super::hybrid::{Hybrid, Joined};
use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, NormKind};
use crate::init::{Seeds, Start};
use crate::knobs::knobs;
use crate::layers::{
    EdgeRows, Encoder, EncoderConfig, Feed, Head, HeadConfig, LaplacianForm, Layer, Linear, Local, LocalKind,
    NormBlock, PositionColumns, StateNorm, plain,
};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::{ArrayShape, Batch, Context, Features, InputShape, Network, NnError, OutputShape, RowsOf, Shape, ops};

knobs! {
    /// The settings of GPS.
    pub struct Gps {
        /// Heads of attention.
        heads: usize = 4, in 1..=1024;
        /// The message passing of a layer.
        local: LocalKind = LocalKind::GatedGcn;
        /// Probability of dropping a weight of attention.
        attention_dropout: f32 = 0.5, in 0.0..1.0;
        /// Whether layer normalisation takes one mean and one variance over all of a graph; otherwise those of each node.
        whole_graph_norm: bool = true;
        /// Columns of each encoding of a node's place beside its features; 0 adds encodings to features instead.
        position_width: usize = 0, in 0..=65_536;
        /// Whose eigenvectors are read, for their eigenvalues; only with `position_width`.
        eigenvalues_of: LaplacianForm = LaplacianForm::Normalised;
        /// Whether eigenvectors get random signs in training; only with `position_width`.
        random_signs: bool = true;
        /// Whether hidden rows of the head are divided by their length.
        unit_head_rows: bool = false;
        /// Whether each hidden map of the head has half the channels of the one before.
        halving_head: bool = false;
    }
}

impl Gps {
    fn layer<'a>(&self, common: &'a Common) -> Hybrid<'a> {
        Hybrid { local: self.local, common }
    }

    fn head(&self, common: &Common) -> HeadConfig {
        HeadConfig {
            unit_rows: self.unit_head_rows,
            halving: self.halving_head,
            start: Start::Uniform,
            ..common.head()
        }
    }

    /// Columns of encodings of a node's place beside its features.
    fn columns(&self, arrays: &[ArrayShape]) -> usize {
        PositionColumns::columns(arrays, self.position_width)
    }

    fn encoder(&self, common: &Common, columns: usize) -> EncoderConfig {
        let width = common.width.saturating_sub(columns);
        EncoderConfig { projection: true, width, start: Start::Uniform, ..common.encoder() }
    }
}

impl Architecture for Gps {
    const NAME: &'static str = "gps";
    const ABOUT: About = About {
        title: "General, powerful, scalable graph transformer",
        citation: "Rampášek et al., Recipe for a general, powerful, scalable graph transformer, NeurIPS 2022",
        idea: "message passing and attention over the whole graph side by side in every layer",
        cost: "N F² + E F + N² F",
        limits: "time grows with the square of a graph's nodes",
    };
    const IDLE: &'static [&'static str] = &["input_projection", "residual"];

    fn defaults() -> Common {
        Common { layers: 4, width: 96, norm: NormKind::Batch, dropout: 0.0, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(Self::NAME, 1)?;
        common.heads_divide(Self::NAME, self.heads)
    }

    fn accepts(&self, common: &Common, inputs: &InputShape, _outputs: &OutputShape) -> Result<(), NnError> {
        let columns = self.columns(&inputs.arrays);
        if columns == 0 {
            return Ok(());
        }
        let can_not = |what: &str, remedy: &str| {
            Err(NnError::CanNot { model: Self::NAME, what: what.into(), remedy: remedy.into() })
        };
        if columns >= common.width {
            return can_not("give all its channels to encodings", "Set position_width lower, or width higher.");
        }
        if inputs.numbers == 0 && inputs.categories.is_empty() {
            return can_not("put encodings beside features that do not exist", "Set position_width to 0.");
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
        let columns = self.columns(&inputs.arrays);
        let plain_inputs = if columns > 0 { inputs.without_arrays() } else { inputs.clone() };
        let encoder = Encoder::init(&plain_inputs, &self.encoder(common, columns), seeds);
        let positions = (columns > 0).then(|| {
            let seed = seeds.next_seed();
            PositionColumns::init(inputs, self.position_width, self.eigenvalues_of, self.random_signs, seed)
        });
        let edges =
            self.local.reads_edges().then(|| EdgeRows::init(inputs, common.width, Start::Uniform, seeds.next_seed()));
        let layers = (0..common.layers).map(|layer| GpsLayer::init(self, common, layer, seeds)).collect();
        let head = Head::init(common.width, outputs, &self.head(common), seeds);
        Box::new(GpsNetwork { encoder, positions, edges, layers, head })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        let columns = self.columns(&shape.arrays);
        let mut h = if columns > 0 {
            let (x, _) = self.encoder(common, columns).cost(&shape.without_arrays(), ledger);
            PositionColumns::cost(x, shape, self.position_width, ledger)
        } else {
            self.encoder(common, 0).cost(shape, ledger).0
        };
        if self.local == LocalKind::Gcn {
            ledger.symmetric_weights(shape);
        }
        let mut e = self.local.reads_edges().then(|| EdgeRows::cost(shape, width, ledger));
        for layer in 0..common.layers {
            (h, e) = self.layer(common).cost(layer, h, e, shape, ledger, |name, h| {
                let packed = ledger.linear(name, h, nodes, width, 3 * width, true);
                let work = Work {
                    name: name.into(),
                    output: floats(nodes * width),
                    kept: floats(nodes * (width + self.heads)),
                    ..Work::default()
                };
                let mixed = ledger.run(work, [(packed, true)]);
                ledger.linear(name, mixed, nodes, width, width, true)
            });
        }
        self.head(common).cost(h, width, shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn properties(&self, _common: &Common) -> Properties {
        let reads_edges = self.local.reads_edges();
        Properties { reads_edges, most_nodes: Some(50_000), ..Properties::MESSAGE_PASSING }
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "heads": 2, "attention_dropout": 0.0 })
    }
}

/// An encoder, rows of edges, layers and a head.
#[derive(Module, Debug)]
pub struct GpsNetwork {
    encoder: Encoder,
    positions: Option<PositionColumns>,
    edges: Option<EdgeRows>,
    layers: Vec<GpsLayer>,
    head: Head,
}

impl Layer for GpsNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut h = self.encoder.forward(features, batch, context).into_dense(batch);
        if let Some(positions) = &self.positions {
            h = positions.join(h, batch, context);
        }
        h = context.stage(|| "encoder".into(), h);
        let mut e = self.edges.as_ref().map(|edges| edges.forward(batch));
        for (i, layer) in self.layers.iter().enumerate() {
            (h, e) = layer.apply(h, e, batch, context);
            h = context.stage(|| format!("layers.{i}"), h);
        }
        context.stage(|| "head".into(), self.head.forward(h.into(), batch, context))
    }
}

/// Message passing and attention, then the feed-forward part.
#[derive(Module, Debug)]
struct GpsLayer {
    local: Local,
    attention: Linear,
    output: Linear,
    end: NormBlock,
    local_norm: StateNorm,
    attention_norm: StateNorm,
    feed: Feed,
    norm: StateNorm,
    #[module(skip)]
    heads: usize,
    #[module(skip)]
    dropout: f32,
}

impl GpsLayer {
    /// The authors' start: Glorot's for queries, keys and values, uniform weights elsewhere.
    fn init(settings: &Gps, common: &Common, layer: usize, seeds: &mut Seeds) -> Self {
        let width = common.width;
        let norm = || StateNorm::init(width, common.norm, settings.whole_graph_norm);
        GpsLayer {
            local: Local::init(&settings.layer(common).local(layer), seeds),
            attention: Linear::init(width, 3 * width, seeds.next_seed()),
            output: Linear::init_as(Start::UniformWeights, width, width, seeds.next_seed()),
            end: NormBlock::init(width, plain(ActivationKind::None, common.dropout)),
            local_norm: norm(),
            attention_norm: norm(),
            feed: Feed::init(&settings.layer(common).feed(), seeds),
            norm: norm(),
            heads: settings.heads,
            dropout: settings.attention_dropout,
        }
    }

    fn apply(
        &self,
        h: Tensor<2>,
        e: Option<Tensor<2>>,
        batch: &Batch,
        context: &Context,
    ) -> (Tensor<2>, Option<Tensor<2>>) {
        let (local, e) = self.local.apply(h.clone(), e, batch, context);
        let channels = h.dims()[1] / self.heads;
        let settings = Settings {
            heads: self.heads,
            channels,
            scale: 1.0 / (channels as f32).sqrt(),
            dropout: context.dropout_of(RowsOf::Heads(self.heads), self.dropout),
        };
        let mixed = ops::packed_graph_attention(self.attention.apply(h.clone().into()), batch.offsets(), settings);
        let attention = self.output.apply(mixed.into());
        let GpsLayer { end, local_norm, attention_norm, feed, norm, .. } = self;
        let joined = Joined { end, local_norm, attention_norm, feed, norm };
        (joined.apply(h, local, attention, batch, context), e)
    }
}
