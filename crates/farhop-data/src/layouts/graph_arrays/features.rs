//! Features of nodes and edges among named arrays.

use super::bag::{Bag, Stored};
use super::refuse_gaps;
use crate::dataset::csr::Csr;
use crate::dataset::{Columns, Numbers};
use crate::error::DataError;
use crate::formats::npy::{Array, Dtype};
use crate::text::quoted;

const OF_NODES: [&str; 8] = ["x", "node_features", "features", "node_feat", "feat", "X", "attr_matrix", "node_attr"];
const OF_EDGES: [&str; 5] = ["edge_attr", "edge_features", "edge_feat", "edge_weight", "edge_weights"];

/// A column of categories has at most this many.
const MOST_CATEGORIES: i64 = 4096;
/// Features of more columns than this are numbers, whatever their type.
const MOST_CATEGORY_COLUMNS: usize = 64;

/// Feature rows, and what should be known about them.
pub(super) struct FeatureRows {
    pub name: &'static str,
    pub rows: usize,
    pub columns: Columns,
    pub note: Option<String>,
}

/// The features of nodes; `categories` are names of arrays that the user calls so.
pub(super) fn of_nodes(bag: &mut Bag<'_>, categories: &[String]) -> Result<Option<FeatureRows>, DataError> {
    let pieces = ["attr_data", "attr_indices", "attr_indptr", "attr_shape"];
    if let Some(name) = bag.first_of(&OF_NODES) {
        return read(bag, name, categories).map(Some);
    }
    if pieces.iter().all(|name| bag.has(name)) {
        let matrix = bag.pieces("attr")?;
        return Ok(Some(FeatureRows {
            name: "attr_data",
            rows: matrix.rows,
            columns: Columns::sparse(matrix),
            note: None,
        }));
    }
    Ok(None)
}

/// The features of edges, a row for every edge of the file.
pub(super) fn of_edges(bag: &mut Bag<'_>, categories: &[String]) -> Result<Option<FeatureRows>, DataError> {
    bag.first_of(&OF_EDGES).map(|name| read(bag, name, categories)).transpose()
}

fn read(bag: &mut Bag<'_>, name: &'static str, categories: &[String]) -> Result<FeatureRows, DataError> {
    let asked = categories.iter().any(|wanted| wanted == name);
    if asked || bag.source().whole_numbers_are_categories() {
        let stored = bag.take(name)?;
        if let Stored::Array(array) = &stored
            && matches!(array.dtype, Dtype::Signed(_) | Dtype::Unsigned(_))
            && let Some((rows, columns)) = as_categories(array)?
        {
            let note = (!asked).then(|| format!("{} holds whole numbers, which are read as categories", quoted(name)));
            return Ok(FeatureRows { name, rows, columns, note });
        }
        if asked {
            let reason = format!("categories are whole numbers from 0 to {}.", MOST_CATEGORIES - 1);
            return Err(bag.wrong(name, reason));
        }
    }
    let (columns, shape) = bag.numbers(name)?;
    let rows = match shape[..] {
        [rows] => rows,
        [rows, width] if width > 0 => rows,
        _ => {
            let reason = format!("the array has shape {shape:?}; a row of at least one number for each is needed.");
            return Err(bag.wrong(name, reason));
        }
    };
    let columns = match (columns.numbers, columns.width) {
        (Numbers::Dense(numbers), width) => mostly_sparse(name, rows, width, numbers)?,
        (numbers, width) => Columns { numbers, width, ..Columns::none() },
    };
    Ok(FeatureRows { name, rows, columns, note: None })
}

/// Columns of categories, if the numbers can be such: none negative, none large, and not all 0 or 1.
fn as_categories(array: &Array) -> Result<Option<(usize, Columns)>, DataError> {
    let (rows, width) = match array.shape[..] {
        [rows] => (rows, 1),
        [rows, width @ 1..=MOST_CATEGORY_COLUMNS] => (rows, width),
        _ => return Ok(None),
    };
    let numbers = array.to_i64()?;
    let largest = numbers.iter().copied().max().unwrap_or(0);
    if largest < 2 || numbers.iter().any(|number| !(0..MOST_CATEGORIES).contains(number)) {
        return Ok(None);
    }
    let mut sizes = vec![1u32; width];
    for row in numbers.chunks_exact(width) {
        for (size, &number) in sizes.iter_mut().zip(row) {
            *size = (*size).max(number as u32 + 1);
        }
    }
    let categories = numbers.iter().map(|&number| number as u16).collect();
    Ok(Some((rows, Columns::categories(sizes, categories))))
}

/// How many nodes the file says there are.
pub(super) fn node_count(bag: &mut Bag<'_>, edges: usize) -> Result<Option<usize>, DataError> {
    let Some(name) = bag.first_of(&["num_nodes", "n_nodes", "number_of_nodes"]) else { return Ok(None) };
    let array = bag.array(name)?;
    let count = match array.to_i64()?[..] {
        [count] => usize::try_from(count).ok(),
        _ => None,
    };
    let Some(count) = count else {
        return Err(bag.wrong(name, "one whole number is needed.".to_string()));
    };
    refuse_gaps(bag.file(), count, edges)?;
    Ok(Some(count))
}

/// Features as they are kept: sparse if at most one number in five is not 0.
fn mostly_sparse(name: &str, rows: usize, width: usize, dense: Vec<f32>) -> Result<Columns, DataError> {
    let filled = dense.iter().filter(|value| **value != 0.0).count();
    if width == 0 || dense.len() != rows.saturating_mul(width) || 5 * filled > dense.len() {
        return Ok(Columns::dense(width, dense));
    }
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::with_capacity(filled), Vec::with_capacity(filled));
    for row in dense.chunks_exact(width) {
        for (column, &value) in row.iter().enumerate() {
            if value != 0.0 {
                indices.push(column as u32);
                values.push(value);
            }
        }
        offsets.push(indices.len());
    }
    Ok(Columns::sparse(Csr::new(name, [rows, width], offsets, indices, values)?))
}
