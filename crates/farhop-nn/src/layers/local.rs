//! The local part of a graph transformer, with its residual. h `[N, F]` are the states of nodes, e `[E, F]` those of
//! entries:
//!
//! ```text
//! gated-gcn   s_ij = D h_i + E h_j + C e_ij,   g = sigmoid(s)                              (Bresson and Laurent, 2017)
//!             y_i  = A h_i + (sum over j of g_ij * B h_j) / (sum over j of g_ij + 1e-6)     channel by channel
//!             h'   = h + dropout(activation(BN(y))),   e' = e + dropout(activation(BN(s)))
//! gine        m_i  = h_i + sum over j of relu(h_j + e_ij)                                   (Hu et al., ICLR 2020)
//!             h'   = h + dropout(W_2 activation(W_1 m + b_1) + b_2)
//! gcn         h'   = h + dropout(S h W + b)                                                 (Kipf and Welling, ICLR 2017)
//! ```
//!
//! Gated edges keep their state, s and, in training, gates are computed again. The state after the last layer would not
//! be read: it is not made.

use burn::module::Module;
use burn::tensor::Tensor;

use super::feed::plain;
use super::{BlockConfig, GcnLayer, Layer, Linear, NormBlock};
use crate::config::{ActivationKind, NormKind};
use crate::init::{Seeds, Start};
use crate::knobs::words;
use crate::ledger::{Ledger, Tracked, Work};
use crate::{Batch, Context, Shape, ops};

/// Added to the sum of gates.
const EPSILON: f32 = 1e-6;

words! {
    /// The message passing of a graph transformer's layer.
    pub enum LocalKind {
        /// Gates on edges that have states of their own.
        #[default]
        GatedGcn = "gated-gcn",
        /// Sums with edge features inside the activation.
        Gine = "gine",
        /// Graph convolution; edge features are not read.
        Gcn = "gcn",
    }
}

impl LocalKind {
    /// Whether it reads rows of entries.
    pub fn reads_edges(self) -> bool {
        self != LocalKind::Gcn
    }
}

/// The settings of a [`Local`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalConfig {
    /// Which one.
    pub kind: LocalKind,
    /// Channels.
    pub width: usize,
    /// Activation.
    pub activation: ActivationKind,
    /// Probability of dropping an element at its end.
    pub dropout: f32,
    /// Whether nobody reads the edge states after it.
    pub last: bool,
    /// Initial weights; those of graph convolution are Glorot's.
    pub start: Start,
}

impl LocalConfig {
    fn block(&self) -> BlockConfig {
        BlockConfig { norm: NormKind::Batch, activation: self.activation, dropout: self.dropout }
    }

    /// Writes it into the ledger; gives the states of nodes and of entries.
    pub(crate) fn cost(
        &self,
        name: &str,
        h: Tracked,
        e: Option<Tracked>,
        shape: &Shape,
        ledger: &Ledger,
    ) -> (Tracked, Option<Tracked>) {
        let (width, nodes, entries) = (self.width, shape.nodes, shape.entries);
        let linear = |h: &Tracked| ledger.linear(name, h.clone(), nodes, width, width, true);
        let end = plain(ActivationKind::None, self.dropout);
        let edges = || e.clone().unwrap_or_else(|| ledger.data(0));
        match self.kind {
            LocalKind::GatedGcn => {
                let mapped = ledger.linear(name, edges(), entries, width, width, true);
                let (to, from) = (linear(&h), linear(&h));
                let output = mapped.bytes();
                let work = Work { name: name.into(), output, ..Work::default() };
                let state = ledger.run(work, [(to, false), (from, false), (mapped, false)]);
                let values = linear(&h);
                // The result and the sum of the gates are kept.
                let (output, kept) = (values.bytes(), 2 * values.bytes());
                let work = Work { name: name.into(), output, kept, forward: kept, ..Work::default() };
                let mean = ledger.run(work, [(values, true), (state.clone(), true)]);
                let sum = ledger.add(name, linear(&h), mean);
                let nodes = ledger.norm_block(name, sum, Some(h), nodes, width, self.block());
                let e = (!self.last).then(|| ledger.norm_block(name, state, e, entries, width, self.block()));
                (nodes, e)
            }
            LocalKind::Gine => {
                let work = Work { name: name.into(), output: h.bytes(), ..Work::default() };
                let sum = ledger.run(work, [(h.clone(), true), (edges(), true)]);
                let sum = ledger.add(name, sum, h.clone());
                let inner = ledger.linear(name, sum, nodes, width, width, true);
                let inner = ledger.norm_block(name, inner, None, nodes, width, plain(self.activation, 0.0));
                let outer = ledger.linear(name, inner, nodes, width, width, true);
                (ledger.norm_block(name, outer, Some(h), nodes, width, end), e)
            }
            LocalKind::Gcn => {
                let spread = ledger.spread(name, linear(&h));
                (ledger.norm_block(name, spread, Some(h), nodes, width, end), e)
            }
        }
    }
}

