//! The connected components of one graph, each with ids of its own.

use std::ops::Range;

use super::walk::linked;
use crate::graph::Graph;

/// A connected component; the links of a directed graph go both ways here.
pub(super) struct Component {
    /// Its nodes as ids of the union, ascending; the position of a node is its id in the component.
    pub(super) nodes: Vec<u32>,
    /// `[nodes + 1]`.
    pub(super) offsets: Vec<usize>,
    /// Neighbours as ids of the component, ascending.
    pub(super) links: Vec<u32>,
}

impl Component {
    pub(super) fn size(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn row(&self, node: usize) -> &[u32] {
        &self.links[self.offsets[node]..self.offsets[node + 1]]
    }

    pub(super) fn degree(&self, node: usize) -> usize {
        self.offsets[node + 1] - self.offsets[node]
    }
}

/// The components of the graph on `nodes`, by their smallest node.
pub(super) fn components_of(union: &Graph, nodes: Range<usize>) -> Vec<Component> {
    let first = nodes.start;
    // While searching: whether a node was met. Afterwards: its id in its component.
    let mut place_of = vec![u32::MAX; nodes.len()];
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for start in nodes {
        if place_of[start - first] != u32::MAX {
            continue;
        }
        let mut list = vec![start as u32];
        place_of[start - first] = 0;
        let mut at = 0;
        while at < list.len() {
            for &next in linked(union, list[at] as usize) {
                let place = &mut place_of[next as usize - first];
                if *place == u32::MAX {
                    *place = 0;
                    list.push(next);
                }
            }
            at += 1;
        }
        list.sort_unstable();
        for (place, &node) in list.iter().enumerate() {
            place_of[node as usize - first] = place as u32;
        }
        lists.push(list);
    }
    lists.into_iter().map(|list| with_links(union, list, &place_of, first)).collect()
}

fn with_links(union: &Graph, nodes: Vec<u32>, place_of: &[u32], first: usize) -> Component {
    let mut offsets = Vec::with_capacity(nodes.len() + 1);
    let mut links: Vec<u32> = Vec::new();
    offsets.push(0);
    for &node in &nodes {
        let start = links.len();
        links.extend(linked(union, node as usize).map(|&next| place_of[next as usize - first]));
        if union.is_directed() {
            links[start..].sort_unstable();
            let mut kept = start;
            for at in start..links.len() {
                if at == start || links[at] != links[kept - 1] {
                    links[kept] = links[at];
                    kept += 1;
                }
            }
            links.truncate(kept);
        }
        offsets.push(links.len());
    }
    Component { nodes, offsets, links }
}
