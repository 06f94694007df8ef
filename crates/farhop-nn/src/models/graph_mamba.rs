//! Graph-Mamba: gated message passing beside a scan over all nodes of a graph, ordered by degree.
//!
//! Wang, Tsepa, Ma and Wang, "Graph-Mamba: towards long-range graph sequence modeling with selective state spaces",
//! 2024. One layer, from nodes h `[N, F]` and entries e `[E, F]` (see [`GatedMean`] and [`Mamba`] for the two
//! branches):
//!
//! ```text
//! (g, s)  = gated mean of h with C e                               edge states s [E, F]
//! local   = norm(h + relu(norm(g))),      e <- e + relu(norm(s))
//! global  = norm(h + Mamba(h in order))
//! t       = local + global,               h <- norm(t + W_2 relu(W_1 t))
//! ```
//!
//! The order of the nodes of a graph ascends by degree plus a random number in `[0, 1)`: nodes of one degree are
//! shuffled, anew for every layer and step. In evaluation several orders are averaged inside each layer; they are the
//! same for every batch. With `buckets` each order also deals the nodes into so many sequences. Degrees count what a
//! node sends.
//!
//! Differences: entries without features have no state of their own, only that of their ends; the last layer does not
//! renew entries, since nobody reads them. Cost: E F + N F² + N F S for S states; edge states are kept, states of the
//! scan are computed again.

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_graph::random::{mix, unit};
use farhop_kernels::dense::{Activation, Finish};
use rayon::prelude::*;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, NormKind};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{
    BlockConfig, Encoder, EntryEncoder, GatedMean, Head, HeadConfig, Layer, Linear, Mamba, MambaConfig, NormBlock,
    Sequences,
};
use crate::ledger::{Ledger, Tracked, rows};
use crate::ops::{Normalisation, RowChoice};
use crate::{Batch, Context, Features, InputShape, Network, OutputShape, Shape, ops};

/// Sets the orders of evaluation apart from other random numbers.
const EVALUATION: u64 = 0x6D61_6D62_615F_6F72;

knobs! {
    /// The settings of Graph-Mamba; `dropout` acts after both activations, on the scan's result and on the
    /// perceptron's.
    pub struct GraphMamba {
        /// Numbers of the scan's state, for each channel.
        states: usize = 16, in 1..=256;
        /// Steps that the convolution before the scan sees.
        taps: usize = 4, in 1..=64;
        /// Channels of the scan for each channel of the layer.
        expansion: usize = 1, in 1..=8;
        /// Sequences that every order deals the nodes of a graph into; the authors take 3 for images and large graphs.
        buckets: usize = 1, in 1..=1024;
        /// Orders that are averaged in evaluation.
        orders: usize = 5, in 1..=100;
        /// Whether rows are divided by their length after each hidden map of the head.
        normalised_head: bool = true;
    }
}

impl GraphMamba {
    fn mamba(&self, common: &Common) -> MambaConfig {
        MambaConfig { width: common.width, expansion: self.expansion, states: self.states, taps: self.taps }
    }

    fn head(&self, common: &Common) -> HeadConfig {
        HeadConfig { unit_rows: self.normalised_head, ..common.head() }
    }
}

/// A norm and nothing else.
fn bare(common: &Common) -> BlockConfig {
    BlockConfig { norm: common.norm, activation: ActivationKind::None, dropout: 0.0 }
}

