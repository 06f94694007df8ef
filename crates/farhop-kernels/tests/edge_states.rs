//! States and sums per entry and channel against their literal versions and exact gradients.

mod edge_support;

use edge_support::*;
use farhop_graph::Direction;
use farhop_kernels::edges::{gated_mean, gates, largest, relu_sum, sums};
use farhop_kernels::reference::edges as reference;

const WIDTHS: [usize; 4] = [1, 3, 16, 37];

#[test]
fn gates_match_the_literal_version() {
    for graph in graphs() {
        for width in WIDTHS {
            for state in [false, true] {
                let (n, e) = (graph.nodes(), graph.entries());
                let (a, b, c) = (normal(n * width, 1), normal(n * width, 2), normal(e * width, 3));
                let ds = normal(e * width, 4);
                let mut s = unwritten(ds.len());
                gates::forward(&graph, width, &a, &b, state.then_some(&c), &mut s);
                let (mut da, mut db) = (unwritten(a.len()), unwritten(b.len()));
                sums::to_targets(&graph, width, &ds, &mut da);
                sums::to_sources(&graph, width, &ds, &mut db);
                let dc = if state { ds.clone() } else { vec![0.0; c.len()] };
                let literal = |inputs: &[Vec<_>]| {
                    let c = state.then_some(&inputs[2][..]);
                    reference::edge_gates(&graph, width, &inputs[0], &inputs[1], c)
                };
                compare(&format!("{width}, {graph:?}"), &[&a, &b, &c], literal, &s, &ds, &[&da, &db, &dc]);
            }
        }
    }
}

#[test]
fn gated_mean_matches_the_literal_version() {
    for graph in graphs() {
        for width in WIDTHS {
            for epsilon in [1e-6f32, 0.5] {
                let (n, e) = (graph.nodes(), graph.entries());
                let v = normal(n * width, 1);
                let s: Vec<f32> = normal(e * width, 2).iter().map(|v| 2.0 * v).collect();
                let dy = normal(n * width, 3);
                let (mut y, mut inverse) = (unwritten(v.len()), unwritten(v.len()));
                gated_mean::forward(&graph, width, epsilon, &v, &s, &mut y, &mut inverse);
                let t: Vec<f32> = dy.iter().zip(&inverse).map(|(dy, inverse)| dy * inverse).collect();
                let (mut dv, mut ds) = (unwritten(v.len()), unwritten(s.len()));
                gated_mean::backward_values(&graph, width, &s, &t, &mut dv);
                gated_mean::backward_gates(&graph, width, &v, &s, &y, &t, &mut ds);
                let literal = |inputs: &[Vec<_>]| {
                    reference::gated_mean(&graph, width, f64::from(epsilon), &inputs[0], &inputs[1])
                };
                compare(&format!("{width}, {graph:?}"), &[&v, &s], literal, &y, &dy, &[&dv, &ds]);
            }
        }
    }
}

#[test]
fn relu_sum_matches_the_literal_version() {
    for graph in graphs() {
        for width in WIDTHS {
            let (n, e) = (graph.nodes(), graph.entries());
            let (v, edges, dy) = (normal(n * width, 1), normal(e * width, 2), normal(n * width, 3));
            let (mut y, mut dv, mut de) = (unwritten(v.len()), unwritten(v.len()), unwritten(edges.len()));
            relu_sum::forward(&graph, width, &v, &edges, &mut y);
            relu_sum::backward_values(&graph, width, &v, &edges, &dy, &mut dv);
            relu_sum::backward_edges(&graph, width, &v, &edges, &dy, &mut de);
            let literal = |inputs: &[Vec<_>]| reference::relu_sum(&graph, width, &inputs[0], &inputs[1]);
            compare(&format!("{width}, {graph:?}"), &[&v, &edges], literal, &y, &dy, &[&dv, &de]);
        }
    }
}

