//! Graphs split into clusters.

mod common;

use std::collections::BTreeSet;

use common::encodings::on_threads;
use common::{BOTH, edge_lists, random_permutation};
use farhop_graph::random::Stream;
use farhop_graph::{
    ClusterOptions, Clusters, Direction, Graph, GraphError, NodeWeight, Partitioner, build, cluster, cluster_with,
    disjoint_union, generate, order, relabel,
};

fn undirected(nodes: usize, rows: &[(u32, u32)]) -> Graph {
    build(nodes, rows, Direction::Undirected).unwrap().graph
}

fn star(leaves: u32) -> Graph {
    undirected(leaves as usize + 1, &(1..=leaves).map(|leaf| (0, leaf)).collect::<Vec<_>>())
}

/// Checks what holds for any clusters, and the balance that is promised for nodes.
fn assert_sound(graph: &Graph, clusters: &Clusters, parts: usize) {
    assert_eq!((clusters.parts(), clusters.of_node().len()), (parts, graph.nodes()));
    let mut seen = vec![0; graph.nodes()];
    for part in 0..parts {
        let members = clusters.members(part);
        assert_eq!(members.len(), clusters.size(part));
        assert!(members.is_sorted());
        for &node in members {
            seen[node as usize] += 1;
            assert_eq!(clusters.of_node()[node as usize] as usize, part);
        }
    }
    assert!(seen.iter().all(|&times| times == 1), "every node is in exactly one part");
    let mut cut = 0;
    for node in 0..graph.nodes() {
        for &other in graph.neighbours(node) {
            cut += usize::from(clusters.of_node()[node] != clusters.of_node()[other as usize]);
        }
    }
    assert_eq!(clusters.cut(), cut);
    assert!((clusters.cut_share() * graph.entries() as f64 - cut as f64).abs() < 1e-6);
}

fn assert_even(graph: &Graph, clusters: &Clusters) {
    let mean = graph.nodes() as f64 / clusters.parts() as f64;
    for size in clusters.sizes() {
        let off = (size as f64 - mean).abs();
        assert!(off <= 0.05 * mean || off < 1.0, "a part has {size} nodes, the mean is {mean}");
        assert!(size > 0);
    }
}

#[test]
fn parts_of_small_graphs_are_sound_and_even() {
    for direction in BOTH {
        for (nodes, rows) in edge_lists() {
            let graph = build(nodes, &rows, direction).unwrap().graph;
            for parts in [1, 2, 3, 7, nodes / 2, nodes].into_iter().filter(|&parts| (1..=nodes).contains(&parts)) {
                let clusters = cluster(&graph, parts, 3).unwrap();
                assert_sound(&graph, &clusters, parts);
                assert_even(&graph, &clusters);
            }
        }
    }
}

#[test]
fn parts_of_larger_graphs_are_sound_and_even() {
    let blocks = disjoint_union(&[&star(700), &generate::grid(20, 30).unwrap(), &undirected(300, &[])]).unwrap();
    let graphs = [
        generate::barabasi_albert(3_000, 3, 1).unwrap(),
        generate::chung_lu(4_000, 16_000, 2.2, 2).unwrap(),
        generate::forest(3_000, 200, 3).unwrap(),
        generate::path(2_500).unwrap(),
        star(2_000),
        undirected(1_000, &[]),
        blocks.graph,
    ];
    for graph in &graphs {
        for parts in [2, 5, 16, 64] {
            let clusters = cluster(graph, parts, 1).unwrap();
            assert_sound(graph, &clusters, parts);
            assert_even(graph, &clusters);
        }
    }
}

#[test]
fn grids_are_cut_nearly_as_well_as_can_be() {
    // 64 edges are the least for two halves of a 64 x 64 grid; 2 * 64 for quarters.
    let grid = generate::grid(64, 64).unwrap();
    for seed in 0..5 {
        let mixed = relabel(&grid, &random_permutation(&mut Stream::new(seed), 4_096)).unwrap();
        let halves = cluster(&mixed, 2, seed).unwrap().cut() / 2;
        assert!(halves <= 83, "{halves} edges between the halves");
        let quarters = cluster(&mixed, 4, seed).unwrap().cut() / 2;
        assert!(quarters <= 166, "{quarters} edges between the quarters");
    }
}