impl Architecture for GraphMamba {
    const NAME: &'static str = "graph-mamba";
    const ABOUT: About = About {
        title: "Graph-Mamba",
        citation: "Wang, Tsepa, Ma and Wang, Graph-Mamba: towards long-range graph sequence modeling with selective state \
                   spaces, 2024",
        idea: "gated messages beside a selective scan over all nodes in the order of their degrees",
        cost: "E F + N F² + N F S",
        limits: "the order of nodes is random: answers move a little with the numbering of nodes",
    };
    const IDLE: &'static [&'static str] = &["input_projection", "residual"];
    /// Where answers were about nodes, hidden maps stood before the head.
    const FORMER_NAMES: &'static [(&'static str, &'static str)] = &[("head.hidden.", "hidden.")];

    fn defaults() -> Common {
        Common {
            layers: 4,
            width: 96,
            input_projection: true,
            norm: NormKind::Batch,
            dropout: 0.0,
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
        let width = common.width;
        let (encoder, _) = common.build_encoder(inputs, seeds);
        let entries = EntryEncoder::init(inputs, width, seeds);
        let layers = (1..=common.layers).map(|number| {
            let renews = number < common.layers;
            GraphMambaLayer {
                gates: GatedMean::init(width, seeds),
                states: entries.is_some().then(|| Linear::init(width, width, seeds.next_seed())),
                norm_nodes: common.build_norm(width),
                norm_entries: (entries.is_some() && renews).then(|| common.build_norm(width)),
                norm_local: NormBlock::init(width, bare(common)),
                mamba: Mamba::init(&self.mamba(common), seeds),
                norm_global: NormBlock::init(width, bare(common)),
                up: Linear::init(width, 2 * width, seeds.next_seed()),
                down: Linear::init(2 * width, width, seeds.next_seed()),
                norm: NormBlock::init(width, bare(common)),
                activation: common.activation,
                dropout: common.dropout,
            }
        });
        let layers = layers.collect();
        let head = Head::init(width, outputs, &self.head(common), seeds);
        Box::new(GraphMambaNetwork { encoder, entries, layers, head, settings: self.clone() })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (&Shape { nodes, entries, .. }, width) = (shape, common.width);
        let (mut h, _) = common.encoder().cost(shape, ledger);
        let mut e = EntryEncoder::cost("entries", width, shape, ledger);
        // The order as keys of 16 bytes, as a list, and the list turned around.
        let orders = if ledger.training() { 1 } else { self.orders };
        let sequences = shape.graphs.max(1) * self.buckets;
        ledger.hold("orders", (nodes * (16 + orders * (4 + 4 + 8))) as u64);
        for i in 0..common.layers {
            let name = format!("layers.{i}");
            let c = e.clone().map(|e| ledger.linear(&name, e, entries, width, width, true));
            let (g, s) = GatedMean::cost(&name, h.clone(), c, [nodes, nodes, entries], width, ledger);
            let local = ledger.norm_block(&name, g, Some(h.clone()), nodes, width, common.block());
            let local = ledger.norm_block(&name, local, None, nodes, width, bare(common));
            e = match e {
                Some(e) if i + 1 < common.layers => {
                    Some(ledger.norm_block(&name, s, Some(e), entries, width, common.block()))
                }
                // Nobody reads the states of entries any more.
                _ => {
                    drop(s);
                    None
                }
            };
            let scan = format!("{name} scan");
            let scanned = self.mamba(common).cost(&scan, h.clone(), [nodes, sequences], orders, ledger);
            let global = ledger.run(
                crate::ledger::Work { name: name.clone(), output: rows(nodes, width), ..Default::default() },
                [(scanned, true), (h, false)],
            );
            let global = ledger.norm_block(&name, global, None, nodes, width, bare(common));
            let t = ledger.add(&name, local, global);
            let inner = ledger.each(&name, ledger.linear(&name, t.clone(), nodes, width, 2 * width, true));
            let down = ledger.linear(&name, inner, nodes, 2 * width, width, true);
            let sum = ledger.run(
                crate::ledger::Work { name: name.clone(), output: rows(nodes, width), ..Default::default() },
                [(down, true), (t, false)],
            );
            h = ledger.norm_block(&name, sum, None, nodes, width, bare(common));
        }
        self.head(common).cost(h, width, shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { equivariant: false, reads_edges: true, ..Properties::MESSAGE_PASSING }
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "states": 4, "orders": 2, "norm": "layer" })
    }
}

/// One layer.
#[derive(Module, Debug)]
struct GraphMambaLayer {
    gates: GatedMean,
    /// C of entries, if these have features.
    states: Option<Linear>,
    norm_nodes: NormBlock,
    norm_entries: Option<NormBlock>,
    norm_local: NormBlock,
    mamba: Mamba,
    norm_global: NormBlock,
    up: Linear,
    down: Linear,
    norm: NormBlock,
    #[module(skip)]
    activation: ActivationKind,
    #[module(skip)]
    dropout: f32,
}

impl GraphMambaLayer {
    fn forward(
        &self,
        h: Tensor<2>,
        e: Option<Tensor<2>>,
        orders: &[Sequences],
        batch: &Batch,
        context: &Context,
    ) -> (Tensor<2>, Option<Tensor<2>>) {
        let finish = |x, activation, residual| {
            let finish = Finish { activation, dropout: context.dropout(self.dropout) };
            ops::norm_block(x, Normalisation::None, finish, residual)
        };
        let c = self.states.as_ref().zip(e.clone()).map(|(map, e)| map.apply(e.into()));
        let (g, s) = self.gates.forward(h.clone(), c, batch.graph());
        let local = self.norm_nodes.apply(g, Some(h.clone()), context);
        let local = self.norm_local.apply(local, None, context);
        let e = self.norm_entries.as_ref().zip(e).map(|(norm, e)| norm.apply_entries(s, Some(e), context));
        let global = finish(self.mamba.over(h.clone(), orders), Activation::Identity, Some(h));
        let t = ops::add(local, self.norm_global.apply(global, None, context));
        let inner = finish(self.up.apply(t.clone().into()), self.activation.into(), None);
        let t = finish(self.down.apply(inner.into()), Activation::Identity, Some(t));
        (self.norm.apply(t, None, context), e)
    }
}