#[test]
fn the_largest_neighbour_matches_the_literal_version() {
    for graph in graphs() {
        for width in WIDTHS {
            // Whole numbers: several neighbours have the same largest value.
            let x: Vec<f32> = normal(graph.nodes() * width, 1).iter().map(|v| (2.0 * v).round()).collect();
            let dy = normal(x.len(), 2);
            let (mut y, mut dx, mut winners) = (unwritten(x.len()), unwritten(x.len()), vec![7; x.len()]);
            largest::forward(&graph, width, &x, &mut y, &mut winners);
            largest::backward(&graph, width, &winners, &dy, &mut dx);
            let literal = |inputs: &[Vec<_>]| reference::neighbour_max(&graph, width, &inputs[0]);
            compare(&format!("{width}, {graph:?}"), &[&x], literal, &y, &dy, &[&dx]);
        }
    }
}

#[test]
fn a_neighbour_that_is_not_a_number_shows() {
    let graph = random_graph(12, 40, Direction::Undirected, 1);
    let mut x = normal(12, 1);
    x[5] = f32::NAN;
    let (mut y, mut winners) = (unwritten(12), vec![0; 12]);
    largest::forward(&graph, 1, &x, &mut y, &mut winners);
    for (i, y) in y.iter().enumerate() {
        assert_eq!(y.is_nan(), graph.neighbours(i).contains(&5), "node {i}");
    }
}

#[test]
fn sums_and_copies_match_the_literal_versions() {
    for graph in graphs() {
        for width in WIDTHS {
            let (n, e) = (graph.nodes(), graph.entries());
            let (per_entry, per_node) = (normal(e * width, 1), normal(n * width, 2));
            let what = format!("{width}, {graph:?}");
            let (mut sum, mut copy) = (unwritten(n * width), unwritten(e * width));
            sums::to_targets(&graph, width, &per_entry, &mut sum);
            sums::of_targets(&graph, width, &per_node, &mut copy);
            let literal = |inputs: &[Vec<_>]| reference::entry_sum(&graph, width, &inputs[0]);
            compare(&what, &[&per_entry], literal, &sum, &per_node, &[&copy]);
            let literal = |inputs: &[Vec<_>]| reference::gather(&graph, width, &inputs[0], true);
            compare(&what, &[&per_node], literal, &copy, &per_entry, &[&sum]);
            sums::of_sources(&graph, width, &per_node, &mut copy);
            sums::to_sources(&graph, width, &per_entry, &mut sum);
            let literal = |inputs: &[Vec<_>]| reference::gather(&graph, width, &inputs[0], false);
            compare(&what, &[&per_node], literal, &copy, &per_entry, &[&sum]);
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for direction in [Direction::Undirected, Direction::Directed] {
        let graph = random_graph(3000, 20_000, direction, 5);
        let width = 21;
        let (a, b) = (normal(graph.nodes() * width, 1), normal(graph.nodes() * width, 2));
        assert_same_on_any_threads("edge states", || {
            let nodes = || vec![0.0; a.len()];
            let entries = || vec![0.0; graph.entries() * width];
            let (mut s, mut y, mut inverse, mut dv, mut ds) = (entries(), nodes(), nodes(), nodes(), entries());
            gates::forward(&graph, width, &a, &b, None, &mut s);
            gated_mean::forward(&graph, width, 1e-6, &a, &s, &mut y, &mut inverse);
            gated_mean::backward_values(&graph, width, &s, &b, &mut dv);
            gated_mean::backward_gates(&graph, width, &a, &s, &y, &b, &mut ds);
            let (mut sum, mut dv2, mut de) = (nodes(), nodes(), entries());
            relu_sum::forward(&graph, width, &a, &s, &mut sum);
            relu_sum::backward_values(&graph, width, &a, &s, &b, &mut dv2);
            relu_sum::backward_edges(&graph, width, &a, &s, &b, &mut de);
            let (mut most, mut winners, mut dx, mut back) = (nodes(), vec![0; a.len()], nodes(), nodes());
            largest::forward(&graph, width, &a, &mut most, &mut winners);
            largest::backward(&graph, width, &winners, &b, &mut dx);
            sums::to_sources(&graph, width, &s, &mut back);
            [s, y, inverse, dv, ds, sum, dv2, de, most, dx, back].concat()
        });
    }
}
