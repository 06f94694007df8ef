//! Sums of rows of a table: `y_r = sum over columns c of T[start_c + x_rc]`.
//!
//! One table holds the categories of all columns one after the other; column c starts at row `start_c`. This is the product
//! of the one-hot form of the categories with the table, without the one-hot form. Categories are data: no gradient.

use crate::parallel::{Blocks, PARALLEL_FROM, SharedMut, in_order, sum_in_order};
use crate::simd_fn;
use std::ops::Range;

/// At most this many partial tables are summed up in the backward pass.
const MOST_PARTS: usize = 24;

/// Categories of rows, `[rows, columns]`, each column with its own number of categories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    values: Vec<u16>,
    starts: Vec<usize>,
    table_rows: usize,
}

impl Categories {
    /// `values` `[rows, counts.len()]`; `counts[c]` categories in column c.
    ///
    /// # Panics
    /// If the values are not whole rows, or a value is not below the count of its column.
    pub fn new(values: Vec<u16>, counts: &[u32]) -> Self {
        // Without columns, only no values at all are whole rows.
        assert!(values.len().is_multiple_of(counts.len()), "categories must be [rows, columns]");
        for row in values.chunks_exact(counts.len().max(1)) {
            for (column, (&value, &count)) in row.iter().zip(counts).enumerate() {
                assert!(u32::from(value) < count, "category {value} in column {column}, which has {count}");
            }
        }
        let mut table_rows = 0;
        let start = |count: &u32| {
            let start = table_rows;
            table_rows += *count as usize;
            start
        };
        let starts = counts.iter().map(start).collect();
        Categories { values, starts, table_rows }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.starts.len()
    }

    /// Number of rows; 0 if there are no columns.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns().max(1)
    }

    /// Rows of the table: the categories of all columns.
    pub fn table_rows(&self) -> usize {
        self.table_rows
    }
}

/// Bytes that [`backward`] allocates while it runs.
pub fn bytes(rows: usize, table_rows: usize, width: usize) -> u64 {
    ((parts(rows, table_rows) + 3) * table_rows * width * size_of::<f32>()) as u64
}

/// `y[rows, width]` from the table `[table_rows, width]`.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn forward(categories: &Categories, table: &[f32], width: usize, y: &mut [f32]) {
    assert_eq!(table.len(), categories.table_rows * width, "the table must be [table rows, width]");
    assert_eq!(y.len(), categories.rows() * width, "the result must be [rows, width]");
    let y = SharedMut::new(y);
    Blocks::by_rows(categories.rows(), width * categories.columns()).run(|rows| {
        // SAFETY: blocks are disjoint ranges of rows.
        let part = unsafe { y.part(rows.start * width..rows.end * width) };
        sum_rows(categories, table, width, rows, part);
    });
}

/// The gradient of the table, `[table_rows, width]`, from that of y. Rows are added in their order; blocks of rows depend on
/// the sizes only.
///
/// # Panics
/// If a slice has another length than its shape.
pub fn backward(categories: &Categories, dy: &[f32], width: usize) -> Vec<f32> {
    let (rows, size) = (categories.rows(), categories.table_rows * width);
    assert_eq!(dy.len(), rows * width, "the gradient must be [rows, width]");
    let step = rows.div_ceil(parts(rows, categories.table_rows)).max(1);
    let tasks = rows.div_ceil(step);
    let partial = |part: usize| {
        let range = part * step..((part + 1) * step).min(rows);
        let mut table = vec![0.0; size];
        add_rows(categories, dy, width, range, &mut table);
        table
    };
    let parallel = dy.len() * categories.columns() >= PARALLEL_FROM;
    sum_in_order(in_order(tasks, parallel, partial), size)
}

/// Partial tables: as many as together are not larger than the gradient they are made from.
fn parts(rows: usize, table_rows: usize) -> usize {
    (rows / table_rows.max(1)).clamp(1, MOST_PARTS)
}

simd_fn! {
    #[allow(clippy::extra_unused_type_parameters)]
    fn sum_rows<M>(categories: &Categories, table: &[f32], width: usize, rows: Range<usize>, y: &mut [f32]) {
        let columns = categories.starts.len();
        let values = &categories.values[rows.start * columns..rows.end * columns];
        for (out, values) in y.chunks_exact_mut(width.max(1)).zip(values.chunks_exact(columns.max(1))) {
            out.fill(0.0);
            for (&value, &start) in values.iter().zip(&categories.starts) {
                let from = (start + value as usize) * width;
                out.iter_mut().zip(&table[from..from + width]).for_each(|(o, t)| *o += t);
            }
        }
    }
}

simd_fn! {
    #[allow(clippy::extra_unused_type_parameters)]
    fn add_rows<M>(categories: &Categories, dy: &[f32], width: usize, rows: Range<usize>, table: &mut [f32]) {
        let columns = categories.starts.len();
        let values = &categories.values[rows.start * columns..rows.end * columns];
        let dy = &dy[rows.start * width..rows.end * width];
        for (gradient, values) in dy.chunks_exact(width.max(1)).zip(values.chunks_exact(columns.max(1))) {
            for (&value, &start) in values.iter().zip(&categories.starts) {
                let to = (start + value as usize) * width;
                table[to..to + width].iter_mut().zip(gradient).for_each(|(t, g)| *t += g);
            }
        }
    }
}
