//! Feature matrices.

use std::path::Path;

use super::reader::read;
use crate::error::DataError;
use crate::tables::scan::MOST_NODES;

/// A matrix of finite numbers, row after row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// `[rows, columns]`.
    pub values: Vec<f32>,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

/// Reads a feature matrix from an `npy` file: two dimensions, or one for a single column.
/// NaN and infinite numbers are errors.
pub fn read_matrix(path: &Path) -> Result<Matrix, DataError> {
    let array = read(path)?;
    let (rows, columns) = match array.shape[..] {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => {
            array.require_dimensions(2)?;
            (0, 0)
        }
    };
    if rows == 0 || columns == 0 || rows > MOST_NODES {
        return Err(DataError::Array {
            file: array.name,
            reason: format!("the array has shape {:?}; at least one row and one column are needed.", array.shape),
        });
    }
    let values = array.to_f32()?;
    if let Some(position) = values.iter().position(|value| !value.is_finite()) {
        return Err(DataError::Array {
            file: array.name,
            reason: format!(
                "row {}, column {} is {}, not a finite 32-bit number.",
                position / columns,
                position % columns,
                values[position]
            ),
        });
    }
    Ok(Matrix { values, rows, columns })
}
