//! Features that are mostly zeros (words of a document, one-hot categories) against a dense weight.
//!
//! `y = X W + b` and `dW = X^T dy` with X kept by rows and by columns: the work is (non-zeros of X) x outputs instead of
//! rows x columns x outputs. X is data, so it has no gradient.

use crate::parallel::{Blocks, SharedMut};
use crate::simd::axpy;
use crate::simd_fn;
use std::ops::Range;

/// X is worth keeping sparse below this share of non-zeros.
pub const DENSEST: f64 = 0.1;

/// Non-zeros line by line (rows or columns).
#[derive(Clone, Debug, PartialEq)]
struct Lines {
    offsets: Vec<usize>,
    others: Vec<u32>,
    values: Vec<f32>,
}

/// A sparse matrix, by rows and by columns.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseFeatures {
    by_row: Lines,
    by_column: Lines,
}

impl SparseFeatures {
    /// The non-zeros of `x[rows, columns]`, or `None` if they are more than a share of [`DENSEST`].
    pub fn from_dense(x: &[f32], columns: usize) -> Option<Self> {
        let rows = x.len().checked_div(columns)?;
        // NaN is not zero, so it is kept.
        let count = x.iter().filter(|v| **v != 0.0).count();
        if count as f64 > DENSEST * x.len() as f64 || columns > u32::MAX as usize || rows > u32::MAX as usize {
            return None;
        }
        let mut by_row =
            Lines { offsets: vec![0], others: Vec::with_capacity(count), values: Vec::with_capacity(count) };
        let mut offsets = vec![0usize; columns + 1];
        for row in x.chunks_exact(columns) {
            for (column, &value) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                by_row.others.push(column as u32);
                by_row.values.push(value);
                offsets[column + 1] += 1;
            }
            by_row.offsets.push(by_row.others.len());
        }
        for column in 0..columns {
            offsets[column + 1] += offsets[column];
        }
        let mut next = offsets.clone();
        let mut by_column = Lines { offsets, others: vec![0; count], values: vec![0.0; count] };
        for row in 0..rows {
            for at in by_row.offsets[row]..by_row.offsets[row + 1] {
                let slot = &mut next[by_row.others[at] as usize];
                by_column.others[*slot] = row as u32;
                by_column.values[*slot] = by_row.values[at];
                *slot += 1;
            }
        }
        Some(SparseFeatures { by_row, by_column })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.by_row.offsets.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.by_column.offsets.len() - 1
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let lines = |l: &Lines| size_of_val(&l.offsets[..]) + size_of_val(&l.others[..]) + size_of_val(&l.values[..]);
        (lines(&self.by_row) + lines(&self.by_column)) as u64
    }

    /// `y = X W + b`: W `[columns, outputs]`, b `[outputs]`, y `[rows, outputs]`.
    pub fn matmul(&self, weight: &[f32], bias: Option<&[f32]>, outputs: usize, y: &mut [f32]) {
        self.by_row.product(weight, bias, outputs, y);
    }

    /// `dW = X^T dy`.
    pub fn weight_gradient(&self, dy: &[f32], outputs: usize, dw: &mut [f32]) {
        self.by_column.product(dy, None, outputs, dw);
    }
}

impl Lines {
    fn product(&self, right: &[f32], bias: Option<&[f32]>, outputs: usize, out: &mut [f32]) {
        assert_eq!(out.len(), (self.offsets.len() - 1) * outputs, "the result must be [lines, outputs]");
        let out = SharedMut::new(out);
        Blocks::by_entries(&self.offsets, 2, outputs).run(|lines| {
            // SAFETY: blocks are disjoint ranges of lines.
            let part = unsafe { out.part(lines.start * outputs..lines.end * outputs) };
            product_lines(self, right, bias, outputs, lines, part);
        });
    }
}

simd_fn! {
    fn product_lines<M>(
        lines: &Lines,
        right: &[f32],
        bias: Option<&[f32]>,
        outputs: usize,
        range: Range<usize>,
        out: &mut [f32],
    ) {
        for (line, row) in range.zip(out.chunks_exact_mut(outputs.max(1))) {
            match bias {
                Some(bias) => row.copy_from_slice(bias),
                None => row.fill(0.0),
            }
            for at in lines.offsets[line]..lines.offsets[line + 1] {
                let other = lines.others[at] as usize;
                axpy::<M>(lines.values[at], &right[other * outputs..(other + 1) * outputs], row);
            }
        }
    }
}
