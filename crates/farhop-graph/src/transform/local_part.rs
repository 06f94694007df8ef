//! What one of several processes sees of a graph.

use crate::error::GraphError;
use crate::graph::{Direction, Graph};

/// The part of a graph that belongs to one owner: its own nodes, the nodes of others that an entry joins to them, and all these entries.
///
/// Own nodes without a neighbour elsewhere come first, ascending, then those with one, ascending; nodes of others follow, by owner and then
/// ascending. So what needs nothing of others is the first rows. Rows of own nodes are complete. Rows of others hold what they receive from own
/// nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalPart {
    /// The graph of all these nodes.
    pub graph: Graph,
    /// How many of them are own.
    pub own: usize,
    /// The number of every node in the whole graph.
    pub nodes: Vec<u32>,
    /// The number of every entry in the whole graph.
    pub entries: Vec<u32>,
    /// The owner of every node that is not own.
    pub owners: Vec<u32>,
    /// How many nodes each of these receives from in the whole graph.
    pub degrees: Vec<u32>,
}

/// Cuts the parts of owners out of a graph, one after the other, with one array over all nodes.
pub struct PartCutter<'a> {
    graph: &'a Graph,
    owner_of: &'a [u32],
    /// The place of a node in the part that is cut, from 1; 0 if it is not there.
    places: Vec<u32>,
}

impl<'a> PartCutter<'a> {
    /// `owner_of` says who owns each node.
    ///
    /// # Errors
    /// When there is not one owner for every node.
    pub fn new(graph: &'a Graph, owner_of: &'a [u32]) -> Result<Self, GraphError> {
        if owner_of.len() != graph.nodes() {
            return Err(GraphError::Parameter {
                generator: "parts",
                parameter: "owners",
                value: owner_of.len().to_string(),
                allowed: format!("{}, one for every node", graph.nodes()),
            });
        }
        Ok(PartCutter { graph, owner_of, places: vec![0; graph.nodes()] })
    }

    /// The part of one owner.
    ///
    /// # Errors
    /// Never for a valid graph.
    pub fn cut(&mut self, owner: u32) -> Result<LocalPart, GraphError> {
        let (graph, owner_of) = (self.graph, self.owner_of);
        let mut entries: Vec<[u32; 3]> = Vec::new();
        for node in 0..graph.nodes() {
            let own = owner_of[node] == owner;
            for entry in graph.offsets()[node]..graph.offsets()[node + 1] {
                let source = graph.sources()[entry];
                if own || owner_of[source as usize] == owner {
                    entries.push([entry as u32, node as u32, source]);
                }
            }
        }
        let degree = |node: u32| graph.degree(node as usize) as u32;
        LocalPart::of_entries(graph.direction(), owner, owner_of, &entries, degree, &mut self.places)
    }
}

