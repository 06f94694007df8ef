//! What is known of an entry, as one row of `width` channels:
//!
//! ```text
//! e_ij = numbers_ij W + b  +  sum over columns c of T_c[category_ijc]         [E, width]
//! ```
//!
//! Each term is there if entries have what it reads. Where they have nothing, one learned row stands for all of them.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::entry_encoder::terms;
use super::{EntryEncoder, Linear};
use crate::init::{Seeds, Start};
use crate::ledger::{Ledger, Tracked};
use crate::memory::floats;
use crate::ops::bridge;
use crate::{Batch, InputShape, Shape, init, ops};

/// The rows of all entries, `[E, width]`.
#[derive(Module, Debug)]
pub struct EdgeRows {
    numbers: Option<Linear>,
    categories: Option<Param<Tensor<2>>>,
    row: Option<Param<Tensor<2>>>,
}

impl EdgeRows {
    /// Numbers start as `start` says, tables are Glorot's; a row of its own is normal.
    pub fn init(shape: &InputShape, width: usize, start: Start, seed: u64) -> Self {
        let mut seeds = Seeds::new(seed);
        let [numbers, categories, row] = [seeds.next_seed(), seeds.next_seed(), seeds.next_seed()];
        EdgeRows {
            numbers: (shape.edge_numbers > 0).then(|| Linear::init_as(start, shape.edge_numbers, width, numbers)),
            categories: (!shape.edge_categories.is_empty())
                .then(|| init::tables(&shape.edge_categories, width, categories)),
            row: (!shape.has_edges()).then(|| init::normal(1, width, 1.0, row)),
        }
    }

    /// The rows of the batch's entries.
    pub fn forward(&self, batch: &Batch) -> Tensor<2> {
        let entries = batch.graph().entries();
        let row = || {
            let ones = bridge::from_vec(vec![1.0; entries], [entries, 1]);
            self.row.as_ref().map(|row| ops::linear(ones, row.val(), None))
        };
        let found = terms(self.numbers.as_ref(), self.categories.as_ref(), batch).or_else(row);
        // `init` makes at least one of them.
        found.unwrap_or_else(|| bridge::from_vec(Vec::new(), [entries, 0]))
    }

    /// Whether one row stands for all entries, and that row, `[1, width]`.
    pub fn single(&self) -> Option<Tensor<2>> {
        self.row.as_ref().map(Param::val)
    }

    /// Writes the rows into the ledger.
    pub(crate) fn cost(shape: &Shape, width: usize, ledger: &Ledger) -> Tracked {
        EntryEncoder::cost("edges", width, shape, ledger).unwrap_or_else(|| {
            let ones = ledger.data(floats(shape.entries));
            ledger.linear("edges", ones, shape.entries, 1, width, false)
        })
    }
}