#[test]
fn paths_and_rings_are_cut_nearly_once_per_part() {
    for seed in 0..3 {
        let shuffle = random_permutation(&mut Stream::new(seed), 3_000);
        let path = relabel(&generate::path(3_000).unwrap(), &shuffle).unwrap();
        let ring = relabel(&generate::ring(3_000).unwrap(), &shuffle).unwrap();
        for parts in [2, 8, 30] {
            // The least is parts - 1 for a path and parts for a ring.
            let (path_cut, ring_cut) =
                (cluster(&path, parts, seed).unwrap().cut() / 2, cluster(&ring, parts, seed).unwrap().cut() / 2);
            assert!(path_cut >= parts - 1 && path_cut <= 2 * parts, "{path_cut} for {parts} parts");
            assert!(ring_cut >= parts && ring_cut <= 2 * parts + 1, "{ring_cut} for {parts} parts");
        }
    }
}

#[test]
fn components_are_not_cut_where_they_need_not_be() {
    let molecules: Vec<Graph> =
        (0..600).map(|seed| generate::random_tree(10 + seed % 30, seed as u64).unwrap()).collect();
    let union = disjoint_union(&molecules.iter().collect::<Vec<_>>()).unwrap().graph;
    let clusters = cluster(&union, 8, 1).unwrap();
    assert_even(&union, &clusters);
    assert_eq!(clusters.cut(), 0);
}

#[test]
fn planted_blocks_are_found() {
    let planted = generate::stochastic_block_model(&[150; 12], 0.15, 0.002, 5).unwrap();
    let clusters = cluster(&planted.graph, 12, 2).unwrap();
    // As many different pairs (block, part) as there are blocks, but for a few nodes that went astray.
    let mut pairs = vec![vec![0; 12]; 12];
    for (node, &block) in planted.blocks.iter().enumerate() {
        pairs[block as usize][clusters.of_node()[node] as usize] += 1;
    }
    let main: Vec<usize> =
        pairs.iter().map(|row| row.iter().enumerate().max_by_key(|pair| pair.1).unwrap().0).collect();
    assert_eq!(main.iter().collect::<BTreeSet<_>>().len(), 12);
    let right: usize = pairs.iter().zip(&main).map(|(row, &part)| row[part]).sum();
    assert!(right >= 1_780, "{right} of 1,800");
}

#[test]
fn clusters_do_not_depend_on_threads() {
    let graphs = [generate::chung_lu(6_000, 40_000, 2.3, 1).unwrap(), generate::grid(70, 70).unwrap()];
    for graph in &graphs {
        for weight in [NodeWeight::Nodes, NodeWeight::NodesAndEntries] {
            let options = ClusterOptions { weight, seed: 9, ..ClusterOptions::default() };
            let split = || cluster_with(graph, 12, &options).unwrap();
            let alone = on_threads(1, split);
            for threads in [2, 4] {
                assert_eq!(on_threads(threads, split), alone);
            }
        }
        assert_ne!(cluster(graph, 12, 1).unwrap(), cluster(graph, 12, 2).unwrap(), "seeds matter");
    }
}

#[test]
fn clusters_of_a_graph_that_threads_share_do_not_depend_on_them() {
    let graph = generate::barabasi_albert(40_000, 7, 1).unwrap();
    let split = || cluster(&graph, 4, 1).unwrap();
    assert_eq!(on_threads(1, split), on_threads(3, split));
}

#[test]
fn a_directed_graph_is_split_as_its_edges_both_ways() {
    let grid = generate::grid(40, 40).unwrap();
    let rows: Vec<(u32, u32)> = (0..1_600)
        .flat_map(|node| grid.neighbours(node).iter().map(move |&other| (other, node as u32)))
        .filter(|&(source, target)| source < target)
        .collect();
    let one_way = build(1_600, &rows, Direction::Directed).unwrap().graph;
    let clusters = cluster(&one_way, 2, 1).unwrap();
    assert_sound(&one_way, &clusters, 2);
    assert!(clusters.cut() <= 52, "{} entries; 40 is the least", clusters.cut());
    // Edges with both entries and weights alike: the same clusters as undirected.
    let both: Vec<(u32, u32)> = rows.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
    let both_ways = build(1_600, &both, Direction::Directed).unwrap().graph;
    assert_eq!(cluster(&both_ways, 4, 1).unwrap().cut(), cluster(&grid, 4, 1).unwrap().cut());
}

