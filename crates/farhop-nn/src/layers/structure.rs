//! What a node's surroundings look like, from a few layers of message passing over them (Chen, O'Bray and
//! Borgwardt, "Structure-aware transformer", ICML 2022; "k-subtree"):
//!
//! ```text
//! u_0 = h,   u_(r+1) = activation(GNN_r(u_r, e)),   s = norm(u_0 | u_1 | .. | u_k) W + b                      [N, F]
//! gcn    sum over j of relu(z_j + f_ij) / sqrt(d_i d_j) + relu(z_i + root) / d_i,   z = u W + b, f = e W_e + b_e, d = 1 + degree
//! gine   W_2 relu(W_1 ((1 + eps) u_i + sum over j of relu(u_j + f_ij)) + b_1) + b_2,   f = e W_e + b_e
//! pna    m_ij = pre(u_i | u_j | f_ij),   post(u_i | mean of m | sum of m | largest of m) W + b        pre, post: towers of channels apart
//! plain  graph convolution, which reads no entries
//! ```
//!
//! ("k-subgraph", where `subgraphs` is set): the layers run on a copy of all nodes within k hops of each node and of all entries among
//! them, and the sum over the copy, z_i, is all that is read: `s = norm(h | z) W + b`.
//!
//! e `[E, D]` are the rows of entries. Messages of pna are an array of entries and channels; the other two have none of
//! their own beside f.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::random::mix;
use farhop_kernels::segments::Reduction;

use super::copies::Copies;
use super::feed::plain;
use super::{BlockConfig, GcnLayer, Layer, Linear, NormBlock};
use crate::config::{ActivationKind, NormKind};
use crate::init::{Seeds, Start};
use crate::knobs::words;
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::bridge;
use crate::{Batch, Context, Shape, init, ops};

/// The key of the offsets of entries among what a batch derives.
const ROWS_OF_ENTRIES: u64 = 0x726F_7773_6F66;

words! {
    /// The message passing of a structure extractor.
    pub enum StructureKind {
        /// Graph convolution with edge features.
        Gcn = "gcn",
        /// Sums with edge features inside the activation.
        Gine = "gine",
        /// Mean, sum and largest of messages.
        #[default]
        Pna = "pna",
        /// Graph convolution; edge features are not read.
        Plain = "plain",
    }
}

impl StructureKind {
    /// Whether it reads rows of entries.
    pub fn reads_edges(self) -> bool {
        self != StructureKind::Plain
    }
}

/// The settings of a [`Structure`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StructureConfig {
    /// The message passing.
    pub kind: StructureKind,
    /// Its layers.
    pub hops: usize,
    /// Whether they run on a copy of the surroundings of each node.
    pub subgraphs: bool,
    /// Channels.
    pub width: usize,
    /// Channels of entries.
    pub edge_width: usize,
    /// Towers of pna.
    pub towers: usize,
    /// After each layer.
    pub activation: ActivationKind,
    /// Over all depths.
    pub norm: NormKind,
    /// Initial weights; those of plain graph convolution are Glorot's.
    pub start: Start,
}

/// Arrays below this many bytes lie in the heap of the system's allocator, which does not use the place of one for the next where both start on a
/// cache line (larger ones are mappings of their own).
const PIECE: u64 = 1 << 20;

/// So many arrays `[N, width]` stay behind in pieces for every layer of pna with several towers, measured on graphs of 1,000 to 5,000 nodes: 7 to 11.
const PIECES: u64 = 7;

impl StructureConfig {
    fn norm(&self) -> BlockConfig {
        BlockConfig { norm: self.norm, activation: ActivationKind::None, dropout: 0.0 }
    }

    /// States that are read in the end.
    fn depths(&self) -> usize {
        if self.subgraphs { 2 } else { self.hops + 1 }
    }

    /// Nodes and entries that the layers run on. How large surroundings are is not known beforehand: as in a tree, up to a whole graph.
    fn sizes(&self, shape: &Shape) -> (usize, usize) {
        if !self.subgraphs {
            return (shape.nodes, shape.entries);
        }
        let degree = shape.entries as f64 / shape.nodes.max(1) as f64;
        let most = shape.nodes as f64 / shape.graphs.max(1) as f64;
        let ball = (0..=self.hops as i32).map(|hop| degree.powi(hop)).sum::<f64>().min(most);
        let copies = shape.nodes as f64 * ball;
        (copies as usize, (copies * degree) as usize)
    }

