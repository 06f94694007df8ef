//! Rows chosen by a list, and the sum back to where they came from.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::parallel::PARALLEL_FROM;
use rayon::prelude::*;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Element operations of one task.
const TASK: usize = 1 << 15;

/// A list of rows of a matrix, any of them any number of times: an order of nodes, the members of sets.
#[derive(Debug)]
pub struct RowChoice {
    /// The row at each place, `[R]`.
    chosen: Vec<u32>,
    /// The places of row i are `places[offsets[i]..offsets[i + 1]]`, ascending.
    offsets: Vec<usize>,
    places: Vec<u32>,
}

impl RowChoice {
    /// The list `chosen` out of `rows` rows.
    ///
    /// # Panics
    /// If a chosen row does not exist.
    pub fn new(chosen: Vec<u32>, rows: usize) -> Arc<Self> {
        let mut offsets = vec![0; rows + 1];
        chosen.iter().for_each(|&row| offsets[row as usize + 1] += 1);
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        let mut next = offsets.clone();
        let mut places = vec![0; chosen.len()];
        for (place, &row) in chosen.iter().enumerate() {
            places[next[row as usize]] = place as u32;
            next[row as usize] += 1;
        }
        Arc::new(RowChoice { chosen, offsets, places })
    }

    /// The row at each place.
    pub fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// Rows that there are to choose from.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// `y_p = x_chosen(p)`.
    fn take(&self, x: &[f32], width: usize, y: &mut [f32]) {
        by_rows(width, y, |place, y| {
            let from = self.chosen[place] as usize * width;
            y.copy_from_slice(&x[from..from + width]);
        });
    }

    /// `x_i = sum of y_p over the places p of i`, in their order.
    fn sum(&self, y: &[f32], width: usize, x: &mut [f32]) {
        by_rows(width, x, |row, x| {
            x.fill(0.0);
            for &place in &self.places[self.offsets[row]..self.offsets[row + 1]] {
                let from = place as usize * width;
                x.iter_mut().zip(&y[from..from + width]).for_each(|(x, y)| *x += y);
            }
        });
    }
}

/// Every row by itself; the rows of a task depend on the width alone.
fn by_rows(width: usize, rows: &mut [f32], write: impl Fn(usize, &mut [f32]) + Sync) {
    if width == 0 || rows.is_empty() {
        return;
    }
    if rows.len() < PARALLEL_FROM {
        rows.chunks_exact_mut(width).enumerate().for_each(|(row, values)| write(row, values));
        return;
    }
    let task = (TASK / width).max(1);
    rows.par_chunks_mut(task * width).enumerate().for_each(|(block, rows)| {
        rows.chunks_exact_mut(width).enumerate().for_each(|(row, values)| write(block * task + row, values));
    });
}

/// Input: x, a row for each place if `back`, otherwise a row for each row.
#[derive(Debug)]
struct TakeRowsOp {
    choice: Arc<RowChoice>,
    back: bool,
}

impl TakeRowsOp {
    fn run(&self, x: &[f32], width: usize, back: bool) -> Vec<f32> {
        let rows = if back { self.choice.rows() } else { self.choice.chosen.len() };
        let mut y = buffers::take(rows * width);
        if back {
            self.choice.sum(x, width, &mut y);
        } else {
            self.choice.take(x, width, &mut y);
        }
        y
    }
}

impl Operation for TakeRowsOp {
    /// The width.
    type Kept = usize;

    fn name(&self) -> &'static str {
        if self.back { "sum_rows" } else { "take_rows" }
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, usize) {
        let width = inputs[0].columns();
        let data = self.run(inputs[0].data, width, self.back);
        let rows = if self.back { self.choice.rows() } else { self.choice.chosen.len() };
        (Output { data, shape: vec![rows, width] }, width)
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<usize>) -> Vec<Option<Vec<f32>>> {
        let dx = self.run(&step.gradient, step.kept, !self.back);
        buffers::give(step.gradient);
        vec![Some(dx)]
    }
}

/// `y_p = x_chosen(p)`: x `[rows, F]`, y `[R, F]` with a row for every place of the list. Keeps nothing.
///
/// # Panics
/// If x has not the rows that the list was made for.
pub fn take_rows(x: Tensor<2>, choice: &Arc<RowChoice>) -> Tensor<2> {
    assert_eq!(x.dims()[0], choice.rows(), "take_rows: the rows of the list");
    apply(TakeRowsOp { choice: choice.clone(), back: false }, [Input::from(x)])
}

/// `x_i = sum of y_p over the places p where i was chosen`: y `[R, F]`, x `[rows, F]`; undoes [`take_rows`] where the list is an
/// order. Keeps nothing.
///
/// # Panics
/// If y has not a row for every place.
pub fn sum_rows(y: Tensor<2>, choice: &Arc<RowChoice>) -> Tensor<2> {
    assert_eq!(y.dims()[0], choice.chosen.len(), "sum_rows: a row for every place");
    apply(TakeRowsOp { choice: choice.clone(), back: true }, [Input::from(y)])
}

#[cfg(test)]
mod tests {
    use super::super::bridge;
    use super::*;

    #[test]
    fn rows_are_taken_and_summed_back() {
        let choice = RowChoice::new(vec![2, 0, 2], 4);
        let x: Tensor<2> = bridge::from_vec((0..8).map(|v| v as f32).collect(), [4, 2]);
        let taken = take_rows(x, &choice);
        assert_eq!(bridge::into_vec(taken.clone()), [4.0, 5.0, 0.0, 1.0, 4.0, 5.0]);
        assert_eq!(bridge::into_vec(sum_rows(taken, &choice)), [0.0, 1.0, 0.0, 0.0, 8.0, 10.0, 0.0, 0.0]);
    }
}
