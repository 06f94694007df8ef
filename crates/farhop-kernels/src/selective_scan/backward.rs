//! The backward pass: chunks from the last to the first, the states of each computed again from the state before it.

use super::lanes::{LANES, Lanes, load, sigmoid, softplus};
use super::{CHUNK, Inputs, Plan, kept_states};
use crate::buffers;
use crate::parallel::{PARALLEL_FROM, SharedMut, add, in_order};
use crate::simd::exp;
use crate::simd_fn;
use std::ops::Range;

/// The gradients of the arrays of [`Inputs`], in their shapes.
#[derive(Debug)]
pub struct Gradients {
    /// Of u.
    pub u: Vec<f32>,
    /// Of delta.
    pub delta: Vec<f32>,
    /// Of A.
    pub a: Vec<f32>,
    /// Of B.
    pub b: Vec<f32>,
    /// Of C.
    pub c: Vec<f32>,
    /// Of D.
    pub d: Vec<f32>,
    /// Of z, if there is one.
    pub z: Option<Vec<f32>>,
    /// Of the bias, also if there is none.
    pub bias: Vec<f32>,
}

/// Sums over the steps of a block of channels.
#[derive(Clone)]
struct Sums {
    a: Vec<Lanes>,
    d: Lanes,
    bias: Lanes,
}

/// The gradients of every input; `kept` is what the forward pass wrote, dy `[T, channels]`.
///
/// # Panics
/// If an array has another length than its shape or the offsets do not ascend.
pub fn backward(inputs: Inputs, kept: &[f32], dy: &[f32]) -> Gradients {
    let rows = inputs.checked();
    let (channels, states) = (inputs.channels, inputs.states);
    assert_eq!(dy.len(), rows * channels, "dy must be [T, channels]");
    assert_eq!(kept.len(), super::kept_len(inputs.offsets, channels, states), "states that the forward pass kept");
    // Every group of channels has its own sums over channels: a few of them at most.
    let plan = Plan::new(&inputs, 4);
    let parallel = dy.len() * states >= PARALLEL_FROM;
    let narrow = rows * states;
    let wide = || buffers::take(rows * channels);
    let (mut u, mut delta, mut z) = (wide(), wide(), inputs.z.map(|_| wide()));
    let groups = plan.groups.max(1);
    let (mut b, mut c) = (buffers::zeros(groups * narrow), buffers::zeros(groups * narrow));
    let outputs = Outputs {
        u: SharedMut::new(&mut u),
        delta: SharedMut::new(&mut delta),
        z: z.as_mut().map(|z| SharedMut::new(z)),
        b: SharedMut::new(&mut b),
        c: SharedMut::new(&mut c),
    };
    let sums = in_order(plan.len(), parallel, |task| {
        let (sequences, before, group) = plan.task(task);
        let blocks = plan.blocks(group, &inputs);
        let mut work = Work::new(states);
        let rates: Vec<Vec<Lanes>> = blocks.clone().map(|block| inputs.rates(block)).collect();
        let empty = Sums { a: vec![[0.0; LANES]; states], d: [0.0; LANES], bias: [0.0; LANES] };
        let mut sums = vec![empty; blocks.len()];
        let mut before = before;
        for sequence in sequences {
            let steps = inputs.offsets[sequence]..inputs.offsets[sequence + 1];
            let count = kept_states(steps.len());
            // The gradient of the state of every block on its way back.
            let mut carried = vec![[0.0; LANES]; blocks.len() * states];
            for chunk in (0..steps.len().div_ceil(CHUNK)).rev() {
                let first = steps.start + chunk * CHUNK;
                let range = first..(first + CHUNK).min(steps.end);
                work.b.fill([0.0; LANES]);
                work.c.fill([0.0; LANES]);
                for (i, block) in blocks.clone().enumerate() {
                    let start = (before + chunk).wrapping_sub(1).wrapping_mul(inputs.state_size());
                    let kept = (chunk > 0).then(|| &kept[start + block * LANES * states..][..LANES * states]);
                    again(&inputs, block, &rates[i], range.clone(), kept, &mut work);
                    let carried = &mut carried[i * states..(i + 1) * states];
                    let step = range.clone();
                    back(&inputs, block, &rates[i], step, dy, &outputs, carried, &mut work, &mut sums[i]);
                }
                let part = group * narrow + range.start * states..group * narrow + range.end * states;
                // SAFETY: these rows of this group's sums belong to this task alone.
                let (b, c) = unsafe { (outputs.b.part(part.clone()), outputs.c.part(part)) };
                let total = |lanes: &Lanes| lanes.iter().sum::<f32>();
                b.iter_mut().zip(&work.b).for_each(|(b, lanes)| *b = total(lanes));
                c.iter_mut().zip(&work.c).for_each(|(c, lanes)| *c = total(lanes));
            }
            before += count;
        }
        sums
    });
    let (a, d, bias) = over_runs(&inputs, &plan, &sums);
    Gradients { u, delta, a, b: over_groups(b, narrow), c: over_groups(c, narrow), d, z, bias }
}