/// One of the three.
#[derive(Module, Debug)]
pub struct Local {
    gated: Option<Gated>,
    gine: Option<Gine>,
    gcn: Option<GcnLayer>,
    end: NormBlock,
}

/// A, B, C, D and E with the norms after them.
#[derive(Module, Debug)]
struct Gated {
    own: Linear,
    values: Linear,
    edges: Linear,
    receiver: Linear,
    sender: Linear,
    node_norm: NormBlock,
    edge_norm: Option<NormBlock>,
}

#[derive(Module, Debug)]
struct Gine {
    inner: Linear,
    outer: Linear,
    activation: NormBlock,
}

impl Local {
    /// Initial weights as `config` says.
    pub fn init(config: &LocalConfig, seeds: &mut Seeds) -> Self {
        let width = config.width;
        let mut linear = || Linear::init_as(config.start, width, width, seeds.next_seed());
        let gated = (config.kind == LocalKind::GatedGcn).then(|| Gated {
            own: linear(),
            values: linear(),
            edges: linear(),
            receiver: linear(),
            sender: linear(),
            node_norm: NormBlock::init(width, config.block()),
            edge_norm: (!config.last).then(|| NormBlock::init(width, config.block())),
        });
        let gine = (config.kind == LocalKind::Gine).then(|| Gine {
            inner: linear(),
            outer: linear(),
            activation: NormBlock::init(width, plain(config.activation, 0.0)),
        });
        let gcn = (config.kind == LocalKind::Gcn).then(|| GcnLayer::init(width, width, seeds.next_seed()));
        Local { gated, gine, gcn, end: NormBlock::init(width, plain(ActivationKind::None, config.dropout)) }
    }

    /// The states of nodes and of entries after it.
    pub fn apply(
        &self,
        h: Tensor<2>,
        e: Option<Tensor<2>>,
        batch: &Batch,
        context: &Context,
    ) -> (Tensor<2>, Option<Tensor<2>>) {
        match (&self.gated, &self.gine, &self.gcn, e) {
            (Some(gated), _, _, Some(e)) => gated.apply(h, e, batch, context),
            (_, Some(gine), _, Some(e)) => {
                let sum = ops::add(ops::edge_relu_sum(h.clone(), e.clone(), batch.graph()), h.clone());
                let inner = gine.activation.apply(gine.inner.apply(sum.into()), None, context);
                (self.end.apply(gine.outer.apply(inner.into()), Some(h), context), Some(e))
            }
            (_, _, Some(gcn), e) => {
                let spread = gcn.forward(h.clone().into(), batch, context);
                (self.end.apply(spread, Some(h), context), e)
            }
            // Rows of entries are always given to those that read them.
            (_, _, None, e) => (h, e),
        }
    }
}

impl Gated {
    fn apply(&self, h: Tensor<2>, e: Tensor<2>, batch: &Batch, context: &Context) -> (Tensor<2>, Option<Tensor<2>>) {
        let graph = batch.graph();
        let of = |linear: &Linear| linear.apply(h.clone().into());
        let mapped = self.edges.apply(e.clone().into());
        let state = ops::edge_gates(of(&self.receiver), of(&self.sender), Some(mapped), graph);
        let mean = ops::gated_mean(of(&self.values), state.clone(), graph, EPSILON);
        let sum = ops::add(of(&self.own), mean);
        let nodes = self.node_norm.apply(sum, Some(h.clone()), context);
        let edges = self.edge_norm.as_ref().map(|norm| {
            // A batch without edges has no statistics.
            if graph.entries() == 0 { state } else { norm.apply_entries(state, Some(e), context) }
        });
        (nodes, edges)
    }
}
