//! Exact return probabilities: walks from eight neighbouring starts at a time, on the ball that they reach.

use std::ops::Range;

use rayon::prelude::*;

use super::walk::linked;
use crate::graph::Graph;

/// Starts that are followed together.
const LANES: usize = 8;
/// Starts per piece of work for a thread.
const GROUP: usize = 1 << 10;
/// Balls that are measured to reckon the cost of a component.
const SAMPLES: usize = 32;
/// Stands for a node outside the ball.
const OUTSIDE: u32 = u32::MAX;

type Lanes = [f64; LANES];

/// Writes the rows of all `components`, lists of nodes within `nodes`, into `rows` (`[nodes, length]`).
pub(super) fn exact_rows(union: &Graph, nodes: Range<usize>, components: &[&[u32]], length: usize, rows: &mut [f32]) {
    let mut blocks: Vec<&[u32]> = Vec::new();
    for component in components {
        blocks.extend(component.chunks(LANES));
    }
    // A fixed number of groups at a time bounds the memory of finished rows that wait for their place.
    for blocks in blocks.chunks(64 * GROUP) {
        let finished: Vec<Vec<f32>> = blocks
            .par_chunks(GROUP / LANES)
            .map(|blocks| {
                let mut ball = Ball::new(union, nodes.clone());
                let mut finished = Vec::new();
                for starts in blocks {
                    ball.grow(starts, length.div_ceil(2));
                    ball.walk(starts, length, &mut finished);
                }
                finished
            })
            .collect();
        let starts = blocks.iter().copied().flatten();
        let finished = finished.iter().flat_map(|finished| finished.chunks_exact(length));
        for (&start, row) in starts.zip(finished) {
            rows[(start as usize - nodes.start) * length..][..length].copy_from_slice(row);
        }
    }
}

/// Additions for the exact rows of a component, reckoned from some of its balls.
pub(super) fn ball_cost(union: &Graph, component: &[u32], length: usize) -> f64 {
    let radius = length.div_ceil(2);
    let blocks = component.len().div_ceil(LANES);
    let samples = SAMPLES.min(blocks);
    let lowest = component.iter().min().map_or(0, |&node| node as usize);
    let highest = component.iter().max().map_or(0, |&node| node as usize);
    let mut ball = Ball::new(union, lowest..highest + 1);
    let mut sum = 0f64;
    for sample in 0..samples {
        let first = sample * blocks / samples * LANES;
        ball.grow(&component[first..component.len().min(first + LANES)], radius);
        let steps = 1..=radius;
        sum += steps.map(|step| ball.links.offsets[ball.level_end(step)] as f64).sum::<f64>();
    }
    sum / samples as f64 * (blocks * LANES) as f64
}

/// Rows of links between the nodes of a ball.
#[derive(Default)]
struct Links {
    offsets: Vec<usize>,
    places: Vec<u32>,
}

/// Everything within some steps of a block of starts, with new ids in the order of distance. A walk of `k` steps
/// then lives on a prefix of the ball.
struct Ball<'a> {
    union: &'a Graph,
    first_node: usize,
    place_of: Vec<u32>,
    nodes: Vec<u32>,
    /// Number of nodes within `k` steps.
    level_ends: Vec<usize>,
    /// Where a step may go.
    links: Links,
    /// Where a step may have come from; empty for an undirected graph.
    back_links: Links,
    /// Number of links that lead away from each node, in the whole graph.
    degrees: Vec<f64>,
    /// One over each degree; over 1 where there are no links.
    inverses: Vec<f64>,
    before: Vec<Lanes>,
    after: Vec<Lanes>,
    /// The other half of a directed walk.
    forward_before: Vec<Lanes>,
    forward_after: Vec<Lanes>,
}

impl<'a> Ball<'a> {
    fn new(union: &'a Graph, nodes: Range<usize>) -> Self {
        Self {
            union,
            first_node: nodes.start,
            place_of: vec![OUTSIDE; nodes.len()],
            nodes: Vec::new(),
            level_ends: Vec::new(),
            links: Links::default(),
            back_links: Links::default(),
            degrees: Vec::new(),
            inverses: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            forward_before: Vec::new(),
            forward_after: Vec::new(),
        }
    }

    fn level_end(&self, steps: usize) -> usize {
        self.level_ends[steps.min(self.level_ends.len() - 1)]
    }

    fn grow(&mut self, starts: &[u32], radius: usize) {
        for &node in &self.nodes {
            self.place_of[node as usize - self.first_node] = OUTSIDE;
        }
        self.nodes.clear();
        self.level_ends.clear();
        for &start in starts {
            self.meet(start);
        }
        let mut at = 0;
        self.level_ends.push(self.nodes.len());
        while self.level_ends.len() <= radius {
            let end = self.nodes.len();
            for place in at..end {
                for &next in linked(self.union, self.nodes[place] as usize) {
                    self.meet(next);
                }
            }
            if self.nodes.len() == end {
                break;
            }
            self.level_ends.push(self.nodes.len());
            at = end;
        }
        let columns = self.union.transposed();
        let rows = (self.union.offsets(), self.union.sources());
        let away = (columns.offsets, columns.targets);
        self.degrees.clear();
        self.degrees.extend(self.nodes.iter().map(|&node| (away.0[node as usize + 1] - away.0[node as usize]) as f64));
        self.inverses.clear();
        self.inverses.extend(self.degrees.iter().map(|degree| 1.0 / degree.max(1.0)));
        fill(&mut self.links, &self.nodes, away, &self.place_of, self.first_node);
        if self.union.is_directed() {
            fill(&mut self.back_links, &self.nodes, rows, &self.place_of, self.first_node);
        }
    }

