//! Fewer cut edges within the limits.

use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::cluster::assignment::{Assignment, Limits, Surroundings};
use crate::cluster::balance::balance;
use crate::cluster::level::Level;
use crate::random::{Stream, mix};

/// Sweeps over all nodes at most.
const MOST_SWEEPS: usize = 6;
/// A sweep that moves a smaller share of the nodes is the last.
const FEW_MOVES: f64 = 0.002;
/// Levels with fewer entries than this are swept by one thread.
const PARALLEL_ENTRIES: usize = 500_000;
/// Nodes, at least, that are looked at before moves are made.
const SWEEP_CHUNK: usize = 8_192;
/// Passes of hill climbing at most.
const MOST_CLIMBS: usize = 6;
/// A pass that saves a smaller share of the cut edges is the last.
const FEW_SAVED: f64 = 0.001;
/// Where more entries than this, and a fifth of all, belong to nodes at the boundary, there is no hill climbing: such
/// graphs (random ones of high degree) are cut nearly everywhere, and it would take long for one percent.
const MUCH_BOUNDARY: usize = 1_000_000;
/// Hill climbing looks at this many entries per entry of the level at most.
const CLIMB_WORK: usize = 6;
/// A neighbour with more edges than this is looked at again when its turn comes, not at every move around it.
const MANY_EDGES: usize = 512;

/// Balances the parts, then moves nodes to where their edges lead: sweeps first, for the many moves that pay at once,
/// then hill climbing.
pub(super) fn refine(level: &Level<'_>, now: &mut Assignment, limits: &Limits, seed: u64) {
    balance(level, now, limits);
    sweep(level, now, limits, seed);
    let (boundary, cut) = boundary(level, now);
    if boundary > MUCH_BOUNDARY && boundary > level.entries() / 5 {
        return;
    }
    let mut climb = Climb::new(level, now.weights.len(), mix(seed, 2));
    for _ in 0..MOST_CLIMBS {
        if climb.pass(now, limits) as f64 <= FEW_SAVED * cut as f64 {
            break;
        }
    }
}

/// Entries of all nodes with edges to other parts, and the weight of these edges, seen from one end.
fn boundary(level: &Level<'_>, now: &Assignment) -> (usize, u64) {
    let of_node = |node: u32| {
        let own = now.part_of[node as usize];
        let mut cut = 0;
        level.each_neighbour(node, |other, weight| cut += if now.part_of[other as usize] == own { 0 } else { weight });
        (if cut > 0 { level.degree(node) } else { 0 }, cut)
    };
    let add = |left: (usize, u64), right: (usize, u64)| (left.0 + right.0, left.1 + right.1);
    let (entries, twice) = (0..level.nodes() as u32).into_par_iter().map(of_node).reduce(|| (0, 0), add);
    (entries, twice / 2)
}

/// Visits all nodes in random order and makes every move that cuts fewer edges, or as many with more even parts.
fn sweep(level: &Level<'_>, now: &mut Assignment, limits: &Limits, seed: u64) {
    let mut around = Surroundings::new(now.weights.len());
    let mut order: Vec<u32> = (0..level.nodes() as u32).collect();
    Stream::new(mix(seed, 1)).shuffle(&mut order);
    for _ in 0..MOST_SWEEPS {
        let mut moved = 0;
        for chunk in order.chunks(SWEEP_CHUNK.max(level.nodes() / 64)) {
            let candidates = candidates(level, now, limits, chunk);
            for &node in candidates.as_deref().unwrap_or(chunk) {
                if let Some(to) = paying_move(&mut around, level, now, limits, node) {
                    now.shift(level, node, to);
                    moved += 1;
                }
            }
        }
        if (moved as f64) <= FEW_MOVES * level.nodes() as f64 {
            break;
        }
    }
}

/// Where a node should go: to cut fewer edges, or as many with more even parts.
fn paying_move(
    around: &mut Surroundings,
    level: &Level<'_>,
    now: &Assignment,
    limits: &Limits,
    node: u32,
) -> Option<u32> {
    let offer = around.best_within(level, now, limits, node)?;
    let own = now.weights[now.part_of[node as usize] as usize];
    let evens = now.weights[offer.to as usize] + level.weight(node) < own;
    (offer.gain > 0 || (offer.gain == 0 && evens)).then_some(offer.to)
}

