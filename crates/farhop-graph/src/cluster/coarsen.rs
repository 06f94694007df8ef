//! From a graph to a smaller one of the same shape.

use rayon::prelude::*;

use crate::cluster::level::Level;
use crate::random::{Stream, mix, unit};
use crate::rows::running_sum;

/// No group of one step becomes heavier than this many nodes of mean weight, so that many fine levels remain to refine.
const MOST_JOINED: u64 = 3;
/// A step that leaves more than this share of the nodes is the last.
const STALLED: f64 = 0.95;
/// A coarser graph has at most this many times the entries per node,
const MOST_DENSER: f64 = 1.25;
/// unless it has fewer entries than this in all.
const NEVER_THINNED: usize = 4_000_000;
/// Entries per block of a contraction; a block has scratch of its own.
const BLOCK: usize = 1 << 22;

/// A coarser level and the node there that every node of the finer one became.
pub(super) struct Coarser {
    pub(super) level: Level<'static>,
    pub(super) coarse_of: Vec<u32>,
}

/// One step: groups of nodes that hang together by heavy edges become single nodes.
///
/// `target` is the number of nodes that the last level should have. None if the graph is that small or has nothing
/// left to join.
pub(super) fn coarser(level: &Level<'_>, target: usize, seed: u64) -> Option<Coarser> {
    if level.nodes() <= target {
        return None;
    }
    let heaviest = (level.total() + level.total() / 2) / target.max(1) as u64;
    let mean = level.total().div_ceil(level.nodes() as u64);
    let heaviest = heaviest.min(MOST_JOINED * mean).max(2);
    let (coarse_of, count) = Groups::new(level, heaviest).join_all(seed);
    if count as f64 > STALLED * level.nodes() as f64 {
        return None;
    }
    let thinning = Thinning::new(level, &coarse_of, count, mix(seed, 2));
    Some(Coarser { level: contract(level, &coarse_of, count, &thinning), coarse_of })
}

/// Which nodes become one.
struct Groups<'a, 'b> {
    level: &'a Level<'b>,
    heaviest: u64,
    /// A node of the group that names it.
    group_of: Vec<u32>,
    /// By name.
    weight: Vec<u64>,
    /// Weight of the edges from one node to each group, 0 outside of a call.
    joined_by: Vec<u64>,
    touched: Vec<u32>,
}

impl<'a, 'b> Groups<'a, 'b> {
    fn new(level: &'a Level<'b>, heaviest: u64) -> Self {
        let nodes = level.nodes();
        Self {
            level,
            heaviest,
            group_of: (0..nodes as u32).collect(),
            weight: (0..nodes as u32).map(|node| level.weight(node)).collect(),
            joined_by: vec![0; nodes],
            touched: Vec::new(),
        }
    }

    fn join_all(mut self, seed: u64) -> (Vec<u32>, usize) {
        let order = visiting_order(self.level, seed);
        // The group that a node liked best and could not join.
        let mut favourite = vec![u32::MAX; self.level.nodes()];
        for &node in &order {
            if self.is_alone(node) {
                favourite[node as usize] = self.join_best(node);
            }
        }
        self.join_by_favourite(&order, &favourite);
        self.pack_isolated();
        self.numbered()
    }

    fn is_alone(&self, node: u32) -> bool {
        self.group_of[node as usize] == node && self.weight[node as usize] == self.level.weight(node)
    }

    /// Moves a lone node to the group with the heaviest edges for its weight that has room. Gives the group that would
    /// have been best, room or not; `u32::MAX` for a node without edges.
    fn join_best(&mut self, node: u32) -> u32 {
        let (level, own) = (self.level, self.level.weight(node));
        level.each_neighbour(node, |other, weight| {
            let group = self.group_of[other as usize];
            let joined_by = &mut self.joined_by[group as usize];
            if *joined_by == 0 {
                self.touched.push(group);
            }
            *joined_by += weight;
        });
        let (mut favourite, mut favourite_rating) = (u32::MAX, -1.0);
        let (mut best, mut best_rating) = (u32::MAX, -1.0);
        for group in self.touched.drain(..) {
            let joined_by = std::mem::take(&mut self.joined_by[group as usize]) as f64;
            let weight = self.weight[group as usize];
            let rating = joined_by * joined_by / weight as f64;
            if joined_by > favourite_rating {
                (favourite, favourite_rating) = (group, joined_by);
            }
            if rating > best_rating && weight + own <= self.heaviest {
                (best, best_rating) = (group, rating);
            }
        }
        if best != u32::MAX {
            self.join(node, best);
        }
        favourite
    }

