//! Exphormer: attention along the edges of the graph, of an expander and of a few virtual nodes, beside message passing.
//!
//! Shirzad, Velingker, Venkatachalam, Sutherland and Sinop, "Exphormer: sparse transformers for graphs", ICML 2023:
//!
//! ```text
//! s_ij = sum over channels of a head of (W_Q z_i)(W_K z_j)(W_E f_ij) / sqrt(d)            along the edges of the list, j -> i
//! o_i  = (sum over j of w_ij W_V z_j) / (sum over j of w_ij + 1e-6),   w = exp(clamp(s, -5, 5))
//! h'   = norm(x + dropout(W_2 dropout(activation(W_1 x)))),   x = norm(local(h, e)) + norm(h + dropout(o))
//! ```
//!
//! z `[N + V G, F]` are the nodes and the V virtual nodes of each of the G graphs, whose states are o as it is. f is
//! the row of the entry for an edge of the graph, and one learned row each for edges of the expander, to a virtual node
//! and from it: no array of edges and channels is made for these, and no weight of an edge is kept. Pairs that occur
//! several times count several times. The local part is one of [`LocalKind`]; see [`Expander`] for the draw, which is
//! made once here, where the authors draw again until the gap of the spectrum is large. Cost: (E + 2 d N + 2 V N) F + N
//! F² a layer.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::random::mix;
use farhop_kernels::edges::clamped::{EdgeList, Settings};
use farhop_kernels::heads::Heads;

use super::hybrid::{Hybrid, Joined};
use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, NormKind};
use crate::init::{Seeds, Start};
use crate::knobs::knobs;
use crate::layers::{
    EdgeRows, Encoder, EncoderConfig, Expander, ExpanderKind, Feed, Head, HeadConfig, Layer, Local, LocalKind,
    NormBlock, StateNorm, plain,
};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::bridge;
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape, init, ops};

/// The largest score.
const LIMIT: f32 = 5.0;

/// Added to the sum of weights.
const EPSILON: f32 = 1e-6;

/// Rows shorter than this are divided by it instead.
const SHORTEST: f32 = 1e-12;

knobs! {
    /// The settings of Exphormer.
    pub struct Exphormer {
        /// Heads of attention.
        heads: usize = 4, in 1..=1024;
        /// The message passing of a layer.
        local: LocalKind = LocalKind::GatedGcn;
        /// Permutations or cycles of the expander: every node gets twice as many edges; 0 for none.
        expander_degree: usize = 5, in 0..=1000;
        /// How the expander is drawn.
        expander: ExpanderKind = ExpanderKind::Random;
        /// Virtual nodes of every graph, joined to all its nodes.
        virtual_nodes: usize = 0, in 0..=64;
        /// Whether inputs go through norm, activation and division of each row by its length before the first layer.
        unit_inputs: bool = false;
    }
}

impl Exphormer {
    /// The key of the expander among what a batch derives.
    pub(super) fn expander_key(&self) -> u64 {
        mix(self.expander as u64, self.expander_degree as u64)
    }

    fn encoder(common: &Common) -> EncoderConfig {
        EncoderConfig { projection: true, start: Start::Uniform, ..common.encoder() }
    }

    fn head(common: &Common) -> HeadConfig {
        HeadConfig { start: Start::Uniform, ..common.head() }
    }

    fn layer<'a>(&self, common: &'a Common) -> Hybrid<'a> {
        Hybrid { local: self.local, common }
    }

    /// The list of edges: rows of f are those of entries (or one for all of them), the expander's, then to and from
    /// each virtual node.
    fn edges(&self, batch: &Batch, single: bool) -> Arc<EdgeList> {
        let key = mix(mix(self.expander_key(), self.virtual_nodes as u64), u64::from(single));
        batch.derived(key, |batch| {
            let (graph, nodes, graphs) = (batch.graph(), batch.nodes(), batch.graphs());
            let own_rows = if single { 0 } else { graph.entries() };
            let mut edges = Vec::new();
            for target in 0..nodes {
                for (at, &source) in graph.neighbours(target).iter().enumerate() {
                    let row = if single { 0 } else { graph.offsets()[target] + at };
                    edges.push((source, target as u32, row as u32));
                }
            }
            let mut row = (own_rows + usize::from(single)) as u32;
            if self.expander_degree > 0 {
                let draw = |batch: &Batch| Expander::draw(batch, self.expander, self.expander_degree);
                let expander = batch.derived(self.expander_key(), draw);
                edges.extend(expander.edges.iter().map(|&(source, target)| (source, target, row)));
                row += 1;
            }
            let count = self.virtual_nodes as u32;
            for v in 0..self.virtual_nodes {
                for (g, range) in batch.offsets().windows(2).enumerate() {
                    let place = (nodes + v * graphs + g) as u32;
                    let members = || range[0] as u32..range[1] as u32;
                    edges.extend(members().map(|node| (node, place, row + v as u32)));
                    edges.extend(members().map(|node| (place, node, row + count + v as u32)));
                }
            }
            let shared = (row + 2 * count) as usize - own_rows;
            EdgeList::new(nodes + self.virtual_nodes * graphs, &edges, own_rows, shared)
        })
    }
}

