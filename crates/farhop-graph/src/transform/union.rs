//! Many graphs side by side in one: a batch.

use crate::error::GraphError;
use crate::graph::{Direction, Graph, check_entries, check_nodes};

/// Several graphs in one, without edges between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Union {
    /// The joined graph.
    pub graph: Graph,
    /// `[parts + 1]`: node `v` of part `p` is node `node_offsets[p] + v`.
    pub node_offsets: Vec<usize>,
    /// `[parts + 1]`: entry `e` of part `p` is entry `entry_offsets[p] + e`.
    pub entry_offsets: Vec<usize>,
}

/// Puts graphs side by side, in order. No parts give an undirected graph without nodes.
///
/// # Errors
/// Directed and undirected parts mixed, or more nodes or entries in all than `u32` counts.
pub fn disjoint_union(parts: &[&Graph]) -> Result<Union, GraphError> {
    let direction = parts.first().map_or(Direction::Undirected, |first| first.direction());
    if let Some(part) = parts.iter().position(|part| part.direction() != direction) {
        return Err(GraphError::MixedDirections { part, directed: parts[part].is_directed() });
    }
    let node_offsets = offsets_of(parts, Graph::nodes);
    let entry_offsets = offsets_of(parts, Graph::entries);
    let (nodes, entries) = (node_offsets[parts.len()], entry_offsets[parts.len()]);
    check_nodes(nodes)?;
    check_entries(entries)?;

    let mut offsets = Vec::with_capacity(nodes + 1);
    let mut sources = Vec::with_capacity(entries);
    offsets.push(0);
    for (part, graph) in parts.iter().enumerate() {
        let (first_node, first_entry) = (node_offsets[part] as u32, entry_offsets[part]);
        offsets.extend(graph.offsets()[1..].iter().map(|end| first_entry + end));
        sources.extend(graph.sources().iter().map(|source| first_node + source));
    }
    Ok(Union { graph: Graph::from_rows(direction, offsets, sources)?, node_offsets, entry_offsets })
}

fn offsets_of(parts: &[&Graph], size: impl Fn(&Graph) -> usize) -> Vec<usize> {
    let mut offsets = Vec::with_capacity(parts.len() + 1);
    let mut sum = 0usize;
    offsets.push(sum);
    for part in parts {
        sum += size(part);
        offsets.push(sum);
    }
    offsets
}
