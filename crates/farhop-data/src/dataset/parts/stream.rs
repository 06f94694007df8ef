//! Parts of a graph that are chosen in one pass over its rows, with memory for one number a node.

use farhop_graph::Graph;

use crate::error::DataError;

/// How far the work of a part may lie above the mean.
const SLACK: f64 = 0.05;

/// The part of every node, by linear deterministic greedy (Stanton and Kliot, "Streaming graph partitioning for large distributed graphs", KDD
/// 2012): nodes come in their order, and each goes to the part with the most of its neighbours so far, weighed by the room that is left there:
/// `neighbours in the part * (1 - work of the part / room)`, among equals to the emptiest part. A node's work is 1 and its entries.
///
/// # Errors
/// `parts` outside `1..=N` (1 is always allowed).
pub fn stream_parts(graph: &Graph, parts: usize) -> Result<Vec<u32>, DataError> {
    let mut greedy = Greedy::new(graph.nodes(), graph.entries(), parts)?;
    (0..graph.nodes()).for_each(|node| greedy.place(node, graph.neighbours(node)));
    Ok(greedy.of_node)
}

/// Nodes on their way to parts; see [`stream_parts`].
pub(super) struct Greedy {
    /// The part of every node; none yet: the largest number.
    pub of_node: Vec<u32>,
    room: f64,
    work: Vec<f64>,
    near: Vec<u32>,
}

impl Greedy {
    const NONE: u32 = u32::MAX;

    /// Before the first node.
    pub fn new(nodes: usize, entries: usize, parts: usize) -> Result<Self, DataError> {
        let most = nodes.max(1);
        if parts == 0 || parts > most {
            return Err(DataError::Mismatch { what: format!("{parts} parts of {nodes} nodes: give 1 to {most}.") });
        }
        let room = ((nodes + entries) as f64 / parts as f64 * (1.0 + SLACK)).max(1.0);
        Ok(Greedy { of_node: vec![Self::NONE; nodes], room, work: vec![0.0; parts], near: vec![0; parts] })
    }

    /// Chooses for the next node, which receives from these.
    pub fn place(&mut self, node: usize, neighbours: &[u32]) {
        let Greedy { of_node, room, work, near } = self;
        near.fill(0);
        for &other in neighbours {
            if of_node[other as usize] != Self::NONE {
                near[of_node[other as usize] as usize] += 1;
            }
        }
        // The last nodes fill parts that would stay empty.
        let empty = work.iter().filter(|work| **work == 0.0).count();
        let must = of_node.len() - node <= empty;
        let mut best = (f64::NEG_INFINITY, f64::INFINITY, 0);
        for part in (0..work.len()).filter(|&part| !must || work[part] == 0.0) {
            let score = f64::from(near[part]) * (1.0 - work[part] / *room);
            if score > best.0 || (score == best.0 && work[part] < best.1) {
                best = (score, work[part], part);
            }
        }
        work[best.2] += 1.0 + neighbours.len() as f64;
        of_node[node] = best.2 as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::generate::{grid, star};

    #[test]
    fn no_part_is_empty_and_few_entries_are_cut() {
        let graph = grid(40, 40).unwrap();
        let owners = stream_parts(&graph, 4).unwrap();
        let mut sizes = [0usize; 4];
        owners.iter().for_each(|&owner| sizes[owner as usize] += 1);
        assert!(sizes.iter().all(|size| (340..=460).contains(size)), "{sizes:?}");
        let cut = (0..1600).flat_map(|node| graph.neighbours(node).iter().map(move |other| (node, *other as usize)));
        let cut = cut.filter(|(a, b)| owners[*a] != owners[*b]).count();
        // At random three of four would be cut.
        assert!(cut * 4 < graph.entries(), "{cut} of {}", graph.entries());
        let owners = stream_parts(&star(7).unwrap(), 8).unwrap();
        let mut seen = owners.clone();
        seen.sort_unstable();
        assert_eq!(seen, (0..8).collect::<Vec<u32>>());
        assert!(stream_parts(&graph, 0).is_err() && stream_parts(&graph, 1601).is_err());
    }
}
