//! Growth with preferential attachment.

use super::not_possible;
use crate::build::graph_from_rows;
use crate::error::GraphError;
use crate::graph::{Direction, Graph, check_entries, check_nodes};
use crate::random::Stream;

/// A graph grown by preferential attachment (Barabási and Albert, 1999).
///
/// It starts as a star of `attachments + 1` nodes. Every further node is joined to `attachments` different
/// earlier nodes, each drawn with probability proportional to its degree (draws of a node already chosen
/// are repeated). Connected, `attachments * (nodes - attachments)` edges, no degree below 1, and none below
/// `attachments` among the nodes that joined.
///
/// # Errors
/// `attachments` outside `1..nodes`, or more nodes or entries than `u32` counts.
pub fn barabasi_albert(nodes: usize, attachments: usize, seed: u64) -> Result<Graph, GraphError> {
    check_nodes(nodes)?;
    if attachments == 0 || attachments >= nodes {
        let allowed = format!("1 or more, and below the number of nodes ({nodes})");
        return Err(not_possible("barabasi_albert", "attachments", attachments, allowed));
    }
    let entries = 2usize.saturating_mul(attachments.saturating_mul(nodes - attachments));
    check_entries(entries)?;

    let mut stream = Stream::new(seed);
    let mut rows: Vec<(u32, u32)> = Vec::with_capacity(entries / 2);
    rows.extend((1..=attachments as u32).map(|leaf| (0, leaf)));
    // The last newcomer that chose a node; 0 is never a newcomer.
    let mut chosen_by = vec![0u32; nodes];
    for newcomer in attachments as u32 + 1..nodes as u32 {
        // Both ends of every edge so far: a node stands there once for each of its neighbours.
        let ends = 2 * rows.len() as u64;
        let joined = rows.len() + attachments;
        while rows.len() < joined {
            let place = stream.below(ends);
            let (first, second) = rows[(place / 2) as usize];
            let node = if place.is_multiple_of(2) { first } else { second };
            if chosen_by[node as usize] != newcomer {
                chosen_by[node as usize] = newcomer;
                rows.push((node, newcomer));
            }
        }
    }
    graph_from_rows(nodes, &rows, Direction::Undirected)
}
