//! Features that are mostly zeros (words of a document, one-hot categories) against a dense weight.
//!
//! `y = X W + b` and `dW = X^T dy` with X kept by rows and by columns: the work is (non-zeros of X) x outputs instead of
//! rows x columns x outputs. X is data, so it has no gradient.

use crate::buffers;
use crate::dense::Dropout;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::{PANEL, add_panel, axpy};
use crate::simd_fn;
use std::ops::Range;
use std::sync::Arc;

/// X is worth keeping sparse below this share of non-zeros.
pub const DENSEST: f64 = 0.1;

/// Where a row of the dense matrix is read so often or more, its panels are copied side by side first, so that they lie in the cache.
const READ_OFTEN: usize = 16;

/// Non-zeros line by line (rows or columns).
#[derive(Clone, Debug, PartialEq)]
struct Lines {
    offsets: Arc<[usize]>,
    others: Arc<[u32]>,
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
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        let mut indices = Vec::with_capacity(count);
        let mut values = Vec::with_capacity(count);
        for row in x.chunks_exact(columns) {
            for (column, &value) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                indices.push(column as u32);
                values.push(value);
            }
            offsets.push(indices.len());
        }
        Some(SparseFeatures::from_rows(offsets, indices, values, columns))
    }

    /// A matrix of `columns` columns from its rows: row r has the values `values[offsets[r]..offsets[r + 1]]` in the columns
    /// `indices[..]` of the same range, in any order. A column that is named twice counts with the sum.
    ///
    /// # Panics
    /// If the offsets do not ascend from 0 to the number of indices, there is not one value per index, or an index is not
    /// below `columns`.
    pub fn from_rows(offsets: Vec<usize>, indices: Vec<u32>, values: Vec<f32>, columns: usize) -> Self {
        assert_eq!(offsets.first(), Some(&0), "offsets start at 0");
        assert!(offsets.is_sorted(), "offsets ascend");
        assert_eq!(offsets.last(), Some(&indices.len()), "offsets end at the number of indices");
        assert_eq!(indices.len(), values.len(), "one value per index");
        let mut starts = vec![0usize; columns + 1];
        for &column in &indices {
            assert!((column as usize) < columns, "column {column} of {columns}");
            starts[column as usize + 1] += 1;
        }
        for column in 0..columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let (mut others, mut turned) = (vec![0u32; indices.len()], vec![0.0; indices.len()]);
        for row in 0..offsets.len() - 1 {
            for at in offsets[row]..offsets[row + 1] {
                let slot = &mut next[indices[at] as usize];
                others[*slot] = row as u32;
                turned[*slot] = values[at];
                *slot += 1;
            }
        }
        SparseFeatures {
            by_row: Lines { offsets: offsets.into(), others: indices.into(), values },
            by_column: Lines { offsets: starts.into(), others: others.into(), values: turned },
        }
    }

    /// The matrix after dropout: each element has the factor that it would have in the dense matrix.
    pub fn dropped(&self, dropout: &Dropout) -> Self {
        SparseFeatures {
            by_row: self.by_row.scaled(|row, column| dropout.factor(row, column)),
            by_column: self.by_column.scaled(|column, row| dropout.factor(row, column)),
        }
    }

    /// Writes the dense matrix, `[rows, columns]`.
    ///
    /// # Panics
    /// If `dense` has another length.
    pub fn write_dense(&self, dense: &mut [f32]) {
        let (lines, columns) = (&self.by_row, self.columns());
        assert_eq!(dense.len(), self.rows() * columns, "the result must be [rows, columns]");
        let shared = SharedMut::new(dense);
        Blocks::by_rows(self.rows(), columns).run(|rows| {
            // SAFETY: blocks are disjoint ranges of rows.
            let part = unsafe { shared.part(rows.start * columns..rows.end * columns) };
            part.fill(0.0);
            for (line, row) in rows.zip(part.chunks_exact_mut(columns.max(1))) {
                for at in lines.offsets[line]..lines.offsets[line + 1] {
                    row[lines.others[at] as usize] += lines.values[at];
                }
            }
        });
    }

    /// Number of stored elements.
    pub fn stored(&self) -> usize {
        self.by_row.values.len()
    }

    /// Whether every stored element is finite.
    pub fn is_finite(&self) -> bool {
        self.by_row.values.iter().all(|value| value.is_finite())
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
        self.by_row.product(self.columns(), weight, bias, outputs, y);
    }

    /// `dW = X^T dy`.
    pub fn weight_gradient(&self, dy: &[f32], outputs: usize, dw: &mut [f32]) {
        self.by_column.product(self.rows(), dy, None, outputs, dw);
    }
}