/// Adds up what the groups of channels gave, in their order.
fn over_groups(mut parts: Vec<f32>, len: usize) -> Vec<f32> {
    if parts.len() > len && len > 0 {
        let (total, others) = parts.split_at_mut(len);
        others.chunks_exact(len).for_each(|part| add(part, total));
        let mut total = buffers::take(len);
        total.copy_from_slice(&parts[..len]);
        buffers::give(parts);
        return total;
    }
    parts
}

/// Adds up the sums of the tasks in their order, in f64: gradients of A, D and bias.
fn over_runs(inputs: &Inputs, plan: &Plan, sums: &[Vec<Sums>]) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let (channels, states) = (inputs.channels, inputs.states);
    let (mut a, mut d, mut bias) = (vec![0.0f64; channels * states], vec![0.0f64; channels], vec![0.0f64; channels]);
    for (task, sums) in sums.iter().enumerate() {
        let (_, _, group) = plan.task(task);
        for (block, sums) in plan.blocks(group, inputs).zip(sums) {
            let (first, count) = inputs.block(block);
            for l in 0..count {
                d[first + l] += f64::from(sums.d[l]);
                bias[first + l] += f64::from(sums.bias[l]);
                for s in 0..states {
                    a[(first + l) * states + s] += f64::from(sums.a[s][l]);
                }
            }
        }
    }
    let narrow = |values: Vec<f64>| values.into_iter().map(|v| v as f32).collect();
    (narrow(a), narrow(d), narrow(bias))
}

struct Outputs<'a> {
    u: SharedMut<'a, f32>,
    delta: SharedMut<'a, f32>,
    z: Option<SharedMut<'a, f32>>,
    b: SharedMut<'a, f32>,
    c: SharedMut<'a, f32>,
}

/// What is known of the steps of one chunk.
struct Work {
    /// States before every step and after the last, `[CHUNK + 1, S]`.
    states: Vec<Lanes>,
    /// `exp(e_t A)`, `[CHUNK, S]`.
    decays: Vec<Lanes>,
    /// `e_t`.
    sizes: Vec<Lanes>,
    /// What the gate multiplies.
    sums: Vec<Lanes>,
    /// Gradients of B and C before they are summed over the lanes, `[CHUNK, S]`.
    b: Vec<Lanes>,
    c: Vec<Lanes>,
}

impl Work {
    fn new(states: usize) -> Self {
        let lanes = |count: usize| vec![[0.0; LANES]; count];
        Work {
            states: lanes((CHUNK + 1) * states),
            decays: lanes(CHUNK * states),
            sizes: lanes(CHUNK),
            sums: lanes(CHUNK),
            b: lanes(CHUNK * states),
            c: lanes(CHUNK * states),
        }
    }
}

simd_fn! {
    /// The forward pass of a chunk again, all of it remembered.
    fn again<M>(
        inputs: &Inputs,
        block: usize,
        rates: &[Lanes],
        steps: Range<usize>,
        kept: Option<&[f32]>,
        work: &mut Work,
    ) {
        let (first, count) = inputs.block(block);
        let (d, bias) = inputs.constants(block);
        let states = inputs.states;
        match kept {
            Some(kept) => work.states[..states].as_flattened_mut().copy_from_slice(kept),
            None => work.states[..states].fill([0.0; LANES]),
        }
        for (step, t) in steps.enumerate() {
            let at = t * inputs.channels + first;
            let (u, delta) = (load(inputs.u, at, count), load(inputs.delta, at, count));
            let (mut size, mut entering, mut sum) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            for l in 0..LANES {
                size[l] = softplus::<M>(delta[l] + bias[l]);
                entering[l] = size[l] * u[l];
                sum[l] = d[l] * u[l];
            }
            let (b, c) = (&inputs.b[t * states..(t + 1) * states], &inputs.c[t * states..(t + 1) * states]);
            let (old, new) = work.states[step * states..(step + 2) * states].split_at_mut(states);
            let decays = &mut work.decays[step * states..(step + 1) * states];
            for s in 0..states {
                let (old, new, decay, rate) = (&old[s], &mut new[s], &mut decays[s], &rates[s]);
                for l in 0..LANES {
                    decay[l] = exp::<M>(size[l] * rate[l]);
                    new[l] = M::fma(entering[l], b[s], decay[l] * old[l]);
                    sum[l] = M::fma(new[l], c[s], sum[l]);
                }
            }
            work.sizes[step] = size;
            work.sums[step] = sum;
        }
    }
}