impl Architecture for Exphormer {
    const NAME: &'static str = "exphormer";
    const ABOUT: About = About {
        title: "Sparse transformer on an expander graph",
        citation: "Shirzad et al., Exphormer: sparse transformers for graphs, ICML 2023",
        idea: "attention along edges, random expander edges and virtual nodes, beside message passing",
        cost: "(E + 2 d N + 2 V N) F + N F²",
        limits: "answers depend on the order of nodes, by the draw of the expander",
    };
    const IDLE: &'static [&'static str] = &["input_projection", "residual"];

    fn defaults() -> Common {
        Common { layers: 4, width: 96, norm: NormKind::Batch, dropout: 0.15, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(Self::NAME, 1)?;
        common.heads_divide(Self::NAME, self.heads)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let width = common.width;
        let mut rows = |count: usize| (count > 0).then(|| init::normal(count, width, 1.0, seeds.next_seed()));
        let (expander, to_virtual, from_virtual, virtual_states) = (
            rows(usize::from(self.expander_degree > 0)),
            rows(self.virtual_nodes),
            rows(self.virtual_nodes),
            rows(self.virtual_nodes),
        );
        Box::new(ExphormerNetwork {
            encoder: Encoder::init(inputs, &Exphormer::encoder(common), seeds),
            input_norm: self.unit_inputs.then(|| common.build_norm(width)),
            edges: EdgeRows::init(inputs, width, Start::Uniform, seeds.next_seed()),
            expander,
            to_virtual,
            from_virtual,
            virtual_states,
            layers: (0..common.layers).map(|layer| ExphormerLayer::init(self, common, layer, seeds)).collect(),
            head: Head::init(width, outputs, &Exphormer::head(common), seeds),
            settings: self.clone(),
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        let rows = nodes + self.virtual_nodes * shape.graphs.max(1);
        let edges = shape.entries + 2 * nodes * (self.expander_degree + self.virtual_nodes);
        // Ends, rows and order by source of every edge; the expander's own list.
        ledger.hold("edge list", 5 * floats(edges) + 4 * floats(rows) + 4 * floats(nodes * self.expander_degree));
        let kinds = usize::from(self.expander_degree > 0) + 3 * self.virtual_nodes;
        ledger.weights("edge kinds", kinds * width);
        let (mut h, _) = Exphormer::encoder(common).cost(shape, ledger);
        if self.unit_inputs {
            h = ledger.norm_block("inputs", h, None, nodes, width, common.block());
            h = ledger.each("inputs", h);
        }
        if self.local == LocalKind::Gcn {
            ledger.symmetric_weights(shape);
        }
        let single = shape.edge_numbers == 0 && shape.edge_categories == 0;
        let entry_rows = if single && !self.local.reads_edges() {
            ledger.weights("edges weights", width);
            ledger.data(0)
        } else {
            EdgeRows::cost(shape, width, ledger)
        };
        let mut e = self.local.reads_edges().then(|| entry_rows.clone());
        // One row for all entries is not spread over them.
        let (own_rows, entry_rows) = if single {
            drop(entry_rows);
            (0, ledger.data(0))
        } else {
            (shape.entries, entry_rows)
        };
        for layer in 0..common.layers {
            (h, e) = self.layer(common).cost(layer, h, e, shape, ledger, |name, h| {
                let z = if self.virtual_nodes > 0 { ledger.concat(name, vec![h]) } else { h };
                let mut linear = |_: usize| ledger.linear(name, z.clone(), rows, width, width, false);
                let [q, k, v] = [0, 1, 2].map(&mut linear);
                let f = ledger.linear(name, entry_rows.clone(), own_rows, width, width, false);
                let work = Work {
                    name: name.into(),
                    output: floats(rows * width),
                    kept: floats(rows * (width + self.heads)),
                    backward: floats(6 * rows * width + own_rows * width + 2 * edges * self.heads),
                    ..Work::default()
                };
                ledger.run(work, [(q, true), (k, true), (v, true), (f, true)])
            });
        }
        Exphormer::head(common).cost(h, width, shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn properties(&self, _common: &Common) -> Properties {
        let equivariant = self.expander_degree == 0;
        Properties { equivariant, reads_edges: true, ..Properties::MESSAGE_PASSING }
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "heads": 2, "expander_degree": 2, "virtual_nodes": 1 })
    }
}

/// An encoder, rows of edges, layers and a head.
#[derive(Module, Debug)]
pub struct ExphormerNetwork {
    encoder: Encoder,
    input_norm: Option<NormBlock>,
    edges: EdgeRows,
    expander: Option<Param<Tensor<2>>>,
    to_virtual: Option<Param<Tensor<2>>>,
    from_virtual: Option<Param<Tensor<2>>>,
    virtual_states: Option<Param<Tensor<2>>>,
    layers: Vec<ExphormerLayer>,
    head: Head,
    #[module(skip)]
    settings: Exphormer,
}

impl Layer for ExphormerNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut h = self.encoder.stage(features, batch, context).into_dense(batch);
        if let Some(norm) = &self.input_norm {
            h = ops::row_normalise(norm.apply(h, None, context), SHORTEST);
        }
        let single = self.edges.single();
        let list = self.settings.edges(batch, single.is_some());
        let reads_edges = self.settings.local.reads_edges();
        let rows = (single.is_none() || reads_edges).then(|| self.edges.forward(batch));
        let entries = match &single {
            Some(_) => None,
            None => rows.clone(),
        };
        let kinds = [&self.expander, &self.to_virtual, &self.from_virtual];
        let shared: Vec<Tensor<2>> = single.into_iter().chain(kinds.into_iter().flatten().map(Param::val)).collect();
        let shared = (!shared.is_empty()).then(|| Tensor::cat(shared, 0));
        let mut virtual_states = self.virtual_states.as_ref().map(|rows| spread(rows.val(), batch.graphs()));
        let mut e = rows.filter(|_| reads_edges);
        for (i, layer) in self.layers.iter().enumerate() {
            let local;
            (local, e) = layer.local.apply(h.clone(), e, batch, context);
            let f = [&entries, &shared].into_iter().flatten();
            let f: Vec<Tensor<2>> = f.map(|rows| ops::linear(rows.clone(), layer.edge.val(), None)).collect();
            let f = if f.is_empty() { bridge::from_vec(Vec::new(), [0, h.dims()[1]]) } else { Tensor::cat(f, 0) };
            let attention;
            (attention, virtual_states) = layer.attend(h.clone(), virtual_states, f, &list);
            h = layer.joined().apply(h, local, attention, batch, context);
            h = context.stage(|| format!("layers.{i}"), h);
        }
        context.stage(|| "head".into(), self.head.forward(h.into(), batch, context))
    }
}

