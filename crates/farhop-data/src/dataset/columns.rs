//! Features of rows: numbers, and categories for embedding.

use super::on_disk::{NumbersOnDisk, divide_by_sum, not_finite};
use crate::dataset::categories::MOST_CATEGORIES;
use crate::dataset::csr::Csr;
use crate::error::DataError;
use crate::text::thousands;

/// The most columns of features: something is kept for each of them, also where all its numbers are 0.
const MOST_COLUMNS: usize = 1 << 22;

/// The numbers of feature rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// `[rows, width]`, row after row.
    Dense(Vec<f32>),
    /// Mostly zeros, kept as such: words of documents, one-hot categories.
    Sparse(Csr),
    /// `[rows, width]`, read from their file when they are needed.
    OnDisk(NumbersOnDisk),
}

impl Numbers {
    /// All of them, written out.
    ///
    /// # Errors
    /// When sparse numbers are too many for that, or a file can't be read.
    pub fn into_dense(self) -> Result<Vec<f32>, DataError> {
        match self {
            Numbers::Dense(numbers) => Ok(numbers),
            Numbers::Sparse(csr) => csr.to_dense(),
            Numbers::OnDisk(numbers) => numbers.to_dense(),
        }
    }
}

/// Features of nodes (a row per node) or of edges (a row per entry of the graph).
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// Numbers in a row.
    pub width: usize,
    /// The numbers, `[rows, width]`.
    pub numbers: Numbers,
    /// For each column of categories, how many there are.
    pub sizes: Vec<u32>,
    /// `[rows, sizes.len()]`, row after row, each below the size of its column.
    pub categories: Vec<u16>,
}

impl Default for Columns {
    fn default() -> Self {
        Columns::none()
    }
}

impl Columns {
    /// No features.
    pub fn none() -> Self {
        Columns::dense(0, Vec::new())
    }

    /// Numbers only, `[rows, width]`.
    pub fn dense(width: usize, numbers: Vec<f32>) -> Self {
        Columns { width, numbers: Numbers::Dense(numbers), sizes: Vec::new(), categories: Vec::new() }
    }

    /// Sparse numbers only.
    pub fn sparse(numbers: Csr) -> Self {
        Columns { width: numbers.columns, numbers: Numbers::Sparse(numbers), sizes: Vec::new(), categories: Vec::new() }
    }

    /// Numbers only, which stay on disk.
    pub fn on_disk(numbers: NumbersOnDisk) -> Self {
        Columns { width: numbers.width(), numbers: Numbers::OnDisk(numbers), ..Columns::none() }
    }

    /// Categories only, `[rows, sizes.len()]`.
    pub fn categories(sizes: Vec<u32>, categories: Vec<u16>) -> Self {
        Columns { sizes, categories, ..Columns::none() }
    }

    /// Whether there is no feature.
    pub fn is_empty(&self) -> bool {
        self.width == 0 && self.sizes.is_empty()
    }

    /// Bytes on the heap; numbers on disk do not count.
    pub fn heap_bytes(&self) -> usize {
        let numbers = match &self.numbers {
            Numbers::Dense(numbers) => 4 * numbers.len(),
            Numbers::Sparse(csr) => 8 * (csr.indices.len() + csr.offsets.len()),
            Numbers::OnDisk(_) => 0,
        };
        numbers + 2 * self.categories.len()
    }

    /// Divides every row of numbers by its sum; rows that add up to 0 stay. Numbers that stay in a file are divided on their way.
    pub fn row_normalise(&mut self) {
        match &mut self.numbers {
            Numbers::Dense(numbers) if self.width > 0 => numbers.chunks_exact_mut(self.width).for_each(divide_by_sum),
            Numbers::Dense(_) => {}
            Numbers::OnDisk(numbers) => *numbers = numbers.clone().row_normalised(),
            Numbers::Sparse(csr) => {
                for row in 0..csr.rows {
                    divide_by_sum(&mut csr.values[csr.offsets[row]..csr.offsets[row + 1]]);
                }
            }
        }
    }

    /// Checks that these are the features of `rows` rows: lengths, finite numbers, categories in range.
    pub(super) fn check(&self, rows: usize, what: &str) -> Result<(), DataError> {
        let wrong = |what: String| Err(DataError::Mismatch { what });
        if self.width > MOST_COLUMNS || self.sizes.len() > MOST_COLUMNS {
            let (columns, most) = (thousands(self.width.max(self.sizes.len()) as u64), thousands(MOST_COLUMNS as u64));
            return wrong(format!("{columns} columns of features of {what}; at most {most} are allowed."));
        }
        if let Some(size) = self.sizes.iter().find(|&&size| size as usize > MOST_CATEGORIES) {
            return wrong(format!(
                "a column of {what} with {} categories; at most 65,536 are allowed.",
                thousands((*size).into())
            ));
        }
        match &self.numbers {
            Numbers::Dense(numbers) if numbers.len() != rows * self.width => {
                return wrong(format!("{} numbers of width {} for {rows} {what}.", numbers.len(), self.width));
            }
            Numbers::Dense(numbers) => {
                if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
                    return wrong(not_finite(what, self.width, at, numbers[at]));
                }
            }
            Numbers::Sparse(csr) if csr.rows != rows || csr.columns != self.width => {
                return wrong(format!("{} sparse rows of width {} for {rows} {what}.", csr.rows, csr.columns));
            }
            Numbers::Sparse(_) => {}
            Numbers::OnDisk(numbers) if (numbers.rows(), numbers.width()) != (rows, self.width) => {
                return wrong(format!("{} rows of width {} for {rows} {what}.", numbers.rows(), numbers.width()));
            }
            // Looked at when the file was opened.
            Numbers::OnDisk(_) => {}
        }
        let columns = self.sizes.len();
        if self.categories.len() != rows * columns {
            return wrong(format!("{} categories in {columns} columns for {rows} {what}.", self.categories.len()));
        }
        if columns > 0 {
            for (row, values) in self.categories.chunks_exact(columns).enumerate() {
                for (column, (&value, &size)) in values.iter().zip(&self.sizes).enumerate() {
                    if u32::from(value) >= size {
                        return wrong(format!("{what} row {row}, column {column} has category {value} of {size}."));
                    }
                }
            }
        }
        Ok(())
    }
}