    fn join(&mut self, node: u32, group: u32) {
        let weight = std::mem::take(&mut self.weight[node as usize]);
        self.weight[group as usize] += weight;
        self.group_of[node as usize] = group;
    }

    /// Lone nodes that wanted the same full group join each other: the leaves of a star have no other way.
    fn join_by_favourite(&mut self, order: &[u32], favourite: &[u32]) {
        let mut waiting = vec![u32::MAX; self.level.nodes()];
        for &node in order {
            let wanted = favourite[node as usize];
            if wanted == u32::MAX || !self.is_alone(node) {
                continue;
            }
            let meeting = self.group_of[wanted as usize] as usize;
            let other = waiting[meeting];
            if other != u32::MAX && self.weight[other as usize] + self.weight[node as usize] <= self.heaviest {
                self.join(node, other);
            } else {
                waiting[meeting] = node;
            }
        }
    }

    /// Nodes without edges, such as whole components of an earlier level, fill groups in the order of their ids.
    fn pack_isolated(&mut self) {
        let mut open = u32::MAX;
        for node in 0..self.level.nodes() as u32 {
            if self.level.degree(node) > 0 {
                continue;
            }
            if open != u32::MAX && self.weight[open as usize] + self.weight[node as usize] <= self.heaviest {
                self.join(node, open);
            } else {
                open = node;
            }
        }
    }

    /// Groups by numbers from 0 on, in the order of their first nodes, and how many there are.
    fn numbered(self) -> (Vec<u32>, usize) {
        let mut number_of = vec![u32::MAX; self.group_of.len()];
        let mut count = 0;
        let coarse_of = self.group_of.iter().map(|&group| {
            let number = &mut number_of[group as usize];
            if *number == u32::MAX {
                *number = count;
                count += 1;
            }
            *number
        });
        (coarse_of.collect(), count as usize)
    }
}

/// Nodes of few edges first, since they have the fewest to join; otherwise at random.
fn visiting_order(level: &Level<'_>, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..level.nodes() as u32).collect();
    Stream::new(mix(seed, 1)).shuffle(&mut order);
    let many = (level.entries() as f64 / level.nodes() as f64 * 0.7) as usize;
    order.sort_by_key(|&node| level.degree(node).min(many));
    order
}

/// Keeps coarse graphs from growing dense: random graphs of high degree lose nodes by coarsening, and hardly an edge.
///
/// An edge lighter than `least` stays with probability `weight / least` and then weighs `least`: no cut changes in the
/// mean. Which ones stay is a function of the ends.
struct Thinning {
    least: u64,
    seed: u64,
}

impl Thinning {
    fn new(level: &Level<'_>, coarse_of: &[u32], count: usize, seed: u64) -> Self {
        let share = count as f64 / level.nodes() as f64;
        let most = ((level.entries() as f64 * share * MOST_DENSER) as usize).max(NEVER_THINNED);
        if level.entries() <= most {
            return Self { least: 1, seed };
        }
        let between = |node: u32| {
            let own = coarse_of[node as usize];
            let mut sum = 0;
            level
                .each_neighbour(node, |other, weight| sum += if coarse_of[other as usize] == own { 0 } else { weight });
            sum
        };
        let weight: u64 = (0..level.nodes() as u32).into_par_iter().map(between).sum();
        // The number of edges that stay is below `weight / least`.
        Self { least: weight.div_ceil(most as u64).max(1), seed }
    }

    /// The weight that an edge goes on with, if it does.
    fn weight(&self, left: u32, right: u32, weight: u32) -> Option<u32> {
        if u64::from(weight) >= self.least {
            return Some(weight);
        }
        let ends = u64::from(left.min(right)) << 32 | u64::from(left.max(right));
        let stays = unit(mix(self.seed, ends)) * (self.least as f64) < f64::from(weight);
        stays.then_some(self.least as u32)
    }
}