/// Encoders, layers and head.
#[derive(Module, Debug)]
pub struct GraphMambaNetwork {
    encoder: Encoder,
    entries: Option<EntryEncoder>,
    layers: Vec<GraphMambaLayer>,
    head: Head,
    #[module(skip)]
    settings: GraphMamba,
}

impl GraphMambaNetwork {
    /// The orders of layer `layer`.
    fn orders(&self, layer: usize, batch: &Batch, context: &Context) -> Vec<Sequences> {
        let seed = context.next_seed();
        #[cfg(test)]
        if let Some(draws) = batch.derived(0, |_| RecordedOrders::default()).of(layer, seed.is_some()) {
            return draws.iter().map(|draw| sequences(batch, draw)).collect();
        }
        let buckets = self.settings.buckets as u64;
        match seed {
            Some(seed) => {
                let of_graph = |graph: usize| mix(seed, (batch.first_graph() + graph) as u64);
                vec![sequences(batch, &Draw::new(batch, buckets, of_graph))]
            }
            // Every graph has the same numbers, whatever stands before it in the batch.
            None => (0..self.settings.orders)
                .map(|order| mix(mix(EVALUATION, layer as u64), order as u64))
                .map(|seed| sequences(batch, &Draw::new(batch, buckets, |_| seed)))
                .collect(),
        }
    }
}

impl Layer for GraphMambaNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut h = self.encoder.stage(features, batch, context).into_dense(batch);
        let mut e = self.entries.as_ref().and_then(|entries| entries.forward(batch));
        for (i, layer) in self.layers.iter().enumerate() {
            let orders = self.orders(i, batch, context);
            (h, e) = layer.forward(h, e, &orders, batch, context);
            h = context.stage(|| format!("layers.{i}"), h);
        }
        context.stage(|| "head".into(), self.head.forward(h.into(), batch, context))
    }
}

/// The random part of an order: a number in `[0, 1)` and a bucket for every node.
#[derive(Clone, Debug)]
pub struct Draw {
    pub noise: Vec<f32>,
    pub buckets: Vec<u32>,
}

impl Draw {
    /// From a seed for every graph.
    fn new(batch: &Batch, buckets: u64, seed: impl Fn(usize) -> u64) -> Self {
        let (mut noise, mut chosen) = (Vec::with_capacity(batch.nodes()), Vec::with_capacity(batch.nodes()));
        for (graph, range) in batch.offsets().windows(2).enumerate() {
            let seed = seed(graph);
            for node in 0..(range[1] - range[0]) as u64 {
                noise.push(unit(mix(seed, 2 * node)) as f32);
                chosen.push((unit(mix(seed, 2 * node + 1)) * buckets as f64) as u32);
            }
        }
        Draw { noise, buckets: chosen }
    }
}

/// The nodes of every graph and bucket by degree and noise.
fn sequences(batch: &Batch, draw: &Draw) -> Sequences {
    let sent = batch.graph().transposed().offsets;
    let mut keys = Vec::with_capacity(batch.nodes());
    for (graph, range) in batch.offsets().windows(2).enumerate() {
        for node in range[0]..range[1] {
            // Not below zero: bits are in the order of the numbers.
            let key = ((sent[node + 1] - sent[node]) as f32 + draw.noise[node]).to_bits();
            keys.push((graph as u32, draw.buckets[node], key, node as u32));
        }
    }
    // No two keys are equal, so the result is one for any number of threads.
    keys.par_sort_unstable();
    let mut offsets: Vec<usize> =
        (1..keys.len()).filter(|&at| (keys[at - 1].0, keys[at - 1].1) != (keys[at].0, keys[at].1)).collect();
    offsets.insert(0, 0);
    if !keys.is_empty() {
        offsets.push(keys.len());
    }
    let order = RowChoice::new(keys.iter().map(|key| key.3).collect(), batch.nodes());
    Sequences { order, offsets: offsets.into() }
}

/// Draws for tests, by layer and order: given to a batch before the pass.
#[cfg(test)]
#[derive(Debug, Default)]
pub struct RecordedOrders {
    pub evaluation: Vec<Vec<Draw>>,
    pub training: Vec<Vec<Draw>>,
}

#[cfg(test)]
impl RecordedOrders {
    fn of(&self, layer: usize, training: bool) -> Option<&Vec<Draw>> {
        if training { &self.training } else { &self.evaluation }.get(layer)
    }
}
