//! A graph with weights: what a multilevel method works on.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::cluster::NodeWeight;
use crate::graph::Graph;
use crate::rows::running_sum;

/// A symmetric graph with weighted nodes and entries. The finest one borrows the arrays of an undirected [`Graph`].
pub(super) struct Level<'a> {
    offsets: Cow<'a, [usize]>,
    targets: Cow<'a, [u32]>,
    /// None if all are 1.
    entry_weights: Option<Vec<u32>>,
    /// None if all are 1.
    node_weights: Option<Vec<u64>>,
    total: u64,
}

impl<'a> Level<'a> {
    /// The graph itself; the weight of an edge is the number of its entries, seen from one end.
    pub(super) fn finest(graph: &'a Graph, weight: NodeWeight) -> Self {
        let node_weights = match weight {
            NodeWeight::Nodes => None,
            NodeWeight::NodesAndEntries => {
                let mean = graph.entries().div_ceil(graph.nodes().max(1)).max(1);
                Some((0..graph.nodes()).map(|node| (mean + graph.degree(node)) as u64).collect())
            }
        };
        if graph.is_directed() {
            let (offsets, targets, weights) = both_ways(graph);
            return Self::weighted(offsets, targets, Some(weights), node_weights);
        }
        let total = node_weights.as_ref().map_or(graph.nodes() as u64, |weights| weights.iter().sum());
        Self {
            offsets: Cow::Borrowed(graph.offsets()),
            targets: Cow::Borrowed(graph.sources()),
            entry_weights: None,
            node_weights,
            total,
        }
    }

    /// A graph of its own.
    pub(super) fn weighted(
        offsets: Vec<usize>,
        targets: Vec<u32>,
        entry_weights: Option<Vec<u32>>,
        node_weights: Option<Vec<u64>>,
    ) -> Self {
        let total = node_weights.as_ref().map_or(offsets.len() as u64 - 1, |weights| weights.iter().sum());
        Self { offsets: offsets.into(), targets: targets.into(), entry_weights, node_weights, total }
    }

    pub(super) fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn entries(&self) -> usize {
        self.targets.len()
    }

    #[cfg(feature = "metis")]
    pub(super) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    #[cfg(feature = "metis")]
    pub(super) fn targets(&self) -> &[u32] {
        &self.targets
    }

    pub(super) fn degree(&self, node: u32) -> usize {
        self.offsets[node as usize + 1] - self.offsets[node as usize]
    }

    #[inline]
    pub(super) fn weight(&self, node: u32) -> u64 {
        self.node_weights.as_ref().map_or(1, |weights| weights[node as usize])
    }

    /// Sum of the weights of all nodes.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn heaviest(&self) -> u64 {
        self.node_weights.as_ref().map_or(1, |weights| weights.iter().copied().max().unwrap_or(1))
    }

    /// Calls `visit(neighbour, weight of the edge)` in the order of the row.
    #[inline]
    pub(super) fn each_neighbour(&self, node: u32, mut visit: impl FnMut(u32, u64)) {
        let row = self.offsets[node as usize]..self.offsets[node as usize + 1];
        let targets = &self.targets[row.clone()];
        match &self.entry_weights {
            None => targets.iter().for_each(|&target| visit(target, 1)),
            Some(weights) => {
                targets.iter().zip(&weights[row]).for_each(|(&target, &weight)| visit(target, u64::from(weight)));
            }
        }
    }

    /// The graph on some of the nodes, which get the ids of their places. `place_of` has the length of this level and
    /// is `u32::MAX` everywhere, before and after.
    pub(super) fn induced(&self, nodes: &[u32], place_of: &mut [u32]) -> Level<'static> {
        for (place, &node) in nodes.iter().enumerate() {
            place_of[node as usize] = place as u32;
        }
        let mut offsets = Vec::with_capacity(nodes.len() + 1);
        offsets.push(0);
        let (mut targets, mut entry_weights) = (Vec::new(), Vec::new());
        for &node in nodes {
            self.each_neighbour(node, |target, weight| {
                let place = place_of[target as usize];
                if place != u32::MAX {
                    targets.push(place);
                    entry_weights.push(weight as u32);
                }
            });
            offsets.push(targets.len());
        }
        nodes.iter().for_each(|&node| place_of[node as usize] = u32::MAX);
        let node_weights = nodes.iter().map(|&node| self.weight(node)).collect();
        Level::weighted(offsets, targets, Some(entry_weights), Some(node_weights))
    }
}

/// Rows and columns of a directed graph merged: offsets, neighbours, and 2 where both entries exist, else 1.
fn both_ways(graph: &Graph) -> (Vec<usize>, Vec<u32>, Vec<u32>) {
    let columns = graph.transposed();
    let column = |node: usize| &columns.targets[columns.offsets[node]..columns.offsets[node + 1]];
    let mut offsets = vec![0; graph.nodes() + 1];
    for (node, count) in offsets[1..].iter_mut().enumerate() {
        merge(graph.neighbours(node), column(node), |_, _| *count += 1);
    }
    running_sum(&mut offsets);
    let mut targets = Vec::with_capacity(offsets[graph.nodes()]);
    let mut weights = Vec::with_capacity(offsets[graph.nodes()]);
    for node in 0..graph.nodes() {
        merge(graph.neighbours(node), column(node), |other, weight| {
            targets.push(other);
            weights.push(weight);
        });
    }
    (offsets, targets, weights)
}

/// Visits the values of two ascending lists in ascending order, with the number of lists that hold them.
fn merge(mut left: &[u32], mut right: &[u32], mut visit: impl FnMut(u32, u32)) {
    while let (Some((&first, left_rest)), Some((&second, right_rest))) = (left.split_first(), right.split_first()) {
        match first.cmp(&second) {
            Ordering::Less => {
                visit(first, 1);
                left = left_rest;
            }
            Ordering::Greater => {
                visit(second, 1);
                right = right_rest;
            }
            Ordering::Equal => {
                visit(first, 2);
                (left, right) = (left_rest, right_rest);
            }
        }
    }
    left.iter().chain(right).for_each(|&value| visit(value, 1));
}
