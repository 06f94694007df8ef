//! The layer of Xu, Hu, Leskovec and Jegelka, "How powerful are graph neural networks?", ICLR 2019 (GIN), and its form for features of
//! entries, of Hu et al., "Strategies for pre-training graph neural networks", ICLR 2020 (GINE):
//!
//! ```text
//! GIN    z_i = (1 + epsilon) x_i + sum over neighbours j of x_j
//! GINE   z_i = (1 + epsilon) x_i + sum over neighbours j of relu(x_j + e_ij)           e as wide as x
//! y = activation(norm(z W_1 + b_1)) W_2 + b_2
//! ```
//!
//! Sums and linear maps commute, so GIN projects first: then only `[N, outputs]` is spread. GINE reads an array `[E, inputs]`.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::{BlockConfig, EntryEncoder, Linear, NormBlock};
use crate::init::Seeds;
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::ops::{self, bridge};
use crate::{Batch, Context, Features, InputShape, Shape, init};

/// The size and kind of a [`GinLayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GinConfig {
    /// Channels that it reads.
    pub inputs: usize,
    /// Channels that it gives.
    pub outputs: usize,
    /// Whether epsilon is learnt; it is 0 if not.
    pub learn_epsilon: bool,
    /// Whether it encodes features of entries itself.
    pub own_entries: bool,
    /// What stands between the two maps.
    pub inner: BlockConfig,
}

impl GinConfig {
    /// Writes the layer into the ledger; `entries` are encoded ones from outside.
    pub(crate) fn cost(
        &self,
        name: &str,
        x: Tracked,
        entries: Option<Tracked>,
        shape: &Shape,
        ledger: &Ledger,
    ) -> Tracked {
        let GinConfig { inputs, outputs, .. } = *self;
        let nodes = shape.nodes;
        ledger.weights(&format!("{name} weights"), (inputs + 1) * outputs + usize::from(self.learn_epsilon));
        let own = self.own_entries.then(|| EntryEncoder::cost(name, inputs, shape, ledger)).flatten();
        let hidden = match own.or(entries) {
            Some(entries) => {
                let work = Work { name: name.into(), output: rows(nodes, inputs), ..Work::default() };
                let sum = ledger.run(work, [(x.clone(), true), (entries, true)]);
                let z = if self.learn_epsilon { ledger.multiply(name, sum, x) } else { ledger.add(name, sum, x) };
                ledger.product(name, z, nodes, outputs)
            }
            None => {
                let projected = ledger.product(name, x, nodes, outputs);
                let sum = ledger.spread(name, projected.clone());
                if self.learn_epsilon {
                    let own = ledger.each(name, projected);
                    ledger.add(name, sum, own)
                } else {
                    sum
                }
            }
        };
        ledger.norm_linear(name, hidden, nodes, [outputs, outputs], self.inner)
    }
}

/// `[N, inputs]` to `[N, outputs]`.
#[derive(Module, Debug)]
pub struct GinLayer {
    epsilon: Option<Param<Tensor<1>>>,
    entries: Option<EntryEncoder>,
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
    norm: NormBlock,
    output: Linear,
}

impl GinLayer {
    /// Glorot weights, zero biases, epsilon 0.
    pub(crate) fn init(config: GinConfig, shape: &InputShape, seed: u64) -> Self {
        let mut seeds = Seeds::new(seed);
        let GinConfig { inputs, outputs, .. } = config;
        GinLayer {
            epsilon: config.learn_epsilon.then(|| init::constant(1, 0.0)),
            weight: init::glorot(inputs, outputs, seeds.next_seed()),
            bias: init::constant(outputs, 0.0),
            norm: NormBlock::init(outputs, config.inner),
            output: Linear::init(outputs, outputs, seeds.next_seed()),
            entries: config.own_entries.then(|| EntryEncoder::init(shape, inputs, &mut seeds)).flatten(),
        }
    }

    /// The layer; `entries` `[E, inputs]` are encoded ones from outside.
    pub fn forward(
        &self,
        features: Features,
        entries: Option<Tensor<2>>,
        batch: &Batch,
        context: &Context,
    ) -> Tensor<2> {
        let graph = batch.graph();
        let (weight, bias) = (self.weight.val(), Some(self.bias.val()));
        let own = self.entries.as_ref().and_then(|encoder| encoder.forward(batch));
        let hidden = match own.or(entries) {
            Some(entries) => {
                let x = features.into_dense(batch);
                let sum = ops::edge_relu_sum(x.clone(), entries, graph);
                let z = match &self.epsilon {
                    Some(epsilon) => {
                        let one = bridge::from_vec(vec![1.0], [1, 1]);
                        let factor = epsilon.val().reshape([1, 1]).add_scalar(1.0);
                        ops::mix(ops::concat([one, factor]), vec![sum, x])
                    }
                    None => ops::add(sum, x),
                };
                ops::linear(z, weight, bias)
            }
            None => {
                let projected = features.linear(weight, None);
                let sum = ops::spread(projected.clone(), batch, &batch.ones(), bias);
                match &self.epsilon {
                    Some(epsilon) => ops::add(sum, ops::mix(epsilon.val().reshape([1, 1]), vec![projected])),
                    None => sum,
                }
            }
        };
        self.norm.apply_linear(hidden, &self.output, context)
    }
}
