//! The backward pass: every block runs again, then back through its steps.

use super::steps::{Steps, order, tanh};
use super::{BLOCK, Inputs, blocks};
use crate::dense::Write;
use crate::dense::product::{tile_product, tile_weight_gradient};
use crate::parallel::{SharedMut, sum_in_order};
use crate::simd_fn;
use std::ops::Range;

/// The gradients of the weights of one direction, in their shapes.
#[derive(Clone, Debug)]
pub struct Gradients {
    /// Of w_in.
    pub w_in: Vec<f32>,
    /// Of w_rec.
    pub w_rec: Vec<f32>,
    /// Of either bias: they only occur as a sum.
    pub bias: Vec<f32>,
}

/// Writes the gradients of all arrays of the list, and returns those of the weights of both directions; dy
/// `[N, L, 2 M]`.
///
/// # Panics
/// If an array has another length than its shape.
pub fn backward(inputs: Inputs, dy: &[f32], dx: Vec<&mut [f32]>) -> [Gradients; 2] {
    let rows = inputs.checked();
    assert_eq!(dy.len(), rows * inputs.row(), "dy must be [N, L, 2 M]");
    let whole = dx.len() == inputs.list.len() && dx.iter().all(|dx| dx.len() == rows * inputs.width);
    assert!(whole, "one gradient for every array, as large as it");
    let dx: Vec<SharedMut<f32>> = dx.into_iter().map(SharedMut::new).collect();
    let gates = 4 * inputs.states;
    let sizes = [gates * inputs.width, gates * inputs.states, gates];
    let size: usize = sizes.iter().sum();
    let parts = inputs.tasks(rows, |range| {
        let mut sums = vec![0.0; 2 * size];
        let mut steps = Steps::new(&inputs);
        let mut back = Back::new(&inputs);
        for block in blocks(range) {
            for (direction, sums) in sums.chunks_exact_mut(size.max(1)).enumerate() {
                steps.run(&inputs, direction, block.clone());
                let (w_in, rest) = sums.split_at_mut(sizes[0]);
                let (w_rec, bias) = rest.split_at_mut(sizes[1]);
                back.run(&inputs, direction, block.clone(), &steps, dy, &dx, [w_in, w_rec, bias]);
            }
        }
        sums
    });
    let sums = sum_in_order(parts, 2 * size);
    [0, 1].map(|direction| {
        let (w_in, rest) = sums[direction * size..(direction + 1) * size].split_at(sizes[0]);
        let (w_rec, bias) = rest.split_at(sizes[1]);
        Gradients { w_in: w_in.to_vec(), w_rec: w_rec.to_vec(), bias: bias.to_vec() }
    })
}

/// What goes back from step to step.
struct Back {
    /// Gradients of the gates before their functions, `[rows, 4 M]`.
    gates: Vec<f32>,
    /// Of the states, `[rows, M]`.
    hidden: Vec<f32>,
    /// Of the cells, `[rows, M]`.
    cells: Vec<f32>,
}

impl Back {
    fn new(inputs: &Inputs) -> Self {
        let numbers = |count: usize| vec![0.0; count];
        let size = BLOCK * inputs.states;
        Back { gates: numbers(4 * size), hidden: numbers(size), cells: numbers(size) }
    }

    #[allow(clippy::too_many_arguments)]
    fn run(
        &mut self,
        inputs: &Inputs,
        direction: usize,
        rows: Range<usize>,
        steps: &Steps,
        dy: &[f32],
        dx: &[SharedMut<f32>],
        [w_in, w_rec, bias]: [&mut [f32]; 3],
    ) {
        let (states, width, count) = (inputs.states, inputs.width, rows.len());
        let weights = &inputs.directions[direction];
        let gates = &mut self.gates[..count * 4 * states];
        let (hidden, cells) = (&mut self.hidden[..count * states], &mut self.cells[..count * states]);
        hidden.fill(0.0);
        cells.fill(0.0);
        let order: Vec<usize> = order(inputs.list.len(), direction).collect();
        for (at, &l) in order.iter().enumerate().rev() {
            let before = at.checked_sub(1).map(|at| order[at]);
            let column = (2 * l + direction) * states;
            for (row, hidden) in rows.clone().zip(hidden.chunks_exact_mut(states.max(1))) {
                let dy = &dy[row * inputs.row() + column..][..states];
                hidden.iter_mut().zip(dy).for_each(|(h, dy)| *h += dy);
            }
            let old = before.map_or(&[][..], |l| steps.cells(l));
            gate_rows(states, steps.gates(l), old, steps.cells(l), hidden, cells, gates);
            // SAFETY: blocks are disjoint ranges of rows.
            let out = unsafe { dx[l].part(rows.start * width..rows.end * width) };
            let write = if direction == 0 { Write::Replace } else { Write::Add };
            tile_product(count, 4 * states, width, gates, weights.w_in, write, out);
            tile_product(count, 4 * states, states, gates, weights.w_rec, Write::Replace, hidden);
            let x = &inputs.list[l][rows.start * width..];
            tile_weight_gradient(4 * states, count, width, gates, x, w_in);
            if let Some(before) = before {
                tile_weight_gradient(4 * states, count, states, gates, steps.hidden(before), w_rec);
            }
            for row in gates.chunks_exact((4 * states).max(1)) {
                bias.iter_mut().zip(row).for_each(|(b, g)| *b += g);
            }
        }
    }
}

simd_fn! {
    /// From the gradients of a step's states and cells to those of its gates, and of the cells before it.
    fn gate_rows<M>(
        states: usize,
        gates: &[f32],
        old: &[f32],
        cells: &[f32],
        d_hidden: &[f32],
        d_cells: &mut [f32],
        out: &mut [f32],
    ) {
        for (row, (gates, out)) in
            gates.chunks_exact((4 * states).max(1)).zip(out.chunks_exact_mut((4 * states).max(1))).enumerate()
        {
            let here = row * states..(row + 1) * states;
            let (i, f) = (&gates[..states], &gates[states..2 * states]);
            let (g, o) = (&gates[2 * states..3 * states], &gates[3 * states..]);
            let (cells, d_hidden) = (&cells[here.clone()], &d_hidden[here.clone()]);
            let d_cells = &mut d_cells[here.clone()];
            let (out_i, rest) = out.split_at_mut(states);
            let (out_f, rest) = rest.split_at_mut(states);
            let (out_g, out_o) = rest.split_at_mut(states);
            for s in 0..states {
                let read = tanh::<M>(cells[s]);
                out_o[s] = d_hidden[s] * read * o[s] * (1.0 - o[s]);
                let d_cell = M::fma(d_hidden[s] * o[s], 1.0 - read * read, d_cells[s]);
                out_i[s] = d_cell * g[s] * i[s] * (1.0 - i[s]);
                out_g[s] = d_cell * i[s] * (1.0 - g[s] * g[s]);
                out_f[s] = d_cell * f[s] * (1.0 - f[s]);
                d_cells[s] = d_cell * f[s];
            }
            if old.is_empty() {
                out_f.fill(0.0);
            } else {
                out_f.iter_mut().zip(&old[here]).for_each(|(f, old)| *f *= old);
            }
        }
    }
}
