//! The graph on some of the nodes.

use crate::error::GraphError;
use crate::graph::Graph;

/// Not among the nodes at hand.
const OUTSIDE: u32 = u32::MAX;

/// A graph on some nodes of another, its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgraph {
    /// The graph: node `v` here is node `nodes[v]` of the parent, and `i <- j` is there if it is in the parent.
    pub graph: Graph,
    /// The parent's id of every node, in the order that was asked for.
    pub nodes: Vec<u32>,
    /// The parent's id of every entry: values of entry `e` here are those of entry `entries[e]` there.
    pub entries: Vec<u32>,
}

/// Memory for [`induce`]: four bytes per node of the parent, kept from call to call so that a call costs what it
/// touches.
#[derive(Clone, Debug, Default)]
pub struct InduceScratch {
    /// Place of each node in the list at hand; [`OUTSIDE`] for all between calls.
    place_of: Vec<u32>,
    row: Vec<(u32, u32)>,
}

impl InduceScratch {
    /// Empty; grows to the largest parent it serves.
    pub fn new() -> Self {
        Self::default()
    }

    /// Enters the places of the nodes, or leaves nothing behind.
    fn enter(&mut self, nodes: &[u32], parent: usize) -> Result<(), GraphError> {
        if self.place_of.len() < parent {
            self.place_of.resize(parent, OUTSIDE);
        }
        for (place, &node) in nodes.iter().enumerate() {
            let wrong = if node as usize >= parent {
                Some(GraphError::UnknownNode { value: node as usize, nodes: parent })
            } else if self.place_of[node as usize] != OUTSIDE {
                Some(GraphError::RepeatedNode { place, value: node })
            } else {
                None
            };
            if let Some(wrong) = wrong {
                self.leave(&nodes[..place]);
                return Err(wrong);
            }
            self.place_of[node as usize] = place as u32;
        }
        Ok(())
    }

    fn leave(&mut self, nodes: &[u32]) {
        nodes.iter().for_each(|&node| self.place_of[node as usize] = OUTSIDE);
    }
}

/// The graph on the given nodes of `parent`, in the given order, with all entries between them. Its direction is that
/// of the parent. Costs the rows of these nodes, whose kept entries are sorted unless the nodes ascend.
///
/// ```
/// use farhop_graph::{InduceScratch, generate, induce};
///
/// let ring = generate::ring(6)?;
/// let part = induce(&ring, &[5, 0, 3], &mut InduceScratch::new())?;
/// assert_eq!(part.graph.edges(), 1);
/// assert_eq!(part.graph.neighbours(0), &[1]);
/// assert_eq!(ring.sources()[part.entries[0] as usize], 0);
/// # Ok::<(), farhop_graph::GraphError>(())
/// ```
///
/// # Errors
/// An id that is not a node, or that occurs twice.
pub fn induce(parent: &Graph, nodes: &[u32], scratch: &mut InduceScratch) -> Result<Subgraph, GraphError> {
    scratch.enter(nodes, parent.nodes())?;
    let mut offsets = Vec::with_capacity(nodes.len() + 1);
    offsets.push(0);
    let (mut sources, mut entries) = (Vec::new(), Vec::new());
    for &node in nodes {
        let first = parent.offsets()[node as usize];
        let row = &mut scratch.row;
        row.clear();
        for (position, &source) in parent.neighbours(node as usize).iter().enumerate() {
            let place = scratch.place_of[source as usize];
            if place != OUTSIDE {
                row.push((place, (first + position) as u32));
            }
        }
        // Already in order where the nodes ascend.
        row.sort_unstable();
        sources.extend(row.iter().map(|&(place, _)| place));
        entries.extend(row.iter().map(|&(_, entry)| entry));
        offsets.push(sources.len());
    }
    scratch.leave(nodes);
    Ok(Subgraph { graph: Graph::from_rows(parent.direction(), offsets, sources)?, nodes: nodes.to_vec(), entries })
}
