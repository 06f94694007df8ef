//! Bringing parts within their limits.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::cluster::assignment::{Assignment, Limits, Move, Surroundings};
use crate::cluster::level::Level;

/// Rounds over the nodes; each ends with nothing to do, or has moved at least one node.
const MOST_ROUNDS: usize = 8;

/// Moves nodes out of parts that are too heavy, then into parts that are too light, at the least cost in cut edges
/// that a single sorted pass finds. Nodes of weight 1 always end within limits that enclose the mean; heavier ones
/// as near as they go.
pub(super) fn balance(level: &Level<'_>, now: &mut Assignment, limits: &Limits) {
    for _ in 0..MOST_ROUNDS {
        if now.excess(limits) == 0 {
            return;
        }
        let moved = relieve(level, now, limits) + fill(level, now, limits);
        if moved == 0 {
            return;
        }
    }
}

/// Out of parts above their limit, into any that have room.
fn relieve(level: &Level<'_>, now: &mut Assignment, limits: &Limits) -> usize {
    let heavy = |now: &Assignment, part: u32| now.weights[part as usize] > limits.most[part as usize];
    let choose = |around: &mut Surroundings, now: &Assignment, node: u32, emptiest: u32| {
        if !heavy(now, now.part_of[node as usize]) {
            return None;
        }
        let weight = level.weight(node);
        let fits = |part: u32| now.weights[part as usize] + weight <= limits.most[part as usize];
        around
            .best(level, now, node, fits)
            .or_else(|| fits(emptiest).then(|| Move { to: emptiest, gain: -inside(level, now, node) }))
    };
    apply_sorted(level, now, limits, choose)
}

/// Into parts below their limit, out of any that can spare a node.
fn fill(level: &Level<'_>, now: &mut Assignment, limits: &Limits) -> usize {
    let light = |now: &Assignment, part: u32| now.weights[part as usize] < limits.least[part as usize];
    let choose = |around: &mut Surroundings, now: &Assignment, node: u32, emptiest: u32| {
        let (own, weight) = (now.part_of[node as usize] as usize, level.weight(node));
        if now.weights[own] < limits.least[own] + weight {
            return None;
        }
        let takes = |part: u32| light(now, part) && now.weights[part as usize] + weight <= limits.most[part as usize];
        around
            .best(level, now, node, takes)
            .or_else(|| takes(emptiest).then(|| Move { to: emptiest, gain: -inside(level, now, node) }))
    };
    if (0..now.weights.len() as u32).any(|part| light(now, part)) {
        apply_sorted(level, now, limits, choose)
    } else {
        0
    }
}

fn inside(level: &Level<'_>, now: &Assignment, node: u32) -> i64 {
    let own = now.part_of[node as usize];
    let mut inside = 0;
    level.each_neighbour(node, |other, weight| inside += if now.part_of[other as usize] == own { weight } else { 0 });
    inside as i64
}

/// Collects the moves that `choose` (scratch, state, node, emptiest part) offers now and makes them by descending gain,
/// as far as it still offers one.
fn apply_sorted(
    level: &Level<'_>,
    now: &mut Assignment,
    limits: &Limits,
    choose: impl Fn(&mut Surroundings, &Assignment, u32, u32) -> Option<Move>,
) -> usize {
    let mut around = Surroundings::new(now.weights.len());
    let mut rooms = Rooms::new(now, limits);
    let emptiest = rooms.largest();
    let offered = |around: &mut Surroundings, node| {
        let offer = choose(around, now, node, emptiest)?;
        Some((-offer.gain, node))
    };
    let mut offers: Vec<(i64, u32)> = (0..level.nodes() as u32).filter_map(|node| offered(&mut around, node)).collect();
    offers.sort_unstable();
    let mut moved = 0;
    for (_, node) in offers {
        if let Some(offer) = choose(&mut around, now, node, rooms.largest()) {
            let from = now.part_of[node as usize];
            [from, offer.to].iter().for_each(|&part| rooms.remove(now, part));
            now.shift(level, node, offer.to);
            [from, offer.to].iter().for_each(|&part| rooms.add(now, part));
            moved += 1;
        }
    }
    moved
}

/// Parts by the weight that still fits in: the emptiest without looking at all of them.
struct Rooms<'a> {
    limits: &'a Limits,
    sorted: BTreeSet<(i64, Reverse<u32>)>,
}

impl<'a> Rooms<'a> {
    fn new(now: &Assignment, limits: &'a Limits) -> Self {
        let mut rooms = Self { limits, sorted: BTreeSet::new() };
        (0..now.weights.len() as u32).for_each(|part| rooms.add(now, part));
        rooms
    }

    fn key(&self, now: &Assignment, part: u32) -> (i64, Reverse<u32>) {
        (self.limits.most[part as usize] as i64 - now.weights[part as usize] as i64, Reverse(part))
    }

    fn add(&mut self, now: &Assignment, part: u32) {
        self.sorted.insert(self.key(now, part));
    }

    fn remove(&mut self, now: &Assignment, part: u32) {
        self.sorted.remove(&self.key(now, part));
    }

    fn largest(&self) -> u32 {
        self.sorted.last().map_or(0, |&(_, Reverse(part))| part)
    }
}
