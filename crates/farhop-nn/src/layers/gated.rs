//! The gated mean of neighbours: of Bresson and Laurent, "Residual gated graph ConvNets", 2017, in the form of
//! GatedGCN.
//!
//! ```text
//! e_ij = D h_i + E h_j + c_ij,   s = sigmoid(e)                          for every entry (i <- j)
//! g_i  = A h_i + (sum over j of s_ij * B h_j) / (sum over j of s_ij + 1e-6)
//! ```

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_graph::Graph;

use super::Linear;
use crate::init::Seeds;
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::ops::{self, RowChoice};

/// Added to the sum of the gates.
const EPSILON: f32 = 1e-6;

/// The four maps of nodes, `[N, width]` to `[N, width]`.
#[derive(Module, Debug)]
pub struct GatedMean {
    own: Linear,
    neighbour: Linear,
    target: Linear,
    source: Linear,
}

impl GatedMean {
    /// Glorot weights, zero biases.
    pub fn init(width: usize, seeds: &mut Seeds) -> Self {
        let mut linear = || Linear::init(width, width, seeds.next_seed());
        GatedMean { own: linear(), neighbour: linear(), target: linear(), source: linear() }
    }

    /// g `[N, width]` and the edge states e `[E, width]`, from h and c.
    pub fn forward(&self, h: Tensor<2>, c: Option<Tensor<2>>, graph: &Arc<Graph>) -> (Tensor<2>, Tensor<2>) {
        self.over(h, c, graph, None)
    }

    /// As [`GatedMean::forward`] on another graph, whose nodes are the rows `members` of h: maps are made for h, once.
    pub fn over(
        &self,
        h: Tensor<2>,
        c: Option<Tensor<2>>,
        graph: &Arc<Graph>,
        members: Option<&Arc<RowChoice>>,
    ) -> (Tensor<2>, Tensor<2>) {
        let map = |linear: &Linear| {
            let mapped = linear.apply(h.clone().into());
            members.map_or_else(|| mapped.clone(), |members| ops::take_rows(mapped.clone(), members))
        };
        let states = ops::edge_gates(map(&self.target), map(&self.source), c, graph);
        let mean = ops::gated_mean(map(&self.neighbour), states.clone(), graph, EPSILON);
        (ops::add(map(&self.own), mean), states)
    }

    /// Number of parameters.
    pub fn size(width: usize) -> usize {
        4 * Linear::size(width, width)
    }

    /// Writes it into the ledger, for a graph of `count` nodes and `entries` entries; `nodes` rows of h are `taken`
    /// first if they are not the graph's own. Gives g and e.
    pub fn cost(
        name: &str,
        h: Tracked,
        c: Option<Tracked>,
        [nodes, count, entries]: [usize; 3],
        width: usize,
        ledger: &Ledger,
    ) -> (Tracked, Tracked) {
        ledger.weights(&format!("{name} weights"), Self::size(width));
        let (wide, long) = (rows(count, width), rows(entries, width));
        let map = || {
            let mapped = ledger.product(name, h.clone(), nodes, width);
            if nodes == count { mapped } else { ledger.reduce(name, mapped, count, width) }
        };
        let ends = [Some((map(), false)), Some((map(), false)), c.map(|c| (c, false))];
        let work = Work { name: format!("{name} edge states"), output: long, ..Work::default() };
        let states = ledger.run_all(work, ends.into_iter().flatten().collect());
        let work = Work { name: name.into(), output: wide, kept: 2 * wide, forward: 2 * wide, ..Work::default() };
        let mean = ledger.run(work, [(map(), true), (states.clone(), true)]);
        (ledger.add(name, map(), mean), states)
    }
}
