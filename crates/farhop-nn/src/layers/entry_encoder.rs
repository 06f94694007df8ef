//! What is known of an entry, as one row: `e = numbers W + b + sum over columns c of T_c[category_c]`.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::Linear;
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::{Batch, InputShape, Shape, init, ops};

/// Features of entries to `[E, width]`.
#[derive(Module, Debug)]
pub struct EntryEncoder {
    numbers: Option<Linear>,
    categories: Option<Param<Tensor<2>>>,
}

impl EntryEncoder {
    /// Glorot weights and tables, zero bias; none if entries have no features.
    pub fn init(inputs: &InputShape, width: usize, seed: u64) -> Option<Self> {
        let categories = !inputs.edge_categories.is_empty();
        inputs.has_edges().then(|| EntryEncoder {
            numbers: (inputs.edge_numbers > 0).then(|| Linear::init(inputs.edge_numbers, width, seed)),
            categories: categories.then(|| init::tables(&inputs.edge_categories, width, seed ^ 1)),
        })
    }

    /// The rows, `[E, width]`; none if there is nothing to read.
    pub fn forward(&self, batch: &Batch) -> Option<Tensor<2>> {
        let numbers = self.numbers.as_ref().map(|linear| linear.apply(batch.edge_numbers().into()));
        let categories = self.categories.as_ref().map(|table| ops::embedding(batch.edge_categories(), table.val()));
        match (numbers, categories) {
            (Some(numbers), Some(categories)) => Some(numbers + categories),
            (numbers, categories) => numbers.or(categories),
        }
    }

    /// Writes it into the ledger.
    pub fn cost(name: &str, shape: &Shape, width: usize, ledger: &Ledger) -> Option<Tracked> {
        let numbers = (shape.edge_numbers > 0)
            .then(|| ledger.linear(name, ledger.data(0), shape.entries, shape.edge_numbers, width, true));
        let categories = (shape.edge_categories > 0).then(|| {
            ledger.weights(&format!("{name} weights"), shape.edge_category_rows * width);
            let output = floats(shape.entries * width);
            let tables = farhop_kernels::embedding::bytes(shape.entries, shape.edge_category_rows, width);
            let work = Work { name: name.into(), output, backward: output + tables, ..Work::default() };
            ledger.run(work, [(ledger.data(0), false)])
        });
        match (numbers, categories) {
            (Some(numbers), Some(categories)) => Some(ledger.add(name, numbers, categories)),
            (numbers, categories) => numbers.or(categories),
        }
    }
}
