//! What lies around a set of nodes, and the graph on a set of nodes.

mod common;

use common::{BOTH, assert_is, edge_lists, random_permutation};
use farhop_graph::random::Stream;
use farhop_graph::{
    Direction, Graph, GraphError, HaloFinder, InduceScratch, UNREACHED, build, cluster, distances, generate, halo,
    induce,
};

fn graphs() -> impl Iterator<Item = Graph> {
    BOTH.into_iter()
        .flat_map(|direction| edge_lists().map(move |(nodes, rows)| build(nodes, &rows, direction).unwrap().graph))
}

fn some_nodes(stream: &mut Stream, graph: &Graph) -> Vec<u32> {
    let mut nodes = random_permutation(stream, graph.nodes());
    nodes.truncate(stream.below(graph.nodes() as u64 + 1) as usize);
    nodes
}

#[test]
fn halos_are_rings_of_distance() {
    let mut stream = Stream::new(1);
    for graph in graphs() {
        let mut finder = HaloFinder::new(&graph);
        for hops in [0, 1, 2, 5, u32::MAX] {
            let start = some_nodes(&mut stream, &graph);
            let start = &start[..start.len().min(3)];
            // Distance to the nearest of the start nodes, straight from the definition.
            let mut nearest = vec![UNREACHED; graph.nodes()];
            for &node in start {
                for (nearest, distance) in nearest.iter_mut().zip(distances(&graph, node as usize).unwrap()) {
                    *nearest = distance.min(*nearest);
                }
            }
            let mut ring: Vec<(u32, u32)> = nearest.iter().copied().zip(0..).collect();
            ring.retain(|&(distance, _)| distance > 0 && distance != UNREACHED && distance <= hops);
            ring.sort_unstable();
            let expected: Vec<u32> = start.iter().copied().chain(ring.iter().map(|&(_, node)| node)).collect();
            assert_eq!(finder.around(start, hops).unwrap(), expected);
            assert_eq!(halo(&graph, start, hops).unwrap(), expected);
        }
    }
}

#[test]
fn induced_graphs_have_the_entries_between_their_nodes() {
    let mut stream = Stream::new(2);
    let mut scratch = InduceScratch::new();
    for graph in graphs() {
        for _ in 0..3 {
            let nodes = some_nodes(&mut stream, &graph);
            let part = induce(&graph, &nodes, &mut scratch).unwrap();
            let joined = |i: u32, j: u32| graph.neighbours(i as usize).contains(&j);
            let table: Vec<Vec<bool>> = nodes.iter().map(|&i| nodes.iter().map(|&j| joined(i, j)).collect()).collect();
            assert_eq!(part.graph.direction(), graph.direction());
            assert_is(&part.graph, &table);
            assert_eq!(part.nodes, nodes);
            assert_eq!(part.entries.len(), part.graph.entries());
            for node in 0..nodes.len() {
                for entry in part.graph.offsets()[node]..part.graph.offsets()[node + 1] {
                    let parent = part.entries[entry] as usize;
                    let row = graph.offsets()[nodes[node] as usize]..graph.offsets()[nodes[node] as usize + 1];
                    assert!(row.contains(&parent));
                    assert_eq!(graph.sources()[parent], nodes[part.graph.sources()[entry] as usize]);
                }
            }
        }
    }
}

#[test]
fn all_nodes_induce_the_graph_itself() {
    for graph in graphs() {
        let all: Vec<u32> = (0..graph.nodes() as u32).collect();
        let part = induce(&graph, &all, &mut InduceScratch::new()).unwrap();
        assert_eq!(part.graph, graph);
        assert!(part.entries.iter().enumerate().all(|(entry, &parent)| entry == parent as usize));
    }
}

#[test]
fn rounds_within_a_halo_give_what_the_whole_graph_gives() {
    // Sums over neighbours, three times, exact in whole numbers.
    let sum = |graph: &Graph, values: &[u64]| -> Vec<u64> {
        (0..graph.nodes())
            .map(|node| graph.neighbours(node).iter().fold(values[node], |sum, &other| sum + values[other as usize]))
            .collect()
    };
    let graph = generate::barabasi_albert(400, 2, 3).unwrap();
    let start: Vec<u64> = (0..400).collect();
    let whole = (0..3).fold(start.clone(), |values, _| sum(&graph, &values));
    let clusters = cluster(&graph, 5, 1).unwrap();
    let (mut finder, mut scratch) = (HaloFinder::new(&graph), InduceScratch::new());
    for part in 0..5 {
        let nodes = finder.around(clusters.members(part), 3).unwrap();
        let batch = induce(&graph, &nodes, &mut scratch).unwrap();
        let values: Vec<u64> = nodes.iter().map(|&node| start[node as usize]).collect();
        let values = (0..3).fold(values, |values, _| sum(&batch.graph, &values));
        for (&node, value) in clusters.members(part).iter().zip(values) {
            assert_eq!(value, whole[node as usize]);
        }
    }
}

#[test]
fn wrong_nodes_are_named_and_leave_nothing_behind() {
    let graph = build(4, &[(0, 1), (1, 2), (2, 3)], Direction::Undirected).unwrap().graph;
    let mut scratch = InduceScratch::new();
    let mut finder = HaloFinder::new(&graph);
    let cases = [
        (vec![1, 4], GraphError::UnknownNode { value: 4, nodes: 4 }),
        (vec![1, 2, 1], GraphError::RepeatedNode { place: 2, value: 1 }),
    ];
    for (nodes, expected) in cases {
        assert_eq!(induce(&graph, &nodes, &mut scratch), Err(expected.clone()));
        assert_eq!(finder.around(&nodes, 1), Err(expected));
        assert_eq!(induce(&graph, &[1, 2], &mut scratch).unwrap().graph.edges(), 1);
        assert_eq!(finder.around(&[1], 1).unwrap(), [1, 0, 2]);
    }
}
