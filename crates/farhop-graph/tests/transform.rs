//! Relabelling, union, components and distances.

mod common;

use common::{BOTH, assert_is, dense, edge_lists, random_permutation};
use farhop_graph::random::Stream;
use farhop_graph::{
    BreadthFirst, Direction, Graph, GraphError, UNREACHED, build, connected_components, disjoint_union, distances,
    relabel,
};

fn graphs(direction: Direction) -> Vec<Graph> {
    edge_lists().map(|(nodes, rows)| build(nodes, &rows, direction).unwrap().graph).collect()
}

#[test]
fn relabelling_renames_the_rows() {
    let mut stream = Stream::new(10);
    for direction in BOTH {
        for (nodes, rows) in edge_lists() {
            let graph = build(nodes, &rows, direction).unwrap().graph;
            let new_id_of = random_permutation(&mut stream, nodes);
            let renamed: Vec<_> = rows.iter().map(|&(a, b)| (new_id_of[a as usize], new_id_of[b as usize])).collect();
            let relabelled = relabel(&graph, &new_id_of).unwrap();
            assert_is(&relabelled, &dense(nodes, &renamed, direction));
        }
    }
}

#[test]
fn relabelling_and_back_is_the_identity() {
    let mut stream = Stream::new(11);
    for direction in BOTH {
        for graph in graphs(direction) {
            let forth = random_permutation(&mut stream, graph.nodes());
            let mut back = vec![0; forth.len()];
            for (old, &new) in forth.iter().enumerate() {
                back[new as usize] = old as u32;
            }
            let relabelled = relabel(&graph, &forth).unwrap();
            assert_eq!(relabel(&relabelled, &back).unwrap(), graph);
        }
    }
}

#[test]
fn relabelling_must_be_a_permutation() {
    let graph = build(3, &[(0, 1)], Direction::Undirected).unwrap().graph;
    let cases = [
        (vec![0, 1], GraphError::RelabelLength { length: 2, nodes: 3 }),
        (vec![0, 3, 1], GraphError::RelabelOutOfRange { row: 1, value: 3, nodes: 3 }),
        (vec![2, 0, 2], GraphError::RelabelRepeated { row: 2, value: 2, taken_by: 0 }),
    ];
    for (new_id_of, expected) in cases {
        assert_eq!(relabel(&graph, &new_id_of), Err(expected));
    }
}

#[test]
fn union_equals_its_parts() {
    for direction in BOTH {
        let parts = graphs(direction);
        let union = disjoint_union(&parts.iter().collect::<Vec<_>>()).unwrap();
        let mut rows = Vec::new();
        for (part, graph) in parts.iter().enumerate() {
            let first_node = union.node_offsets[part];
            let first_entry = union.entry_offsets[part];
            assert_eq!(union.node_offsets[part + 1] - first_node, graph.nodes());
            assert_eq!(union.entry_offsets[part + 1] - first_entry, graph.entries());
            for i in 0..graph.nodes() {
                for entry in graph.offsets()[i]..graph.offsets()[i + 1] {
                    let source = first_node as u32 + graph.sources()[entry];
                    assert_eq!(union.graph.sources()[first_entry + entry], source);
                    rows.push((source, (first_node + i) as u32));
                }
            }
        }
        let nodes = parts.iter().map(Graph::nodes).sum();
        assert_eq!(union.graph, build(nodes, &rows, direction).unwrap().graph);
    }
}

#[test]
fn union_of_nothing_and_of_unlike_parts() {
    let nothing = disjoint_union(&[]).unwrap();
    assert_eq!(nothing.graph.nodes(), 0);
    assert_eq!(nothing.node_offsets, [0]);
    assert_eq!(nothing.entry_offsets, [0]);

    let undirected = build(2, &[(0, 1)], Direction::Undirected).unwrap().graph;
    let directed = build(2, &[(0, 1)], Direction::Directed).unwrap().graph;
    let error = disjoint_union(&[&undirected, &undirected, &directed]).unwrap_err();
    assert_eq!(error, GraphError::MixedDirections { part: 2, directed: true });
    assert!(error.to_string().starts_with("part 2 of the union is directed"));
}

#[test]
fn distances_are_those_of_the_dense_table() {
    for direction in BOTH {
        for (nodes, rows) in edge_lists() {
            let table = dense(nodes, &rows, direction);
            let graph = build(nodes, &rows, direction).unwrap().graph;
            let expected = all_distances(&table);
            let mut search = BreadthFirst::new(&graph);
            for (start, expected) in expected.iter().enumerate() {
                assert_eq!(&distances(&graph, start).unwrap(), expected);
                for radius in [0, 1, 3] {
                    let reached = search.around(start, radius).unwrap();
                    assert!(reached.is_sorted_by_key(|reached| reached.distance));
                    let mut found = vec![UNREACHED; nodes];
                    for reached in reached {
                        assert_eq!(found[reached.node as usize], UNREACHED);
                        found[reached.node as usize] = reached.distance;
                    }
                    let near = expected.iter().map(|&distance| if distance <= radius { distance } else { UNREACHED });
                    assert!(near.eq(found));
                }
            }
            assert_eq!(distances(&graph, nodes), Err(GraphError::UnknownNode { value: nodes, nodes }));
        }
    }
}

#[test]
fn components_are_the_classes_of_reachability() {
    for direction in BOTH {
        for (nodes, rows) in edge_lists() {
            // A directed graph has the components of its undirected version.
            let reachable = all_distances(&dense(nodes, &rows, Direction::Undirected));
            let graph = build(nodes, &rows, direction).unwrap().graph;
            let components = connected_components(&graph);
            let component_of = &components.component_of;
            for a in 0..nodes {
                let mut size = 0;
                for b in 0..nodes {
                    let together = reachable[a][b] != UNREACHED;
                    assert_eq!(component_of[a] == component_of[b], together);
                    size += usize::from(together);
                }
                assert_eq!(components.sizes[component_of[a] as usize], size);
            }
            assert_eq!(components.sizes.iter().sum::<usize>(), nodes);
            let mut highest = 0;
            for &component in component_of {
                assert!(component <= highest, "numbered in the order of the smallest node");
                highest = highest.max(component + 1);
            }
        }
    }
}

/// Floyd and Warshall: distances by relaxing over every node in between.
fn all_distances(table: &[Vec<bool>]) -> Vec<Vec<u32>> {
    let nodes = table.len();
    let mut distance = vec![vec![UNREACHED; nodes]; nodes];
    for i in 0..nodes {
        for j in (0..nodes).filter(|&j| table[i][j]) {
            distance[i][j] = 1;
        }
        distance[i][i] = 0;
    }
    for between in 0..nodes {
        for i in 0..nodes {
            for j in 0..nodes {
                let detour = distance[i][between].saturating_add(distance[between][j]);
                distance[i][j] = distance[i][j].min(detour);
            }
        }
    }
    distance
}
