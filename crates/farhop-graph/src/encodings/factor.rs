//! An approximate inverse of the Laplacian of a connected graph.
//!
//! Nodes are eliminated one after the other, fewest links first. Eliminating a node would link all its neighbours
//! with each other; from the fourth neighbour on only a random tree of these links is kept, with weights that are right
//! in the mean (Kyng and Sachdeva, 2016; Gao, Kyng and Spielman, 2023). The factor has about as many
//! entries as the graph, is exact on trees and rings, and near the inverse elsewhere.

use rayon::prelude::*;

use super::component::Component;
use super::panel::Panel;
use crate::random::Stream;

/// Columns solved together.
const LANES: usize = 4;
/// Nodes with more links than this wait in one bucket.
const MOST_LINKS: usize = 1 << 12;
/// Up to this many neighbours all links between them are kept.
const ALL_LINKS: usize = 3;

type Lanes = [f64; LANES];

/// `L ~ U^T D U`, with nodes in the order of their elimination.
pub(super) struct Factor {
    /// Place of each node in the order.
    place_of: Vec<u32>,
    /// `[nodes + 1]`.
    offsets: Vec<usize>,
    /// Later places that the node in this place was linked to.
    links: Vec<u32>,
    /// Share of each link in the links of the node.
    shares: Vec<f64>,
    /// Sum of the weights of the links.
    pivots: Vec<f64>,
}

impl Factor {
    /// Eliminates all nodes.
    pub(super) fn new(component: &Component, seed: u64) -> Self {
        Elimination::new(component, seed).run()
    }

    /// Applies the approximate inverse to every column.
    pub(super) fn solve(&self, panel: &mut Panel) {
        let (rows, width) = (panel.rows(), panel.width());
        let solved: Vec<Vec<Lanes>> = (0..width.div_ceil(LANES))
            .into_par_iter()
            .map(|group| {
                let mut lanes = vec![[0f64; LANES]; rows];
                for (row, &place) in self.place_of.iter().enumerate() {
                    for (lane, column) in (group * LANES..width.min((group + 1) * LANES)).enumerate() {
                        lanes[place as usize][lane] = panel.data()[row * width + column];
                    }
                }
                self.solve_lanes(&mut lanes);
                lanes
            })
            .collect();
        panel.data_mut().par_chunks_mut(width.max(1)).enumerate().for_each(|(row, values)| {
            for (column, value) in values.iter_mut().enumerate() {
                *value = solved[column / LANES][self.place_of[row] as usize][column % LANES];
            }
        });
    }

    fn solve_lanes(&self, lanes: &mut [Lanes]) {
        for place in 0..lanes.len() {
            let own = lanes[place];
            for at in self.offsets[place]..self.offsets[place + 1] {
                let (share, other) = (self.shares[at], &mut lanes[self.links[at] as usize]);
                (0..LANES).for_each(|lane| other[lane] += share * own[lane]);
            }
            let pivot = self.pivots[place];
            // The last node has nothing left: the Laplacian has no inverse on constants.
            let inverse = if pivot > 0.0 { 1.0 / pivot } else { 0.0 };
            lanes[place] = own.map(|value| value * inverse);
        }
        for place in (0..lanes.len()).rev() {
            let mut own = lanes[place];
            for at in self.offsets[place]..self.offsets[place + 1] {
                let (share, other) = (self.shares[at], &lanes[self.links[at] as usize]);
                (0..LANES).for_each(|lane| own[lane] += share * other[lane]);
            }
            lanes[place] = own;
        }
    }
}

struct Elimination {
    stream: Stream,
    /// Links of every node with weights, also to nodes that are gone, and more than one to the same node.
    lists: Vec<Vec<(u32, f64)>>,
    gone: Vec<bool>,
    /// Links of every node to nodes that are left.
    degrees: Vec<u32>,
    /// Nodes by number of links; a node may also lie in buckets it has left.
    buckets: Vec<Vec<u32>>,
    lowest: usize,
}

