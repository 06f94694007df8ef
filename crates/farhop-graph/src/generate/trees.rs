//! Trees and forests.

use super::not_possible;
use crate::build::graph_from_rows;
use crate::error::GraphError;
use crate::graph::{Direction, Graph, check_nodes};
use crate::random::Stream;

/// A uniform random recursive tree: node `v` is joined to one of the nodes `0..v`, each equally likely.
///
/// `nodes - 1` edges, connected; distances grow like the logarithm of `nodes`. No nodes give the empty graph.
///
/// # Errors
/// More nodes than `u32` counts.
pub fn random_tree(nodes: usize, seed: u64) -> Result<Graph, GraphError> {
    forest(nodes, nodes.min(1), seed)
}

/// A uniform random recursive forest: nodes `0..trees` are roots, and every later node `v` is joined to one
/// of the nodes `0..v`, each equally likely. `nodes - trees` edges, `trees` components, sizes left to chance.
///
/// # Errors
/// `trees` above `nodes`, or 0 while there are nodes; more nodes than `u32` counts.
pub fn forest(nodes: usize, trees: usize, seed: u64) -> Result<Graph, GraphError> {
    check_nodes(nodes)?;
    if trees > nodes || (trees == 0 && nodes > 0) {
        let allowed = format!("{} to {nodes} for {nodes} nodes", nodes.min(1));
        return Err(not_possible("forest", "trees", trees, allowed));
    }
    let mut stream = Stream::new(seed);
    let rows: Vec<_> = (trees as u32..nodes as u32).map(|node| (stream.below(u64::from(node)) as u32, node)).collect();
    graph_from_rows(nodes, &rows, Direction::Undirected)
}

/// A tree in which every node above level `depth` has `branching` children: `branching^d` nodes on level `d`.
///
/// Node 0 is the root, levels follow one another, and the parent of node `v` is `(v - 1) / branching`.
///
/// # Errors
/// No branching, or more nodes than `u32` counts.
pub fn balanced_tree(branching: usize, depth: usize) -> Result<Graph, GraphError> {
    if branching == 0 {
        return Err(not_possible("balanced_tree", "branching", branching, "1 or more"));
    }
    let nodes = balanced_nodes(branching, depth)?;
    let rows: Vec<_> = (1..nodes).map(|node| (((node - 1) / branching) as u32, node as u32)).collect();
    graph_from_rows(nodes, &rows, Direction::Undirected)
}

/// `1 + branching + branching^2 + ... + branching^depth`, checked.
fn balanced_nodes(branching: usize, depth: usize) -> Result<usize, GraphError> {
    if branching == 1 {
        // One node a level; adding them up one by one could take for ever.
        let nodes = depth.saturating_add(1);
        check_nodes(nodes)?;
        return Ok(nodes);
    }
    let mut nodes = 1usize;
    let mut level = 1usize;
    for _ in 0..depth {
        level = level.saturating_mul(branching);
        nodes = nodes.saturating_add(level);
        check_nodes(nodes)?;
    }
    Ok(nodes)
}