/// Each row `graphs` times, one copy after the other.
fn spread(rows: Tensor<2>, graphs: usize) -> Tensor<2> {
    let count = rows.dims()[0];
    let chosen = (0..count * graphs * count).map(|at| if at / count / graphs == at % count { 1.0 } else { 0.0 });
    ops::linear(bridge::from_vec(chosen.collect(), [count * graphs, count]), rows, None)
}

/// Message passing and attention along the list, then the feed-forward part.
#[derive(Module, Debug)]
struct ExphormerLayer {
    local: Local,
    query: Param<Tensor<2>>,
    key: Param<Tensor<2>>,
    value: Param<Tensor<2>>,
    edge: Param<Tensor<2>>,
    end: NormBlock,
    local_norm: StateNorm,
    attention_norm: StateNorm,
    feed: Feed,
    norm: StateNorm,
    #[module(skip)]
    heads: usize,
}

impl ExphormerLayer {
    fn init(settings: &Exphormer, common: &Common, layer: usize, seeds: &mut Seeds) -> Self {
        let width = common.width;
        let norm = || StateNorm::init(width, common.norm, false);
        let local = Local::init(&settings.layer(common).local(layer), seeds);
        let limit = 1.0 / (width as f64).sqrt();
        let mut weight = || init::uniform(width, width, limit, seeds.next_seed());
        ExphormerLayer {
            local,
            query: weight(),
            key: weight(),
            value: weight(),
            edge: weight(),
            end: NormBlock::init(width, plain(ActivationKind::None, common.dropout)),
            local_norm: norm(),
            attention_norm: norm(),
            feed: Feed::init(&settings.layer(common).feed(), seeds),
            norm: norm(),
            heads: settings.heads,
        }
    }

    /// What nodes take, and the next states of virtual nodes.
    fn attend(
        &self,
        h: Tensor<2>,
        virtual_states: Option<Tensor<2>>,
        f: Tensor<2>,
        list: &Arc<EdgeList>,
    ) -> (Tensor<2>, Option<Tensor<2>>) {
        let [nodes, width] = h.dims();
        let joined = virtual_states.is_some();
        let z = match virtual_states {
            Some(states) => Tensor::cat(vec![h, states], 0),
            None => h,
        };
        let heads = Heads::new(width, self.heads);
        let scale = 1.0 / ((width / self.heads) as f32).sqrt();
        let settings = Settings { heads, scale, limit: LIMIT, epsilon: EPSILON };
        let of = |weight: &Param<Tensor<2>>| ops::linear(z.clone(), weight.val(), None);
        let mixed = ops::edge_list_attention([of(&self.query), of(&self.key), of(&self.value)], f, list, settings);
        if !joined {
            return (mixed, None);
        }
        let rows = mixed.dims()[0];
        (mixed.clone().slice([0..nodes, 0..width]), Some(mixed.slice([nodes..rows, 0..width])))
    }

    fn joined(&self) -> Joined<'_> {
        let ExphormerLayer { end, local_norm, attention_norm, feed, norm, .. } = self;
        Joined { end, local_norm, attention_norm, feed, norm }
    }
}
