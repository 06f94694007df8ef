//! What hangs together, and how far apart its ends are.

use farhop_graph::{Graph, GraphSet, connected_components};
use serde::{Deserialize, Serialize};

/// Distances are looked for in this many graphs at most.
const MOST_GRAPHS: usize = 1_000;
/// The most searches from end to end.
const MOST_SWEEPS: usize = 6;

/// How far apart nodes are. Directions of edges do not count.
///
/// From a node of most neighbours one walks to the farthest node, from there to the farthest, and so on while that
/// gets farther. The result is a distance that exists, so the diameter is at least as large; on trees it is exact.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Reach {
    /// The largest distance that was found.
    pub diameter: usize,
    /// The median over the graphs that were looked at.
    pub median: f64,
    /// How many graphs were looked at.
    pub graphs: usize,
}

/// Components of a set of graphs.
pub(super) struct Hanging {
    /// How many.
    pub count: usize,
    /// Nodes of the largest.
    pub largest: usize,
    /// Components of one node.
    pub isolated: usize,
    component_of: Vec<u32>,
    first_largest: u32,
}

pub(super) fn components(graphs: &GraphSet) -> Hanging {
    let found = connected_components(graphs.union());
    let largest = found.sizes.iter().copied().max().unwrap_or(0);
    Hanging {
        count: found.sizes.len(),
        largest,
        isolated: found.sizes.iter().filter(|&&size| size == 1).count(),
        first_largest: found.sizes.iter().position(|&size| size == largest).unwrap_or(0) as u32,
        component_of: found.component_of,
    }
}

/// Looks for long distances: in the largest component of a single graph, or from the middle of every graph (of a
/// thousand of them, evenly spread, if there are more).
pub(super) fn estimate(graphs: &GraphSet, components: &Hanging) -> Reach {
    let union = graphs.union();
    let mut search = Search { graph: union, met_in: vec![0; union.nodes()], searches: 0, open: Vec::new() };
    let starts: Vec<usize> = if graphs.len() == 1 {
        let inside = |node: &usize| components.component_of[*node] == components.first_largest;
        hub(union, (0..union.nodes()).filter(inside)).into_iter().collect()
    } else {
        let picked = graphs.len().min(MOST_GRAPHS);
        let graph_of = |pick: usize| pick * graphs.len() / picked;
        (0..picked).filter_map(|pick| hub(union, graphs.nodes_of(graph_of(pick)))).collect()
    };
    let mut found: Vec<usize> = starts.into_iter().map(|start| search.longest(start)).collect();
    found.sort_unstable();
    let count = found.len();
    match found.last() {
        None => Reach::default(),
        Some(&diameter) => {
            Reach { diameter, median: (found[(count - 1) / 2] + found[count / 2]) as f64 / 2.0, graphs: count }
        }
    }
}

/// The first node of most neighbours.
fn hub(graph: &Graph, nodes: impl Iterator<Item = usize>) -> Option<usize> {
    nodes.max_by_key(|&node| (graph.degree(node), std::cmp::Reverse(node)))
}

struct Search<'a> {
    graph: &'a Graph,
    met_in: Vec<u32>,
    searches: u32,
    open: Vec<u32>,
}

impl Search<'_> {
    fn longest(&mut self, start: usize) -> usize {
        let (mut from, mut longest) = (start, 0);
        for _ in 0..MOST_SWEEPS {
            let (farthest, distance) = self.farthest(from);
            if distance <= longest {
                break;
            }
            (from, longest) = (farthest, distance);
        }
        longest
    }

    /// The node that a breadth-first search meets last, and its distance.
    fn farthest(&mut self, start: usize) -> (usize, usize) {
        let columns = self.graph.transposed();
        self.searches += 1;
        self.open.clear();
        self.open.push(start as u32);
        self.met_in[start] = self.searches;
        let (mut distance, mut layer) = (0, 0..1);
        loop {
            for place in layer.clone() {
                let node = self.open[place] as usize;
                let column = columns.offsets[node]..columns.offsets[node + 1];
                let receivers = if self.graph.is_directed() { &columns.targets[column] } else { &[] };
                for &next in self.graph.neighbours(node).iter().chain(receivers) {
                    let met_in = &mut self.met_in[next as usize];
                    if *met_in != self.searches {
                        *met_in = self.searches;
                        self.open.push(next);
                    }
                }
            }
            if self.open.len() == layer.end {
                return (self.open[layer.end - 1] as usize, distance);
            }
            layer = layer.end..self.open.len();
            distance += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::{Direction, build, disjoint_union, generate};

    fn reach(graphs: &GraphSet) -> Reach {
        estimate(graphs, &components(graphs))
    }

    #[test]
    fn trees_grids_and_rings_have_their_diameter() {
        for (graph, diameter) in [
            (generate::path(40).unwrap(), 39),
            (generate::star(7).unwrap(), 2),
            (generate::grid(5, 9).unwrap(), 12),
            (generate::ring(20).unwrap(), 10),
            (generate::balanced_tree(3, 4).unwrap(), 8),
        ] {
            assert_eq!(reach(&GraphSet::single(graph)), Reach { diameter, median: diameter as f64, graphs: 1 });
        }
    }

    #[test]
    fn only_the_largest_component_counts_and_direction_does_not() {
        let rows = [(0, 1), (2, 1), (2, 3), (5, 4), (4, 6), (7, 6), (7, 5)];
        let graph = build(9, &rows, Direction::Directed).unwrap().graph;
        let set = GraphSet::single(graph);
        let found = components(&set);
        assert_eq!((found.count, found.largest, found.isolated), (3, 4, 1));
        assert_eq!(reach(&set).diameter, 3, "a path of four nodes comes first");
    }

    #[test]
    fn many_graphs_give_the_largest_and_the_median() {
        let parts: Vec<Graph> = [3, 10, 6, 1].map(|nodes| generate::path(nodes).unwrap()).to_vec();
        let union = disjoint_union(&parts.iter().collect::<Vec<_>>()).unwrap().graph;
        let set = GraphSet::new(union, vec![0, 3, 13, 19, 20]).unwrap();
        assert_eq!(reach(&set), Reach { diameter: 9, median: 3.5, graphs: 4 });
    }
}