#[test]
fn nodes_and_entries_can_be_balanced_together() {
    let graph = generate::chung_lu(5_000, 50_000, 2.8, 4).unwrap();
    let options = ClusterOptions { weight: NodeWeight::NodesAndEntries, seed: 1, ..ClusterOptions::default() };
    let clusters = cluster_with(&graph, 10, &options).unwrap();
    assert_sound(&graph, &clusters, 10);
    let entries = |part| clusters.members(part).iter().map(|&node| graph.degree(node as usize)).sum::<usize>();
    let weights: Vec<f64> = (0..10).map(|part| (20 * clusters.size(part) + entries(part)) as f64).collect();
    let mean = 200_000.0 / 10.0;
    assert!(weights.iter().all(|weight| (weight - mean).abs() <= 0.1 * mean), "{weights:?}");
    // The hub weighs a quarter of the whole graph: it stays nearly alone, and the leaves are even.
    let clusters = cluster_with(&star(1_000), 8, &options).unwrap();
    assert_sound(&star(1_000), &clusters, 8);
    let with_hub = clusters.of_node()[0] as usize;
    assert!(clusters.size(with_hub) <= 20, "{} nodes", clusters.size(with_hub));
    let others = (0..8).filter(|&part| part != with_hub).map(|part| clusters.size(part));
    assert!(others.clone().all(|size| (128..=157).contains(&size)), "{:?}", others.collect::<Vec<_>>());
}

#[test]
fn clusters_order_the_nodes() {
    let graph = generate::grid(30, 30).unwrap();
    let clusters = cluster(&graph, 9, 1).unwrap();
    let ordered = order::by_clusters(clusters.of_node());
    let sequence: Vec<u32> = (0..9).flat_map(|part| clusters.members(part).to_vec()).collect();
    assert!(sequence.iter().enumerate().all(|(place, &node)| ordered[node as usize] as usize == place));
}

#[test]
fn what_is_not_possible_is_said() {
    let graph = generate::path(3).unwrap();
    let message = |parts| cluster(&graph, parts, 0).unwrap_err().to_string();
    assert_eq!(message(4), "cluster: parts = 4 is not possible; allowed is 1 to 3 for 3 nodes");
    assert_eq!(message(0), "cluster: parts = 0 is not possible; allowed is 1 to 3 for 3 nodes");
    for slack in [0.0, -1.0, 1.5, f64::NAN] {
        let options = ClusterOptions { slack, ..ClusterOptions::default() };
        assert!(matches!(cluster_with(&graph, 2, &options), Err(GraphError::Parameter { parameter: "slack", .. })));
    }
    let empty = undirected(0, &[]);
    assert_eq!(cluster(&empty, 1, 0).unwrap().sizes().collect::<Vec<_>>(), [0]);
    assert!(cluster(&empty, 2, 0).is_err());
}

#[test]
fn a_wide_slack_leaves_no_part_empty() {
    let options = ClusterOptions { slack: 1.0, ..ClusterOptions::default() };
    for (graph, parts) in [(star(50), 20), (generate::grid(10, 10).unwrap(), 40)] {
        let clusters = cluster_with(&graph, parts, &options).unwrap();
        assert_sound(&graph, &clusters, parts);
        assert!(clusters.sizes().all(|size| size > 0));
    }
}

#[cfg(not(feature = "metis"))]
#[test]
fn metis_is_named_where_it_is_missing() {
    let options = ClusterOptions { partitioner: Partitioner::Metis, ..ClusterOptions::default() };
    let error = cluster_with(&generate::path(10).unwrap(), 2, &options).unwrap_err();
    assert!(error.to_string().contains("cargo feature `metis`"), "{error}");
}

#[cfg(feature = "metis")]
#[test]
fn metis_is_nowhere_much_better() {
    let graphs = [
        ("grid", generate::grid(100, 100).unwrap()),
        ("tree", generate::random_tree(8_000, 1).unwrap()),
        ("blocks", generate::stochastic_block_model(&[200; 30], 0.08, 0.001, 1).unwrap().graph),
        ("power law", generate::chung_lu(6_000, 40_000, 2.3, 1).unwrap()),
    ];
    for (name, graph) in &graphs {
        for parts in [4, 30] {
            let metis = ClusterOptions { partitioner: Partitioner::Metis, ..ClusterOptions::default() };
            let theirs = cluster_with(graph, parts, &metis).unwrap();
            assert_sound(graph, &theirs, parts);
            let ours = cluster(graph, parts, 1).unwrap();
            let bound = 1.2 * theirs.cut() as f64 + 4.0;
            assert!(ours.cut() as f64 <= bound, "{name}, {parts} parts: {} against {}", ours.cut(), theirs.cut());
        }
    }
    // Weights of directed edges reach it as well.
    let directed = build(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)], Direction::Directed).unwrap().graph;
    let metis = ClusterOptions { partitioner: Partitioner::Metis, ..ClusterOptions::default() };
    assert_eq!(cluster_with(&directed, 2, &metis).unwrap().cut(), 1);
}