    /// What the batch holds for it, in bytes.
    pub(crate) fn held(&self, shape: &Shape) -> u64 {
        let (nodes, entries) = self.sizes(shape);
        // Graph, places of nodes and entries and their lists, degrees.
        if self.subgraphs { floats(8 * nodes + 6 * entries) } else { floats(3 * shape.nodes + 3 * shape.entries) }
    }

    /// Writes it into the ledger.
    pub(crate) fn cost(&self, name: &str, h: Tracked, e: Option<&Tracked>, shape: &Shape, ledger: &Ledger) -> Tracked {
        let ((nodes, entries), width) = (self.sizes(shape), self.width);
        let mut parts = vec![h.clone()];
        let mut u = if self.subgraphs { ledger.reduce(name, h, nodes, width) } else { h };
        let e = match e {
            Some(e) if self.subgraphs => ledger.reduce(name, e.clone(), entries, self.edge_width),
            Some(e) => e.clone(),
            None => ledger.data(0),
        };
        for _ in 0..self.hops {
            let y = match self.kind {
                StructureKind::Gcn => {
                    let f = ledger.linear(name, e.clone(), entries, self.edge_width, width, true);
                    let f = ledger.each(name, f);
                    ledger.weights(name, width);
                    let z = ledger.linear(name, u.clone(), nodes, width, width, true);
                    let z = ledger.each(name, z);
                    let work = Work { name: name.into(), output: floats(nodes * width), ..Work::default() };
                    let sum = ledger.run(work, [(z, true), (f, true)]);
                    let own = ledger.each(name, ledger.product(name, u, nodes, width));
                    ledger.add(name, ledger.each(name, sum), ledger.each(name, own))
                }
                StructureKind::Gine => {
                    let f = ledger.linear(name, e.clone(), entries, self.edge_width, width, true);
                    ledger.weights(name, 1);
                    let work = Work { name: name.into(), output: floats(nodes * width), ..Work::default() };
                    let sum = ledger.run(work, [(u.clone(), true), (f, true)]);
                    let sum = ledger.add(name, sum, ledger.each(name, u));
                    let inner = ledger.linear(name, sum, nodes, width, width, true);
                    ledger.norm_linear(name, inner, nodes, [width, width], plain(ActivationKind::Relu, 0.0))
                }
                StructureKind::Plain => ledger.spread(name, ledger.linear(name, u, nodes, width, width, true)),
                StructureKind::Pna => {
                    let tower = width / self.towers;
                    ledger
                        .weights(name, self.towers * (Linear::size(3 * tower, tower) + Linear::size(4 * tower, tower)));
                    if self.towers > 1 && ledger.training() && floats(nodes * tower) < PIECE {
                        ledger.hold("pieces of the heap", PIECES * floats(nodes * width));
                    }
                    // Held to the end of the layer.
                    let f = ledger.linear(name, e.clone(), entries, self.edge_width, tower, true);
                    let towers = |x: &Tracked, count: usize| ledger.product(name, x.clone(), count, width);
                    let (a, b, c) = (towers(&u, nodes), towers(&u, nodes), towers(&f, entries));
                    // Side by side.
                    let (a, b, c) = (ledger.spread(name, a), ledger.spread(name, b), ledger.spread(name, c));
                    let work = Work { name: name.into(), output: floats(entries * width), ..Work::default() };
                    let m = ledger.run(work, [(a, false), (b, false), (c, false)]);
                    let sum = ledger.reduce(name, m.clone(), nodes, width);
                    // Where the largest are.
                    let places = floats(nodes * width);
                    let work = Work { name: name.into(), output: places, kept: places, ..Work::default() };
                    let most = ledger.run(Work { forward: 2 * places, ..work }, [(m, false)]);
                    let mean = ledger.each(name, sum.clone());
                    let all = ledger.concat(name, vec![u, mean, sum, most]);
                    let post = ledger.spread(name, ledger.product(name, all, nodes, width));
                    ledger.linear(name, post, nodes, width, width, true)
                }
            };
            u = ledger.norm_block(name, y, None, nodes, width, plain(self.activation, 0.0));
            if !self.subgraphs {
                parts.push(u.clone());
            }
        }
        let nodes = shape.nodes;
        if self.subgraphs {
            parts.push(ledger.reduce(name, u, nodes, width));
        } else {
            drop(u);
        }
        let depths = self.depths() * width;
        let all = ledger.concat(name, parts);
        let all = ledger.norm_block(name, all, None, nodes, depths, self.norm());
        ledger.linear(name, all, nodes, depths, width, true)
    }
}

