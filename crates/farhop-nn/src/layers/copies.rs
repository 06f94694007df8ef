//! The surroundings of every node as graphs of their own.

use std::sync::Arc;

use farhop_graph::Graph;

use crate::ops::RowChoice;
use crate::{Batch, BatchArrays, InputShape};

/// For every node a copy of all nodes within some hops of it and of all entries among them, side by side.
pub(crate) struct Copies {
    /// All copies as one batch; that of node i has the nodes `offsets[i]..offsets[i + 1]` of it.
    pub batch: Batch,
    /// The node that a node of a copy is.
    pub nodes: Arc<RowChoice>,
    /// The entry that an entry of a copy is.
    pub entries: Arc<RowChoice>,
}

impl Copies {
    /// Those of a batch, made once.
    pub fn of(batch: &Batch, hops: usize) -> Arc<Copies> {
        batch.derived(hops as u64, |batch| Copies::make(batch.graph(), hops))
    }

    fn make(graph: &Graph, hops: usize) -> Self {
        let (mut offsets, mut nodes) = (vec![0], Vec::new());
        let (mut rows, mut sources, mut entries) = (vec![0], Vec::new(), Vec::new());
        // Where in the copy at hand a node is.
        let mut places = vec![u32::MAX; graph.nodes()];
        for owner in 0..graph.nodes() {
            let first = nodes.len();
            let members = within(graph, owner as u32, hops);
            for (place, &member) in members.iter().enumerate() {
                places[member as usize] = (first + place) as u32;
            }
            for &member in &members {
                let start = graph.offsets()[member as usize];
                for (at, &source) in graph.neighbours(member as usize).iter().enumerate() {
                    if places[source as usize] != u32::MAX {
                        sources.push(places[source as usize]);
                        entries.push((start + at) as u32);
                    }
                }
                rows.push(sources.len());
            }
            members.iter().for_each(|&member| places[member as usize] = u32::MAX);
            nodes.extend(members);
            offsets.push(nodes.len());
        }
        let union = Graph::from_csr(graph.direction(), rows, sources);
        let union =
            union.unwrap_or_else(|error| panic!("all entries among some nodes of a graph are a graph: {error}"));
        let parts = BatchArrays { offsets, ..BatchArrays::new(Arc::new(union)) };
        Copies {
            batch: Batch::from_arrays(parts, &InputShape::default()),
            nodes: RowChoice::new(nodes, graph.nodes()),
            entries: RowChoice::new(entries, graph.entries()),
        }
    }
}

/// The nodes within `hops` of `start`, ascending.
fn within(graph: &Graph, start: u32, hops: usize) -> Vec<u32> {
    let mut found = vec![start];
    let mut ring = vec![start];
    for _ in 0..hops {
        let mut next: Vec<u32> = ring.iter().flat_map(|&node| graph.neighbours(node as usize)).copied().collect();
        next.sort_unstable();
        next.dedup();
        next.retain(|node| found.binary_search(node).is_err());
        found.extend(&next);
        found.sort_unstable();
        ring = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::{Direction, build};

    #[test]
    fn a_copy_has_all_entries_among_its_nodes() {
        // A path 0 - 1 - 2 - 3 with 1 - 3, and a node alone.
        let graph = build(5, &[(0, 1), (1, 2), (2, 3), (1, 3)], Direction::Undirected).unwrap().graph;
        let copies = Copies::make(&graph, 1);
        assert_eq!(copies.nodes.chosen(), [0, 1, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 4]);
        assert_eq!(copies.batch.offsets().as_slice(), [0, 2, 6, 9, 12, 13]);
        // The copy of node 2 is the triangle 1, 2, 3: both ends of 1 - 3 are one hop away.
        let union = copies.batch.graph();
        assert_eq!(
            (union.neighbours(6), union.neighbours(7), union.neighbours(8)),
            (&[7, 8][..], &[6, 8][..], &[6, 7][..])
        );
        for (at, (&entry, &source)) in copies.entries.chosen().iter().zip(union.sources()).enumerate() {
            let target = union.offsets().partition_point(|&start| start <= at) - 1;
            let of = |copy: usize| copies.nodes.chosen()[copy];
            assert_eq!(graph.sources()[entry as usize], of(source as usize));
            let row = graph.offsets().partition_point(|&start| start <= entry as usize) - 1;
            assert_eq!(row as u32, of(target));
        }
    }
}