impl Lines {
    /// Every element times `factor(line, other)`.
    fn scaled(&self, factor: impl Fn(usize, usize) -> f32 + Sync + Send) -> Lines {
        let mut values = self.values.clone();
        let shared = SharedMut::new(&mut values);
        Blocks::by_entries(&self.offsets, 1, 8).run(|lines| {
            for line in lines {
                let range = self.offsets[line]..self.offsets[line + 1];
                // SAFETY: a line owns its elements, and blocks are disjoint ranges of lines.
                let part = unsafe { shared.part(range.clone()) };
                for (value, &other) in part.iter_mut().zip(&self.others[range]) {
                    // A dropped infinity is 0, not NaN.
                    let by = factor(line, other as usize);
                    *value = if by == 0.0 { 0.0 } else { *value * by };
                }
            }
        });
        Lines { offsets: self.offsets.clone(), others: self.others.clone(), values }
    }

    /// Every line times the dense matrix `right[others, outputs]`.
    fn product(&self, others: usize, right: &[f32], bias: Option<&[f32]>, outputs: usize, out: &mut [f32]) {
        assert_eq!(out.len(), (self.offsets.len() - 1) * outputs, "the result must be [lines, outputs]");
        assert!(right.len() >= others * outputs, "the dense matrix must be [others, outputs]");
        if outputs <= PANEL || self.values.len() < READ_OFTEN * others {
            return self.panels(right, outputs, bias, 0..outputs, outputs, out);
        }
        let mut packed = buffers::take(others * PANEL);
        for start in (0..outputs).step_by(PANEL) {
            let panel = start..outputs.min(start + PANEL);
            let width = panel.len();
            let shared = SharedMut::new(&mut packed);
            Blocks::by_rows(others, width).run(|rows| {
                // SAFETY: blocks are disjoint ranges of rows.
                let part = unsafe { shared.part(rows.start * width..rows.end * width) };
                for (row, packed) in rows.zip(part.chunks_exact_mut(width)) {
                    packed.copy_from_slice(&right[row * outputs + start..][..width]);
                }
            });
            self.panels(&packed, width, bias.map(|bias| &bias[panel.clone()]), panel, outputs, out);
        }
        buffers::give(packed);
    }

    /// The columns `panel` of the result from those columns of the dense matrix, whose rows are `step` numbers apart.
    fn panels(
        &self,
        right: &[f32],
        step: usize,
        bias: Option<&[f32]>,
        panel: Range<usize>,
        outputs: usize,
        out: &mut [f32],
    ) {
        let out = SharedMut::new(out);
        Blocks::by_entries(&self.offsets, 2, panel.len()).run(|lines| {
            // SAFETY: blocks are disjoint ranges of lines.
            let part = unsafe { out.part(lines.start * outputs..lines.end * outputs) };
            product_lines(self, right, step, bias, panel.clone(), outputs, lines, part);
        });
    }
}

simd_fn! {
    fn product_lines<M>(
        lines: &Lines,
        right: &[f32],
        step: usize,
        bias: Option<&[f32]>,
        panel: Range<usize>,
        outputs: usize,
        range: Range<usize>,
        out: &mut [f32],
    ) {
        for (line, row) in range.zip(out.chunks_exact_mut(outputs.max(1))) {
            let row = &mut row[panel.clone()];
            match bias {
                Some(bias) => row.copy_from_slice(bias),
                None => row.fill(0.0),
            }
            let range = lines.offsets[line]..lines.offsets[line + 1];
            let (others, values) = (&lines.others[range.clone()], &lines.values[range]);
            let (panels, tail) = row.as_chunks_mut::<PANEL>();
            let tail_start = panels.len() * PANEL;
            for (p, panel) in panels.iter_mut().enumerate() {
                let mut sums = *panel;
                for (&other, &value) in others.iter().zip(values) {
                    let start = other as usize * step + p * PANEL;
                    add_panel::<M>(value, &right[start..start + PANEL], &mut sums);
                }
                *panel = sums;
            }
            if !tail.is_empty() {
                for (&other, &value) in others.iter().zip(values) {
                    let start = other as usize * step;
                    axpy::<M, _>(value, &right[start + tail_start..start + tail_start + tail.len()], tail);
                }
            }
        }
    }
}
