//! Tall matrices of a few columns, and sums over their rows that are the same for any number of threads.

use rayon::prelude::*;

/// Rows per piece of work and per partial sum.
const CHUNK: usize = 1 << 10;

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
                for row in chunk * CHUNK..self.rows.min((chunk + 1) * CHUNK) {
                    let right = other.row(row);
                    for (left, sums) in self.row(row).iter().zip(sums.chunks_exact_mut(columns.max(1))) {
                        for (sum, right) in sums.iter_mut().zip(right) {
                            *sum += left * right;
                        }
                    }
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
            for (left, coefficients) in other.row(row).iter().zip(coefficients.data.chunks_exact(columns)) {
                let left = sign * left;
                for (value, coefficient) in values.iter_mut().zip(coefficients) {
                    *value += left * coefficient;
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
