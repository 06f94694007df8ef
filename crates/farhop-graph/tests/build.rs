//! Edge lists in any order become the same checked graph.

mod common;

use std::collections::BTreeSet;

use common::{BOTH, assert_is, dense, edge_lists, random_permutation, random_rows};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, GraphError, NO_EDGE, build};

#[test]
fn graph_is_the_dense_table() {
    for direction in BOTH {
        for (nodes, rows) in edge_lists() {
            let built = build(nodes, &rows, direction).unwrap();
            assert_is(&built.graph, &dense(nodes, &rows, direction));
        }
    }
}

#[test]
fn graphs_too_large_for_one_thread_are_the_dense_table() {
    // Enough entries, long rows and duplicates for the rows to be split between threads.
    let nodes = 700;
    for direction in BOTH {
        let rows = random_rows(&mut Stream::new(1), nodes, 150_000);
        let built = build(nodes, &rows, direction).unwrap();
        assert_is(&built.graph, &dense(nodes, &rows, direction));
    }
}

#[test]
fn order_of_rows_does_not_matter() {
    for direction in BOTH {
        for (nodes, mut rows) in edge_lists() {
            let first = build(nodes, &rows, direction).unwrap();
            Stream::new(99).shuffle(&mut rows);
            let second = build(nodes, &rows, direction).unwrap();
            assert_eq!(first.graph, second.graph);
            assert_eq!(first.report, second.report);
        }
    }
}

#[test]
fn direction_of_rows_does_not_matter_when_undirected() {
    for (nodes, rows) in edge_lists() {
        let turned: Vec<_> = rows.iter().map(|&(source, target)| (target, source)).collect();
        let first = build(nodes, &rows, Direction::Undirected).unwrap();
        let second = build(nodes, &turned, Direction::Undirected).unwrap();
        assert_eq!(first.graph, second.graph);
    }
}

#[test]
fn threads_do_not_matter() {
    let rows = random_rows(&mut Stream::new(4), 3_000, 200_000);
    for direction in BOTH {
        let expected = build(3_000, &rows, direction).unwrap();
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let built = pool.install(|| build(3_000, &rows, direction)).unwrap();
            assert!(built == expected, "{threads} threads");
        }
    }
}

#[test]
fn duplicates_and_self_loops_are_counted() {
    for direction in BOTH {
        for (nodes, rows) in edge_lists() {
            let report = build(nodes, &rows, direction).unwrap().report;
            let mut seen = BTreeSet::new();
            let (mut duplicates, mut self_loops) = (0, 0);
            for &(source, target) in &rows {
                let key = match direction {
                    Direction::Undirected => (source.min(target), source.max(target)),
                    Direction::Directed => (source, target),
                };
                if source == target {
                    self_loops += 1;
                } else if !seen.insert(key) {
                    duplicates += 1;
                }
            }
            assert_eq!(report.rows, rows.len());
            assert_eq!(report.duplicates, duplicates);
            assert_eq!(report.self_loops, self_loops);
        }
    }
}

#[test]
fn every_row_knows_its_entry() {
    // The last list is long enough to be dealt into several buckets and chunks.
    let long = random_rows(&mut Stream::new(6), 900, 300_000);
    for direction in BOTH {
        for (nodes, rows) in edge_lists().chain([(900, long.clone())]) {
            let built = build(nodes, &rows, direction).unwrap();
            let offsets = built.graph.offsets();
            assert_eq!(built.entry_of_row.len(), rows.len());
            for (&(source, target), &entry) in rows.iter().zip(&built.entry_of_row) {
                if source == target {
                    assert_eq!(entry, NO_EDGE);
                } else {
                    let row = offsets[target as usize]..offsets[target as usize + 1];
                    assert!(row.contains(&(entry as usize)));
                    assert_eq!(built.graph.sources()[entry as usize], source);
                }
            }
        }
    }
}

#[test]
fn reverse_is_an_involution_when_undirected() {
    for (nodes, rows) in edge_lists() {
        let graph = build(nodes, &rows, Direction::Undirected).unwrap().graph;
        for (entry, &reverse) in graph.reverse().iter().enumerate() {
            assert_ne!(reverse as usize, entry);
            assert_eq!(graph.reverse()[reverse as usize] as usize, entry);
        }
    }
}

