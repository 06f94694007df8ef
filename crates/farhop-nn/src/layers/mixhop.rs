//! The layer of Abu-El-Haija et al., "MixHop: higher-order graph convolutional architectures via sparsified neighborhood mixing",
//! ICML 2019, and the same over eliminated hops:
//!
//! ```text
//! y = [ S^p x W_p  for p in powers, in the order of the list ] + b                  S: symmetric normalisation, loops inside
//! y = [ d^p(x) W_p for p in powers, in the order of the list ] + b                  d^p: walks of p steps that never step straight back
//! ```
//!
//! Spreading and linear maps commute. Either x is spread once, up to the highest power, or every `x W_p` by itself: whichever moves fewer
//! numbers. Eliminated hops are always spread projected.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::Layer;
use super::eliminated::EliminatedHops;
use crate::init::Seeds;
use crate::ledger::{Ledger, Tracked};
use crate::ops::{self, Hops};
use crate::{Batch, Context, Features, Shape, init};

/// The size and kind of a [`MixHopLayer`].
#[derive(Clone, Debug, PartialEq)]
pub struct MixHopConfig {
    /// Channels that it reads.
    pub inputs: usize,
    /// Channels of a power.
    pub channels: usize,
    /// The powers, in the order of the result's columns.
    pub powers: Vec<usize>,
    /// What is eliminated: nothing, or what steps straight back.
    pub eliminated: Option<EliminatedHops>,
}

impl MixHopConfig {
    fn highest(&self) -> usize {
        self.powers.iter().copied().max().unwrap_or(0)
    }

    /// Whether x itself is spread.
    fn spreads_input(&self) -> bool {
        let each = self.powers.iter().sum::<usize>() * self.channels;
        self.eliminated.is_none() && self.highest() * self.inputs <= each
    }

    /// Numbers of a node that all steps together read of its neighbours.
    pub(crate) fn sent(&self) -> usize {
        match self.spreads_input() {
            true => self.highest() * self.inputs,
            false => self.powers.iter().sum::<usize>() * self.channels,
        }
    }

    /// Writes the layer into the ledger.
    pub(crate) fn cost(&self, name: &str, x: Tracked, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, channels) = (shape.nodes, self.channels);
        ledger.weights(&format!("{name} weights"), self.powers.len() * (self.inputs + 1) * channels);
        let mut parts = Vec::new();
        if self.spreads_input() {
            let mut spread = vec![x];
            for k in 0..self.highest() {
                spread.push(ledger.reduce(name, spread[k].clone(), nodes, self.inputs));
            }
            for &p in &self.powers {
                parts.push(ledger.product(name, spread[p].clone(), nodes, channels));
            }
        } else {
            for &p in &self.powers {
                let mut part = ledger.product(name, x.clone(), nodes, channels);
                match (&self.eliminated, p) {
                    (Some(_), 1..) => part = EliminatedHops::cost(name, part, [p, channels], channels, shape, ledger),
                    _ => (0..p).for_each(|_| part = ledger.spread(name, part.clone())),
                }
                parts.push(part);
            }
        }
        ledger.concat(name, parts)
    }
}

/// `[N, inputs]` to `[N, powers * channels]`.
#[derive(Module, Debug)]
pub struct MixHopLayer {
    powers: Vec<Power>,
    #[module(skip)]
    config: MixHopConfig,
}

/// The map of one power.
#[derive(Module, Debug)]
struct Power {
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
}

impl MixHopLayer {
    /// Uniform weights in `+- 1 / sqrt(inputs)`, zero bias.
    pub fn init(config: MixHopConfig, seed: u64) -> Self {
        let mut seeds = Seeds::new(seed);
        let limit = 1.0 / (config.inputs.max(1) as f64).sqrt();
        let powers = config.powers.iter().map(|_| Power {
            weight: init::uniform(config.inputs, config.channels, limit, seeds.next_seed()),
            bias: init::constant(config.channels, 0.0),
        });
        MixHopLayer { powers: powers.collect(), config }
    }

    /// `x W_p`, spread p times.
    fn projected(&self, x: Features, p: usize, map: &Power, batch: &Batch) -> Tensor<2> {
        let (weight, bias) = (map.weight.val(), map.bias.val());
        if p == 0 {
            return x.linear(weight, Some(bias));
        }
        let mut y = x.linear(weight, None);
        if let Some(eliminated) = &self.config.eliminated {
            let hop = ops::eliminate(y, batch.graph(), &eliminated.weights(batch), Hops::only(p));
            return ops::add_row(hop, bias);
        }
        for step in 0..p {
            let bias = (step + 1 == p).then(|| bias.clone());
            y = ops::spread(y, batch, &batch.symmetric_weights(), bias);
        }
        y
    }
}

impl Layer for MixHopLayer {
    fn forward(&self, features: Features, batch: &Batch, _context: &Context) -> Tensor<2> {
        let maps = self.config.powers.iter().zip(&self.powers);
        if !self.config.spreads_input() {
            let parts: Vec<_> = maps.map(|(&p, map)| self.projected(features.clone(), p, map, batch)).collect();
            return ops::concat(parts);
        }
        let mut spread = vec![features.into_dense(batch)];
        for k in 0..self.config.highest() {
            spread.push(ops::spread(spread[k].clone(), batch, &batch.symmetric_weights(), None));
        }
        let part = |(&p, map): (&usize, &Power)| ops::linear(spread[p].clone(), map.weight.val(), Some(map.bias.val()));
        ops::concat(maps.map(part).collect::<Vec<_>>())
    }
}
