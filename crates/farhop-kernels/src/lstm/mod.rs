//! A long short-term memory (Hochreiter and Schmidhuber, 1997) over short sequences, one for every row: step l of row i
//! is row i of array l of a list. For each direction, with states of M numbers that start at zero:
//!
//! `[i, f, g, o] = x_l w_in^T + b_in + h w_rec^T + b_rec`, `c <- s(f) c + s(i) tanh(g)`, `h <- s(o) tanh(c)`
//!
//! with the logistic s; w_in `[4 M, F]`, w_rec `[4 M, M]`, both biases `[4 M]`. The second direction runs from the last
//! array to the first. The result is `[N, L, 2 M]`: at place l the states of the first direction after arrays 0 to l
//! and of the second one after arrays L - 1 down to l.
//!
//! Rows are independent and run in blocks, so that every product is one of matrices. Nothing is kept but the inputs:
//! the backward pass computes a block again.

mod backward;
mod steps;

use crate::parallel::{PARALLEL_FROM, SharedMut, in_order};
use std::ops::Range;
use steps::Steps;

pub use backward::{Gradients, backward};

/// Rows of a block.
const BLOCK: usize = 64;

/// No more tasks than this many: each has its own sums for the gradients of the weights.
const MOST_TASKS: usize = 16;

/// The weights of one direction.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// Of the arrays, `[4 M, F]`, gates in the order i, f, g, o.
    pub w_in: &'a [f32],
    /// Of the last state, `[4 M, M]`.
    pub w_rec: &'a [f32],
    /// `[4 M]`.
    pub b_in: &'a [f32],
    /// `[4 M]`.
    pub b_rec: &'a [f32],
}

/// What both passes read.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// L arrays `[N, F]`.
    pub list: &'a [&'a [f32]],
    /// F.
    pub width: usize,
    /// M.
    pub states: usize,
    /// From the first array to the last, and from the last to the first.
    pub directions: [Weights<'a>; 2],
}

impl Inputs<'_> {
    /// Number of rows, after a check of all lengths.
    fn checked(&self) -> usize {
        let size = self.list.first().map_or(0, |x| x.len());
        assert!(self.list.iter().all(|x| x.len() == size), "all arrays are equally large");
        let gates = 4 * self.states;
        for weights in &self.directions {
            assert_eq!(weights.w_in.len(), gates * self.width, "w_in must be [4 M, F]");
            assert_eq!(weights.w_rec.len(), gates * self.states, "w_rec must be [4 M, M]");
            assert!(weights.b_in.len() == gates && weights.b_rec.len() == gates, "biases must be [4 M]");
        }
        size / self.width.max(1)
    }

    /// Numbers of a row of the result.
    fn row(&self) -> usize {
        self.list.len() * 2 * self.states
    }

    /// Calls `task` with consecutive ranges of rows, few of them; results in order.
    fn tasks<R: Send>(&self, rows: usize, task: impl Fn(Range<usize>) -> R + Sync + Send) -> Vec<R> {
        let step = rows.div_ceil(MOST_TASKS).next_multiple_of(BLOCK);
        let cost = 8 * self.list.len() * self.states * (self.width + self.states);
        let parallel = rows.saturating_mul(cost) >= PARALLEL_FROM;
        in_order(rows.div_ceil(step.max(1)), parallel, |at| task(at * step..((at + 1) * step).min(rows)))
    }
}

/// Cuts a range of rows into blocks.
fn blocks(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BLOCK).map(move |first| first..(first + BLOCK).min(end))
}

/// Writes the states of both directions, `[N, L, 2 M]`.
///
/// # Panics
/// If an array has another length than its shape.
pub fn forward(inputs: Inputs, y: &mut [f32]) {
    let rows = inputs.checked();
    assert_eq!(y.len(), rows * inputs.row(), "y must be [N, L, 2 M]");
    let (states, width) = (inputs.states, inputs.row());
    let y = SharedMut::new(y);
    inputs.tasks(rows, |range| {
        let mut steps = Steps::new(&inputs);
        for block in blocks(range) {
            // SAFETY: blocks are disjoint ranges of rows.
            let part = unsafe { y.part(block.start * width..block.end * width) };
            for direction in 0..2 {
                steps.run(&inputs, direction, block.clone());
                for l in 0..inputs.list.len() {
                    let column = (2 * l + direction) * states;
                    for (row, hidden) in part.chunks_exact_mut(width.max(1)).zip(steps.hidden(l).chunks_exact(states)) {
                        row[column..column + states].copy_from_slice(hidden);
                    }
                }
            }
        }
    });
}
