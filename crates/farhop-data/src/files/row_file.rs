//! Rows of numbers with their keys: as CSV, or as one NumPy array without them.

use std::path::Path;

use crate::error::DataError;
use crate::files::save::write_atomically;
use crate::formats::npy::write_f32;

/// Rows of numbers.
pub struct RowFile<'a> {
    /// The axes of the array; the last one is `columns`.
    pub shape: &'a [usize],
    /// The names of the columns that say what a row is about.
    pub keys: &'a [&'a str],
    /// What the row of that number is about, in the order of `keys`.
    pub key_of: &'a dyn Fn(usize) -> Vec<String>,
    /// The names of the columns of numbers.
    pub columns: &'a [String],
    /// `[rows, columns]`, row after row.
    pub values: &'a [f32],
}

impl RowFile<'_> {
    /// Whether a name is one of the two kinds.
    ///
    /// # Errors
    /// When it is not.
    pub fn check_name(path: &Path) -> Result<(), DataError> {
        match path.extension().and_then(|end| end.to_str()) {
            Some("npy" | "csv") => Ok(()),
            _ => Err(DataError::Mismatch {
                what: format!(
                    "{}: it is not clear what to write. Give a name that ends in .npy or .csv.",
                    path.display()
                ),
            }),
        }
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// When the name ends in neither `.npy` nor `.csv`, or the file can't be written.
    pub fn save(&self, path: &Path) -> Result<(), DataError> {
        RowFile::check_name(path)?;
        if path.extension().is_some_and(|end| end == "npy") {
            return write_atomically(path, |file| write_f32(file, self.shape, self.values));
        }
        write_atomically(path, |file| {
            let mut csv = csv::Writer::from_writer(file);
            let keys = self.keys.iter().map(ToString::to_string);
            csv.write_record(keys.chain(self.columns.iter().cloned()))?;
            for (row, values) in self.values.chunks_exact(self.columns.len().max(1)).enumerate() {
                let numbers = values.iter().map(f32::to_string);
                csv.write_record((self.key_of)(row).into_iter().chain(numbers))?;
            }
            csv.flush()
        })
    }
}
