//! A layer in which message passing and attention stand side by side, as GPS and Exphormer have it:
//!
//! ```text
//! z  = norm(local(h, e)) + norm(h + dropout(attention(h)))
//! h' = norm(z + feed-forward(z))
//! ```

use super::Common;
use crate::Shape;
use crate::config::ActivationKind;
use crate::init::Start;
use crate::layers::{FeedConfig, LocalConfig, LocalKind, StateNorm, plain};
use crate::ledger::{Ledger, Tracked};

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
