//! Two Mamba blocks over sequences, one in each direction:
//! `y = (f(norm_f(x)) + turn(b(norm_b(turn(x))))) W_o`, where `turn` exchanges first and last row of every sequence.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::{BlockConfig, Mamba, MambaConfig, NormBlock};
use crate::config::{ActivationKind, NormKind};
use crate::init::{self, Seeds};
use crate::ledger::{Ledger, Tracked};
use crate::ops::{self, RowChoice};
use crate::{Context, layers::Linear};

/// Sequences that are also read from their ends.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Where sequences begin and end.
    pub offsets: Arc<Vec<usize>>,
    /// Every sequence turned around.
    pub turned: Arc<RowChoice>,
}

impl Lines {
    /// The sequences between `offsets`.
    pub fn new(offsets: Vec<usize>) -> Self {
        let turned: Vec<u32> =
            offsets.windows(2).flat_map(|range| (range[0]..range[1]).rev()).map(|row| row as u32).collect();
        let rows = turned.len();
        Lines { offsets: offsets.into(), turned: RowChoice::new(turned, rows) }
    }
}

/// `[T, width]` to `[T, width]`.
#[derive(Module, Debug)]
pub struct BothWays {
    norm_ahead: NormBlock,
    norm_back: NormBlock,
    ahead: Mamba,
    back: Mamba,
    output: Param<Tensor<2>>,
    after: NormBlock,
    #[module(skip)]
    residual: bool,
}

const NORM: BlockConfig = BlockConfig { norm: NormKind::Layer, activation: ActivationKind::None, dropout: 0.0 };

fn after(dropout: f32) -> BlockConfig {
    BlockConfig { norm: NormKind::None, activation: ActivationKind::None, dropout }
}

impl BothWays {
    /// With `dropout` at the end, and the input added if `residual`.
    pub fn init(config: &MambaConfig, dropout: f32, residual: bool, seeds: &mut Seeds) -> Self {
        let width = config.width;
        BothWays {
            norm_ahead: NormBlock::init(width, NORM),
            norm_back: NormBlock::init(width, NORM),
            ahead: Mamba::init(config, seeds),
            back: Mamba::init(config, seeds),
            output: init::uniform(width, width, 1.0 / (width as f64).sqrt(), seeds.next_seed()),
            after: NormBlock::init(width, after(dropout)),
            residual,
        }
    }

    /// y.
    pub fn forward(&self, x: Tensor<2>, lines: &Lines, context: &Context) -> Tensor<2> {
        let ahead = self.ahead.forward(self.norm_ahead.apply(x.clone(), None, context), &lines.offsets);
        // The norm is of rows: it may come before they are turned.
        let back = ops::take_rows(self.norm_back.apply(x.clone(), None, context), &lines.turned);
        let back = ops::take_rows(self.back.forward(back, &lines.offsets), &lines.turned);
        let sum = ops::linear(ops::add(ahead, back), self.output.val(), None);
        self.after.apply(sum, self.residual.then_some(x), context)
    }

    /// Writes it over `count` rows in so many sequences into the ledger.
    pub fn cost(
        name: &str,
        x: Tracked,
        [count, sequences]: [usize; 2],
        config: &MambaConfig,
        (dropout, residual): (f32, bool),
        ledger: &Ledger,
    ) -> Tracked {
        let width = config.width;
        let normed = || ledger.norm_block(name, x.clone(), None, count, width, NORM);
        let ahead = config.cost(name, normed(), [count, sequences], 0, ledger);
        let turned = ledger.spread(name, normed());
        let back = ledger.spread(name, config.cost(name, turned, [count, sequences], 0, ledger));
        ledger.weights(&format!("{name} weights"), Linear::size(width, width) - width);
        let sum = ledger.product(name, ledger.add(name, ahead, back), count, width);
        ledger.norm_block(name, sum, residual.then_some(x), count, width, after(dropout))
    }
}
