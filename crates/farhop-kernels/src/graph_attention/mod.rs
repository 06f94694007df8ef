//! Softmax attention among all rows of a segment (the nodes of a graph), for all segments of a batch at once:
//!
//! `y_i^h = sum over the rows j of the segment of i of m_ijh softmax_j(scale q_i^h . k_j^h) v_j^h`
//!
//! with the dropout factor `m_ijh`. Rows `[N, H C]`, head h in columns `h C .. (h + 1) C`.
//!
//! Scores exist a tile at a time: a block of queries against a block of keys, with a running maximum and sum (Milakov
//! and Gimelshein, 2018; Dao et al., 2022). What is kept of the softmax is the logarithm of its sum, `[N, H]`; the
//! backward pass computes the weights of a tile again from it. No padding: segments may have any sizes, and one without
//! rows has no output.
//!
//! Blocks of rows are independent in the forward pass. In the backward pass a small segment is one task; of a large
//! one, the gradients of keys and values are tasks by keys, those of queries are tasks by queries, and weights are
//! computed twice.

mod backward;
mod forward;

use crate::dense::Dropout;
use crate::dense::strided::Matrix;
use crate::pieces::rows_of;

pub use backward::{backward, split};
pub use forward::forward;

/// Queries of a tile.
const QUERIES: usize = 128;

/// Keys of a tile.
const KEYS: usize = 256;

/// Segments up to this size are not shared among tasks in the backward pass.
const SMALL: usize = 512;

/// What is not an array.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of heads H.
    pub heads: usize,
    /// Channels C of a head.
    pub channels: usize,
    /// What scores are multiplied with, usually `1 / sqrt(C)`.
    pub scale: f32,
    /// Dropout of the weights after the softmax: a function of its seed, the query's row, the head and the key's place
    /// in the segment.
    pub dropout: Dropout,
}

impl Settings {
    /// Columns of queries, keys, values and the result: `H C`.
    pub fn width(&self) -> usize {
        self.heads * self.channels
    }
}

/// Rows of an array: row i is `data[start + i * step ..][.. H C]`.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The array.
    pub data: &'a [f32],
    /// Where the first row starts.
    pub start: usize,
    /// From the start of a row to the next one.
    pub step: usize,
}

impl<'a> Rows<'a> {
    /// An array that has just these columns.
    pub fn whole(data: &'a [f32], width: usize) -> Self {
        Rows { data, start: 0, step: width }
    }

    /// Columns `column ..` as a matrix from row `row` on.
    fn matrix(&self, row: usize, column: usize) -> Matrix<'a> {
        Matrix::rows(self.data, self.start + row * self.step + column, self.step)
    }

    fn holds(&self, rows: usize, width: usize) -> bool {
        rows == 0 || self.start + (rows - 1) * self.step + width <= self.data.len()
    }
}

/// The arrays.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Queries.
    pub q: Rows<'a>,
    /// Keys.
    pub k: Rows<'a>,
    /// Values.
    pub v: Rows<'a>,
    /// Bounds of the segments, `[G + 1]`.
    pub offsets: &'a [usize],
}

impl<'a> Inputs<'a> {
    /// Queries, keys and values side by side in one array `[N, 3 H C]`.
    pub fn packed(qkv: &'a [f32], width: usize, offsets: &'a [usize]) -> Self {
        let part = |at: usize| Rows { data: qkv, start: at * width, step: 3 * width };
        Inputs { q: part(0), k: part(1), v: part(2), offsets }
    }

    /// Number of rows, after a check of all lengths.
    fn checked(&self, settings: &Settings) -> usize {
        let rows = rows_of(self.offsets);
        let whole = [self.q, self.k, self.v].iter().all(|array| array.holds(rows, settings.width()));
        assert!(whole, "q, k and v must have a row of H C numbers for every row of the segments");
        rows
    }
}
