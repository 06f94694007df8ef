//! Orders of the nodes.

mod common;

use common::encodings::on_threads;
use common::{BOTH, edge_lists, random_permutation};
use farhop_graph::order::{bandwidth, by_clusters, by_degree, reverse_cuthill_mckee};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, build, connected_components, generate, relabel};

fn is_permutation(places: &[u32]) -> bool {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    sorted.iter().enumerate().all(|(place, &id)| id as usize == place)
}

fn shuffled(graph: &Graph, seed: u64) -> Graph {
    relabel(graph, &random_permutation(&mut Stream::new(seed), graph.nodes())).unwrap()
}

#[test]
fn every_order_is_a_permutation() {
    for direction in BOTH {
        for (nodes, rows) in edge_lists() {
            let graph = build(nodes, &rows, direction).unwrap().graph;
            let groups: Vec<u32> = (0..nodes as u32).map(|node| node * 7 % 5).collect();
            for order in [by_degree(&graph), reverse_cuthill_mckee(&graph), by_clusters(&groups)] {
                assert_eq!(order.len(), nodes);
                assert!(is_permutation(&order), "{order:?}");
            }
        }
    }
    let none = build(0, &[], Direction::Undirected).unwrap().graph;
    assert!(by_degree(&none).is_empty() && reverse_cuthill_mckee(&none).is_empty() && by_clusters(&[]).is_empty());
}

#[test]
fn degrees_descend() {
    // Node 2 sends to three, node 0 to one; that 3 receives from all others does not matter.
    let rows = [(2, 0), (2, 1), (2, 3), (0, 3)];
    let graph = build(4, &rows, Direction::Directed).unwrap().graph;
    assert_eq!(by_degree(&graph), [1, 2, 0, 3]);
    let graph = generate::barabasi_albert(500, 3, 1).unwrap();
    let sorted = relabel(&graph, &by_degree(&graph)).unwrap();
    assert!((1..500).all(|node| sorted.degree(node - 1) >= sorted.degree(node)));
}

#[test]
fn clusters_lie_together_in_order() {
    assert_eq!(by_clusters(&[4, 0, u32::MAX, 0, 4]), [2, 0, 4, 1, 3]);
}

#[test]
fn bandwidth_is_the_longest_edge() {
    for direction in BOTH {
        for (nodes, rows) in edge_lists() {
            let graph = build(nodes, &rows, direction).unwrap().graph;
            let longest = rows.iter().map(|&(source, target)| source.abs_diff(target)).max().unwrap_or(0);
            assert_eq!(bandwidth(&graph), longest as usize);
        }
    }
}

#[test]
fn cuthill_mckee_finds_the_narrow_order_of_shuffled_graphs() {
    // The bandwidth of a path is 1 and of a ring 2; of a 6 x 80 grid it is 6 (the shorter side).
    let cases = [
        (generate::path(200).unwrap(), 1),
        (generate::ring(200).unwrap(), 2),
        (generate::grid(6, 80).unwrap(), 6),
        (generate::grid(80, 6).unwrap(), 6),
    ];
    for (graph, best) in cases {
        for seed in 0..5 {
            let mixed = shuffled(&graph, seed);
            assert!(bandwidth(&mixed) > 3 * best);
            let narrow = relabel(&mixed, &reverse_cuthill_mckee(&mixed)).unwrap();
            // Cuthill-McKee may be one wider than the best on a grid, where two rings overlap.
            assert!(bandwidth(&narrow) <= best + best / 6, "{} against {best}", bandwidth(&narrow));
        }
    }
}

#[test]
fn cuthill_mckee_takes_one_component_after_the_other() {
    let forest = shuffled(&generate::forest(300, 12, 3).unwrap(), 4);
    for direction in BOTH {
        // As a directed graph: one way only, so that following the rows alone would not reach a component.
        let rows: Vec<(u32, u32)> = (0..300)
            .flat_map(|node| forest.neighbours(node).iter().map(move |&other| (other, node as u32)))
            .filter(|&(source, target)| source < target)
            .collect();
        let graph = build(300, &rows, direction).unwrap().graph;
        let order = reverse_cuthill_mckee(&graph);
        let component_of = connected_components(&graph).component_of;
        let mut in_order = vec![0; 300];
        for (node, &place) in order.iter().enumerate() {
            in_order[place as usize] = component_of[node];
        }
        assert!(in_order.is_sorted(), "components are numbered by their smallest node");
    }
}

#[test]
fn orders_do_not_depend_on_threads() {
    let graph = generate::chung_lu(5_000, 20_000, 2.3, 5).unwrap();
    let all = || (by_degree(&graph), reverse_cuthill_mckee(&graph), by_clusters(graph.sources()), bandwidth(&graph));
    let alone = on_threads(1, all);
    for threads in [2, 4] {
        assert_eq!(on_threads(threads, all), alone);
    }
}
