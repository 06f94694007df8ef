//! The forward pass.

use super::lanes::{LANES, Lanes, load, sigmoid, softplus};
use super::{CHUNK, Inputs, Plan, kept_states};
use crate::parallel::{PARALLEL_FROM, SharedMut, in_order};
use crate::simd::exp;
use crate::simd_fn;
use std::ops::Range;

/// Writes y `[T, channels]` and, if wanted, the states at the bounds of chunks, as many numbers as [`super::kept_len`]
/// says.
///
/// # Panics
/// If an array has another length than its shape or the offsets do not ascend.
pub fn forward(inputs: Inputs, y: &mut [f32], kept: Option<&mut [f32]>) {
    let rows = inputs.checked();
    assert_eq!(y.len(), rows * inputs.channels, "y must be [T, channels]");
    let plan = Plan::new(&inputs, 16);
    let parallel = y.len() * inputs.states >= PARALLEL_FROM;
    let (y, kept) = (SharedMut::new(y), kept.map(SharedMut::new));
    in_order(plan.len(), parallel, |task| {
        let (sequences, before, group) = plan.task(task);
        for block in plan.blocks(group, &inputs) {
            let rates = inputs.rates(block);
            let mut before = before;
            for sequence in sequences.clone() {
                let steps = inputs.offsets[sequence]..inputs.offsets[sequence + 1];
                let count = kept_states(steps.len());
                scan(&inputs, block, &rates, steps, &y, kept.as_ref(), before);
                before += count;
            }
        }
    });
}

simd_fn! {
    /// One block of channels over one sequence; `before` states of other sequences come before its own.
    fn scan<M>(
        inputs: &Inputs,
        block: usize,
        rates: &[Lanes],
        steps: Range<usize>,
        y: &SharedMut<f32>,
        kept: Option<&SharedMut<f32>>,
        before: usize,
    ) {
        let (first, count) = inputs.block(block);
        let (d, bias) = inputs.constants(block);
        let (states, channels) = (inputs.states, inputs.channels);
        let mut state = vec![[0.0f32; LANES]; states];
        for (step, t) in steps.enumerate() {
            if step > 0 && step % CHUNK == 0 && let Some(kept) = kept {
                let start = (before + step / CHUNK - 1) * inputs.state_size() + block * LANES * states;
                // SAFETY: a kept state belongs to one sequence, and this part of it to one block of channels.
                let part = unsafe { kept.part(start..start + LANES * states) };
                part.copy_from_slice(state.as_flattened());
            }
            let at = t * channels + first;
            let (u, delta) = (load(inputs.u, at, count), load(inputs.delta, at, count));
            let (mut size, mut entering, mut sum) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            for l in 0..LANES {
                size[l] = softplus::<M>(delta[l] + bias[l]);
                entering[l] = size[l] * u[l];
                sum[l] = d[l] * u[l];
            }
            let (b, c) = (&inputs.b[t * states..(t + 1) * states], &inputs.c[t * states..(t + 1) * states]);
            for (((state, rate), b), c) in state.iter_mut().zip(rates).zip(b).zip(c) {
                for l in 0..LANES {
                    let decayed = exp::<M>(size[l] * rate[l]) * state[l];
                    state[l] = M::fma(entering[l], *b, decayed);
                    sum[l] = M::fma(state[l], *c, sum[l]);
                }
            }
            if let Some(z) = inputs.z {
                let z = load(z, at, count);
                for l in 0..LANES {
                    sum[l] *= z[l] * sigmoid::<M>(z[l]);
                }
            }
            // SAFETY: these columns of this row belong to this block and sequence alone.
            unsafe { y.part(at..at + count) }.copy_from_slice(&sum[..count]);
        }
    }
}
