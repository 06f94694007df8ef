//! Return probabilities of random walks against dense powers and formulas.

mod common;

use std::f64::consts::TAU;

use common::encodings::{fixtures, on_threads, set_of};
use common::{BOTH, random_permutation, random_rows};
use farhop_graph::encodings::{WalkMethod, WalkReturns, walk_return, walk_returns};
use farhop_graph::generate::{barabasi_albert, chung_lu, grid, random_tree, ring, star};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, GraphSet, build, relabel};

const PROBES: WalkMethod = WalkMethod::Probes { count: 64, seed: 3 };

fn exact(graph: &Graph, length: usize) -> Vec<f32> {
    walk_returns(&GraphSet::single(graph.clone()), length, WalkMethod::Exact).values
}

#[test]
fn returns_are_those_of_dense_powers() {
    for fixture in fixtures() {
        let set = GraphSet::single(fixture.graph);
        for length in [fixture.length, 1, 2, 5, 0] {
            let found = walk_return(&set, length);
            assert_eq!(found.len(), set.union().nodes() * length);
            for (place, &found) in found.iter().enumerate() {
                let expected = fixture.returns[place / length * fixture.length + place % length];
                assert!((f64::from(found) - expected).abs() < 1e-7, "{} {place}: {found} {expected}", fixture.name);
            }
        }
    }
}

