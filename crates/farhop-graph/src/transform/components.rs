//! Connected components.

use crate::graph::Graph;

/// Which nodes hang together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Component of every node, `[N]`, numbered in the order of their smallest node.
    pub component_of: Vec<u32>,
    /// Number of nodes of every component.
    pub sizes: Vec<usize>,
}

/// The connected components of a graph; edges of a directed graph count both ways (weak components).
pub fn connected_components(graph: &Graph) -> Components {
    const NOT_SEEN: u32 = u32::MAX;
    let columns = graph.transposed();
    let mut component_of = vec![NOT_SEEN; graph.nodes()];
    let mut sizes = Vec::new();
    let mut open = Vec::new();
    for start in 0..graph.nodes() {
        if component_of[start] != NOT_SEEN {
            continue;
        }
        let component = sizes.len() as u32;
        let mut size = 0;
        component_of[start] = component;
        open.push(start);
        while let Some(node) = open.pop() {
            size += 1;
            let column = columns.offsets[node]..columns.offsets[node + 1];
            let receivers = if graph.is_directed() { &columns.targets[column] } else { &[] };
            for &next in graph.neighbours(node).iter().chain(receivers) {
                if component_of[next as usize] == NOT_SEEN {
                    component_of[next as usize] = component;
                    open.push(next as usize);
                }
            }
        }
        sizes.push(size);
    }
    Components { component_of, sizes }
}