    fn meet(&mut self, node: u32) {
        let place = &mut self.place_of[node as usize - self.first_node];
        if *place == OUTSIDE {
            *place = self.nodes.len() as u32;
            self.nodes.push(node);
        }
    }

    /// Appends one row of return probabilities for every start; the starts are the first nodes of the ball.
    fn walk(&mut self, starts: &[u32], length: usize, finished: &mut Vec<f32>) {
        let first = finished.len();
        finished.resize(first + starts.len() * length, 0.0);
        let finished = &mut finished[first..];
        let mut put = |t: usize, sums: Lanes, scale: &dyn Fn(usize) -> f64| {
            if t <= length {
                for lane in 0..starts.len() {
                    finished[lane * length + t - 1] = (sums[lane] * scale(lane)) as f32;
                }
            }
        };
        begin(&mut self.before, &mut self.after, self.nodes.len(), starts.len());
        if self.union.is_directed() {
            begin(&mut self.forward_before, &mut self.forward_after, self.nodes.len(), starts.len());
            for (lanes, inverse) in self.forward_before.iter_mut().zip(&self.inverses).take(starts.len()) {
                lanes.iter_mut().for_each(|value| *value *= inverse);
            }
        }
        for step in 1..=length.div_ceil(2) {
            let end = self.level_end(step);
            if self.union.is_directed() {
                let sums = self.step_directed(end);
                put(2 * step - 1, sums.0, &|_| 1.0);
                put(2 * step, sums.1, &|_| 1.0);
            } else {
                let sums = self.step_undirected(end);
                // A start without neighbours has no walks, and its sums are 0.
                let scale = |lane: usize| self.inverses[lane];
                put(2 * step - 1, sums.0, &scale);
                put(2 * step, sums.1, &scale);
            }
        }
    }

    /// From `q_(k-1)` to `q_k = P q_(k-1)`; returns `sum_j d_j q_(k-1) q_k` and `sum_j d_j q_k q_k`.
    fn step_undirected(&mut self, end: usize) -> (Lanes, Lanes) {
        let (mut odd, mut even) = ([0.0; LANES], [0.0; LANES]);
        for place in 0..end {
            // The sum over the links is d_j q_k already.
            let sum = gathered(&self.links, place, &self.before);
            let inverse = self.inverses[place];
            let before = &self.before[place];
            let after = sum.map(|value| value * inverse);
            for lane in 0..LANES {
                odd[lane] += before[lane] * sum[lane];
                even[lane] += after[lane] * sum[lane];
            }
            self.after[place] = after;
        }
        std::mem::swap(&mut self.before, &mut self.after);
        (odd, even)
    }

    /// `b_k = P b_(k-1)`, `f_k = P^T f_(k-1)`; returns `sum_j f_(k-1) b_k` and `sum_j f_k b_k`. The vectors `f` are
    /// kept divided by the degrees, ready for the next step; where a degree is 0, `b` is 0 and `f` does not matter.
    fn step_directed(&mut self, end: usize) -> (Lanes, Lanes) {
        let (mut odd, mut even) = ([0.0; LANES], [0.0; LANES]);
        for place in 0..end {
            let mut back = gathered(&self.links, place, &self.before);
            let mut forward = gathered(&self.back_links, place, &self.forward_before);
            let degree = self.degrees[place];
            let inverse = self.inverses[place];
            let forward_before = self.forward_before[place];
            for lane in 0..LANES {
                back[lane] *= inverse;
                odd[lane] += degree * forward_before[lane] * back[lane];
                even[lane] += forward[lane] * back[lane];
            }
            self.after[place] = back;
            for value in &mut forward {
                *value *= inverse;
            }
            self.forward_after[place] = forward;
        }
        std::mem::swap(&mut self.before, &mut self.after);
        std::mem::swap(&mut self.forward_before, &mut self.forward_after);
        (odd, even)
    }
}

/// The links of the nodes of a ball that stay in it.
fn fill(links: &mut Links, nodes: &[u32], rows: (&[usize], &[u32]), place_of: &[u32], first_node: usize) {
    links.offsets.clear();
    links.places.clear();
    links.offsets.push(0);
    for &node in nodes {
        let row = &rows.1[rows.0[node as usize]..rows.0[node as usize + 1]];
        let places = row.iter().map(|&next| place_of[next as usize - first_node]);
        links.places.extend(places.filter(|&place| place != OUTSIDE));
        links.offsets.push(links.places.len());
    }
}

/// Lane `l` starts at node `l` of the ball. Both arrays are 0 elsewhere: steps only write the prefix they reach.
fn begin(before: &mut Vec<Lanes>, after: &mut Vec<Lanes>, nodes: usize, starts: usize) {
    for array in [&mut *before, after] {
        array.clear();
        array.resize(nodes, [0.0; LANES]);
    }
    for (lane, lanes) in before.iter_mut().enumerate().take(starts) {
        lanes[lane] = 1.0;
    }
}

#[inline]
fn gathered(links: &Links, place: usize, values: &[Lanes]) -> Lanes {
    let mut sum = [0.0; LANES];
    for &from in &links.places[links.offsets[place]..links.offsets[place + 1]] {
        let values = &values[from as usize];
        for lane in 0..LANES {
            sum[lane] += values[lane];
        }
    }
    sum
}
