//! GraphSAGE with the mean aggregator, of Hamilton, Ying and Leskovec, "Inductive representation learning on large graphs",
//! NeurIPS 2017:
//!
//! ```text
//! m_j = x_j, or relu(x_j P + p) with `project`
//! y_i = (mean over neighbours j of m_j) W_neighbours + b + x_i W_root           then y_i / |y_i| with `normalise`
//! ```
//!
//! The mean of no neighbours is 0. Mean and linear map commute: the narrower side is spread over the graph.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::dense::{Activation, Dropout, Finish};

use super::{Layer, Linear};
use crate::init::Seeds;
use crate::ledger::{Ledger, Tracked};
use crate::ops::{self, EntryWeights, Normalisation};
use crate::{Batch, Context, Features, Shape, init};

/// Below this length a row is not made longer.
const SHORTEST: f32 = 1e-12;

/// The kind of a [`SageLayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SageConfig {
    /// Whether neighbours go through a linear map and relu before the mean.
    pub project: bool,
    /// Whether rows of the result have length 1.
    pub normalise: bool,
    /// Whether the node itself is part of the mean.
    pub self_in_mean: bool,
}

impl SageConfig {
    /// Writes the layer into the ledger.
    pub(crate) fn cost(
        &self,
        name: &str,
        x: Tracked,
        [inputs, outputs]: [usize; 2],
        shape: &Shape,
        ledger: &Ledger,
    ) -> Tracked {
        let nodes = shape.nodes;
        ledger.weights(&format!("{name} weights"), (2 * inputs + 1) * outputs);
        let mut m = x.clone();
        if self.project {
            m = ledger.linear(name, m, nodes, inputs, inputs, true);
            m = ledger.each(name, m);
        }
        let neighbours = if !self.project && outputs <= inputs {
            let projected = ledger.product(name, m, nodes, outputs);
            ledger.spread(name, projected)
        } else {
            let mean = ledger.reduce(name, m, nodes, inputs);
            ledger.product(name, mean, nodes, outputs)
        };
        let root = ledger.product(name, x, nodes, outputs);
        let y = ledger.add(name, neighbours, root);
        if self.normalise { ledger.each(name, y) } else { y }
    }
}

/// `[N, inputs]` to `[N, outputs]`.
#[derive(Module, Debug)]
pub struct SageLayer {
    project: Option<Linear>,
    neighbours: Param<Tensor<2>>,
    root: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
    #[module(skip)]
    config: SageConfig,
}

/// The coefficients of the mean.
struct Mean(Arc<EntryWeights>);

impl SageLayer {
    /// Glorot weights, zero biases.
    pub fn init(inputs: usize, outputs: usize, config: SageConfig, seed: u64) -> Self {
        let mut seeds = Seeds::new(seed);
        SageLayer {
            project: config.project.then(|| Linear::init(inputs, inputs, seeds.next_seed())),
            neighbours: init::glorot(inputs, outputs, seeds.next_seed()),
            root: init::glorot(inputs, outputs, seeds.next_seed()),
            bias: init::constant(outputs, 0.0),
            config,
        }
    }
}

impl Layer for SageLayer {
    fn forward(&self, features: Features, batch: &Batch, _context: &Context) -> Tensor<2> {
        let with_self = self.config.self_in_mean;
        let mean = batch.derived(u64::from(with_self), |batch| {
            let make = if with_self { EntryWeights::mean_with_self } else { EntryWeights::mean };
            Mean(make(batch.graph(), batch.halo()))
        });
        let (weight, bias) = (self.neighbours.val(), Some(self.bias.val()));
        let [inputs, outputs] = weight.dims();
        let root = features.clone().linear(self.root.val(), None);
        let neighbours = match &self.project {
            None if outputs <= inputs => ops::spread(features.linear(weight, None), batch, &mean.0, bias),
            None => ops::linear(ops::spread(features.into_dense(batch), batch, &mean.0, None), weight, bias),
            Some(project) => {
                let finish = Finish { activation: Activation::Relu, dropout: Dropout::NONE };
                let m = ops::norm_block(project.apply(features), Normalisation::None, finish, None);
                ops::linear(ops::spread(m, batch, &mean.0, None), weight, bias)
            }
        };
        let y = ops::add(neighbours, root);
        if self.config.normalise { ops::row_normalise(y, SHORTEST) } else { y }
    }
}
