//! The arrays that `scipy.sparse.save_npz` writes.

use super::bag::Bag;
use super::refuse_gaps;
use crate::dataset::csr::Csr;
use crate::error::DataError;
use crate::formats::npy::{Array, Dtype};
use crate::tables::scan::MOST_NODES;
use crate::text::quoted;

/// What to do about a form that is not read.
const REMEDY: &str = "Save it as scipy.sparse.save_npz(file, matrix.tocsr()).";

/// Reads the matrix whose entries are given by the arrays `names`.
pub(super) fn read(bag: &mut Bag<'_>, names: [&str; 2]) -> Result<Csr, DataError> {
    let form = form(bag)?;
    let shape = bag.array("shape")?;
    let numbers = shape.to_i64()?;
    let &[rows, columns] = &numbers[..] else {
        return Err(bag.wrong("shape", format!("the array has shape {:?}; two numbers are needed.", shape.shape)));
    };
    let data = bag.array("data")?;
    let [first, second] = [bag.array(names[0])?, bag.array(names[1])?];
    // Newer versions say with this flag that a matrix is an array.
    if bag.has("_is_array") {
        bag.mark("_is_array");
    }
    match (form.as_str(), names) {
        ("csr", ["indices", _]) => Csr::from_arrays(&shape.name, [rows, columns], &data, &first, &second),
        ("csc", ["indices", _]) => {
            let turned = Csr::from_arrays(&shape.name, [columns, rows], &data, &first, &second)?;
            refuse_gaps(&shape.name, turned.columns, turned.indices.len())?;
            let (of_row, of_column): (Vec<u32>, Vec<u32>) = turned.entries().map(|[column, row]| (row, column)).unzip();
            compressed(&shape.name, [turned.columns, turned.rows], &of_row, &of_column, &turned.values)
        }
        ("coo", ["row", _]) => from_pairs(&shape.name, [rows, columns], &data, &first, &second),
        _ => Err(bag.wrong("format", format!("{} is not csr, csc or coo. {REMEDY}", quoted(&form)))),
    }
}

/// The form is a text, or bytes in older versions.
fn form(bag: &mut Bag<'_>) -> Result<String, DataError> {
    let array = bag.array("format")?;
    match array.dtype {
        Dtype::Text(_) | Dtype::Bytes(_) => Ok(array.to_text()?.into_iter().next().unwrap_or_default()),
        _ => Err(bag.wrong("format", format!("the form of the matrix is not a text. {REMEDY}"))),
    }
}

fn from_pairs(
    name: &str,
    [rows, columns]: [i64; 2],
    data: &Array,
    row: &Array,
    column: &Array,
) -> Result<Csr, DataError> {
    let size = |number: i64| usize::try_from(number).ok().filter(|&number| number <= MOST_NODES);
    let (Some(rows), Some(columns)) = (size(rows), size(columns)) else {
        let reason = format!("{rows} rows and {columns} columns; 0 to {MOST_NODES} of each are allowed.");
        return Err(DataError::Array { file: name.to_string(), reason });
    };
    let (of_row, of_column, values) = (row.to_ids(rows)?, column.to_ids(columns)?, data.to_f32()?);
    if of_row.len() != of_column.len() || of_row.len() != values.len() {
        let reason = format!("{} rows, {} columns and {} values.", of_row.len(), of_column.len(), values.len());
        return Err(DataError::Array { file: name.to_string(), reason: format!("{reason} As many are needed.") });
    }
    refuse_gaps(name, rows, of_row.len())?;
    compressed(name, [rows, columns], &of_row, &of_column, &values)
}

/// Entries in any order, brought into compressed rows.
fn compressed(
    name: &str,
    [rows, columns]: [usize; 2],
    of_row: &[u32],
    of_column: &[u32],
    values: &[f32],
) -> Result<Csr, DataError> {
    let mut order: Vec<usize> = (0..of_row.len()).collect();
    order.sort_by_key(|&entry| of_row[entry]);
    let mut offsets = vec![0; rows + 1];
    of_row.iter().for_each(|&row| offsets[row as usize + 1] += 1);
    (0..rows).for_each(|row| offsets[row + 1] += offsets[row]);
    let indices = order.iter().map(|&entry| of_column[entry]).collect();
    let values = order.iter().map(|&entry| values[entry]).collect();
    Csr::new(name, [rows, columns], offsets, indices, values)
}
