//! Checked sparse matrices in compressed rows.

use std::io::{Read, Seek};

use crate::error::DataError;
use crate::formats::npy::Array;
use crate::formats::npz::Npz;
use crate::memory::Budget;
use crate::tables::scan::MOST_NODES;
use crate::text::thousands;

/// The most numbers that [`Csr::to_dense`] writes out: 4 GiB of them.
pub const LARGEST_DENSE: usize = 1 << 30;

/// A sparse matrix in compressed rows. The entries of row `i` are `indices[k]`, `values[k]` for `k`
/// in `offsets[i]..offsets[i + 1]`. One that exists is valid: offsets ascend, indices lie in range,
/// values are finite. Indices of a row may be in any order and may repeat, as SciPy allows;
/// repeated entries count as their sum ([`Csr::to_dense`] adds them, [`Csr::duplicates`] counts them).
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// `[rows + 1]`: where the entries of each row start.
    pub offsets: Vec<usize>,
    /// `[entries]`: the column of each entry.
    pub indices: Vec<u32>,
    /// `[entries]`: the value of each entry.
    pub values: Vec<f32>,
}

impl Csr {
    /// Checks the parts of a matrix; `name` is for messages.
    pub fn new(
        name: &str,
        [rows, columns]: [usize; 2],
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f32>,
    ) -> Result<Csr, DataError> {
        let csr = Csr { rows, columns, offsets, indices, values };
        match csr.fault() {
            None => Ok(csr),
            Some(fault) => Err(wrong(name, fault)),
        }
    }

    /// Reads `<prefix>_data`, `<prefix>_indices`, `<prefix>_indptr` and `<prefix>_shape`.
    pub fn from_npz<R: Read + Seek>(npz: &mut Npz<R>, prefix: &str) -> Result<Csr, DataError> {
        Csr::from_pieces(&format!("{prefix}_"), |name| npz.array(name))
    }

    /// As [`Csr::from_npz`], from arrays that `read` finds: `<start>data` and so on.
    pub(crate) fn from_pieces(
        start: &str,
        mut read: impl FnMut(&str) -> Result<Array, DataError>,
    ) -> Result<Csr, DataError> {
        let shape = read(&format!("{start}shape"))?;
        let numbers = shape.to_i64()?;
        let &[rows, columns] = &numbers[..] else {
            let reason = format!("the array has shape {:?}; two numbers are needed: rows and columns.", shape.shape);
            return Err(wrong(&shape.name, reason));
        };
        let data = read(&format!("{start}data"))?;
        let indices = read(&format!("{start}indices"))?;
        let offsets = read(&format!("{start}indptr"))?;
        Csr::from_arrays(&shape.name, [rows, columns], &data, &indices, &offsets)
    }

    /// Checks a matrix that was saved as arrays; `name` is for messages about its shape.
    pub fn from_arrays(
        name: &str,
        [rows, columns]: [i64; 2],
        data: &Array,
        indices: &Array,
        offsets: &Array,
    ) -> Result<Csr, DataError> {
        let length = |number: i64| usize::try_from(number).ok().filter(|&number| number <= MOST_NODES);
        let (Some(rows), Some(columns)) = (length(rows), length(columns)) else {
            let most = thousands(MOST_NODES as u64);
            return Err(wrong(name, format!("{rows} rows and {columns} columns; 0 to {most} of each are allowed.")));
        };
        for array in [data, indices, offsets] {
            array.require_dimensions(1)?;
        }
        // What comes after has something for every column, also for those without an entry.
        indices.budget().charge_for::<[f32; 4]>(columns)?;
        offsets.budget().charge_for::<usize>(offsets.len())?;
        let starts = offsets.to_i64()?.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
        let starts = starts.map_err(|_| wrong(&offsets.name, "an offset is negative.".to_string()))?;
        Csr::new(name, [rows, columns], starts, indices.to_ids(columns)?, data.to_f32()?)
    }

    /// The entries of a row: columns and values.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.offsets[row]..self.offsets[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Row and column of every entry, row after row.
    pub fn entries(&self) -> impl Iterator<Item = [u32; 2]> {
        (0..self.rows).flat_map(|row| self.row(row).0.iter().map(move |&column| [row as u32, column]))
    }

    /// How many entries repeat another one of the same row and column.
    pub fn duplicates(&self) -> usize {
        let mut repeated = 0;
        let mut columns = Vec::new();
        for row in 0..self.rows {
            columns.clear();
            columns.extend_from_slice(self.row(row).0);
            columns.sort_unstable();
            repeated += columns.windows(2).filter(|pair| pair[0] == pair[1]).count();
        }
        repeated
    }

    /// The matrix with its zeros, `[rows, columns]`, row after row; repeated entries are added up.
    /// An error if that is more than 2^30 numbers.
    pub fn to_dense(&self) -> Result<Vec<f32>, DataError> {
        let numbers = self.rows.checked_mul(self.columns).filter(|&numbers| numbers <= LARGEST_DENSE);
        let Some(numbers) = numbers else {
            let (rows, columns) = (thousands(self.rows as u64), thousands(self.columns as u64));
            let most = thousands(LARGEST_DENSE as u64);
            let what = format!(
                "a sparse matrix of {rows} rows and {columns} columns has more than {most} numbers, too many to write out. Keep it sparse."
            );
            return Err(DataError::Mismatch { what });
        };
        // It is asked for: a matter of memory alone.
        let mut dense = Budget::new("a sparse matrix", u64::MAX).filled(0.0, numbers)?;
        for row in 0..self.rows {
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                dense[row * self.columns + column as usize] += value;
            }
        }
        Ok(dense)
    }

    fn fault(&self) -> Option<String> {
        let entries = self.indices.len();
        if self.offsets.len().checked_sub(1) != Some(self.rows) {
            return Some(format!(
                "{} offsets for {} rows; one more than rows is needed.",
                self.offsets.len(),
                self.rows
            ));
        }
        if self.values.len() != entries {
            return Some(format!("{entries} indices and {} values; as many of each are needed.", self.values.len()));
        }
        if self.offsets.first() != Some(&0) || self.offsets.last() != Some(&entries) {
            return Some(format!("the offsets must run from 0 to {entries}, the number of entries."));
        }
        if let Some(row) = self.offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Some(format!("the offsets of row {row} descend; they must ascend."));
        }
        if let Some(&index) = self.indices.iter().find(|&&index| index as usize >= self.columns) {
            return Some(format!("an entry is in column {index} of a matrix of {} columns.", self.columns));
        }
        let broken = self.values.iter().position(|value| !value.is_finite())?;
        let row = self.offsets.partition_point(|&offset| offset <= broken) - 1;
        Some(format!(
            "row {row}, column {} is {}, not a finite 32-bit number.",
            self.indices[broken], self.values[broken]
        ))
    }
}

fn wrong(name: &str, reason: String) -> DataError {
    DataError::Array { file: name.to_string(), reason }
}
