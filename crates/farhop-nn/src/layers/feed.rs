//! The feed-forward part of a transformer layer with its residual: `x + dropout(dropout(activation(x W_1 + b_1)) W_2 +
//! b_2)`.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{BlockConfig, Linear, NormBlock};
use crate::Context;
use crate::config::{ActivationKind, NormKind};
use crate::init::{Seeds, Start};
use crate::ledger::{Ledger, Tracked};

/// The settings of a [`Feed`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedConfig {
    /// Channels.
    pub width: usize,
    /// Channels between the two maps.
    pub hidden: usize,
    /// Between the two maps.
    pub activation: ActivationKind,
    /// Probability of dropping an element between the two maps.
    pub dropout: f32,
    /// Probability of dropping an element after them.
    pub end_dropout: f32,
    /// Initial weights.
    pub start: Start,
}

impl FeedConfig {
    /// As most transformers have it: twice the channels between the maps, one probability for both dropouts, uniform weights.
    pub fn twice(width: usize, activation: ActivationKind, dropout: f32) -> Self {
        FeedConfig { width, hidden: 2 * width, activation, dropout, end_dropout: dropout, start: Start::Uniform }
    }

    fn end(&self) -> BlockConfig {
        plain(ActivationKind::None, self.end_dropout)
    }

    /// Writes it into the ledger.
    pub(crate) fn cost(&self, ledger: &Ledger, name: &str, x: Tracked, count: usize) -> Tracked {
        let (width, hidden) = (self.width, self.hidden);
        let inner = ledger.linear(name, x.clone(), count, width, hidden, true);
        let outer = ledger.norm_linear(name, inner, count, [hidden, width], plain(self.activation, self.dropout));
        ledger.norm_block(name, outer, Some(x), count, width, self.end())
    }
}

/// `[N, width]` to `[N, width]` by way of `hidden` channels.
#[derive(Module, Debug)]
pub struct Feed {
    inner: Linear,
    outer: Linear,
    activation: NormBlock,
    end: NormBlock,
}

impl Feed {
    /// Initial weights as `config` says.
    pub fn init(config: &FeedConfig, seeds: &mut Seeds) -> Self {
        let (width, hidden) = (config.width, config.hidden);
        Feed {
            inner: Linear::init_as(config.start, width, hidden, seeds.next_seed()),
            outer: Linear::init_as(config.start, hidden, width, seeds.next_seed()),
            activation: NormBlock::init(hidden, plain(config.activation, config.dropout)),
            end: NormBlock::init(width, config.end()),
        }
    }

    /// The states after the part.
    pub fn apply(&self, x: Tensor<2>, context: &Context) -> Tensor<2> {
        let hidden = self.inner.apply(x.clone().into());
        self.end.apply(self.activation.apply_linear(hidden, &self.outer, context), Some(x), context)
    }
}

/// No normalisation.
pub(crate) fn plain(activation: ActivationKind, dropout: f32) -> BlockConfig {
    BlockConfig { norm: NormKind::None, activation, dropout }
}
