//! What the passes allocate, for the memory plan.

use super::{Config, Mode, Storage, backward, pairs_before};
use crate::packed;

/// Bytes that [`forward`](super::forward) returns: increments, coefficients, node scalars and row sums.
pub fn bytes_kept(config: &Config, source_rounds: usize, attention: bool, nodes: usize, entries: usize) -> u64 {
    let increments = config.rounds * nodes * config.heads.width * size_of::<f32>();
    increments as u64 + bytes_scalars(config, source_rounds, attention, nodes, entries)
}

/// The same while the increments are [put away](super::Kept::put_away).
pub fn bytes_waiting(config: &Config, source_rounds: usize, attention: bool, nodes: usize, entries: usize) -> u64 {
    match config.storage {
        Storage::Full => bytes_kept(config, source_rounds, attention, nodes, entries),
        Storage::Packed => {
            let increments = packed::bytes(config.rounds, nodes, config.heads.width);
            increments + bytes_scalars(config, source_rounds, attention, nodes, entries)
        }
    }
}

fn bytes_scalars(config: &Config, source_rounds: usize, attention: bool, nodes: usize, entries: usize) -> u64 {
    let heads = config.heads.count;
    let mut floats = 0;
    if attention {
        floats += source_rounds * (entries + 3 * nodes) * heads;
    }
    if config.mode == Mode::Exact {
        floats += pairs_before(config.rounds + 1) * nodes * heads;
    }
    (floats * size_of::<f32>()) as u64
}

/// Bytes that [`forward`](super::forward) allocates besides what it keeps: reversed coefficients, states, packed rows.
pub fn bytes_forward(config: &Config, source_rounds: usize, attention: bool, nodes: usize, entries: usize) -> u64 {
    let heads = config.heads.count;
    let mut floats = 0;
    if config.mode == Mode::Exact && config.rounds > 1 {
        floats += source_rounds.min(config.rounds - 1) * entries * heads;
    }
    if attention && source_rounds > 1 || config.mode == Mode::None {
        floats += nodes * config.heads.width * if config.mode == Mode::None { 2 } else { 1 };
    }
    let packed = match (config.storage, config.mode) {
        (Storage::Full, _) => 0,
        (Storage::Packed, Mode::Exact) => config.rounds,
        (Storage::Packed, _) => 1,
    };
    (floats * size_of::<f32>()) as u64 + packed::bytes(packed, nodes, config.heads.width)
}

/// Bytes that [`begin`](super::begin) allocates: the gradients of all rounds but the last, and scalars.
pub fn bytes_begun(config: &Config, nodes: usize) -> u64 {
    let returned = if config.mode == Mode::Exact { config.rounds / 2 } else { 0 };
    let per_node = (config.rounds - 1) * config.heads.width + (config.rounds + returned) * config.heads.count;
    (nodes * per_node * size_of::<f32>()) as u64
}

/// Bytes that [`BackwardRounds::finish`](super::BackwardRounds::finish) has at most at once, the returned gradients and what is left of the increments
/// included; for an undirected graph.
pub fn bytes_finish(config: &Config, source_rounds: usize, nodes: usize, entries: usize) -> u64 {
    let (heads, width, rounds) = (config.heads.count, config.heads.width, config.rounds);
    let exact = config.mode == Mode::Exact;
    // Gradients of scores stay until the last round, two numbers for each.
    let pending = if exact && source_rounds == rounds { 2 * (rounds - 1) } else { 2 };
    let scalars = (rounds + if exact { rounds / 2 } else { 0 } + pending) * heads;
    let keep = backward::keeps(entries, heads, source_rounds);
    let at_round = |k: usize| {
        // Those of z, and what is carried.
        let always = 1 + usize::from(config.mode == Mode::None);
        let wide = |increments: usize, gradients: usize| nodes * ((increments + gradients + always) * width + scalars);
        let (transposed, gradients) = match (source_rounds == 1, exact) {
            (true, _) => (1, 1 + usize::from(exact && rounds > 1)),
            // Of each set the round needs one direction, and so do the gradients; then both are there.
            (false, true) if k == rounds => (k.div_ceil(2), k),
            (false, true) => (if keep { k } else { k.div_ceil(2) }, 2 * k),
            (false, false) => (1, 1),
        };
        let pulling = wide(k - 1, k) + entries * heads * (transposed + gradients);
        // After the round: the set of its own is needed no more, and the two directions become one in place, where both are there.
        let still_transposed = match (source_rounds == 1, keep) {
            (true, _) => transposed,
            (false, true) => transposed - 1,
            (false, false) => 0,
        };
        let joined = usize::from(!exact || k == rounds);
        let joining = wide(k - 1, k - 1) + entries * heads * (still_transposed + gradients + joined);
        // Before, at the nodes: of the sets that are left, with what the rounds so far have made.
        let so_far = match (k == rounds, source_rounds == 1, exact) {
            (true, _, _) => 0,
            (_, true, _) => still_transposed + gradients,
            (_, _, true) if k + 1 == rounds => (if keep { rounds.div_ceil(2) - 1 } else { 0 }) + k,
            (_, _, true) => (if keep { k } else { 0 }) + gradients,
            (_, _, false) => 0,
        };
        let turning = wide(k.min(rounds - 1), k) + entries * heads * so_far;
        pulling.max(joining).max(turning)
    };
    let floats = (1..=rounds).map(at_round).max().unwrap_or(0);
    let packed = if config.storage == Storage::Packed { packed::bytes(1, nodes, width) } else { 0 };
    (floats * size_of::<f32>()) as u64 + packed
}
