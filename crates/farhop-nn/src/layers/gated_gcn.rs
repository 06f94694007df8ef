//! The layer of Bresson and Laurent, "Residual gated graph convnets", 2017, with states of entries and normalised gates as in Dwivedi
//! et al., "Benchmarking graph neural networks", 2020.
//!
//! Node states h `[N, F]`, entry states e `[E, F_e]`, entries (i <- j), five linear maps A to E:
//!
//! ```text
//! s_ij = C(e_ij) + D(h_i) + E(h_j)                                                       [E, F']
//! p_i  = A(h_i) + (sum over j of sigmoid(s_ij) * B(h_j)) / (sum over j of sigmoid(s_ij) + 1e-6)
//! h_i <- [h_i +] dropout(activation(norm(p_i)))
//! e_ij <- [e_ij +] dropout(activation(norm(s_ij)))
//! ```
//!
//! The gate is taken before the norm. The states of entries are part of the model, so `E F` memory is its nature; gates and messages
//! are never stored. A layer whose entry states nobody reads has no norm for them.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{BlockConfig, Linear, NormBlock};
use crate::init::Seeds;
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::{Batch, Context, Features, Shape, ops};

/// Added to the sum of the gates.
const EPSILON: f32 = 1e-6;

/// The size and kind of a [`GatedGcnLayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GatedGcnConfig {
    /// Channels of a node that it reads.
    pub inputs: usize,
    /// Channels of an entry that it reads; 0 if entries have no state yet.
    pub entry_inputs: usize,
    /// Channels of nodes and entries that it gives.
    pub outputs: usize,
    /// Whether the states of entries are read after it.
    pub gives_entries: bool,
    /// Whether it adds its input to its output where the widths agree.
    pub residual: bool,
    /// What follows, for nodes and for entries.
    pub block: BlockConfig,
}

impl GatedGcnConfig {
    /// Writes the layer into the ledger. Gives nodes and entries.
    pub(crate) fn cost(
        &self,
        name: &str,
        h: Tracked,
        e: Option<Tracked>,
        shape: &Shape,
        ledger: &Ledger,
    ) -> (Tracked, Option<Tracked>) {
        let GatedGcnConfig { inputs, entry_inputs, outputs, block, .. } = *self;
        let (nodes, entries) = (shape.nodes, shape.entries);
        let map = |h: &Tracked| ledger.linear(name, h.clone(), nodes, inputs, outputs, true);
        let state = e.clone().filter(|_| entry_inputs > 0);
        let state = state.map(|e| ledger.linear(name, e, entries, entry_inputs, outputs, true));
        let parts = [Some(map(&h)), Some(map(&h)), state].into_iter().flatten().map(|part| (part, false)).collect();
        let sums = Work { name: name.into(), output: rows(entries, outputs), ..Work::default() };
        let s = ledger.run_all(sums, parts);
        let width = rows(nodes, outputs);
        let work = Work { name: name.into(), output: width, kept: 2 * width, forward: 2 * width, ..Work::default() };
        let mean = ledger.run(work, [(map(&h), true), (s.clone(), true)]);
        let p = ledger.add(name, map(&h), mean);
        let residual = (self.residual && inputs == outputs).then_some(h);
        let h = ledger.norm_block(&format!("{name}.norm"), p, residual, nodes, outputs, block);
        let e = self.gives_entries.then(|| {
            let residual = e.filter(|_| self.residual && entry_inputs == outputs);
            ledger.norm_block(&format!("{name}.entry_norm"), s, residual, entries, outputs, block)
        });
        (h, e)
    }
}

/// `[N, inputs]` and `[E, entry_inputs]` to `[N, outputs]` and `[E, outputs]`.
#[derive(Module, Debug)]
pub struct GatedGcnLayer {
    /// A.
    own: Linear,
    /// B.
    value: Linear,
    /// C.
    entry: Option<Linear>,
    /// D.
    receiver: Linear,
    /// E.
    sender: Linear,
    norm: NormBlock,
    entry_norm: Option<NormBlock>,
    #[module(skip)]
    config: GatedGcnConfig,
}

impl GatedGcnLayer {
    /// Glorot weights, zero biases.
    pub fn init(config: GatedGcnConfig, seed: u64) -> Self {
        let mut seeds = Seeds::new(seed);
        let GatedGcnConfig { inputs, entry_inputs, outputs, block, .. } = config;
        let mut map = |inputs: usize| Linear::init(inputs, outputs, seeds.next_seed());
        GatedGcnLayer {
            own: map(inputs),
            value: map(inputs),
            entry: (entry_inputs > 0).then(|| map(entry_inputs)),
            receiver: map(inputs),
            sender: map(inputs),
            norm: NormBlock::init(outputs, block),
            entry_norm: config.gives_entries.then(|| NormBlock::init(outputs, block)),
            config,
        }
    }

    /// The new states of nodes and, if they are read after it, of entries.
    pub fn forward(
        &self,
        h: Features,
        e: Option<Tensor<2>>,
        batch: &Batch,
        context: &Context,
    ) -> (Tensor<2>, Option<Tensor<2>>) {
        let (graph, outputs) = (batch.graph(), self.config.outputs);
        let residual = (self.config.residual && h.width() == outputs).then(|| h.clone().into_dense(batch));
        let own = self.own.apply(h.clone());
        if graph.entries() == 0 {
            return (self.norm.apply(own, residual, context), None);
        }
        let state = self.entry.as_ref().zip(e.clone()).map(|(map, e)| map.apply(e.into()));
        let s = ops::edge_gates(self.receiver.apply(h.clone()), self.sender.apply(h.clone()), state, graph);
        let p = ops::add(own, ops::gated_mean(self.value.apply(h), s.clone(), graph, EPSILON));
        let h = self.norm.apply(p, residual, context);
        let e = self.entry_norm.as_ref().map(|norm| {
            let residual = e.filter(|e| self.config.residual && e.dims()[1] == outputs);
            norm.apply_entries(s, residual, context)
        });
        (h, e)
    }
}
