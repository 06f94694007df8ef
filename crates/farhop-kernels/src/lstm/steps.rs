//! The steps of a block of rows in one direction.

use super::{BLOCK, Inputs};
use crate::dense::Write;
use crate::dense::product::tile_product_transposed;
use crate::simd::{Arith, exp};
use crate::simd_fn;
use std::ops::Range;

/// Gates, cells and states of every step of a block, at the places of their arrays.
pub(super) struct Steps {
    rows: usize,
    states: usize,
    /// `s(i), s(f), tanh(g), s(o)`, `[L, rows, 4 M]`.
    gates: Vec<f32>,
    /// `[L, rows, M]`.
    cells: Vec<f32>,
    /// `[L, rows, M]`.
    hidden: Vec<f32>,
}

impl Steps {
    pub fn new(inputs: &Inputs) -> Self {
        let size = inputs.list.len() * BLOCK * inputs.states;
        let numbers = |count: usize| vec![0.0; count];
        Steps { rows: 0, states: inputs.states, gates: numbers(4 * size), cells: numbers(size), hidden: numbers(size) }
    }

    fn place(&self, l: usize) -> Range<usize> {
        let size = self.rows * self.states;
        l * size..(l + 1) * size
    }

    /// The states after step l, `[rows, M]`.
    pub fn hidden(&self, l: usize) -> &[f32] {
        &self.hidden[self.place(l)]
    }

    /// The cells after step l, `[rows, M]`.
    pub fn cells(&self, l: usize) -> &[f32] {
        &self.cells[self.place(l)]
    }

    /// The gates of step l, `[rows, 4 M]`.
    pub fn gates(&self, l: usize) -> &[f32] {
        let place = self.place(l);
        &self.gates[4 * place.start..4 * place.end]
    }

    /// Runs a direction over `rows`.
    pub fn run(&mut self, inputs: &Inputs, direction: usize, rows: Range<usize>) {
        self.rows = rows.len();
        let (states, width) = (inputs.states, inputs.width);
        let weights = &inputs.directions[direction];
        let mut last = None;
        for l in order(inputs.list.len(), direction) {
            let (here, before) = (self.place(l), last.map(|l| self.place(l)));
            let gates = &mut self.gates[4 * here.start..4 * here.end];
            for row in gates.chunks_exact_mut((4 * states).max(1)) {
                let biases = weights.b_in.iter().zip(weights.b_rec);
                row.iter_mut().zip(biases).for_each(|(gate, (a, b))| *gate = a + b);
            }
            let x = &inputs.list[l][rows.start * width..];
            tile_product_transposed(rows.len(), width, 4 * states, x, weights.w_in, Write::Add, gates);
            if let Some(before) = before.clone() {
                let hidden = &self.hidden[before];
                tile_product_transposed(rows.len(), states, 4 * states, hidden, weights.w_rec, Write::Add, gates);
            }
            let old = before.map(|before| self.cells[before].to_vec()).unwrap_or_default();
            cell_rows(states, gates, &old, &mut self.cells[here.clone()], &mut self.hidden[here]);
            last = Some(l);
        }
    }
}

/// The arrays in the order of a direction.
pub(super) fn order(count: usize, direction: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..count).map(move |at| if direction == 0 { at } else { count - 1 - at })
}

#[inline(always)]
fn sigmoid<M: Arith>(x: f32) -> f32 {
    1.0 / (1.0 + exp::<M>(-x))
}

/// `(1 - e^-2x) / (1 + e^-2x)`.
#[inline(always)]
pub(super) fn tanh<M: Arith>(x: f32) -> f32 {
    M::fma(2.0, sigmoid::<M>(2.0 * x), -1.0)
}

simd_fn! {
    /// Applies the functions of the gates and writes new cells and states; `old` cells are zeros if empty.
    fn cell_rows<M>(states: usize, gates: &mut [f32], old: &[f32], cells: &mut [f32], hidden: &mut [f32]) {
        let rows = gates.chunks_exact_mut((4 * states).max(1)).zip(cells.chunks_exact_mut(states.max(1)));
        for (row, ((gates, cells), hidden)) in rows.zip(hidden.chunks_exact_mut(states.max(1))).enumerate() {
            let (i, rest) = gates.split_at_mut(states);
            let (f, rest) = rest.split_at_mut(states);
            let (g, o) = rest.split_at_mut(states);
            i.iter_mut().for_each(|v| *v = sigmoid::<M>(*v));
            f.iter_mut().for_each(|v| *v = sigmoid::<M>(*v));
            g.iter_mut().for_each(|v| *v = tanh::<M>(*v));
            o.iter_mut().for_each(|v| *v = sigmoid::<M>(*v));
            cells.iter_mut().zip(&*i).zip(&*g).for_each(|((c, i), g)| *c = i * g);
            if !old.is_empty() {
                let old = &old[row * states..(row + 1) * states];
                cells.iter_mut().zip(&*f).zip(old).for_each(|((c, f), old)| *c = M::fma(*f, *old, *c));
            }
            hidden.iter_mut().zip(&*o).zip(&*cells).for_each(|((h, o), c)| *h = o * tanh::<M>(*c));
        }
    }
}
