//! The first parts, on the coarsest graph: halves of halves.

use std::collections::BinaryHeap;

use crate::cluster::assignment::{Assignment, Limits};
use crate::cluster::coarsen::coarser;
use crate::cluster::level::Level;
use crate::cluster::refine::refine;
use crate::random::{Stream, mix};

/// Nodes of the graph that halves are grown on.
const SMALL: usize = 100;
/// Halves grown, of which the best is kept.
const TRIES: u64 = 12;

/// Splits a graph into parts of even weight, numbered `0..parts`.
pub(super) fn split(level: &Level<'_>, parts: usize, slack: f64, seed: u64) -> Vec<u32> {
    // The slacks of all halvings on the way to a part multiply.
    let halvings = parts.next_power_of_two().ilog2().max(1);
    let slack = (1.0 + slack).powf(1.0 / f64::from(halvings)) - 1.0;
    let mut part_of = vec![0; level.nodes()];
    let nodes: Vec<u32> = (0..level.nodes() as u32).collect();
    for (node, part) in split_further(level, &nodes, parts, 0, slack, seed) {
        part_of[node as usize] = part;
    }
    part_of
}

/// `(id of the node, part)` of every node; `ids` are the ids of the nodes of this level.
fn split_further(level: &Level<'_>, ids: &[u32], parts: usize, first: u32, slack: f64, seed: u64) -> Vec<(u32, u32)> {
    if parts <= 1 {
        return ids.iter().map(|&id| (id, first)).collect();
    }
    let left_parts = parts / 2;
    let share = left_parts as f64 / parts as f64;
    let side_of = halve(level, share, slack, seed);
    let nodes_of =
        |side: u32| -> Vec<u32> { (0..level.nodes() as u32).filter(|&node| side_of[node as usize] == side).collect() };
    let descend = |side: u32, parts: usize, first: u32| {
        let nodes = nodes_of(side);
        let ids: Vec<u32> = nodes.iter().map(|&node| ids[node as usize]).collect();
        let half = level.induced(&nodes, &mut vec![u32::MAX; level.nodes()]);
        split_further(&half, &ids, parts, first, slack, mix(seed, 1 + u64::from(side)))
    };
    let (mut left, right) =
        rayon::join(|| descend(0, left_parts, first), || descend(1, parts - left_parts, first + left_parts as u32));
    left.extend(right);
    left
}

/// The side, 0 or 1, of every node, so that side 0 has about this share of the weight.
fn halve(level: &Level<'_>, share: f64, slack: f64, seed: u64) -> Vec<u32> {
    let limits = limits_of_halves(level, share, slack);
    match coarser(level, SMALL, mix(seed, 10)) {
        Some(step) => {
            let coarse_side = halve(&step.level, share, slack, mix(seed, 11));
            let side_of = step.coarse_of.iter().map(|&coarse| coarse_side[coarse as usize]).collect();
            let mut now = Assignment::new(level, side_of, 2);
            refine(level, &mut now, &limits, mix(seed, 12));
            now.part_of
        }
        None => {
            let grown = (0..TRIES).map(|attempt| {
                let mut now = grow(level, share, mix(seed, 100 + attempt));
                refine(level, &mut now, &limits, mix(seed, 13));
                ((now.excess(&limits), now.cut(level)), now.part_of)
            });
            grown.min_by_key(|(score, _)| *score).map_or_else(Vec::new, |(_, side_of)| side_of)
        }
    }
}

fn limits_of_halves(level: &Level<'_>, share: f64, slack: f64) -> Limits {
    let total = level.total();
    let left = total as f64 * share;
    // Half a node either way is the best that can be hoped for.
    let room = level.heaviest() as f64 / 2.0;
    let least = (left * (1.0 - slack)).min(left - room).max(0.0).ceil() as u64;
    let most = (((left * (1.0 + slack)).max(left + room)).floor() as u64).clamp(least, total);
    Limits { least: vec![least, total - most], most: vec![most, total - least] }
}

/// Side 0 grows from a random node, always by the node that adds the fewest cut edges, until it has its share.
fn grow(level: &Level<'_>, share: f64, seed: u64) -> Assignment {
    let wanted = (level.total() as f64 * share) as u64;
    let mut order: Vec<u32> = (0..level.nodes() as u32).collect();
    Stream::new(seed).shuffle(&mut order);
    let mut starts = order.into_iter();
    let mut now = Assignment::new(level, vec![1; level.nodes()], 2);
    // Gain of each node: edges to side 0 less edges to side 1.
    let mut gains: Vec<i64> = (0..level.nodes() as u32)
        .map(|node| {
            let mut sum = 0;
            level.each_neighbour(node, |_, weight| sum -= weight as i64);
            sum
        })
        .collect();
    let mut front = BinaryHeap::new();
    while now.weights[0] < wanted {
        let node = match front.pop() {
            Some((gain, node)) if now.part_of[node as usize] == 1 && gains[node as usize] == gain => node,
            Some(_) => continue,
            None => match starts.next() {
                Some(node) if now.part_of[node as usize] == 1 => node,
                Some(_) => continue,
                None => break,
            },
        };
        // Stops where the next node would overshoot by more than stopping falls short.
        if now.weights[0] + level.weight(node) / 2 > wanted {
            continue;
        }
        now.shift(level, node, 0);
        level.each_neighbour(node, |other, weight| {
            gains[other as usize] += 2 * weight as i64;
            if now.part_of[other as usize] == 1 {
                front.push((gains[other as usize], other));
            }
        });
    }
    now
}
