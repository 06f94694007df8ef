//! Passes over nodes between two rounds: scores, norms, states.

use super::Mode;
use super::rounds::dot_heads;
use crate::heads::Heads;
use crate::parallel::{Blocks, SharedMut};
use crate::simd::max_abs;
use crate::simd_fn;

/// Node scalars of the attention scores: `x = a_left . h`, `y = a_right . h`, head by head.
pub(super) fn score_rows(heads: Heads, state: &[f32], left: &[f32], right: &[f32], x: &mut [f32], y: &mut [f32]) {
    let (width, count) = (heads.width, heads.count);
    let (x, y) = (SharedMut::new(x), SharedMut::new(y));
    Blocks::by_rows(state.len() / width.max(1), 2 * width).run(|rows| {
        let own = rows.start * count..rows.end * count;
        // SAFETY: blocks are disjoint ranges of rows.
        let (x, y) = unsafe { (x.part(own.clone()), y.part(own)) };
        score_block(heads, &state[rows.start * width..rows.end * width], left, right, x, y);
    });
}

simd_fn! {
    fn score_block<M>(heads: Heads, state: &[f32], left: &[f32], right: &[f32], x: &mut [f32], y: &mut [f32]) {
        let count = heads.count;
        for (n, row) in state.chunks_exact(heads.width).enumerate() {
            dot_heads::<M>(heads, left, row, &mut x[n * count..(n + 1) * count]);
            dot_heads::<M>(heads, right, row, &mut y[n * count..(n + 1) * count]);
        }
    }
}

/// The largest absolute value of each row and head.
pub(super) fn norm_rows(heads: Heads, rows_of: &[f32], norms: &mut [f32]) {
    let (width, count) = (heads.width, heads.count);
    let norms = SharedMut::new(norms);
    Blocks::by_rows(rows_of.len() / width.max(1), width).run(|rows| {
        // SAFETY: blocks are disjoint ranges of rows.
        let norms = unsafe { norms.part(rows.start * count..rows.end * count) };
        norm_block(heads, &rows_of[rows.start * width..rows.end * width], norms);
    });
}

simd_fn! {
    fn norm_block<M>(heads: Heads, rows: &[f32], norms: &mut [f32]) {
        for (row, norms) in rows.chunks_exact(heads.width).zip(norms.chunks_exact_mut(heads.count)) {
            for (h, norm) in norms.iter_mut().enumerate() {
                *norm = max_abs(&row[heads.range(h)]);
            }
        }
    }
}

/// `next = a_ii * state + increment`, row by row.
pub(super) fn step_states(heads: Heads, mode: Mode, own: &[f32], increment: &[f32], state: &[f32], next: &mut [f32]) {
    next.copy_from_slice(state);
    step_states_in_place(heads, mode, own, increment, next);
}

/// As [`step_states`], over the old states.
pub(super) fn step_states_in_place(heads: Heads, mode: Mode, own: &[f32], increment: &[f32], state: &mut [f32]) {
    let (width, count) = (heads.width, heads.count);
    let state = SharedMut::new(state);
    Blocks::by_rows(increment.len() / width.max(1), width).run(|rows| {
        let at = rows.start * width..rows.end * width;
        // SAFETY: blocks are disjoint ranges of rows.
        let state = unsafe { state.part(at.clone()) };
        step_block(heads, mode, &own[rows.start * count..rows.end * count], &increment[at], state);
    });
}

simd_fn! {
    fn step_block<M>(heads: Heads, mode: Mode, own: &[f32], increment: &[f32], state: &mut [f32]) {
        let (width, count) = (heads.width, heads.count);
        if mode == Mode::SelfLoop {
            state.copy_from_slice(increment);
            return;
        }
        for (n, (state, increment)) in state.chunks_exact_mut(width).zip(increment.chunks_exact(width)).enumerate() {
            for h in 0..count {
                let a = own[n * count + h];
                let range = heads.range(h);
                for (s, d) in state[range.clone()].iter_mut().zip(&increment[range]) {
                    *s = M::fma(a, *s, *d);
                }
            }
        }
    }
}
