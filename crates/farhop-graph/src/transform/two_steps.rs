//! The nodes that a node hears of in two steps.

use crate::{Graph, GraphError};

/// Steps that counting takes at most before it looks at some nodes instead of all.
const STEPS: usize = 8_000_000;
/// Nodes that are looked at in any case.
const LEAST_NODES: usize = 64;

/// Every node receives from the nodes that it hears of in one step or two, and that are not itself.
///
/// # Errors
/// When there are more entries than a graph can have.
pub fn within_two_steps(graph: &Graph) -> Result<Graph, GraphError> {
    collected(graph, true)
}

/// Every node receives from the nodes that it hears of in two steps, not in one, and that are not itself.
///
/// # Errors
/// When there are more entries than a graph can have.
pub fn second_ring(graph: &Graph) -> Result<Graph, GraphError> {
    collected(graph, false)
}

/// About how many entries [`within_two_steps`] would have. Counted exactly where that is quick, else from nodes that are evenly spread.
pub fn count_within_two_steps(graph: &Graph) -> usize {
    let nodes = graph.nodes();
    let steps_from = |i: usize| graph.neighbours(i).iter().map(|&j| 1 + graph.degree(j as usize)).sum::<usize>();
    let steps: usize = (0..nodes).map(steps_from).sum();
    let mean = (steps / nodes.max(1)).max(1);
    let wanted = (STEPS / mean).clamp(LEAST_NODES.min(nodes), nodes);
    let mut finder = Finder::new(graph);
    let (mut found, mut counted) = (Vec::new(), 0);
    for at in 0..wanted {
        finder.add(at * nodes / wanted, true, &mut found);
        counted += found.len();
        found.clear();
    }
    (counted as f64 * nodes as f64 / wanted.max(1) as f64).round() as usize
}

fn collected(graph: &Graph, with_neighbours: bool) -> Result<Graph, GraphError> {
    let mut finder = Finder::new(graph);
    let (mut offsets, mut sources) = (vec![0], Vec::new());
    for i in 0..graph.nodes() {
        let start = sources.len();
        finder.add(i, with_neighbours, &mut sources);
        sources[start..].sort_unstable();
        offsets.push(sources.len());
    }
    Graph::from_csr(graph.direction(), offsets, sources)
}

struct Finder<'a> {
    graph: &'a Graph,
    /// Which node a node was last met from, counted from 1.
    met: Vec<u32>,
}

impl<'a> Finder<'a> {
    fn new(graph: &'a Graph) -> Self {
        Finder { graph, met: vec![0; graph.nodes()] }
    }

    /// Adds the nodes that `i` hears of, in no order.
    fn add(&mut self, i: usize, with_neighbours: bool, found: &mut Vec<u32>) {
        let (graph, mark) = (self.graph, i as u32 + 1);
        let near = graph.neighbours(i);
        self.met[i] = mark;
        near.iter().for_each(|&j| self.met[j as usize] = mark);
        if with_neighbours {
            found.extend_from_slice(near);
        }
        for &source in near.iter().flat_map(|&j| graph.neighbours(j as usize)) {
            if self.met[source as usize] != mark {
                self.met[source as usize] = mark;
                found.push(source);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, build, generate};

    /// A triangle with a tail, and a node alone: 0-1, 1-2, 2-0, 2-3, 3-4; 5.
    const EDGES: [(u32, u32); 5] = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)];

    #[test]
    fn the_second_ring_is_exactly_two_steps_away() {
        let graph = build(6, &EDGES, Direction::Undirected).unwrap().graph;
        let ring = second_ring(&graph).unwrap();
        let rows: Vec<&[u32]> = (0..6).map(|i| ring.neighbours(i)).collect();
        let expected: [&[u32]; 6] = [&[3], &[3], &[4], &[0, 1], &[2], &[]];
        assert_eq!(rows, expected);
        // Cliques have none.
        let clique = build(3, &EDGES[..3], Direction::Undirected).unwrap().graph;
        assert_eq!(second_ring(&clique).unwrap().entries(), 0);
    }

    #[test]
    fn two_steps_are_neighbours_and_the_second_ring() {
        for direction in [Direction::Undirected, Direction::Directed] {
            let graph = build(6, &EDGES, direction).unwrap().graph;
            let (all, ring) = (within_two_steps(&graph).unwrap(), second_ring(&graph).unwrap());
            for i in 0..6 {
                let mut both = [graph.neighbours(i), ring.neighbours(i)].concat();
                both.sort_unstable();
                assert_eq!(all.neighbours(i), both, "{direction:?}, {i}");
            }
            assert_eq!(count_within_two_steps(&graph), all.entries());
        }
        assert_eq!(count_within_two_steps(&build(0, &[], Direction::Undirected).unwrap().graph), 0);
    }

    #[test]
    fn a_count_from_some_nodes_is_near_the_whole() {
        // Hubs: far more pairs than equal degrees would have, and too many steps to count them all.
        let graph = generate::chung_lu(20_000, 200_000, 2.2, 3).unwrap();
        let (about, exact) =
            (count_within_two_steps(&graph) as f64, within_two_steps(&graph).unwrap().entries() as f64);
        let degree = graph.entries() as f64 / 20_000.0;
        assert!(exact > 2.0 * degree * degree * 20_000.0, "{exact}");
        assert!((about / exact - 1.0).abs() < 0.1, "{about} {exact}");
    }
}
