//! SAT: attention that compares what surrounds two nodes, rather than the nodes.
//!
//! Chen, O'Bray and Borgwardt, "Structure-aware transformer for graph representation learning", ICML 2022:
//!
//! ```text
//! s   = what surrounds each node, by a few layers of message passing, see `StructureKind`                   [N, F]
//! y_i = W_O concat over heads of sum over j of softmax_j(q_i . k_j / sqrt(d)) v_j + b        k, q from s, v from h, over all nodes of the graph
//! h'  = norm(h + dropout(y_i / sqrt(1 + degree_i))),   then norm(h' + dropout(W_2 dropout(activation(W_1 h'))))
//! ```
//!
//! Inputs go through the encoder that all models share; rows of entries have `edge_width` channels. With `class_token` every graph has a
//! further row without edges that all of its nodes attend to and that attends to them; answers about graphs are read from it, and nothing is
//! divided by degrees. Cost: N F² + k E F + (sum over graphs of n²) F a layer; nothing is kept that grows with pairs.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::random::mix;
use farhop_graph::{Direction, Graph, GraphError};
use farhop_kernels::graph_attention::Settings;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, Checks, NormKind};
use crate::init::{Seeds, Start};
use crate::knobs::knobs;
use crate::layers::{
    EdgeRows, Encoder, EncoderConfig, Feed, FeedConfig, Head, HeadConfig, Layer, Linear, NormBlock, StateNorm,
    Structure, StructureConfig, StructureKind, plain,
};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::{RowChoice, bridge};
use crate::{
    Batch, BatchArrays, Context, Features, InputShape, Level, Network, NnError, OutputShape, RowsOf, Shape, init, ops,
};

knobs! {
    /// The settings of SAT.
    pub struct Sat {
        /// Heads of attention.
        heads: usize = 8, in 1..=1024;
        /// The message passing that looks at a node's surroundings.
        structure: StructureKind = StructureKind::Pna;
        /// Its layers: how far it looks.
        structure_hops: usize = 3, in 0..=64;
        /// Whether the message passing runs on a copy of the surroundings of each node, rather than on the graph.
        subgraphs: bool = false;
        /// Whether a row of its own answers for each graph, rather than a readout of its nodes.
        class_token: bool = false;
        /// Channels of entries.
        edge_width: usize = 32, in 1..=65_536;
        /// Towers that channels are cut into; only with `pna`.
        towers: usize = 4, in 1..=1024;
        /// Whether what a node takes is divided by the root of its degree and one.
        degree_scale: bool = true;
        /// Channels between the maps of the feed-forward part for each channel of a layer.
        expansion: usize = 2, in 1..=64;
        /// Probability of dropping a weight of attention.
        attention_dropout: f32 = 0.0, in 0.0..1.0;
    }
}

impl Sat {
    fn feed(&self, common: &Common) -> FeedConfig {
        let twice = FeedConfig::twice(common.width, common.activation, common.dropout);
        FeedConfig { hidden: self.expansion * common.width, ..twice }
    }

    fn encoder(common: &Common) -> EncoderConfig {
        EncoderConfig { projection: true, start: Start::Uniform, ..common.encoder() }
    }

    fn head(common: &Common) -> HeadConfig {
        HeadConfig { start: Start::Uniform, ..common.head() }
    }

    fn structure(&self, common: &Common) -> StructureConfig {
        StructureConfig {
            kind: self.structure,
            hops: self.structure_hops,
            subgraphs: self.subgraphs,
            width: common.width,
            edge_width: self.edge_width,
            towers: self.towers,
            activation: common.activation,
            norm: common.norm,
            start: Start::Uniform,
        }
    }
}

