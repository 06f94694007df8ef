//! What lies around a set of nodes.

use crate::error::GraphError;
use crate::graph::Graph;

/// Finds the surroundings of sets of nodes. One object serves many sets: a search costs what it touches, not the size
/// of the graph.
#[derive(Clone, Debug)]
pub struct HaloFinder<'a> {
    graph: &'a Graph,
    /// Number of the last search that met each node; searches are counted from 1.
    met_in: Vec<u32>,
    searches: u32,
}

impl<'a> HaloFinder<'a> {
    /// A finder for one graph; holds four bytes per node.
    pub fn new(graph: &'a Graph) -> Self {
        Self { graph, met_in: vec![0; graph.nodes()], searches: 0 }
    }

    /// The nodes whose signal arrives at one of `nodes` within `hops` rounds: first `nodes` as given, then ring after
    /// ring, ascending in each.
    ///
    /// Steps go from a node to those it receives from, so that `hops` rounds on the graph induced by the result give
    /// `nodes` what they get in the whole graph.
    ///
    /// # Errors
    /// An id that is not a node, or that occurs twice.
    pub fn around(&mut self, nodes: &[u32], hops: u32) -> Result<Vec<u32>, GraphError> {
        self.next_search();
        for (place, &node) in nodes.iter().enumerate() {
            match self.met_in.get(node as usize) {
                None => return Err(GraphError::UnknownNode { value: node as usize, nodes: self.graph.nodes() }),
                Some(&met_in) if met_in == self.searches => {
                    return Err(GraphError::RepeatedNode { place, value: node });
                }
                Some(_) => self.met_in[node as usize] = self.searches,
            }
        }
        let mut reached = nodes.to_vec();
        let mut ring = 0;
        for _ in 0..hops {
            let end = reached.len();
            for place in ring..end {
                for &next in self.graph.neighbours(reached[place] as usize) {
                    let met_in = &mut self.met_in[next as usize];
                    if *met_in != self.searches {
                        *met_in = self.searches;
                        reached.push(next);
                    }
                }
            }
            reached[end..].sort_unstable();
            ring = end;
            if ring == reached.len() {
                break;
            }
        }
        Ok(reached)
    }

    fn next_search(&mut self) {
        if self.searches == u32::MAX {
            self.met_in.fill(0);
            self.searches = 0;
        }
        self.searches += 1;
    }
}

/// The nodes whose signal arrives at one of `nodes` within `hops` rounds, as [`HaloFinder::around`] gives them. For
/// many sets keep a [`HaloFinder`].
///
/// ```
/// use farhop_graph::{generate, halo};
///
/// let path = generate::path(10)?;
/// assert_eq!(halo(&path, &[5, 4], 2)?, [5, 4, 3, 6, 2, 7]);
/// # Ok::<(), farhop_graph::GraphError>(())
/// ```
///
/// # Errors
/// An id that is not a node, or that occurs twice.
pub fn halo(graph: &Graph, nodes: &[u32], hops: u32) -> Result<Vec<u32>, GraphError> {
    HaloFinder::new(graph).around(nodes, hops)
}
