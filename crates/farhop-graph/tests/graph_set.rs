//! A set of graphs is its graphs.

mod common;

use common::{BOTH, edge_lists, random_permutation};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, GraphError, GraphSet, build, disjoint_union};

/// The graphs of the common edge lists, and some without nodes or edges among them.
fn graphs(direction: Direction) -> Vec<Graph> {
    let empty = |nodes| build(nodes, &[], direction).unwrap().graph;
    let mut graphs = vec![empty(0)];
    for (nodes, rows) in edge_lists() {
        graphs.push(build(nodes, &rows, direction).unwrap().graph);
        if nodes % 5 == 0 {
            graphs.push(empty(nodes % 3));
        }
    }
    graphs.push(empty(0));
    graphs
}

fn set_of(graphs: &[Graph]) -> GraphSet {
    let union = disjoint_union(&graphs.iter().collect::<Vec<_>>()).unwrap();
    GraphSet::new(union.graph, union.node_offsets).unwrap()
}

#[test]
fn every_graph_of_a_set_is_the_graph_alone() {
    for direction in BOTH {
        let graphs = graphs(direction);
        let set = set_of(&graphs);
        assert_eq!(set.len(), graphs.len());
        assert!(!set.is_empty());
        for (g, graph) in graphs.iter().enumerate() {
            assert_eq!(&set.graph(g), graph);
            assert_eq!(set.nodes_of(g).len(), graph.nodes());
            // Entry e of the graph is entry e of the range: features of entries may be copied range by range.
            let first = set.offsets()[g] as u32;
            let sources: Vec<u32> = set.union().sources()[set.entries_of(g)].iter().map(|id| id - first).collect();
            assert_eq!(sources, graph.sources());
        }
        assert_eq!(set.clone().into_union(), *set.union());
    }
}

#[test]
fn picked_graphs_are_the_set_of_these_graphs_alone() {
    let mut stream = Stream::new(3);
    for direction in BOTH {
        let graphs = graphs(direction);
        let set = set_of(&graphs);
        let all = random_permutation(&mut stream, graphs.len());
        let some = (0..30).map(|_| stream.below(graphs.len() as u64) as u32).collect();
        for picked in [all, some, vec![], vec![0], vec![7], vec![9, 2, 9, 9, 0]] {
            let alone: Vec<Graph> = picked.iter().map(|&g| graphs[g as usize].clone()).collect();
            if picked.is_empty() {
                let nothing = set.pick(&picked);
                assert!(nothing.is_empty());
                assert_eq!((nothing.union().nodes(), nothing.union().direction()), (0, direction));
            } else {
                assert_eq!(set.pick(&picked), set_of(&alone), "{picked:?}");
            }
        }
    }
}

#[test]
fn a_single_graph_is_a_set() {
    for direction in BOTH {
        for graph in graphs(direction) {
            let set = GraphSet::single(graph.clone());
            assert_eq!(set.offsets(), [0, graph.nodes()]);
            assert_eq!(set.graph(0), graph);
            assert_eq!(set.pick(&[0]), set);
            assert_eq!(set.entries_of(0), 0..graph.entries());
        }
    }
}

#[test]
fn offsets_must_cut_between_the_graphs() {
    let graph = build(5, &[(0, 1), (3, 4)], Direction::Undirected).unwrap().graph;
    for good in [vec![0, 5], vec![0, 2, 5], vec![0, 2, 3, 5], vec![0, 0, 2, 2, 3, 5, 5]] {
        assert_eq!(GraphSet::new(graph.clone(), good.clone()).unwrap().offsets(), good);
    }
    for (bad, place) in [(vec![], 0), (vec![1, 5], 0), (vec![0, 3, 2, 5], 2), (vec![0, 2], 1), (vec![0, 6], 1)] {
        match GraphSet::new(graph.clone(), bad.clone()) {
            Err(GraphError::SetOffset { place: found, .. }) => assert_eq!(found, place, "{bad:?}"),
            other => panic!("{bad:?}: {other:?}"),
        }
    }
    let error = GraphSet::new(graph.clone(), vec![0, 4, 5]).unwrap_err();
    assert_eq!(error, GraphError::EntryLeavesGraph { sender: 4, receiver: 3, graph: 0, nodes: 0..4 });
    // An entry that only goes one way, in either direction.
    for row in [(1, 3), (3, 1)] {
        let graph = build(4, &[row], Direction::Directed).unwrap().graph;
        let error = GraphSet::new(graph, vec![0, 2, 4]).unwrap_err();
        assert!(matches!(error, GraphError::EntryLeavesGraph { .. }), "{error}");
    }
    assert!(GraphSet::new(build(0, &[], Direction::Directed).unwrap().graph, vec![0]).unwrap().is_empty());
}
