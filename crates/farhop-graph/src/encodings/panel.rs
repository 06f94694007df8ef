//! Tall matrices of a few columns, and sums over their rows that are the same for any number of threads.

use rayon::prelude::*;

/// Rows per piece of work and per partial sum.
const CHUNK: usize = 1 << 10;

/// Terms that are added at once: a sum is fetched and stored once for all of them.
const TOGETHER: usize = 4;

/// A matrix `[rows, width]`, row after row.
#[derive(Clone)]
pub(super) struct Panel {
    width: usize,
    rows: usize,
    data: Vec<f64>,
}

/// A small matrix `[rows, columns]`, row after row.
pub(super) struct Small {
    pub(super) columns: usize,
    pub(super) data: Vec<f64>,
}

impl Panel {
    pub(super) fn new(rows: usize, width: usize) -> Self {
        Self { width, rows, data: vec![0.0; rows * width] }
    }

    /// A panel whose rows are written by `fill(row, values)`, in parallel.
    pub(super) fn from_rows(rows: usize, width: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Self {
        let mut panel = Self::new(rows, width);
        if width > 0 {
            panel.data.par_chunks_mut(CHUNK * width).enumerate().for_each(|(chunk, values)| {
                for (at, row) in values.chunks_exact_mut(width).enumerate() {
                    fill(chunk * CHUNK + at, row);
                }
            });
        }
        panel
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn data(&self) -> &[f64] {
        &self.data
    }

    pub(super) fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.data[row * self.width..(row + 1) * self.width]
    }

    /// Changes every row by `change(row, values)`, in parallel.
    pub(super) fn each_row(&mut self, change: impl Fn(usize, &mut [f64]) + Sync) {
        let width = self.width;
        if width > 0 {
            self.data.par_chunks_mut(CHUNK * width).enumerate().for_each(|(chunk, values)| {
                for (at, row) in values.chunks_exact_mut(width).enumerate() {
                    change(chunk * CHUNK + at, row);
                }
            });
        }
    }

    /// `self^T other`, `[width, other.width]`.
    pub(super) fn gram(&self, other: &Panel) -> Small {
        let (width, columns) = (self.width, other.width);
        let partial: Vec<Vec<f64>> = (0..self.rows.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut sums = vec![0f64; width * columns];
                if columns > 0 {
                    let rows = chunk * CHUNK..self.rows.min((chunk + 1) * CHUNK);
                    let left = &self.data[rows.start * width..rows.end * width];
                    let right = &other.data[rows.start * columns..rows.end * columns];
                    add_gram(&mut sums, left, right, width, columns);
                }
                sums
            })
            .collect();
        let mut data = vec![0f64; width * columns];
        for partial in partial {
            for (sum, partial) in data.iter_mut().zip(partial) {
                *sum += partial;
            }
        }
        Small { columns, data }
    }

    /// `self += sign * other coefficients`, where the coefficients are `[other.width, self.width]`.
    pub(super) fn add_product(&mut self, sign: f64, other: &Panel, coefficients: &Small) {
        let columns = coefficients.columns;
        if columns == 0 {
            return;
        }
        self.each_row(|row, values| {
            let left = other.row(row).chunks_exact(TOGETHER);
            let rest = left.remainder();
            let (blocks, last) = coefficients.data.split_at((other.width - rest.len()) * columns);
            for (left, block) in left.zip(blocks.chunks_exact(TOGETHER * columns)) {
                let (first, second) = block.split_at(2 * columns);
                let ((c0, c1), (c2, c3)) = (first.split_at(columns), second.split_at(columns));
                let coefficients = c0.iter().zip(c1).zip(c2.iter().zip(c3));
                for (value, ((c0, c1), (c2, c3))) in values.iter_mut().zip(coefficients) {
                    *value += sign * ((left[0] * c0 + left[1] * c1) + (left[2] * c2 + left[3] * c3));
                }
            }
            for (left, coefficients) in rest.iter().zip(last.chunks_exact(columns)) {
                for (value, coefficient) in values.iter_mut().zip(coefficients) {
                    *value += sign * left * coefficient;
                }
            }
        });
    }

    /// The norms of the columns.
    pub(super) fn norms(&self) -> Vec<f64> {
        let squares = self.data.par_chunks((CHUNK * self.width).max(1)).map(|values| {
            let mut sums = vec![0f64; self.width];
            for row in values.chunks_exact(self.width.max(1)) {
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum += value * value;
                }
            }
            sums
        });
        let mut norms = vec![0f64; self.width];
        for squares in squares.collect::<Vec<_>>() {
            for (norm, square) in norms.iter_mut().zip(squares) {
                *norm += square;
            }
        }
        norms.iter_mut().for_each(|norm| *norm = norm.sqrt());
        norms
    }

    /// The columns at these places.
    pub(super) fn columns(&self, places: &[usize]) -> Panel {
        Panel::from_rows(self.rows, places.len(), |row, values| {
            let from = self.row(row);
            for (value, &place) in values.iter_mut().zip(places) {
                *value = from[place];
            }
        })
    }
}

/// Adds `left^T right` to `sums`, four rows at a time.
fn add_gram(sums: &mut [f64], left: &[f64], right: &[f64], width: usize, columns: usize) {
    if width == 0 {
        return;
    }
    let whole = left.len() / (TOGETHER * width) * TOGETHER;
    let (left, last_left) = left.split_at(whole * width);
    let (right, last_right) = right.split_at(whole * columns);
    for (left, right) in left.chunks_exact(TOGETHER * width).zip(right.chunks_exact(TOGETHER * columns)) {
        let (first, second) = right.split_at(2 * columns);
        let ((r0, r1), (r2, r3)) = (first.split_at(columns), second.split_at(columns));
        for (at, sums) in sums.chunks_exact_mut(columns).enumerate() {
            let [l0, l1, l2, l3] = std::array::from_fn(|row| left[row * width + at]);
            let right = r0.iter().zip(r1).zip(r2.iter().zip(r3));
            for (sum, ((r0, r1), (r2, r3))) in sums.iter_mut().zip(right) {
                *sum += (l0 * r0 + l1 * r1) + (l2 * r2 + l3 * r3);
            }
        }
    }
    for (left, right) in last_left.chunks_exact(width).zip(last_right.chunks_exact(columns)) {
        for (left, sums) in left.iter().zip(sums.chunks_exact_mut(columns)) {
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum += left * right;
            }
        }
    }
}