/// The nodes of a chunk that have somewhere to go as things stand, found in parallel: most have not. They are asked
/// again when their turn comes, so that the result does not depend on threads. None (all) for a small level.
fn candidates(level: &Level<'_>, now: &Assignment, limits: &Limits, chunk: &[u32]) -> Option<Vec<u32>> {
    if level.entries() < PARALLEL_ENTRIES {
        return None;
    }
    let ask = |nodes: &[u32]| -> Vec<u32> {
        let mut around = Surroundings::new(now.weights.len());
        let mut goes = |node: &u32| paying_move(&mut around, level, now, limits, *node).is_some();
        nodes.iter().copied().filter(|node| goes(node)).collect()
    };
    Some(chunk.par_chunks(SWEEP_CHUNK / 8).map(ask).collect::<Vec<_>>().concat())
}

/// Moves in the order of their gains, also those that lose, and back to the best state met (Fiduccia and Mattheyses,
/// 1982), among any number of parts.
struct Climb<'a, 'b> {
    level: &'a Level<'b>,
    seed: u64,
    around: Surroundings,
    /// Best offers by gain, then at random; an offer counts if it is the node's latest.
    offers: BinaryHeap<(i64, u32, u32)>,
    /// Gain of the latest offer of each node.
    latest: Vec<i64>,
    /// Number of the pass in which each node was moved.
    moved_in: Vec<u32>,
    passes: u32,
    work: usize,
}

/// No offer: less than any gain.
const NONE: i64 = i64::MIN;

impl<'a, 'b> Climb<'a, 'b> {
    fn new(level: &'a Level<'b>, parts: usize, seed: u64) -> Self {
        Self {
            level,
            seed,
            around: Surroundings::new(parts),
            offers: BinaryHeap::new(),
            latest: vec![NONE; level.nodes()],
            moved_in: vec![0; level.nodes()],
            passes: 0,
            work: 0,
        }
    }

    /// One pass; every node moves once at most. Gives the weight of the edges saved.
    fn pass(&mut self, now: &mut Assignment, limits: &Limits) -> i64 {
        self.passes += 1;
        self.work = 0;
        self.offers.clear();
        self.latest.fill(NONE);
        for node in 0..self.level.nodes() as u32 {
            self.offer(now, limits, node);
        }
        let patience = (self.level.nodes() / 50).clamp(200, 2_000);
        let most_work = CLIMB_WORK * self.level.entries() + 100_000;
        let mut moves: Vec<(u32, u32)> = Vec::new();
        let (mut saved, mut best, mut best_moves) = (0, 0, 0);
        while let Some((gain, _, node)) = self.offers.pop() {
            if self.moved_in[node as usize] == self.passes || self.latest[node as usize] != gain {
                continue;
            }
            self.work += self.level.degree(node);
            let offer = self.around.best_within(self.level, now, limits, node);
            let Some(offer) = offer else {
                self.latest[node as usize] = NONE;
                continue;
            };
            if offer.gain < gain {
                self.push(node, offer.gain);
                continue;
            }
            moves.push((node, now.part_of[node as usize]));
            now.shift(self.level, node, offer.to);
            self.moved_in[node as usize] = self.passes;
            saved += offer.gain;
            if saved > best {
                (best, best_moves) = (saved, moves.len());
            }
            if moves.len() - best_moves > patience || self.work > most_work {
                break;
            }
            let level = self.level;
            level.each_neighbour(node, |other, _| {
                if self.moved_in[other as usize] != self.passes && level.degree(other) <= MANY_EDGES {
                    self.offer(now, limits, other);
                }
            });
        }
        for (node, from) in moves.drain(best_moves..).rev() {
            now.shift(self.level, node, from);
        }
        best
    }

    /// Enters the best move of a node, if that has changed.
    fn offer(&mut self, now: &Assignment, limits: &Limits, node: u32) {
        self.work += self.level.degree(node);
        match self.around.best_within(self.level, now, limits, node) {
            None => self.latest[node as usize] = NONE,
            Some(offer) if offer.gain == self.latest[node as usize] => {}
            Some(offer) => self.push(node, offer.gain),
        }
    }

    fn push(&mut self, node: u32, gain: i64) {
        self.latest[node as usize] = gain;
        let chance = mix(mix(self.seed, u64::from(self.passes)), u64::from(node)) as u32;
        self.offers.push((gain, chance, node));
    }
}
