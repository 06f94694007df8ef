//! How many steps lie between nodes.

use crate::error::GraphError;
use crate::graph::Graph;

/// Stands for the distance of a node that no walk reaches.
pub const UNREACHED: u32 = u32::MAX;

/// A node met by a [`BreadthFirst`] search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The node.
    pub node: u32,
    /// Its distance from the start.
    pub distance: u32,
}

/// Searches around nodes, nearest first. One search object serves many starts: the cost of a search is the
/// size of what it reaches, not of the graph.
#[derive(Clone, Debug)]
pub struct BreadthFirst<'a> {
    graph: &'a Graph,
    /// Number of the last search that met each node; searches are counted from 1.
    met_in: Vec<u64>,
    searches: u64,
    reached: Vec<Reached>,
}

impl<'a> BreadthFirst<'a> {
    /// A search object for one graph.
    pub fn new(graph: &'a Graph) -> Self {
        Self { graph, met_in: vec![0; graph.nodes()], searches: 0, reached: Vec::new() }
    }

    /// The nodes whose signal arrives at `start` within `radius` rounds, by distance; `start` comes first.
    ///
    /// Steps go from a node to those it receives from. Nodes of equal distance come in a fixed order, but not
    /// in the order of their ids.
    ///
    /// # Errors
    /// A start that is not a node.
    pub fn around(&mut self, start: usize, radius: u32) -> Result<&[Reached], GraphError> {
        if start >= self.graph.nodes() {
            return Err(GraphError::UnknownNode { value: start, nodes: self.graph.nodes() });
        }
        self.searches += 1;
        self.reached.clear();
        self.meet(start as u32, 0);
        let mut at = 0;
        while at < self.reached.len() {
            let Reached { node, distance } = self.reached[at];
            if distance == radius {
                break;
            }
            for &next in self.graph.neighbours(node as usize) {
                self.meet(next, distance + 1);
            }
            at += 1;
        }
        Ok(&self.reached)
    }

    fn meet(&mut self, node: u32, distance: u32) {
        let met_in = &mut self.met_in[node as usize];
        if *met_in != self.searches {
            *met_in = self.searches;
            self.reached.push(Reached { node, distance });
        }
    }
}

/// For every node the number of rounds until its signal arrives at `start`, `[N]`; [`UNREACHED`] if never.
///
/// # Errors
/// A start that is not a node.
pub fn distances(graph: &Graph, start: usize) -> Result<Vec<u32>, GraphError> {
    let mut search = BreadthFirst::new(graph);
    let mut distances = vec![UNREACHED; graph.nodes()];
    for reached in search.around(start, UNREACHED)? {
        distances[reached.node as usize] = reached.distance;
    }
    Ok(distances)
}
