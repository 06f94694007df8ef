//! The feed-forward part of a transformer layer with its residual: `x + dropout(dropout(activation(x W_1 + b_1)) W_2 + b_2)`.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{BlockConfig, Linear, NormBlock};
use crate::Context;
use crate::config::{ActivationKind, NormKind};
use crate::init::Seeds;
use crate::ledger::{Ledger, Tracked};

/// `[N, width]` to `[N, width]` by way of `hidden` channels.
#[derive(Module, Debug)]
pub struct Feed {
    inner: Linear,
    outer: Linear,
    activation: NormBlock,
    end: NormBlock,
}

impl Feed {
    /// Glorot weights, zero biases.
    pub fn init(width: usize, hidden: usize, activation: ActivationKind, dropout: f32, seeds: &mut Seeds) -> Self {
        Feed {
            inner: Linear::init(width, hidden, seeds.next_seed()),
            outer: Linear::init(hidden, width, seeds.next_seed()),
            activation: NormBlock::init(hidden, plain(activation, dropout)),
            end: NormBlock::init(width, plain(ActivationKind::None, dropout)),
        }
    }

    /// The states after the part.
    pub fn apply(&self, x: Tensor<2>, context: &Context) -> Tensor<2> {
        let hidden = self.activation.apply(self.inner.apply(x.clone().into()), None, context);
        self.end.apply(self.outer.apply(hidden.into()), Some(x), context)
    }

    /// Writes it into the ledger.
    pub(crate) fn cost(
        ledger: &Ledger,
        name: &str,
        x: Tracked,
        count: usize,
        [width, hidden]: [usize; 2],
        activation: ActivationKind,
        dropout: f32,
    ) -> Tracked {
        let inner = ledger.linear(name, x.clone(), count, width, hidden, true);
        let inner = ledger.norm_block(name, inner, None, count, hidden, plain(activation, dropout));
        let outer = ledger.linear(name, inner, count, hidden, width, true);
        ledger.norm_block(name, outer, Some(x), count, width, plain(ActivationKind::None, dropout))
    }
}

/// No normalisation.
pub(crate) fn plain(activation: ActivationKind, dropout: f32) -> BlockConfig {
    BlockConfig { norm: NormKind::None, activation, dropout }
}