impl Architecture for Sat {
    const NAME: &'static str = "sat";
    const ABOUT: About = About {
        title: "Structure-aware transformer",
        citation: "Chen, O'Bray and Borgwardt, Structure-aware transformer, ICML 2022",
        idea: "attention among all nodes that compares what surrounds them",
        cost: "N F² + k E F + N² F",
        limits: "time grows with the square of a graph's nodes",
    };
    const IDLE: &'static [&'static str] = &["input_projection", "residual"];

    fn defaults() -> Common {
        Common { layers: 6, width: 64, norm: NormKind::Batch, dropout: 0.3, head_layers: 2, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(Self::NAME, 1)?;
        common.heads_divide(Self::NAME, self.heads)?;
        let (checks, width) = (Checks(Self::NAME), common.width);
        let allowed = || format!("must divide the width, {width}");
        let fits = self.structure != StructureKind::Pna || width.is_multiple_of(self.towers);
        checks.that(fits, "towers", self.towers, allowed)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let encoder = Encoder::init(inputs, &Sat::encoder(common), seeds);
        let (edges, at_edges) = (self.structure.reads_edges(), seeds.next_seed());
        // All layers start as copies of one, as the authors' do.
        let at_layers = seeds.next_seed();
        Box::new(SatNetwork {
            encoder,
            edges: edges.then(|| EdgeRows::init(inputs, self.edge_width, Start::Uniform, at_edges)),
            token: self.class_token.then(|| init::normal(1, common.width, 1.0, mix(at_edges, 1))),
            layers: (0..common.layers).map(|_| SatLayer::init(self, common, &mut Seeds::new(at_layers))).collect(),
            head: Head::init(common.width, outputs, &Sat::head(common), seeds),
            degree_scale: self.degree_scale && !self.class_token,
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (mut h, _) = Sat::encoder(common).cost(shape, ledger);
        let e = self.structure.reads_edges().then(|| EdgeRows::cost(shape, self.edge_width, ledger));
        let (width, tokens) = (common.width, if self.class_token { shape.graphs.max(1) } else { 0 });
        let nodes = shape.nodes + tokens;
        let (plain_shape, shape) = (shape, &Shape { nodes, ..shape.clone() });
        ledger.hold("surroundings", self.structure(common).held(shape));
        if self.class_token {
            ledger.weights("class token weights", width);
            ledger.hold("class tokens", floats(4 * nodes + 2 * shape.entries));
            h = ledger.reduce("class tokens", h, nodes, width);
        }
        for layer in 0..common.layers {
            let name = format!("layers.{layer}");
            let norm = |x: Tracked| StateNorm::cost(ledger, &name, x, nodes, width, common.norm);
            let s = self.structure(common).cost(&name, h.clone(), e.as_ref(), shape, ledger);
            let linear = |x: &Tracked| ledger.linear(&name, x.clone(), nodes, width, width, false);
            let (k, q, v) = (linear(&s), linear(&s), linear(&h));
            drop(s);
            let work = Work {
                name: name.clone(),
                output: floats(nodes * width),
                kept: floats(nodes * (width + self.heads)),
                backward: floats(nodes * (9 * width + self.heads)),
                ..Work::default()
            };
            let mixed = ledger.run(work, [(q, true), (k, true), (v, true)]);
            let mut y = ledger.linear(&name, mixed, nodes, width, width, true);
            if self.degree_scale && !self.class_token {
                y = ledger.each(&name, y);
            }
            let end = plain(ActivationKind::None, common.dropout);
            h = norm(ledger.norm_block(&name, y, Some(h), nodes, width, end));
            h = norm(self.feed(common).cost(ledger, &name, h, nodes));
        }
        if self.class_token {
            let answers = if shape.level == Level::Graph { tokens } else { plain_shape.nodes };
            h = ledger.reduce("class tokens", h, answers, width);
        }
        Sat::head(common).cost(h, width, plain_shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn properties(&self, _common: &Common) -> Properties {
        // Every node may have a copy of all others.
        let most_nodes = Some(if self.subgraphs { 5_000 } else { 50_000 });
        Properties { reads_edges: self.structure.reads_edges(), most_nodes, ..Properties::MESSAGE_PASSING }
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "heads": 2, "structure_hops": 1, "edge_width": 4, "towers": 2, "head_layers": 1 })
    }
}

/// An encoder, rows of entries, layers and a head.
#[derive(Module, Debug)]
pub struct SatNetwork {
    encoder: Encoder,
    edges: Option<EdgeRows>,
    token: Option<Param<Tensor<2>>>,
    layers: Vec<SatLayer>,
    head: Head,
    #[module(skip)]
    degree_scale: bool,
}

/// `1 / sqrt(1 + degree)`, `[N, 1]`.
struct Shares(Tensor<2>);

/// A batch whose graphs have a further node each, without entries.
struct Tokens {
    /// N + G nodes.
    batch: Batch,
    /// Its rows, out of those of the N nodes and one for all tokens.
    rows: Arc<RowChoice>,
    /// The tokens among its rows.
    tokens: Arc<RowChoice>,
    /// The nodes among its rows.
    nodes: Arc<RowChoice>,
    /// A graph of one node for every token.
    answers: Batch,
}

impl Tokens {
    fn make(batch: &Batch) -> Self {
        let (graph, graphs, count) = (batch.graph(), batch.graphs(), batch.nodes() + batch.graphs());
        let (mut rows, mut tokens, mut nodes, mut bounds) = (Vec::new(), Vec::new(), Vec::new(), vec![0]);
        let (mut offsets, mut sources) = (vec![0], Vec::new());
        for (at, members) in batch.offsets().windows(2).enumerate() {
            for node in members[0]..members[1] {
                nodes.push(rows.len() as u32);
                rows.push(node as u32);
                // Entries keep their order: every graph moves as a whole.
                sources.extend(graph.neighbours(node).iter().map(|&source| source + at as u32));
                offsets.push(sources.len());
            }
            tokens.push(rows.len() as u32);
            rows.push(batch.nodes() as u32);
            offsets.push(sources.len());
            bounds.push(rows.len());
        }
        let with = |graph: Graph, offsets: Vec<usize>| {
            Batch::from_arrays(BatchArrays { offsets, ..BatchArrays::new(Arc::new(graph)) }, &InputShape::default())
        };
        let joined = Graph::from_csr(graph.direction(), offsets, sources);
        let alone = Graph::from_csr(Direction::Undirected, vec![0; graphs + 1], Vec::new());
        let whole = |graph: Result<Graph, GraphError>| {
            graph.unwrap_or_else(|error| panic!("a graph with further nodes is a graph: {error}"))
        };
        Tokens {
            batch: with(whole(joined), bounds),
            rows: RowChoice::new(rows, batch.nodes() + 1),
            tokens: RowChoice::new(tokens, count),
            nodes: RowChoice::new(nodes, count),
            answers: with(whole(alone), (0..=graphs).collect()),
        }
    }
}

impl Layer for SatNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let h = self.encoder.stage(features, batch, context).into_dense(batch);
        let e = self.edges.as_ref().map(|edges| edges.forward(batch));
        let Some(token) = &self.token else {
            let h = self.layers(h, e.as_ref(), batch, context);
            return context.stage(|| "head".into(), self.head.forward(h.into(), batch, context));
        };
        let tokens = batch.derived(0, Tokens::make);
        let h = ops::take_rows(Tensor::cat(vec![h, token.val()], 0), &tokens.rows);
        let h = self.layers(h, e.as_ref(), &tokens.batch, context);
        let answers = if self.head.reads_graphs() {
            self.head.forward(ops::take_rows(h, &tokens.tokens).into(), &tokens.answers, context)
        } else {
            self.head.forward(ops::take_rows(h, &tokens.nodes).into(), batch, context)
        };
        context.stage(|| "head".into(), answers)
    }
}