#[test]
fn rings_stars_and_grids_follow_their_formulas() {
    // On a ring the transition matrix has the eigenvalues cos(2 pi k / n).
    for nodes in [3, 8, 500] {
        let found = exact(&ring(nodes).unwrap(), 24);
        for t in 1..=24 {
            let sum: f64 = (0..nodes).map(|k| (TAU * k as f64 / nodes as f64).cos().powi(t as i32)).sum();
            let expected = sum / nodes as f64;
            for node in 0..nodes {
                assert!((f64::from(found[node * 24 + t - 1]) - expected).abs() < 1e-7);
            }
        }
    }
    // A walk on a star is in the middle every other step.
    let found = exact(&star(40).unwrap(), 6);
    assert_eq!(found[..6], [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    assert!(found[6..].chunks(6).all(|row| {
        row.iter().zip([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]).all(|(&value, even)| (value - even / 40.0).abs() < 1e-8)
    }));
    // In the middle of a large grid: the product of two one-dimensional walks turned by 45 degrees.
    let found = walk_return(&GraphSet::single(grid(301, 301).unwrap()), 20);
    let middle = 150 * 301 + 150;
    let mut half = 1.0f64;
    for k in 1..=10 {
        half *= (2 * k - 1) as f64 / (2 * k) as f64;
        assert_eq!(found[middle * 20 + 2 * k - 2], 0.0);
        assert!((f64::from(found[middle * 20 + 2 * k - 1]) - half * half).abs() < 1e-7);
    }
}

#[test]
fn names_of_nodes_do_not_matter() {
    let mut stream = Stream::new(4);
    for direction in BOTH {
        for nodes in [30, 900] {
            let rows = random_rows(&mut stream, nodes, 2 * nodes);
            let graph = build(nodes, &rows, direction).unwrap().graph;
            let new_id_of = random_permutation(&mut stream, nodes);
            let found = exact(&graph, 15);
            let renamed = exact(&relabel(&graph, &new_id_of).unwrap(), 15);
            for (node, row) in found.chunks(15).enumerate() {
                let other = &renamed[new_id_of[node] as usize * 15..][..15];
                assert!(row.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-6));
            }
        }
    }
}

fn mixed_graphs(direction: Direction) -> Vec<Graph> {
    let mut stream = Stream::new(8);
    let sizes = [1, 0, 50, 3, 6_000, 0, 151, 17];
    let mut graph = |nodes: usize| {
        let rows = if nodes == 0 { Vec::new() } else { random_rows(&mut stream, nodes, 3 * nodes / 2) };
        build(nodes, &rows, direction).unwrap().graph
    };
    sizes.into_iter().map(&mut graph).collect()
}

#[test]
fn a_set_is_its_graphs_one_by_one_on_any_number_of_threads() {
    for direction in BOTH {
        let graphs = mixed_graphs(direction);
        let set = set_of(&graphs);
        for method in [WalkMethod::Automatic, PROBES] {
            let found = walk_returns(&set, 9, method);
            for (g, graph) in graphs.iter().enumerate() {
                let alone = walk_returns(&GraphSet::single(graph.clone()), 9, method).values;
                let nodes = set.nodes_of(g);
                assert_eq!(found.values[nodes.start * 9..nodes.end * 9], alone, "graph {g}");
            }
            for threads in [1, 3] {
                assert_eq!(on_threads(threads, || walk_returns(&set, 9, method)), found);
            }
        }
    }
}

#[test]
fn nothing_gives_nothing() {
    let none = build(0, &[], Direction::Undirected).unwrap().graph;
    assert!(walk_return(&GraphSet::single(none.clone()), 5).is_empty());
    assert!(walk_return(&GraphSet::new(none, vec![0]).unwrap(), 5).is_empty());
    for direction in BOTH {
        let loners = GraphSet::single(build(9, &[], direction).unwrap().graph);
        for method in [WalkMethod::Exact, PROBES] {
            assert_eq!(walk_returns(&loners, 5, method).values, [0.0; 45]);
        }
    }
}

/// Root mean square of the difference from the exact numbers, by number of steps.
fn errors(found: &WalkReturns, exact: &[f32]) -> Vec<f64> {
    let mut squares = vec![0f64; found.length];
    for (place, (a, b)) in found.values.iter().zip(exact).enumerate() {
        squares[place % found.length] += f64::from(a - b).powi(2);
    }
    squares.iter().map(|square| (square * found.length as f64 / exact.len() as f64).sqrt()).collect()
}

#[test]
fn estimates_err_as_much_as_they_say() {
    let crowded = barabasi_albert(1_500, 4, 1).unwrap();
    let mut stream = Stream::new(6);
    let directed = build(800, &random_rows(&mut stream, 800, 4_000), Direction::Directed).unwrap().graph;
    for (graph, short) in [(crowded, 4), (grid(40, 40).unwrap(), 4), (random_tree(1_000, 1).unwrap(), 4), (directed, 1)]
    {
        let exact = exact(&graph, 12);
        let set = GraphSet::single(graph);
        let found = walk_returns(&set, 12, WalkMethod::Probes { count: 512, seed: 1 });
        assert_eq!(found.estimated_nodes, set.union().nodes());
        for (t, (error, &said)) in errors(&found, &exact).into_iter().zip(&found.standard_errors).enumerate() {
            if t < short {
                assert!(error < 1e-6 && said == 0.0, "{t}: {error} {said}");
            } else {
                // Values below 0 are clipped, which may halve the error but does not raise it.
                let ratio = (error + 1e-9) / (f64::from(said) + 1e-9);
                assert!((0.3..1.2).contains(&ratio), "{} steps: error {error}, said {said}", t + 1);
            }
        }
        assert!(found.values.iter().all(|value| (0.0..=1.0).contains(value)));
    }
}

#[test]
fn more_probes_err_less_and_seeds_differ() {
    let graph = barabasi_albert(600, 3, 2).unwrap();
    let exact = exact(&graph, 10);
    let set = GraphSet::single(graph);
    let few = walk_returns(&set, 10, WalkMethod::Probes { count: 32, seed: 1 });
    let many = walk_returns(&set, 10, WalkMethod::Probes { count: 2_048, seed: 1 });
    let other = walk_returns(&set, 10, WalkMethod::Probes { count: 32, seed: 2 });
    assert_ne!(few.values, other.values);
    for (few, many) in errors(&few, &exact).iter().zip(errors(&many, &exact)).skip(4) {
        // 64 times the probes, an eighth of the error.
        assert!(many < 0.25 * few, "{few} {many}");
    }
}

#[test]
fn odd_walks_on_bipartite_graphs_do_not_return_even_by_estimate() {
    let found = walk_returns(&GraphSet::single(random_tree(700, 5).unwrap()), 11, PROBES);
    assert!(found.values.chunks(11).all(|row| row.iter().step_by(2).all(|&value| value == 0.0)));
}

#[test]
fn large_crowded_components_are_estimated_and_the_others_exact() {
    // One crowded graph, and one wide and one small graph beside it.
    let crowded = chung_lu(30_000, 300_000, 2.5, 1).unwrap();
    let (wide, small) = (ring(50_000).unwrap(), random_tree(100, 1).unwrap());
    let set = set_of(&[wide.clone(), crowded.clone(), small.clone()]);
    let found = walk_returns(&set, 8, WalkMethod::Automatic);
    assert!(found.estimated_nodes > 25_000 && found.estimated_nodes <= 30_000, "{}", found.estimated_nodes);
    assert_eq!(found.values[..50_000 * 8], exact(&wide, 8));
    assert_eq!(found.values[80_000 * 8..], exact(&small, 8));
    assert!(found.standard_errors[..4].iter().all(|&error| error == 0.0));
    assert!(found.standard_errors[4..].iter().all(|&error| error > 0.0 && error < 1e-2));
}
