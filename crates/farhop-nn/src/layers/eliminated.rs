//! The elimination of GEN (hops without what steps straight back) for other models: which coefficients, and the graph convolution
//! over such hops:
//!
//! ```text
//! y = (d^0 + d^1 + .. + d^K)(x) W + b          or          y = [d^0 | d^1 | .. | d^K](x) W + b
//! ```
//!
//! See [`ops::eliminate`] for d.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::elimination as kernel;

use super::Layer;
use crate::knobs::words;
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::ops::{self, EntryWeights, Hops, elimination};
use crate::{Batch, Context, Features, Shape, init};

words! {
    /// Coefficients of eliminated hops.
    pub enum EliminatedHops {
        /// `1 / sqrt((deg_i + 1)(deg_j + 1))`.
        #[default]
        Gcn = "gcn",
        /// 1 everywhere: on a tree, hops are sums over nodes at a distance.
        Ones = "ones",
    }
}

impl EliminatedHops {
    /// The coefficients for the graph of the batch.
    pub(crate) fn weights(self, batch: &Batch) -> Arc<EntryWeights> {
        match self {
            EliminatedHops::Gcn => batch.symmetric_weights(),
            EliminatedHops::Ones => batch.ones(),
        }
    }

    /// Writes an elimination of `hops` hops over `width` channels into the ledger.
    pub(crate) fn cost(
        name: &str,
        x: Tracked,
        [hops, width]: [usize; 2],
        outputs: usize,
        shape: &Shape,
        ledger: &Ledger,
    ) -> Tracked {
        let (nodes, entries) = (shape.nodes, shape.entries);
        let config = elimination(hops, width);
        let kept = kernel::bytes_kept(&config, 1, false, nodes, entries);
        let output = rows(nodes, outputs);
        let begun = kept + rows(nodes, width) + kernel::bytes_begun(&config, nodes);
        let work = Work {
            name: name.into(),
            output,
            kept,
            forward: output + kept + kernel::bytes_forward(&config, 1, false, nodes, entries),
            backward: output + begun.max(kernel::bytes_finish(&config, 1, nodes, entries)),
            ..Work::default()
        };
        ledger.run(work, [(x, true)])
    }
}

words! {
    /// How hops become what a layer projects.
    pub enum HopJoin {
        /// Their sum.
        #[default]
        Sum = "sum",
        /// Side by side, each with a map of its own.
        Concat = "concat",
    }
}

/// The size and kind of an [`EliminatedLayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EliminatedConfig {
    /// Channels that it reads.
    pub inputs: usize,
    /// Channels that it gives.
    pub outputs: usize,
    /// The farthest hop, K.
    pub hops: usize,
    /// How hops become one.
    pub join: HopJoin,
    /// Coefficients.
    pub coefficients: EliminatedHops,
}

impl EliminatedConfig {
    /// Rows of W.
    fn joined(&self) -> usize {
        if self.join == HopJoin::Concat { (self.hops + 1) * self.inputs } else { self.inputs }
    }

    /// Whether the projected features are spread: a sum commutes with W.
    fn projects_first(&self) -> bool {
        self.join == HopJoin::Sum && self.outputs < self.inputs
    }

    /// Writes the layer into the ledger.
    pub(crate) fn cost(&self, name: &str, x: Tracked, shape: &Shape, ledger: &Ledger) -> Tracked {
        let EliminatedConfig { inputs, outputs, hops, .. } = *self;
        ledger.weights(&format!("{name} weights"), (self.joined() + 1) * outputs);
        if self.projects_first() {
            let projected = ledger.product(name, x, shape.nodes, outputs);
            let sum = EliminatedHops::cost(name, projected, [hops, outputs], outputs, shape, ledger);
            return ledger.spread(name, sum);
        }
        let joined = EliminatedHops::cost(name, x, [hops, inputs], self.joined(), shape, ledger);
        ledger.product(name, joined, shape.nodes, outputs)
    }
}

/// `[N, inputs]` to `[N, outputs]`.
#[derive(Module, Debug)]
pub struct EliminatedLayer {
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
    #[module(skip)]
    config: EliminatedConfig,
}

impl EliminatedLayer {
    /// Glorot weights, zero bias.
    pub fn init(config: EliminatedConfig, seed: u64) -> Self {
        let weight = init::glorot(config.joined(), config.outputs, seed);
        EliminatedLayer { weight, bias: init::constant(config.outputs, 0.0), config }
    }
}

impl Layer for EliminatedLayer {
    fn forward(&self, features: Features, batch: &Batch, _context: &Context) -> Tensor<2> {
        let EliminatedConfig { hops, join, coefficients, .. } = self.config;
        let (graph, weights) = (batch.graph(), coefficients.weights(batch));
        let all = match join {
            HopJoin::Sum => Hops::Sum(vec![1.0; hops + 1]),
            HopJoin::Concat => Hops::Concat(hops),
        };
        if self.config.projects_first() {
            let projected = features.linear(self.weight.val(), None);
            return ops::add_row(ops::eliminate(projected, graph, &weights, all), self.bias.val());
        }
        let joined = ops::eliminate(features.into_dense(batch), graph, &weights, all);
        ops::linear(joined, self.weight.val(), Some(self.bias.val()))
    }
}