/// `[N, F]` to `[N, F]`, with rows of entries `[E, D]`.
#[derive(Module, Debug)]
pub struct Structure {
    layers: Vec<StructureLayer>,
    activation: NormBlock,
    norm: NormBlock,
    output: Linear,
    /// Hops of the copies that the layers run on, if they do.
    #[module(skip)]
    copies: Option<usize>,
}

#[derive(Module, Debug)]
struct StructureLayer {
    /// Of entries.
    edges: Option<Linear>,
    /// plain.
    convolution: Option<GcnLayer>,
    /// gcn.
    linear: Option<Linear>,
    root: Option<Param<Tensor<1>>>,
    /// gine.
    share: Option<Param<Tensor<2>>>,
    inner: Option<Linear>,
    outer: Option<Linear>,
    relu: NormBlock,
    /// pna.
    before: Vec<Linear>,
    after: Vec<Linear>,
    joined: Option<Linear>,
}

impl Structure {
    /// Initial weights as `config` says.
    pub fn init(config: &StructureConfig, seeds: &mut Seeds) -> Self {
        let width = config.width;
        let depths = config.depths() * width;
        Structure {
            layers: (0..config.hops).map(|_| StructureLayer::init(config, seeds)).collect(),
            activation: NormBlock::init(width, plain(config.activation, 0.0)),
            norm: NormBlock::init(depths, config.norm()),
            output: Linear::init_as(config.start, depths, width, seeds.next_seed()),
            copies: config.subgraphs.then_some(config.hops),
        }
    }

    /// What surrounds each node.
    pub fn apply(&self, h: Tensor<2>, e: Option<&Tensor<2>>, batch: &Batch, context: &Context) -> Tensor<2> {
        let parts: Vec<Tensor<2>> = match self.copies {
            Some(hops) => {
                let copies = Copies::of(batch, hops);
                let e = e.map(|e| ops::take_rows(e.clone(), &copies.entries));
                let u = ops::take_rows(h.clone(), &copies.nodes);
                let last = self.depths(u, e.as_ref(), &copies.batch, context).pop();
                let sum = last.map(|u| ops::readout(u, copies.batch.offsets(), Reduction::Sum));
                [Some(h), sum].into_iter().flatten().collect()
            }
            None => self.depths(h, e, batch, context),
        };
        let joined = ops::concat(parts);
        self.output.apply(self.norm.apply(joined, None, context).into())
    }
}

impl Structure {
    /// h and the states after each layer.
    fn depths(&self, h: Tensor<2>, e: Option<&Tensor<2>>, batch: &Batch, context: &Context) -> Vec<Tensor<2>> {
        let mut parts = vec![h];
        for layer in &self.layers {
            let u = layer.apply(parts[parts.len() - 1].clone(), e, batch, context);
            parts.push(self.activation.apply(u, None, context));
        }
        parts
    }
}

/// `1 / sqrt(1 + degree)` of nodes, of the sources of entries, and `1 / max(degree, 1)`.
struct Degrees {
    nodes: Tensor<2>,
    sources: Tensor<2>,
    means: Tensor<2>,
}

impl Degrees {
    fn make(batch: &Batch) -> Self {
        let graph = batch.graph();
        // Edges that leave a node, as the authors count them.
        let leaving = graph.transposed().offsets;
        let root = |i: usize| 1.0 / ((1 + leaving[i + 1] - leaving[i]) as f32).sqrt();
        let column = |values: Vec<f32>| {
            let rows = values.len();
            bridge::from_vec(values, [rows, 1])
        };
        Degrees {
            nodes: column((0..graph.nodes()).map(root).collect()),
            sources: column(graph.sources().iter().map(|&j| root(j as usize)).collect()),
            means: column((0..graph.nodes()).map(|i| 1.0 / graph.degree(i).max(1) as f32).collect()),
        }
    }
}

