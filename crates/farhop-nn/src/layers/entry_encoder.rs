//! What is known of an entry of the graph (a direction of an edge), as one row of `width` channels:
//! `e = numbers W + b + sum over columns c of T_c[category_c]`, each term if entries have what it reads.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::Linear;
use crate::init::{Seeds, Start};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::{Batch, InputShape, Shape, init, ops};

/// Features of entries to `[E, width]`.
#[derive(Module, Debug)]
pub struct EntryEncoder {
    projection: Option<Linear>,
    categories: Option<Param<Tensor<2>>>,
}

impl EntryEncoder {
    /// Glorot weights and tables, zero bias; none if entries have no features.
    pub(crate) fn init(inputs: &InputShape, width: usize, seeds: &mut Seeds) -> Option<Self> {
        EntryEncoder::init_as(Start::Glorot, inputs, width, seeds)
    }

    /// As [`EntryEncoder::init`], numbers as `start` says.
    pub(crate) fn init_as(start: Start, inputs: &InputShape, width: usize, seeds: &mut Seeds) -> Option<Self> {
        let [projection, table] = [seeds.next_seed(), seeds.next_seed()];
        inputs.has_edges().then(|| EntryEncoder {
            projection: (inputs.edge_numbers > 0)
                .then(|| Linear::init_as(start, inputs.edge_numbers, width, projection)),
            categories: (!inputs.edge_categories.is_empty())
                .then(|| init::tables(&inputs.edge_categories, width, table)),
        })
    }

    /// The encoded entries; none if there is no entry.
    pub fn forward(&self, batch: &Batch) -> Option<Tensor<2>> {
        if batch.graph().entries() == 0 {
            return None;
        }
        terms(self.projection.as_ref(), self.categories.as_ref(), batch)
    }

    /// Writes the encoder into the ledger; none if entries have no features.
    pub(crate) fn cost(name: &str, width: usize, shape: &Shape, ledger: &Ledger) -> Option<Tracked> {
        let numbers = (shape.edge_numbers > 0)
            .then(|| ledger.linear(name, ledger.data(0), shape.entries, shape.edge_numbers, width, true));
        let table = (shape.edge_categories > 0).then(|| {
            ledger.weights(&format!("{name} weights"), shape.edge_category_rows * width);
            let output = rows(shape.entries, width);
            let sums = farhop_kernels::embedding::bytes(shape.entries, shape.edge_category_rows, width);
            let work = Work { name: name.into(), output, backward: 2 * output + sums, ..Work::default() };
            ledger.run(work, [(ledger.data(0), false)])
        });
        numbers.into_iter().chain(table).reduce(|sum, term| ledger.add(name, sum, term))
    }
}

/// The sum of what numbers and categories of entries give; none if there is neither.
pub(super) fn terms(
    numbers: Option<&Linear>,
    categories: Option<&Param<Tensor<2>>>,
    batch: &Batch,
) -> Option<Tensor<2>> {
    let numbers = numbers.map(|linear| linear.apply(batch.edge_numbers().into()));
    let table = categories.map(|table| ops::embedding(batch.edge_categories(), table.val()));
    numbers.into_iter().chain(table).reduce(ops::add)
}
