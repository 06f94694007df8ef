//! A layer in which message passing and attention stand side by side, as GPS and Exphormer have it:
//!
//! ```text
//! z  = norm(local(h, e)) + norm(h + dropout(attention(h)))
//! h' = norm(z + feed-forward(z))
//! ```

use burn::tensor::Tensor;

use super::Common;
use crate::config::ActivationKind;
use crate::init::Start;
use crate::layers::{Feed, FeedConfig, LocalConfig, LocalKind, NormBlock, StateNorm, plain};
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, Shape, ops};

/// The settings of such a layer.
pub(super) struct Hybrid<'a> {
    /// The message passing.
    pub local: LocalKind,
    /// What all models share.
    pub common: &'a Common,
}

impl Hybrid<'_> {
    /// The local part of layer `index`.
    pub fn local(&self, index: usize) -> LocalConfig {
        let common = self.common;
        LocalConfig {
            kind: self.local,
            width: common.width,
            activation: common.activation,
            dropout: common.dropout,
            last: index + 1 == common.layers,
            start: Start::Uniform,
        }
    }

    /// The feed-forward part.
    pub fn feed(&self) -> FeedConfig {
        FeedConfig::twice(self.common.width, self.common.activation, self.common.dropout)
    }

    /// Writes layer `index` into the ledger; gives the states of nodes and of entries. `attention` writes its own part.
    pub fn cost(
        &self,
        index: usize,
        h: Tracked,
        e: Option<Tracked>,
        shape: &Shape,
        ledger: &Ledger,
        attention: impl FnOnce(&str, Tracked) -> Tracked,
    ) -> (Tracked, Option<Tracked>) {
        let (nodes, common) = (shape.nodes, self.common);
        let name = format!("layers.{index}");
        let norm = |x: Tracked| StateNorm::cost(ledger, &name, x, nodes, common.width, common.norm);
        let (local, e) = self.local(index).cost(&name, h.clone(), e, shape, ledger);
        let local = norm(local);
        let mixed = attention(&name, h.clone());
        let end = plain(ActivationKind::None, common.dropout);
        let attention = norm(ledger.norm_block(&name, mixed, Some(h), nodes, common.width, end));
        let sum = ledger.add(&name, local, attention);
        (norm(self.feed().cost(ledger, &name, sum, nodes)), e)
    }
}

/// What follows the two sides. The layers hold these by their own names, which stand in saved runs.
pub(super) struct Joined<'a> {
    /// Dropout after attention.
    pub end: &'a NormBlock,
    pub local_norm: &'a StateNorm,
    pub attention_norm: &'a StateNorm,
    pub feed: &'a Feed,
    pub norm: &'a StateNorm,
}

impl Joined<'_> {
    /// The next states of nodes, from theirs and what message passing and attention made of them.
    pub fn apply(
        &self,
        h: Tensor<2>,
        local: Tensor<2>,
        attention: Tensor<2>,
        batch: &Batch,
        context: &Context,
    ) -> Tensor<2> {
        let local = self.local_norm.apply(local, batch, context);
        let attention = self.end.apply(attention, Some(h), context);
        let sum = ops::add(local, self.attention_norm.apply(attention, batch, context));
        self.norm.apply(self.feed.apply(sum, context), batch, context)
    }
}
