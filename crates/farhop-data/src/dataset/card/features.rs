//! What feature columns look like.

use serde::{Deserialize, Serialize};

use crate::dataset::csr::Csr;
use crate::dataset::{Columns, Numbers};
use crate::error::DataError;

/// What the features of nodes or edges look like.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ColumnsSummary {
    /// The numbers; `None` if there are none.
    pub numbers: Option<NumbersSummary>,
    /// The columns of categories.
    pub categories: Vec<CategorySummary>,
}

/// What columns of numbers look like.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NumbersSummary {
    /// How many columns.
    pub columns: usize,
    /// Whether zeros are left out in memory.
    pub sparse: bool,
    /// The smallest number.
    pub min: f32,
    /// The largest number.
    pub max: f32,
    /// The share of zeros.
    pub zeros: f64,
    /// Columns that hold one value only.
    pub constant: usize,
    /// Those of them that hold zeros.
    pub all_zero: usize,
}

/// What a column of categories looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategorySummary {
    /// How many categories there may be.
    pub size: u32,
    /// How many of them occur.
    pub used: u32,
}

#[derive(Clone, Copy)]
struct Column {
    min: f32,
    max: f32,
    others: usize,
}

const NOTHING_SEEN: Column = Column { min: f32::INFINITY, max: f32::NEG_INFINITY, others: 0 };

impl ColumnsSummary {
    /// Describes the features of `rows` rows.
    pub(super) fn of(columns: &Columns, rows: usize) -> ColumnsSummary {
        let numbers = (columns.width > 0 && rows > 0).then(|| match &columns.numbers {
            Numbers::Dense(numbers) => {
                let mut seen = ColumnRanges::new(columns.width);
                seen.take(numbers);
                summary(seen.columns(), rows, false)
            }
            Numbers::Sparse(csr) => summary(sparse(csr), rows, true),
            Numbers::OnDisk(numbers) => {
                let mut seen = ColumnRanges::new(columns.width);
                // A card has no errors: a file that can't be read shows when it is used.
                let _ = numbers.for_each(|_, rows| {
                    seen.take(rows);
                    Ok::<(), DataError>(())
                });
                summary(seen.columns(), rows, false)
            }
        });
        ColumnsSummary { numbers, categories: categories(columns) }
    }
}

/// Dense columns so far. One array per question, so that the compiler answers several columns at once.
struct ColumnRanges {
    min: Vec<f32>,
    max: Vec<f32>,
    others: Vec<u32>,
}

impl ColumnRanges {
    fn new(width: usize) -> Self {
        ColumnRanges { min: vec![f32::INFINITY; width], max: vec![f32::NEG_INFINITY; width], others: vec![0; width] }
    }

    fn take(&mut self, numbers: &[f32]) {
        let ColumnRanges { min, max, others } = self;
        for row in numbers.chunks_exact(min.len().max(1)) {
            for (((min, max), others), &number) in min.iter_mut().zip(&mut *max).zip(&mut *others).zip(row) {
                *min = if number < *min { number } else { *min };
                *max = if number > *max { number } else { *max };
                *others += u32::from(number != 0.0);
            }
        }
    }

    fn columns(self) -> Vec<Column> {
        let both = self.min.into_iter().zip(self.max).zip(self.others);
        both.map(|((min, max), others)| Column { min, max, others: others as usize }).collect()
    }
}

/// Entries of one place count as they are, not as their sum.
fn sparse(csr: &Csr) -> Vec<Column> {
    let mut columns = vec![NOTHING_SEEN; csr.columns];
    let mut entries = vec![0usize; csr.columns];
    for (&column, &number) in csr.indices.iter().zip(&csr.values) {
        let place = column as usize;
        let column = &mut columns[place];
        column.min = column.min.min(number);
        column.max = column.max.max(number);
        column.others += usize::from(number != 0.0);
        entries[place] += 1;
    }
    for (column, entries) in columns.iter_mut().zip(entries) {
        if entries < csr.rows {
            column.min = column.min.min(0.0);
            column.max = column.max.max(0.0);
        }
    }
    columns
}

fn summary(columns: Vec<Column>, rows: usize, sparse: bool) -> NumbersSummary {
    let others: usize = columns.iter().map(|column| column.others).sum();
    let cells = (rows * columns.len()) as f64;
    let constant = columns.iter().filter(|column| column.min == column.max);
    NumbersSummary {
        columns: columns.len(),
        sparse,
        min: columns.iter().map(|column| column.min).fold(f32::INFINITY, f32::min),
        max: columns.iter().map(|column| column.max).fold(f32::NEG_INFINITY, f32::max),
        zeros: (1.0 - others as f64 / cells).max(0.0),
        constant: constant.clone().count(),
        all_zero: constant.filter(|column| column.min == 0.0).count(),
    }
}

fn categories(columns: &Columns) -> Vec<CategorySummary> {
    let mut seen: Vec<Vec<bool>> = columns.sizes.iter().map(|&size| vec![false; size as usize]).collect();
    if !seen.is_empty() {
        for row in columns.categories.chunks_exact(seen.len()) {
            for (seen, &value) in seen.iter_mut().zip(row) {
                if let Some(seen) = seen.get_mut(value as usize) {
                    *seen = true;
                }
            }
        }
    }
    let used = |seen: &Vec<bool>| seen.iter().filter(|seen| **seen).count() as u32;
    columns.sizes.iter().zip(&seen).map(|(&size, seen)| CategorySummary { size, used: used(seen) }).collect()
}
