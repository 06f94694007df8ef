//! The selective scan of Mamba (Gu and Dao, 2023) over ragged sequences: for every channel c a state of S numbers,
//!
//! `e_t = softplus(delta_t + bias)`, `h_t = exp(e_t A) h_(t-1) + e_t u_t B_t`, `y_t = (C_t . h_t + D u_t) silu(z_t)`
//!
//! with u, delta, z and y `[T, channels]`, B and C `[T, S]` (shared by the channels), A `[channels, S]`, D and bias
//! `[channels]`. `offsets` cut the T rows into sequences; the state starts at zero in each. Without z the last factor
//! is 1, without a bias it is 0.
//!
//! States run along a sequence, 16 channels side by side in vector registers. What is kept for the backward pass is the
//! state after every [`CHUNK`] steps: `T / CHUNK` states instead of T. The backward pass goes through the chunks from
//! the last to the first and computes the states of one chunk again.

mod backward;
mod forward;
mod lanes;

use crate::pieces::rows_of;
use lanes::{LANES, Lanes, load};
use std::ops::Range;

pub use backward::{Gradients, backward};
pub use forward::forward;

/// Steps from one kept state to the next.
pub const CHUNK: usize = 32;

/// The arrays of the scan.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// What enters the states, `[T, channels]`.
    pub u: &'a [f32],
    /// Step sizes before bias and softplus, `[T, channels]`.
    pub delta: &'a [f32],
    /// Decay rates A, `[channels, S]`; negative for states that fade.
    pub a: &'a [f32],
    /// How u enters the states, `[T, S]`.
    pub b: &'a [f32],
    /// How states are read, `[T, S]`.
    pub c: &'a [f32],
    /// What passes by the states, `[channels]`.
    pub d: &'a [f32],
    /// The gate, `[T, channels]`.
    pub z: Option<&'a [f32]>,
    /// Added to delta, `[channels]`.
    pub bias: Option<&'a [f32]>,
    /// Bounds of the sequences.
    pub offsets: &'a [usize],
    /// Number of channels.
    pub channels: usize,
    /// Number of states S of a channel.
    pub states: usize,
}

impl Inputs<'_> {
    /// Number of rows, after a check of all lengths.
    fn checked(&self) -> usize {
        let rows = rows_of(self.offsets);
        let (wide, narrow) = (rows * self.channels, rows * self.states);
        assert!(self.u.len() == wide && self.delta.len() == wide, "u and delta must be [T, channels]");
        assert!(self.b.len() == narrow && self.c.len() == narrow, "B and C must be [T, states]");
        assert_eq!(self.a.len(), self.channels * self.states, "A must be [channels, states]");
        assert_eq!(self.d.len(), self.channels, "D must be [channels]");
        assert!(self.z.is_none_or(|z| z.len() == wide), "z must be [T, channels]");
        assert!(self.bias.is_none_or(|bias| bias.len() == self.channels), "bias must be [channels]");
        rows
    }

    /// Blocks of channels.
    fn blocks(&self) -> usize {
        self.channels.div_ceil(LANES)
    }

    /// First channel of a block and how many it has.
    fn block(&self, block: usize) -> (usize, usize) {
        (block * LANES, LANES.min(self.channels - block * LANES))
    }

    /// The rates of a block of channels, `[S]` of lanes.
    fn rates(&self, block: usize) -> Vec<Lanes> {
        let (first, count) = self.block(block);
        let lane = |s: usize, l: usize| if l < count { self.a[(first + l) * self.states + s] } else { 0.0 };
        (0..self.states).map(|s| std::array::from_fn(|l| lane(s, l))).collect()
    }

    /// D and bias of a block of channels.
    fn constants(&self, block: usize) -> (Lanes, Lanes) {
        let (first, count) = self.block(block);
        (load(self.d, first, count), self.bias.map_or([0.0; LANES], |bias| load(bias, first, count)))
    }

    /// Numbers of one kept state of all channels.
    fn state_size(&self) -> usize {
        self.blocks() * LANES * self.states
    }
}

/// How many states a sequence of so many steps keeps: one before each chunk but the first.
fn kept_states(steps: usize) -> usize {
    steps.saturating_sub(1) / CHUNK
}

/// Numbers that [`forward`] keeps for [`backward`]: the states at the bounds of chunks.
pub fn kept_len(offsets: &[usize], channels: usize, states: usize) -> usize {
    let count: usize = offsets.windows(2).map(|bounds| kept_states(bounds[1] - bounds[0])).sum();
    count * channels.next_multiple_of(LANES) * states
}

/// Sequences and channels shared out among tasks, by the sizes alone.
struct Plan {
    /// Consecutive sequences of about equally many steps, and the number of states kept before them.
    runs: Vec<(Range<usize>, usize)>,
    /// Blocks of channels of a task.
    per_group: usize,
    /// Groups of blocks.
    groups: usize,
}

impl Plan {
    /// With few sequences, up to `most` groups of channels.
    fn new(inputs: &Inputs, most: usize) -> Self {
        let offsets = inputs.offsets;
        let sequences = offsets.len().saturating_sub(1);
        let target = (offsets.last().copied().unwrap_or(0) / 64).max(256);
        let mut runs = Vec::new();
        let (mut first, mut kept, mut before) = (0, 0, 0);
        for sequence in 0..sequences {
            kept += kept_states(offsets[sequence + 1] - offsets[sequence]);
            if offsets[sequence + 1] - offsets[first] >= target || sequence + 1 == sequences {
                runs.push((first..sequence + 1, before));
                (first, before) = (sequence + 1, kept);
            }
        }
        let blocks = inputs.blocks();
        let wanted = (16 / runs.len().max(1)).clamp(1, most);
        let per_group = blocks.div_ceil(wanted).max(1);
        Plan { runs, per_group, groups: blocks.div_ceil(per_group) }
    }

    /// Number of tasks.
    fn len(&self) -> usize {
        self.runs.len() * self.groups
    }

    /// The sequences of a task, the number of states kept before them, and its group.
    fn task(&self, at: usize) -> (Range<usize>, usize, usize) {
        let (sequences, kept) = &self.runs[at / self.groups];
        (sequences.clone(), *kept, at % self.groups)
    }

    /// The blocks of channels of a group.
    fn blocks(&self, group: usize, inputs: &Inputs) -> Range<usize> {
        group * self.per_group..((group + 1) * self.per_group).min(inputs.blocks())
    }
}
