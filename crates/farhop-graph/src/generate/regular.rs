//! Graphs without chance: path, ring, star and grid.

use super::not_possible;
use crate::build::graph_from_rows;
use crate::error::GraphError;
use crate::graph::{Direction, Graph, check_nodes};

/// The path `0 - 1 - ... - (nodes - 1)`: `nodes - 1` edges (none for 0 or 1 nodes).
///
/// # Errors
/// More nodes than `u32` counts.
pub fn path(nodes: usize) -> Result<Graph, GraphError> {
    check_nodes(nodes)?;
    let rows: Vec<_> = (1..nodes as u32).map(|node| (node - 1, node)).collect();
    graph_from_rows(nodes, &rows, Direction::Undirected)
}

/// The ring `0 - 1 - ... - (nodes - 1) - 0`: `nodes` edges, every degree 2.
///
/// # Errors
/// Fewer than 3 nodes, or more than `u32` counts.
pub fn ring(nodes: usize) -> Result<Graph, GraphError> {
    check_nodes(nodes)?;
    if nodes < 3 {
        return Err(not_possible("ring", "nodes", nodes, "3 or more"));
    }
    let mut rows: Vec<_> = (1..nodes as u32).map(|node| (node - 1, node)).collect();
    rows.push((nodes as u32 - 1, 0));
    graph_from_rows(nodes, &rows, Direction::Undirected)
}

/// A star: node 0 in the middle, joined to the `leaves` nodes 1, 2, ...
///
/// # Errors
/// More nodes than `u32` counts.
pub fn star(leaves: usize) -> Result<Graph, GraphError> {
    let nodes = leaves.saturating_add(1);
    check_nodes(nodes)?;
    let rows: Vec<_> = (1..nodes as u32).map(|leaf| (0, leaf)).collect();
    graph_from_rows(nodes, &rows, Direction::Undirected)
}

/// A grid: node `r * columns + c` stands in row `r`, column `c`, joined to the nodes left, right, above and
/// below. Edges: `rows (columns - 1) + columns (rows - 1)`.
///
/// # Errors
/// More nodes than `u32` counts.
pub fn grid(rows: usize, columns: usize) -> Result<Graph, GraphError> {
    let nodes = rows.saturating_mul(columns);
    check_nodes(nodes)?;
    let mut edges = Vec::with_capacity(nodes.saturating_mul(2));
    for row in 0..rows {
        for column in 0..columns {
            let node = row * columns + column;
            if column + 1 < columns {
                edges.push((node as u32, node as u32 + 1));
            }
            if row + 1 < rows {
                edges.push((node as u32, (node + columns) as u32));
            }
        }
    }
    graph_from_rows(nodes, &edges, Direction::Undirected)
}