#[test]
fn symmetric_rows_kept_directed_are_the_undirected_graph() {
    for (nodes, mut rows) in edge_lists() {
        let undirected = build(nodes, &rows, Direction::Undirected).unwrap().graph;
        rows.extend(rows.clone().iter().map(|&(source, target)| (target, source)));
        let directed = build(nodes, &rows, Direction::Directed).unwrap().graph;
        assert_eq!(directed.sources(), undirected.sources());
        assert_eq!(directed.offsets(), undirected.offsets());
        assert_eq!(directed.reverse(), undirected.reverse());
        assert_eq!(directed.transposed(), undirected.transposed());
    }
}

#[test]
fn small_and_empty_graphs() {
    for direction in BOTH {
        for nodes in [0, 1, 5] {
            let built = build(nodes, &[], direction).unwrap();
            assert_is(&built.graph, &vec![vec![false; nodes]; nodes]);
            assert_eq!(built.report.rows, 0);
        }
        let built = build(1, &[(0, 0), (0, 0)], direction).unwrap();
        assert_is(&built.graph, &[vec![false]]);
        assert_eq!(built.report.self_loops, 2);
        assert_eq!(built.report.duplicates, 0);
        assert_eq!(built.entry_of_row, [NO_EDGE, NO_EDGE]);
    }
}

#[test]
fn star_with_a_million_leaves() {
    let leaves = 1_000_000u32;
    let hub = 500_000;
    let ids = random_permutation(&mut Stream::new(2), leaves as usize + 1);
    let rows: Vec<_> = ids
        .into_iter()
        .filter(|&leaf| leaf != hub)
        .map(|leaf| if leaf % 3 == 0 { (leaf, hub) } else { (hub, leaf) })
        .collect();
    let graph = build(leaves as usize + 1, &rows, Direction::Undirected).unwrap().graph;
    assert_eq!(graph.edges(), leaves as usize);
    assert_eq!(graph.degree(hub as usize), leaves as usize);
    assert!(graph.neighbours(hub as usize).is_sorted());
    for leaf in (0..=leaves).filter(|&leaf| leaf != hub) {
        assert_eq!(graph.neighbours(leaf as usize), [hub]);
        let entry = graph.offsets()[leaf as usize];
        let reverse = graph.reverse()[entry] as usize;
        assert_eq!(graph.sources()[reverse], leaf);
    }
    let directed = build(leaves as usize + 1, &rows, Direction::Directed).unwrap().graph;
    let columns = directed.transposed();
    let received = directed.degree(hub as usize);
    let sent = columns.offsets[hub as usize + 1] - columns.offsets[hub as usize];
    assert_eq!(received + sent, leaves as usize);
    assert!(directed.reverse().iter().all(|&reverse| reverse == NO_EDGE));
}

#[test]
fn heap_bytes_count_the_arrays() {
    let rows = random_rows(&mut Stream::new(5), 50, 400);
    for direction in BOTH {
        let graph = build(50, &rows, direction).unwrap().graph;
        let arrays = |offsets: &[usize], ids: usize| size_of_val(offsets) + ids * size_of::<u32>();
        let mut least = arrays(graph.offsets(), 2 * graph.entries());
        if graph.is_directed() {
            least += arrays(graph.transposed().offsets, 2 * graph.entries());
        }
        assert!(graph.heap_bytes() >= least);
        assert!(graph.heap_bytes() <= 2 * least);
    }
}

#[test]
fn first_bad_row_is_named() {
    for direction in BOTH {
        let error = build(5, &[(0, 1), (2, 7), (9, 0)], direction).unwrap_err();
        assert_eq!(error, GraphError::NodeOutOfRange { row: 1, end: "target", value: 7, nodes: 5 });
        for word in ["row 1", "target 7", "0 to 4", "5 nodes"] {
            assert!(error.to_string().contains(word), "{error}");
        }
        let error = build(5, &[(5, 0)], direction).unwrap_err();
        assert!(error.to_string().contains("source 5"), "{error}");
        let error = build(0, &[(0, 0)], direction).unwrap_err();
        assert!(error.to_string().contains("no nodes"), "{error}");
    }
}

#[test]
fn too_many_nodes_are_refused_before_memory_is_taken() {
    for nodes in [u32::MAX as usize + 1, usize::MAX] {
        let error = build(nodes, &[], Direction::Undirected).unwrap_err();
        assert_eq!(error, GraphError::TooManyNodes { nodes });
    }
}