impl Elimination {
    fn new(component: &Component, seed: u64) -> Self {
        let size = component.size();
        let lists = (0..size).map(|node| component.row(node).iter().map(|&next| (next, 1.0)).collect()).collect();
        let degrees: Vec<u32> = (0..size).map(|node| component.degree(node) as u32).collect();
        let buckets = vec![Vec::new(); MOST_LINKS + 1];
        let mut elimination =
            Self { stream: Stream::new(seed), lists, gone: vec![false; size], degrees, buckets, lowest: 0 };
        for node in (0..size).rev() {
            elimination.file(node);
        }
        elimination.lowest = 0;
        elimination
    }

    fn bucket_of(&self, node: usize) -> usize {
        (self.degrees[node] as usize).min(MOST_LINKS)
    }

    fn file(&mut self, node: usize) {
        let bucket = self.bucket_of(node);
        self.buckets[bucket].push(node as u32);
        self.lowest = self.lowest.min(bucket);
    }

    fn next(&mut self) -> Option<usize> {
        while self.lowest <= MOST_LINKS {
            match self.buckets[self.lowest].pop() {
                None => self.lowest += 1,
                Some(node) if self.gone[node as usize] || self.bucket_of(node as usize) != self.lowest => {}
                Some(node) => return Some(node as usize),
            }
        }
        None
    }

    fn run(mut self) -> Factor {
        let size = self.lists.len();
        let mut factor = Factor {
            place_of: vec![0; size],
            offsets: vec![0],
            links: Vec::new(),
            shares: Vec::new(),
            pivots: Vec::with_capacity(size),
        };
        while let Some(node) = self.next() {
            self.gone[node] = true;
            factor.place_of[node] = factor.pivots.len() as u32;
            let links = self.links_left(node);
            let pivot: f64 = links.iter().map(|link| link.1).sum();
            for &(next, weight) in &links {
                factor.links.push(next);
                factor.shares.push(weight / pivot);
            }
            factor.offsets.push(factor.links.len());
            factor.pivots.push(pivot);
            self.join(&links, pivot);
            for &(next, _) in &links {
                self.file(next as usize);
            }
        }
        for link in &mut factor.links {
            *link = factor.place_of[*link as usize];
        }
        factor
    }

    /// The links to nodes that are left, one per node, by weight.
    fn links_left(&mut self, node: usize) -> Vec<(u32, f64)> {
        let mut links = std::mem::take(&mut self.lists[node]);
        links.retain(|link| !self.gone[link.0 as usize]);
        links.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for &(next, _) in &links {
            self.degrees[next as usize] -= 1;
        }
        links.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        links.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        links
    }

    /// Links the neighbours of a node that goes. All pairs would get `w_a w_b / pivot`; with many neighbours each
    /// gets one link to a heavier one instead, drawn by weight, that stands for all of them.
    fn join(&mut self, links: &[(u32, f64)], pivot: f64) {
        if links.len() <= ALL_LINKS {
            for (at, &(first, weight)) in links.iter().enumerate() {
                for &(second, other) in &links[at + 1..] {
                    self.link(first, second, weight * other / pivot);
                }
            }
            return;
        }
        let mut sums = Vec::with_capacity(links.len());
        let mut sum = 0.0;
        for link in links {
            sum += link.1;
            sums.push(sum);
        }
        for (at, &(first, weight)) in links.iter().enumerate().take(links.len() - 1) {
            let heavier = sum - sums[at];
            let drawn = sums[at] + self.stream.uniform() * heavier;
            let chosen = sums.partition_point(|&sum| sum <= drawn).clamp(at + 1, links.len() - 1);
            self.link(first, links[chosen].0, weight * heavier / pivot);
        }
    }

    fn link(&mut self, first: u32, second: u32, weight: f64) {
        for (from, to) in [(first, second), (second, first)] {
            self.lists[from as usize].push((to, weight));
            self.degrees[from as usize] += 1;
        }
    }
}