impl SatNetwork {
    fn layers(&self, mut h: Tensor<2>, e: Option<&Tensor<2>>, batch: &Batch, context: &Context) -> Tensor<2> {
        let shares = self.degree_scale.then(|| {
            batch.derived(0, |batch| {
                let share = |i: usize| 1.0 / ((1 + batch.graph().degree(i)) as f32).sqrt();
                Shares(bridge::from_vec((0..batch.nodes()).map(share).collect(), [batch.nodes(), 1]))
            })
        });
        for (i, layer) in self.layers.iter().enumerate() {
            let taken = layer.attend(h.clone(), e, batch, context);
            let taken = match &shares {
                Some(shares) => ops::scale_rows(taken, shares.0.clone()),
                None => taken,
            };
            h = layer.norm.apply(layer.end.apply(taken, Some(h), context), batch, context);
            h = layer.feed_norm.apply(layer.feed.apply(h, context), batch, context);
            h = context.stage(|| format!("layers.{i}"), h);
        }
        h
    }
}

#[derive(Module, Debug)]
struct SatLayer {
    structure: Structure,
    key: Param<Tensor<2>>,
    query: Param<Tensor<2>>,
    value: Param<Tensor<2>>,
    output: Linear,
    end: NormBlock,
    norm: StateNorm,
    feed: Feed,
    feed_norm: StateNorm,
    #[module(skip)]
    heads: usize,
    #[module(skip)]
    dropout: f32,
}

impl SatLayer {
    fn init(settings: &Sat, common: &Common, seeds: &mut Seeds) -> Self {
        let width = common.width;
        let structure = Structure::init(&settings.structure(common), seeds);
        // Keys and queries are one map of twice the channels.
        let limit = (6.0 / (3 * width) as f64).sqrt();
        let mut half = || init::uniform(width, width, limit, seeds.next_seed());
        let (key, query) = (half(), half());
        let value = init::glorot(width, width, seeds.next_seed());
        SatLayer {
            structure,
            key,
            query,
            value,
            output: Linear::init_uniform(width, width, seeds.next_seed()),
            end: NormBlock::init(width, plain(ActivationKind::None, common.dropout)),
            norm: StateNorm::init(width, common.norm, false),
            feed: Feed::init(&settings.feed(common), seeds),
            feed_norm: StateNorm::init(width, common.norm, false),
            heads: settings.heads,
            dropout: settings.attention_dropout,
        }
    }

    /// What each node takes from all of its graph.
    fn attend(&self, h: Tensor<2>, e: Option<&Tensor<2>>, batch: &Batch, context: &Context) -> Tensor<2> {
        let channels = h.dims()[1] / self.heads;
        let s = self.structure.apply(h.clone(), e, batch, context);
        let settings = Settings {
            heads: self.heads,
            channels,
            scale: 1.0 / (channels as f32).sqrt(),
            dropout: context.dropout_of(RowsOf::Heads(self.heads), self.dropout),
        };
        let key = ops::linear(s.clone(), self.key.val(), None);
        let query = ops::linear(s, self.query.val(), None);
        let value = ops::linear(h, self.value.val(), None);
        let mixed = ops::graph_attention(query, key, value, batch.offsets(), settings);
        self.output.apply(mixed.into())
    }
}
