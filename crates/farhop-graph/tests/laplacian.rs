//! Eigenvectors of Laplacians against dense algebra, formulas, and counts of eigenvalues.

mod common;

use std::f64::consts::{PI, TAU};

use common::encodings::{fixtures, on_threads, set_of};
use common::{BOTH, random_rows};
use farhop_graph::encodings::{Laplacian, LaplacianKind, LaplacianOptions, laplacian_eigenvectors};
use farhop_graph::generate::{balanced_tree, chung_lu, forest, grid, path, random_tree, ring};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, GraphError, GraphSet, build};

const NORMALISED: LaplacianOptions =
    LaplacianOptions { kind: LaplacianKind::Normalised, tolerance: 1e-6, iterations: 500 };
const UNNORMALISED: LaplacianOptions =
    LaplacianOptions { kind: LaplacianKind::Unnormalised, tolerance: 1e-6, iterations: 500 };

fn eigen(graph: &Graph, count: usize, options: &LaplacianOptions) -> Laplacian {
    let found = laplacian_eigenvectors(&GraphSet::single(graph.clone()), count, options).unwrap();
    assert!(found.vectors.iter().chain(&found.values).all(|value| value.is_finite()));
    found
}

fn column(found: &Laplacian, at: usize) -> Vec<f64> {
    found.vectors.iter().skip(at).step_by(found.count).map(|&value| f64::from(value)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `L v` straight from the definition; edges count both ways.
fn apply(graph: &Graph, kind: LaplacianKind, vector: &[f64]) -> Vec<f64> {
    let nodes = graph.nodes();
    let mut rows = vec![Vec::new(); nodes];
    for i in 0..nodes {
        for &j in graph.neighbours(i) {
            rows[i].push(j as usize);
            rows[j as usize].push(i);
        }
    }
    rows.iter_mut().for_each(|row| {
        row.sort_unstable();
        row.dedup();
    });
    let degree = |i: usize| rows[i].len() as f64;
    (0..nodes)
        .map(|i| match kind {
            LaplacianKind::Unnormalised => rows[i].iter().map(|&j| vector[i] - vector[j]).sum::<f64>(),
            LaplacianKind::Normalised => rows[i]
                .iter()
                .map(|&j| (vector[i] / degree(i).sqrt() - vector[j] / degree(j).sqrt()) / degree(i).sqrt())
                .sum(),
        })
        .collect()
}

/// Unit length, orthogonal to each other and to constants, small residuals, the sign.
fn assert_eigenvectors(graph: &Graph, options: &LaplacianOptions, found: &Laplacian, real: usize) {
    let largest = (0..graph.nodes()).map(|i| graph.degree(i)).max().unwrap_or(0) as f64;
    let scale = if options.kind == LaplacianKind::Normalised { 1.0 } else { largest };
    let columns: Vec<Vec<f64>> = (0..found.count).map(|at| column(found, at)).collect();
    for (at, vector) in columns.iter().enumerate() {
        if at >= real {
            assert!(vector.iter().all(|&entry| entry == 0.0));
            assert_eq!(found.values[at], 0.0);
            continue;
        }
        let value = f64::from(found.values[at]);
        assert!(value > 0.0);
        let residual: Vec<f64> =
            apply(graph, options.kind, vector).iter().zip(vector).map(|(a, b)| a - value * b).collect();
        let residual = dot(&residual, &residual).sqrt();
        assert!(residual < 2e-6 * scale, "vector {at}: residual {residual}");
        for (other_at, other) in columns[..=at].iter().enumerate() {
            let expected = if other_at == at { 1.0 } else { 0.0 };
            assert!((dot(vector, other) - expected).abs() < 1e-5, "{at} {other_at}: {}", dot(vector, other));
        }
        let most = vector.iter().fold(0f64, |most, entry| most.max(entry.abs()));
        let first = vector.iter().find(|entry| entry.abs() >= most * (1.0 - 1e-6)).unwrap();
        assert!(*first > 0.0 || vector.iter().any(|&entry| entry >= most * (1.0 - 3e-6)), "vector {at}");
    }
    assert!(found.values[..real].is_sorted());
}

fn assert_values(found: &[f32], expected: &[f64], relative: f64) {
    for (at, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        assert!((f64::from(found) - expected).abs() < relative * expected, "value {at}: {found}, {expected}");
    }
}

/// All eigenvalues of a path of `n` nodes, unnormalised: `2 - 2 cos(pi k / n)`.
fn path_value(k: usize, n: usize) -> f64 {
    4.0 * (PI * k as f64 / (2 * n) as f64).sin().powi(2)
}

#[test]
fn eigenvalues_are_those_of_dense_algebra() {
    for fixture in fixtures() {
        for (options, expected) in [(NORMALISED, &fixture.normalised), (UNNORMALISED, &fixture.unnormalised)] {
            // More than there are, all, and some.
            for count in [fixture.graph.nodes() + 3, fixture.graph.nodes(), 3, 1] {
                let found = eigen(&fixture.graph, count, &options);
                let real = expected.len().min(count);
                assert_values(&found.values[..real], &expected[..real], 1e-6);
                assert_eigenvectors(&fixture.graph, &options, &found, real);
            }
        }
    }
}

#[test]
fn every_eigenvalue_of_a_ring_comes_twice() {
    for nodes in [9, 200, 1_001, 10_000] {
        let graph = ring(nodes).unwrap();
        let found = eigen(&graph, 8, &NORMALISED);
        let value = |k: usize| 2.0 * (PI * k as f64 / nodes as f64).sin().powi(2);
        let expected: Vec<f64> = (0..8).map(|at| value(at / 2 + 1)).collect();
        assert_values(&found.values, &expected, 1e-5);
        assert_eigenvectors(&graph, &NORMALISED, &found, 8);
        // Residuals say little about values near 0: the vectors themselves must be sines and cosines.
        for at in 0..8 {
            let vector = column(&found, at);
            let angle = |node: usize| TAU * (at / 2 + 1) as f64 * node as f64 / nodes as f64;
            let scale = (2.0 / nodes as f64).sqrt();
            let cosine: Vec<f64> = (0..nodes).map(|node| scale * angle(node).cos()).collect();
            let sine: Vec<f64> = (0..nodes).map(|node| scale * angle(node).sin()).collect();
            let inside = dot(&vector, &cosine).powi(2) + dot(&vector, &sine).powi(2);
            assert!((inside - 1.0).abs() < 1e-5, "{nodes} nodes, vector {at}: {inside}");
        }
    }
}

#[test]
fn grids_and_paths_follow_their_formulas() {
    for (rows, columns) in [(5, 7), (12, 12), (60, 60), (20, 150)] {
        let graph = grid(rows, columns).unwrap();
        let found = eigen(&graph, 9, &UNNORMALISED);
        let mut expected: Vec<f64> =
            (0..rows * columns).map(|at| path_value(at / columns, rows) + path_value(at % columns, columns)).collect();
        expected.sort_by(f64::total_cmp);
        assert_values(&found.values, &expected[1..], 1e-5);
        assert_eigenvectors(&graph, &UNNORMALISED, &found, 9);
    }
    for nodes in [2, 3, 100, 20_000] {
        let graph = path(nodes).unwrap();
        let expected: Vec<f64> = (1..nodes.min(7)).map(|k| path_value(k, nodes)).collect();
        assert_values(&eigen(&graph, 6, &UNNORMALISED).values, &expected, 1e-5);
        // Normalised: 1 - cos(pi k / (n - 1)).
        let expected: Vec<f64> = (1..nodes.min(7)).map(|k| path_value(k, nodes - 1) / 2.0).collect();
        assert_values(&eigen(&graph, 6, &NORMALISED).values, &expected, 1e-5);
    }
}

/// Number of eigenvalues of the normalised Laplacian of a tree below `bound`: the negative pivots of an elimination
/// from the leaves of `D - A - bound D`, which makes no new entries.
fn values_below(tree: &Graph, bound: f64) -> usize {
    let (mut order, mut parent) = (vec![0usize], vec![usize::MAX; tree.nodes()]);
    let mut at = 0;
    while at < order.len() {
        for &next in tree.neighbours(order[at]) {
            if next as usize != parent[order[at]] {
                parent[next as usize] = order[at];
                order.push(next as usize);
            }
        }
        at += 1;
    }
    let mut pivots: Vec<f64> = (0..tree.nodes()).map(|node| tree.degree(node) as f64 * (1.0 - bound)).collect();
    for &node in order[1..].iter().rev() {
        pivots[parent[node]] -= 1.0 / pivots[node];
    }
    pivots.iter().filter(|&&pivot| pivot < 0.0).count()
}

#[test]
fn no_eigenvalue_of_a_large_tree_is_missed() {
    for tree in [random_tree(20_000, 3).unwrap(), balanced_tree(2, 12).unwrap(), balanced_tree(3, 8).unwrap()] {
        let found = eigen(&tree, 10, &NORMALISED);
        assert_eigenvectors(&tree, &NORMALISED, &found, 10);
        for (at, &value) in found.values.iter().enumerate() {
            // Counting the eigenvalue 0: no more than `at + 1` lie clearly below value `at`, at least `at + 2` not
            // clearly above it.
            let value = f64::from(value);
            assert!(values_below(&tree, value * (1.0 - 1e-5)) <= at + 1, "value {at}");
            assert!(values_below(&tree, value * (1.0 + 1e-5)) >= at + 2, "value {at}");
        }
    }
}

#[test]
fn large_graphs_with_hubs_and_loners() {
    let graph = chung_lu(4_000, 14_000, 2.3, 1).unwrap();
    for options in [NORMALISED, UNNORMALISED] {
        assert_eigenvectors(&graph, &options, &eigen(&graph, 6, &options), 6);
    }
    // As dense matrices, because nearly all are wanted: the smallest are the same.
    let graph = chung_lu(700, 2_500, 2.5, 1).unwrap();
    let (few, many) = (eigen(&graph, 8, &NORMALISED), eigen(&graph, 300, &NORMALISED));
    for (few, many) in few.values.iter().zip(&many.values) {
        assert!((few - many).abs() < 1e-6);
    }
}

#[test]
fn every_component_has_its_own_eigenvectors() {
    let graph = forest(3_000, 6, 2).unwrap();
    let found = eigen(&graph, 12, &NORMALISED);
    assert_eigenvectors(&graph, &NORMALISED, &found, 12);
    // Two equal rings: every eigenvalue four times.
    let rings = set_of(&[ring(400).unwrap(), ring(400).unwrap()]).into_union();
    let found = eigen(&rings, 8, &NORMALISED);
    let value = |k: usize| 2.0 * (PI * k as f64 / 400.0).sin().powi(2);
    let expected: Vec<f64> = (0..8).map(|at| value(at / 4 + 1)).collect();
    assert_values(&found.values, &expected, 1e-5);
    assert_eigenvectors(&rings, &NORMALISED, &found, 8);
}

#[test]
fn a_set_is_its_graphs_one_by_one_on_any_number_of_threads() {
    for direction in BOTH {
        let mut stream = Stream::new(2);
        let sizes = [1, 0, 40, 2, 1_500, 0, 151];
        let mut graph = |nodes: usize| {
            let rows = if nodes == 0 { Vec::new() } else { random_rows(&mut stream, nodes, 2 * nodes) };
            build(nodes, &rows, direction).unwrap().graph
        };
        let graphs: Vec<Graph> = sizes.into_iter().map(&mut graph).collect();
        let set = set_of(&graphs);
        let found = laplacian_eigenvectors(&set, 5, &NORMALISED).unwrap();
        for (g, graph) in graphs.iter().enumerate() {
            let alone = eigen(graph, 5, &NORMALISED);
            let nodes = set.nodes_of(g);
            assert_eq!(found.vectors[nodes.start * 5..nodes.end * 5], alone.vectors, "graph {g}");
            assert_eq!(found.values[g * 5..(g + 1) * 5], alone.values, "graph {g}");
        }
        for threads in [1, 3] {
            assert_eq!(on_threads(threads, || laplacian_eigenvectors(&set, 5, &NORMALISED)).unwrap(), found);
        }
    }
}

#[test]
fn nothing_gives_nothing() {
    let none = build(0, &[], Direction::Undirected).unwrap().graph;
    assert!(eigen(&none, 4, &NORMALISED).vectors.is_empty());
    let set = GraphSet::new(none, vec![0]).unwrap();
    assert!(laplacian_eigenvectors(&set, 4, &NORMALISED).unwrap().values.is_empty());
    assert!(eigen(&ring(5).unwrap(), 0, &NORMALISED).vectors.is_empty());
    let loners = build(3, &[], Direction::Undirected).unwrap().graph;
    assert_eq!(eigen(&loners, 2, &UNNORMALISED).vectors, [0.0; 6]);
}

#[test]
fn too_few_iterations_are_an_error() {
    let set = set_of(&[ring(5).unwrap(), grid(40, 40).unwrap()]);
    let options = LaplacianOptions { iterations: 1, ..NORMALISED };
    let error = laplacian_eigenvectors(&set, 4, &options).unwrap_err();
    assert!(matches!(error, GraphError::NotConverged { graph: 1, nodes: 1_600, count: 4, .. }), "{error:?}");
    assert!(error.to_string().starts_with("graph 1, component of 1600 nodes: "), "{error}");
}