/// The graph of the groups: weights of nodes and of parallel edges are added, edges within groups vanish.
fn contract(level: &Level<'_>, coarse_of: &[u32], count: usize, thinning: &Thinning) -> Level<'static> {
    let mut starts = vec![0usize; count + 1];
    coarse_of.iter().for_each(|&group| starts[group as usize + 1] += 1);
    running_sum(&mut starts);
    let mut next = starts.clone();
    let mut members = vec![0u32; coarse_of.len()];
    for (node, &group) in coarse_of.iter().enumerate() {
        members[next[group as usize]] = node as u32;
        next[group as usize] += 1;
    }
    let node_weights = (0..count)
        .into_par_iter()
        .map(|group| members[starts[group]..starts[group + 1]].iter().map(|&node| level.weight(node)).sum())
        .collect();
    let blocks: Vec<Rows> = blocks_of(level, &starts, &members)
        .into_par_iter()
        .map(|groups| {
            contract_rows(
                level,
                coarse_of,
                thinning,
                count,
                groups.map(|group| &members[starts[group]..starts[group + 1]]),
            )
        })
        .collect();
    let entries = blocks.iter().map(|block| block.targets.len()).sum();
    let mut offsets = Vec::with_capacity(count + 1);
    let (mut targets, mut weights) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    offsets.push(0);
    for block in blocks {
        let before = targets.len();
        offsets.extend(block.ends.iter().map(|end| before + end));
        targets.extend_from_slice(&block.targets);
        weights.extend_from_slice(&block.weights);
    }
    Level::weighted(offsets, targets, Some(weights), Some(node_weights))
}

/// Ranges of groups with about [`BLOCK`] entries each: cut by the data, never by the number of threads.
fn blocks_of(level: &Level<'_>, starts: &[usize], members: &[u32]) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let (mut first, mut entries) = (0, 0);
    for group in 0..starts.len() - 1 {
        entries += members[starts[group]..starts[group + 1]].iter().map(|&node| level.degree(node)).sum::<usize>();
        if entries >= BLOCK {
            blocks.push(first..group + 1);
            (first, entries) = (group + 1, 0);
        }
    }
    blocks.push(first..starts.len() - 1);
    blocks
}

/// Rows of some groups.
#[derive(Default)]
struct Rows {
    ends: Vec<usize>,
    targets: Vec<u32>,
    weights: Vec<u32>,
}

impl Rows {
    /// Drops edges of the last row, which begins at `start` and belongs to the group `own`.
    fn thin(&mut self, start: usize, own: u32, thinning: &Thinning) {
        let mut end = start;
        for place in start..self.targets.len() {
            let target = self.targets[place];
            if let Some(weight) = thinning.weight(own, target, self.weights[place]) {
                (self.targets[end], self.weights[end]) = (target, weight);
                end += 1;
            }
        }
        self.targets.truncate(end);
        self.weights.truncate(end);
    }
}

fn contract_rows<'m>(
    level: &Level<'_>,
    coarse_of: &[u32],
    thinning: &Thinning,
    count: usize,
    groups: impl Iterator<Item = &'m [u32]>,
) -> Rows {
    let mut rows = Rows::default();
    // Place of each group in the row at hand: valid if it is not before the row and names the group.
    let mut place_of = vec![u32::MAX; count];
    for members in groups {
        let row_start = rows.targets.len();
        for &member in members {
            let own = coarse_of[member as usize];
            level.each_neighbour(member, |other, weight| {
                let group = coarse_of[other as usize];
                if group == own {
                    return;
                }
                let place = place_of[group as usize] as usize;
                if place >= row_start && rows.targets.get(place) == Some(&group) {
                    rows.weights[place] = rows.weights[place].saturating_add(weight as u32);
                } else {
                    place_of[group as usize] = rows.targets.len() as u32;
                    rows.targets.push(group);
                    rows.weights.push(weight as u32);
                }
            });
        }
        if let Some(&member) = members.first().filter(|_| thinning.least > 1) {
            rows.thin(row_start, coarse_of[member as usize], thinning);
        }
        rows.ends.push(rows.targets.len());
    }
    rows
}

#[cfg(test)]
mod tests;
