//! Reverse Cuthill-McKee.

use super::places_in;
use crate::graph::Graph;

/// Searches for a better start per component at most; each is one breadth-first search.
const MOST_STARTS: usize = 8;

/// The reverse Cuthill-McKee order (Cuthill and McKee, 1969; George, 1971): joined nodes get ids that lie near each
/// other.
///
/// Component after component, in the order of their smallest node: a breadth-first search that visits the neighbours of
/// a node by ascending degree, equal ones by id, read backwards. It starts at a node that is (nearly) as far from
/// another as any two are: from a node of least degree, searches go to a node of least degree in the last ring
/// until the rings become no more (George and Liu, 1979), at most eight times. Costs a few passes over the graph.
pub fn reverse_cuthill_mckee(graph: &Graph) -> Vec<u32> {
    let mut search = RingSearch::new(graph);
    let mut placed = vec![false; graph.nodes()];
    let mut sequence = Vec::with_capacity(graph.nodes());
    for first in 0..graph.nodes() as u32 {
        if placed[first as usize] {
            continue;
        }
        search.from(first);
        let mut start = search.least_degree(0);
        search.from(start);
        for _ in 1..MOST_STARTS {
            let (rings, next) = (search.rings, search.least_degree(search.last_ring));
            search.from(next);
            if search.rings <= rings {
                break;
            }
            start = next;
        }
        search.from(start);
        search.reached.iter().for_each(|&node| placed[node as usize] = true);
        sequence.extend(search.reached.iter().rev());
    }
    places_in(&sequence)
}

/// Breadth-first searches over edges taken both ways; the memory is that of one search.
struct RingSearch<'a> {
    graph: &'a Graph,
    /// Neighbours of a node, both ways. A directed edge with its opposite counts twice, which changes no search.
    degrees: Vec<u32>,
    /// Number of the last search that met each node.
    met_in: Vec<u64>,
    searches: u64,
    /// The nodes of the last search, ring after ring.
    reached: Vec<u32>,
    rings: usize,
    /// Where the last ring begins in `reached`.
    last_ring: usize,
}

impl<'a> RingSearch<'a> {
    fn new(graph: &'a Graph) -> Self {
        let columns = graph.transposed().offsets;
        let both_ways = |node: usize| graph.degree(node) + columns[node + 1] - columns[node];
        let degrees = (0..graph.nodes()).map(|node| both_ways(node).min(u32::MAX as usize) as u32).collect();
        Self { graph, degrees, met_in: vec![0; graph.nodes()], searches: 0, reached: vec![], rings: 0, last_ring: 0 }
    }

    /// Meets all nodes of the component of `start`, each ring in Cuthill and McKee's order.
    fn from(&mut self, start: u32) {
        let columns = self.graph.transposed();
        self.searches += 1;
        self.reached.clear();
        self.meet(start);
        (self.rings, self.last_ring) = (0, 0);
        let mut at = 0;
        while at < self.reached.len() {
            (self.last_ring, self.rings) = (at, self.rings + 1);
            let ring = at..self.reached.len();
            at = ring.end;
            for place in ring {
                let node = self.reached[place] as usize;
                let met_before = self.reached.len();
                let graph = self.graph;
                graph.neighbours(node).iter().for_each(|&next| self.meet(next));
                if graph.is_directed() {
                    let column = &columns.targets[columns.offsets[node]..columns.offsets[node + 1]];
                    column.iter().for_each(|&next| self.meet(next));
                }
                let degrees = &self.degrees;
                self.reached[met_before..].sort_unstable_by_key(|&next| (degrees[next as usize], next));
            }
        }
    }

    fn meet(&mut self, node: u32) {
        let met_in = &mut self.met_in[node as usize];
        if *met_in != self.searches {
            *met_in = self.searches;
            self.reached.push(node);
        }
    }

    /// A node of least degree among those reached from place `from` on, the smallest of them.
    fn least_degree(&self, from: usize) -> u32 {
        let least = self.reached[from..].iter().min_by_key(|&&node| (self.degrees[node as usize], node));
        *least.unwrap_or(&0)
    }
}
