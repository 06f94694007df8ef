//! Bringing parts within their limits.

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
    let choose = |around: &mut Surroundings, now: &Assignment, node: u32| {
        if !heavy(now, now.part_of[node as usize]) {
            return None;
        }
        let weight = level.weight(node);
        let fits = |part: u32| now.weights[part as usize] + weight <= limits.most[part as usize];
        around.best(level, now, node, fits).or_else(|| {
            let to = emptiest(now, limits)?;
            fits(to).then(|| Move { to, gain: -inside(level, now, node) })
        })
    };
    apply_sorted(level, now, choose)
}

/// Into parts below their limit, out of any that can spare a node.
fn fill(level: &Level<'_>, now: &mut Assignment, limits: &Limits) -> usize {
    let light = |now: &Assignment, part: u32| now.weights[part as usize] < limits.least[part as usize];
    let choose = |around: &mut Surroundings, now: &Assignment, node: u32| {
        let (own, weight) = (now.part_of[node as usize] as usize, level.weight(node));
        if now.weights[own] < limits.least[own] + weight {
            return None;
        }
        let takes = |part: u32| light(now, part) && now.weights[part as usize] + weight <= limits.most[part as usize];
        around.best(level, now, node, takes).or_else(|| {
            let to = emptiest(now, limits)?;
            takes(to).then(|| Move { to, gain: -inside(level, now, node) })
        })
    };
    if (0..now.weights.len() as u32).any(|part| light(now, part)) { apply_sorted(level, now, choose) } else { 0 }
}

/// The part with the smallest share of what it may hold.
fn emptiest(now: &Assignment, limits: &Limits) -> Option<u32> {
    let filled = |part: u32| now.weights[part as usize] as f64 / limits.most[part as usize].max(1) as f64;
    (0..now.weights.len() as u32).min_by(|&left, &right| filled(left).total_cmp(&filled(right)))
}

fn inside(level: &Level<'_>, now: &Assignment, node: u32) -> i64 {
    let own = now.part_of[node as usize];
    let mut inside = 0;
    level.each_neighbour(node, |other, weight| inside += if now.part_of[other as usize] == own { weight } else { 0 });
    inside as i64
}

/// Collects the moves that `choose` offers now and makes them by descending gain, as far as it still offers one.
fn apply_sorted(
    level: &Level<'_>,
    now: &mut Assignment,
    choose: impl Fn(&mut Surroundings, &Assignment, u32) -> Option<Move>,
) -> usize {
    let mut around = Surroundings::new(now.weights.len());
    let offered = |around: &mut Surroundings, node| choose(around, now, node).map(|offer| (-offer.gain, node));
    let mut offers: Vec<(i64, u32)> = (0..level.nodes() as u32).filter_map(|node| offered(&mut around, node)).collect();
    offers.sort_unstable();
    let mut moved = 0;
    for (_, node) in offers {
        if let Some(offer) = choose(&mut around, now, node) {
            now.shift(level, node, offer.to);
            moved += 1;
        }
    }
    moved
}
