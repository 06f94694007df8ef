//! Which node lies in which part, how heavy the parts are, and the moves that are allowed.

use crate::cluster::level::Level;

/// Rounds of looking for nodes heavier than a part should be.
const MOST_HUB_ROUNDS: usize = 8;

/// Weights that parts must keep between, `[parts]` each.
#[derive(Clone)]
pub(super) struct Limits {
    pub(super) least: Vec<u64>,
    pub(super) most: Vec<u64>,
}

impl Limits {
    /// Within `slack` (a share) of the mean. Nodes of weight 1 may fill parts to the whole numbers next to the mean;
    /// heavier ones get room for one node more, up to twice the slack.
    ///
    /// Nodes above the mean (hubs) have a part for themselves: the mean is that of what is left for the other parts.
    pub(super) fn even(level: &Level<'_>, parts: usize, slack: f64) -> Self {
        let (mean, heaviest) = mean_without_hubs(level, parts);
        let room = ((heaviest - 1.0).max(0.0)).min(slack * mean);
        let least = (mean * (1.0 - slack)).ceil().min((mean - room).floor()).max(1.0) as u64;
        let most = (mean * (1.0 + slack)).floor().max((mean + room).ceil()) as u64;
        Self { least: vec![least; parts], most: vec![most; parts] }
    }
}

/// Mean weight of the parts without nodes that are heavier than that, and the heaviest other node.
fn mean_without_hubs(level: &Level<'_>, parts: usize) -> (f64, f64) {
    let mut mean = level.total() as f64 / parts as f64;
    let mut heaviest = level.heaviest() as f64;
    // Each round finds more hubs than the last, for a mean without hubs is smaller.
    for _ in 0..MOST_HUB_ROUNDS {
        if heaviest <= mean {
            break;
        }
        let (mut hubs, mut rest, mut next) = (0, level.total(), 0);
        for weight in (0..level.nodes() as u32).map(|node| level.weight(node)) {
            if weight as f64 > mean {
                hubs += 1;
                rest -= weight;
            } else {
                next = weight.max(next);
            }
        }
        if hubs >= parts {
            break;
        }
        mean = rest as f64 / (parts - hubs) as f64;
        heaviest = next as f64;
    }
    (mean, heaviest)
}

/// Parts of the nodes of one level.
#[derive(Clone)]
pub(super) struct Assignment {
    pub(super) part_of: Vec<u32>,
    pub(super) weights: Vec<u64>,
}

impl Assignment {
    pub(super) fn new(level: &Level<'_>, part_of: Vec<u32>, parts: usize) -> Self {
        let mut weights = vec![0; parts];
        for (node, &part) in part_of.iter().enumerate() {
            weights[part as usize] += level.weight(node as u32);
        }
        Self { part_of, weights }
    }

    pub(super) fn shift(&mut self, level: &Level<'_>, node: u32, to: u32) {
        let from = std::mem::replace(&mut self.part_of[node as usize], to);
        self.weights[from as usize] -= level.weight(node);
        self.weights[to as usize] += level.weight(node);
    }

    /// Weight of all edges between parts, seen from both ends.
    pub(super) fn cut(&self, level: &Level<'_>) -> u64 {
        let mut cut = 0;
        for node in 0..level.nodes() as u32 {
            let own = self.part_of[node as usize];
            level.each_neighbour(node, |other, weight| {
                if self.part_of[other as usize] != own {
                    cut += weight;
                }
            });
        }
        cut
    }

    /// By how much all parts together lie outside their limits.
    pub(super) fn excess(&self, limits: &Limits) -> u64 {
        let bounds = limits.least.iter().zip(&limits.most);
        self.weights
            .iter()
            .zip(bounds)
            .map(|(weight, (least, most))| weight.saturating_sub(*most) + least.saturating_sub(*weight))
            .sum()
    }
}

/// A node might go to this part; the cut edges become less by `gain` (seen from one end).
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) to: u32,
    pub(super) gain: i64,
}

/// Adds up the edges from a node to the parts around it. Scratch for [`Move`]s, one per thread.
pub(super) struct Surroundings {
    joined_by: Vec<u64>,
    touched: Vec<u32>,
}

impl Surroundings {
    pub(super) fn new(parts: usize) -> Self {
        Self { joined_by: vec![0; parts], touched: Vec::new() }
    }

    /// The part with the heaviest edges from `node`, other than its own, among those that `allowed` (part) admits. Of
    /// equal ones the lightest, then the first met. None for a node all of whose edges stay in its part or lead to
    /// parts that are not allowed.
    pub(super) fn best(
        &mut self,
        level: &Level<'_>,
        now: &Assignment,
        node: u32,
        allowed: impl Fn(u32) -> bool,
    ) -> Option<Move> {
        let own = now.part_of[node as usize];
        let mut inside = 0;
        level.each_neighbour(node, |other, weight| {
            let part = now.part_of[other as usize];
            if part == own {
                inside += weight;
                return;
            }
            let joined_by = &mut self.joined_by[part as usize];
            if *joined_by == 0 {
                self.touched.push(part);
            }
            *joined_by += weight;
        });
        let mut best = None;
        let mut best_key = (0, 0);
        for part in self.touched.drain(..) {
            let joined_by = std::mem::take(&mut self.joined_by[part as usize]);
            let key = (joined_by, u64::MAX - now.weights[part as usize]);
            if key > best_key && allowed(part) {
                best_key = key;
                best = Some(Move { to: part, gain: joined_by as i64 - inside as i64 });
            }
        }
        best
    }

    /// The best move that keeps all parts within their limits.
    pub(super) fn best_within(
        &mut self,
        level: &Level<'_>,
        now: &Assignment,
        limits: &Limits,
        node: u32,
    ) -> Option<Move> {
        let (own, weight) = (now.part_of[node as usize] as usize, level.weight(node));
        if now.weights[own] < limits.least[own] + weight {
            return None;
        }
        let fits = |part: u32| now.weights[part as usize] + weight <= limits.most[part as usize];
        self.best(level, now, node, fits)
    }
}