impl LocalPart {
    /// From all entries with an end among the nodes of `owner`: number, node that receives and node that gives, ascending. `places` has a zero
    /// for every node of the whole graph, and has it again afterwards.
    ///
    /// # Errors
    /// When they are not those of a graph.
    pub fn of_entries(
        direction: Direction,
        owner: u32,
        owner_of: &[u32],
        given: &[[u32; 3]],
        degree: impl Fn(u32) -> u32,
        places: &mut [u32],
    ) -> Result<LocalPart, GraphError> {
        let mut others: Vec<u32> = Vec::new();
        for &[_, receiver, source] in given {
            let is_own = [receiver, source].map(|node| owner_of[node as usize] == owner);
            if is_own[0] == is_own[1] {
                continue;
            }
            for (node, is_own) in [receiver, source].into_iter().zip(is_own) {
                if std::mem::replace(&mut places[node as usize], 1) == 0 && !is_own {
                    others.push(node);
                }
            }
        }
        let own = || (0..owner_of.len() as u32).filter(|&node| owner_of[node as usize] == owner);
        let mut nodes: Vec<u32> = own().filter(|&node| places[node as usize] == 0).collect();
        nodes.extend(own().filter(|&node| places[node as usize] == 1));
        let own = nodes.len();
        others.sort_unstable_by_key(|&node| (owner_of[node as usize], node));
        nodes.append(&mut others);
        nodes.iter().zip(1..).for_each(|(&node, place)| places[node as usize] = place);
        let place = |node: u32| places[node as usize] as usize - 1;
        let mut offsets = vec![0usize; nodes.len() + 1];
        given.iter().for_each(|&[_, receiver, _]| offsets[place(receiver) + 1] += 1);
        (0..nodes.len()).for_each(|at| offsets[at + 1] += offsets[at]);
        let mut next = offsets.clone();
        let mut rows = vec![(0u32, 0u32); given.len()];
        for &[entry, receiver, source] in given {
            let at = &mut next[place(receiver)];
            rows[*at] = (place(source) as u32, entry);
            *at += 1;
        }
        drop(next);
        offsets.windows(2).for_each(|row| rows[row[0]..row[1]].sort_unstable());
        nodes.iter().for_each(|&node| places[node as usize] = 0);
        let (sources, entries) = rows.into_iter().unzip();
        let owners = nodes[own..].iter().map(|&node| owner_of[node as usize]).collect();
        let degrees = nodes[own..].iter().map(|&node| degree(node)).collect();
        let graph = Graph::from_csr(direction, offsets, sources)?;
        Ok(LocalPart { graph, own, nodes, entries, owners, degrees })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, build};

    /// Every entry of the graph is in the parts of both its ends, with its number, and no part has any other.
    #[test]
    fn parts_hold_the_entries_of_their_nodes() {
        let rows = [(0, 1), (1, 2), (2, 0), (3, 2), (4, 1), (0, 4), (5, 6), (6, 3), (7, 7)];
        for direction in [Direction::Undirected, Direction::Directed] {
            let graph = build(8, &rows, direction).unwrap().graph;
            let owners = [2, 0, 1, 0, 2, 1, 0, 1];
            let mut cutter = PartCutter::new(&graph, &owners).unwrap();
            for owner in 0..3 {
                let part = cutter.cut(owner).unwrap();
                let mut found = Vec::new();
                for place in 0..part.graph.nodes() {
                    let range = part.graph.offsets()[place]..part.graph.offsets()[place + 1];
                    for (entry, &source) in range.clone().zip(part.graph.neighbours(place)) {
                        found.push((part.entries[entry], part.nodes[place], part.nodes[source as usize]));
                    }
                }
                let mut expected = Vec::new();
                for i in 0..8 {
                    for entry in graph.offsets()[i]..graph.offsets()[i + 1] {
                        let j = graph.sources()[entry];
                        if owners[i] == owner || owners[j as usize] == owner {
                            expected.push((entry as u32, i as u32, j));
                        }
                    }
                }
                found.sort_unstable();
                assert_eq!(found, expected);
                // Own nodes without a neighbour elsewhere come first, and both kinds ascend.
                let crosses = |place: usize| {
                    let whole = &part.nodes[place];
                    let joins = |(_, i, j): &(u32, u32, u32)| i == whole || j == whole;
                    let other = |(_, i, j): &(u32, u32, u32)| owners[*i as usize] != owners[*j as usize];
                    expected.iter().any(|entry| joins(entry) && other(entry))
                };
                let keys: Vec<(bool, u32)> = (0..part.own).map(|place| (crosses(place), part.nodes[place])).collect();
                assert!(keys.is_sorted(), "{keys:?}");
                let whole = |at: &usize| graph.degree(part.nodes[*at] as usize);
                assert!((0..part.own).all(|at| part.graph.degree(at) == whole(&at)));
                assert!((part.own..part.nodes.len()).all(|at| part.degrees[at - part.own] as usize == whole(&at)));
            }
        }
    }
}
