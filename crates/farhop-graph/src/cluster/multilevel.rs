//! Coarsen, split, refine on the way back (Karypis and Kumar, 1998).

use rayon::prelude::*;

use crate::cluster::assignment::{Assignment, Limits};
use crate::cluster::balance::balance;
use crate::cluster::bisect::split;
use crate::cluster::coarsen::coarser;
use crate::cluster::level::Level;
use crate::cluster::refine::refine;
use crate::random::mix;

/// Nodes of the coarsest graph per part, and at least.
const NODES_PER_PART: usize = 30;
const LEAST_NODES: usize = 200;
/// First splits, of which the best is kept,
const TRIES: u64 = 4;
/// unless the coarsest graph has more entries than this: then there is one.
const MANY_ENTRIES: usize = 1_000_000;

/// The part of every node of the finest level.
pub(super) fn partition(finest: Level<'_>, parts: usize, slack: f64, seed: u64) -> Vec<u32> {
    let target = parts.saturating_mul(NODES_PER_PART).max(LEAST_NODES);
    let mut levels: Vec<Level<'_>> = vec![finest];
    let mut maps: Vec<Vec<u32>> = Vec::new();
    while let Some(step) = levels.last().and_then(|level| coarser(level, target, mix(seed, maps.len() as u64))) {
        levels.push(step.level);
        maps.push(step.coarse_of);
    }
    let mut part_of = Vec::new();
    while let Some(level) = levels.pop() {
        part_of = match maps.get(levels.len()) {
            None => first_parts(&level, parts, slack, mix(seed, 1_000)),
            Some(coarse_of) => coarse_of.iter().map(|&coarse| part_of[coarse as usize]).collect(),
        };
        let limits = Limits::even(&level, parts, slack);
        let mut now = Assignment::new(&level, part_of, parts);
        refine(&level, &mut now, &limits, mix(seed, 2_000 + levels.len() as u64));
        balance(&level, &mut now, &limits);
        part_of = now.part_of;
    }
    part_of
}

/// The best of several first splits: it decides how good the last one can become, and costs little.
fn first_parts(level: &Level<'_>, parts: usize, slack: f64, seed: u64) -> Vec<u32> {
    let limits = Limits::even(level, parts, slack);
    let attempt = |attempt: u64| {
        let part_of = split(level, parts, slack, mix(seed, attempt));
        let mut now = Assignment::new(level, part_of, parts);
        refine(level, &mut now, &limits, mix(seed, attempt));
        (now.excess(&limits), now.cut(level), attempt, now.part_of)
    };
    let tries = if level.entries() <= MANY_ENTRIES { TRIES } else { 1 };
    let best = (0..tries).into_par_iter().map(attempt).min_by_key(|&(excess, cut, attempt, _)| (excess, cut, attempt));
    best.map_or_else(Vec::new, |(.., part_of)| part_of)
}