impl StructureLayer {
    fn init(config: &StructureConfig, seeds: &mut Seeds) -> Self {
        let width = config.width;
        let tower = if config.kind == StructureKind::Pna { width / config.towers } else { width };
        let at_edges = seeds.next_seed();
        let edges =
            config.kind.reads_edges().then(|| Linear::init_as(config.start, config.edge_width, tower, at_edges));
        let plain_gcn = config.kind == StructureKind::Plain;
        let convolution = plain_gcn.then(|| GcnLayer::init(width, width, seeds.next_seed()));
        let mut linear = |when: bool| when.then(|| Linear::init_as(config.start, width, width, seeds.next_seed()));
        let is = |kind: StructureKind| config.kind == kind;
        let (gcn, gine, pna) = (is(StructureKind::Gcn), is(StructureKind::Gine), is(StructureKind::Pna));
        let [first, inner, outer, joined] = [gcn, gine, gine, pna].map(&mut linear);
        let towers = if pna { config.towers } else { 0 };
        let mut list = |inputs: usize| {
            (0..towers).map(|_| Linear::init_as(config.start, inputs, tower, seeds.next_seed())).collect()
        };
        StructureLayer {
            edges,
            convolution,
            linear: first,
            root: gcn.then(|| Param::from_tensor(init::normal(1, width, 1.0, mix(at_edges, 1)).val().reshape([width]))),
            share: gine.then(|| init::uniform(1, 1, 0.0, 0)),
            inner,
            outer,
            relu: NormBlock::init(width, plain(ActivationKind::Relu, 0.0)),
            before: list(3 * tower),
            after: list(4 * tower),
            joined,
        }
    }

    fn apply(&self, u: Tensor<2>, e: Option<&Tensor<2>>, batch: &Batch, context: &Context) -> Tensor<2> {
        if let Some(convolution) = &self.convolution {
            return convolution.forward(u.into(), batch, context);
        }
        let graph = batch.graph();
        let degrees = batch.derived(0, Degrees::make);
        let (Some(edges), Some(e)) = (&self.edges, e) else { return u };
        let f = edges.apply(e.clone().into());
        if let (Some(linear), Some(root)) = (&self.linear, &self.root) {
            // The factor of a source goes through relu.
            let z = ops::scale_rows(linear.apply(u.clone().into()), degrees.nodes.clone());
            let sum = ops::edge_relu_sum(z, ops::scale_rows(f, degrees.sources.clone()), graph);
            let own = ops::linear(u, linear.weight(), Some(linear.bias() + root.val()));
            let own = ops::scale_rows(self.relu.apply(own, None, context), degrees.nodes.clone());
            return ops::scale_rows(ops::add(sum, own), degrees.nodes.clone());
        }
        if let (Some(share), Some(inner), Some(outer)) = (&self.share, &self.inner, &self.outer) {
            let nodes = u.dims()[0];
            let shares = ops::linear(bridge::from_vec(vec![1.0; nodes], [nodes, 1]), share.val(), None);
            let near = ops::edge_relu_sum(u.clone(), f, graph);
            let sum = ops::sum(vec![(near, 1.0), (ops::scale_rows(u.clone(), shares), 1.0), (u, 1.0)]);
            return self.relu.apply_linear(inner.apply(sum.into()), outer, context);
        }
        let Some(joined) = &self.joined else { return u };
        let [nodes, width] = u.dims();
        let tower = width / self.before.len();
        let part = |x: &Tensor<2>, at: usize| x.clone().slice([0..nodes, at * tower..(at + 1) * tower]);
        let rows = |linear: &Linear, at: usize| linear.weight().slice([at * tower..(at + 1) * tower, 0..tower]);
        let towers = || self.before.iter().enumerate();
        let a: Vec<_> = towers().map(|(t, map)| ops::linear(part(&u, t), rows(map, 0), Some(map.bias()))).collect();
        let b: Vec<_> = towers().map(|(t, map)| ops::linear(part(&u, t), rows(map, 1), None)).collect();
        let c: Vec<_> = towers().map(|(_, map)| ops::linear(f.clone(), rows(map, 2), None)).collect();
        let m = ops::edge_gates(ops::concat(a), ops::concat(b), Some(ops::concat(c)), graph);
        let offsets = batch.derived(ROWS_OF_ENTRIES, |batch| batch.graph().offsets().to_vec());
        let sum = ops::readout(m.clone(), &offsets, Reduction::Sum);
        let most = ops::readout(m, &offsets, Reduction::Max);
        let mean = ops::scale_rows(sum.clone(), degrees.means.clone());
        let after =
            |(t, map): (usize, &Linear)| map.apply(ops::concat([&u, &mean, &sum, &most].map(|x| part(x, t))).into());
        let all: Vec<Tensor<2>> = self.after.iter().enumerate().map(after).collect();
        joined.apply(ops::concat(all).into())
    }
}