simd_fn! {
    /// The steps of a chunk backwards; `carried` is the gradient of the state after the chunk, then of the one before
    /// it.
    fn back<M>(
        inputs: &Inputs,
        block: usize,
        rates: &[Lanes],
        steps: Range<usize>,
        dy: &[f32],
        outputs: &Outputs,
        carried: &mut [Lanes],
        work: &mut Work,
        sums: &mut Sums,
    ) {
        let (first, count) = inputs.block(block);
        let (d, bias) = inputs.constants(block);
        let states = inputs.states;
        for (step, t) in steps.enumerate().rev() {
            let at = t * inputs.channels + first;
            let (u, delta) = (load(inputs.u, at, count), load(inputs.delta, at, count));
            let mut g = load(dy, at, count);
            if let (Some(z), Some(out)) = (inputs.z, &outputs.z) {
                let (z, mut dz) = (load(z, at, count), [0.0; LANES]);
                for l in 0..LANES {
                    let s = sigmoid::<M>(z[l]);
                    dz[l] = g[l] * work.sums[step][l] * s * M::fma(z[l], 1.0 - s, 1.0);
                    g[l] *= z[l] * s;
                }
                // SAFETY: these columns of this row belong to this task alone.
                unsafe { out.part(at..at + count) }.copy_from_slice(&dz[..count]);
            }
            let size = work.sizes[step];
            let (mut entering, mut d_entering, mut d_size) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            for l in 0..LANES {
                entering[l] = size[l] * u[l];
                sums.d[l] = M::fma(g[l], u[l], sums.d[l]);
            }
            let (b, c) = (&inputs.b[t * states..(t + 1) * states], &inputs.c[t * states..(t + 1) * states]);
            let (old, new) = work.states[step * states..(step + 2) * states].split_at(states);
            let here = step * states..(step + 1) * states;
            let (decays, db, dc) = (&work.decays[here.clone()], &mut work.b[here.clone()], &mut work.c[here]);
            for s in 0..states {
                let (old, new, decay, rate) = (&old[s], &new[s], &decays[s], &rates[s]);
                let (db, dc, carried, da) = (&mut db[s], &mut dc[s], &mut carried[s], &mut sums.a[s]);
                for l in 0..LANES {
                    let h = M::fma(g[l], c[s], carried[l]);
                    dc[l] = M::fma(g[l], new[l], dc[l]);
                    db[l] = M::fma(h, entering[l], db[l]);
                    d_entering[l] = M::fma(h, b[s], d_entering[l]);
                    carried[l] = h * decay[l];
                    // The gradient of e_t A.
                    let exponent = carried[l] * old[l];
                    d_size[l] = M::fma(exponent, rate[l], d_size[l]);
                    da[l] = M::fma(exponent, size[l], da[l]);
                }
            }
            let (mut du, mut d_delta) = ([0.0; LANES], [0.0; LANES]);
            for l in 0..LANES {
                du[l] = M::fma(g[l], d[l], d_entering[l] * size[l]);
                d_delta[l] = M::fma(d_entering[l], u[l], d_size[l]) * sigmoid::<M>(delta[l] + bias[l]);
                sums.bias[l] += d_delta[l];
            }
            // SAFETY: these columns of this row belong to this task alone.
            let (out_u, out_delta) = unsafe { (outputs.u.part(at..at + count), outputs.delta.part(at..at + count)) };
            out_u.copy_from_slice(&du[..count]);
            out_delta.copy_from_slice(&d_delta[..count]);
        }
    }
}
