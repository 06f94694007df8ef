//! Weighted sums, softmax, scores and products per entry and head against their literal versions and exact gradients.

mod edge_support;

use edge_support::*;
use farhop_graph::{Direction, Graph};
use farhop_kernels::dense::Dropout;
use farhop_kernels::edges::scores::{self, Pairs};
use farhop_kernels::edges::weighted::{self, Weights};
use farhop_kernels::edges::{softmax, sums};
use farhop_kernels::heads::Heads;
use farhop_kernels::reference::edges as reference;

/// Widths with and without whole panels and vectors, heads of equal and different widths.
fn all_heads() -> Vec<Heads> {
    [(1, 1), (3, 1), (10, 3), (20, 5), (24, 3), (70, 1), (72, 9), (96, 2), (128, 8), (131, 2), (192, 4)]
        .map(|(width, count)| Heads::new(width, count))
        .to_vec()
}

#[test]
fn attend_matches_the_literal_version() {
    for graph in graphs() {
        for heads in all_heads() {
            for own in [false, true] {
                let (n, e) = (graph.nodes(), graph.entries());
                let v = normal(n * heads.width, 1);
                let joined = normal((e + if own { n } else { 0 }) * heads.count, 2);
                let weights = Weights::joined(&graph, heads.count, &joined);
                let dy = normal(n * heads.width, 3);
                let mut y = unwritten(v.len());
                weighted::attend(&graph, heads, weights, &v, &mut y);
                let mut dv = unwritten(v.len());
                weighted::attend_backward(&graph, heads, weights, &dy, &mut dv);
                let mut dw = unwritten(joined.len());
                let (of_entries, of_nodes) = dw.split_at_mut(e * heads.count);
                weighted::dots(&graph, heads, 1.0, &dy, &v, of_entries);
                if own {
                    weighted::own_dots(&graph, heads, 1.0, &dy, &v, of_nodes);
                }
                let literal = |inputs: &[Vec<_>]| {
                    let (w, s) = inputs[1].split_at(e * heads.count);
                    reference::attend(&graph, heads, w, own.then_some(s), &inputs[0])
                };
                compare(&format!("{heads:?}, {graph:?}"), &[&v, &joined], literal, &y, &dy, &[&dv, &dw]);
            }
        }
    }
}

#[test]
fn dots_match_the_literal_version() {
    for graph in graphs() {
        for heads in all_heads() {
            let scale = 0.37f32;
            let (q, k) = (normal(graph.nodes() * heads.width, 1), normal(graph.nodes() * heads.width, 2));
            let da = normal(graph.entries() * heads.count, 3);
            let (mut a, mut dq, mut dk) = (unwritten(da.len()), unwritten(q.len()), unwritten(k.len()));
            weighted::dots(&graph, heads, scale, &q, &k, &mut a);
            weighted::dots_backward_left(&graph, heads, scale, &da, &k, &mut dq);
            weighted::dots_backward_right(&graph, heads, scale, &da, &q, &mut dk);
            let literal = |inputs: &[Vec<_>]| reference::dots(&graph, heads, f64::from(scale), &inputs[0], &inputs[1]);
            compare(&format!("{heads:?}, {graph:?}"), &[&q, &k], literal, &a, &da, &[&dq, &dk]);
        }
    }
}

#[test]
fn softmax_matches_the_literal_version() {
    for graph in graphs() {
        for heads in [1, 2, 3, 4, 8, 17] {
            for own in [false, true] {
                for dropout in [Dropout::NONE, Dropout::new(0.4, 5)] {
                    let rows = graph.entries() + if own { graph.nodes() } else { 0 };
                    // Far from 0, so that only the largest score of a row can be subtracted.
                    let scores: Vec<f32> = normal(rows * heads, 1).iter().map(|v| 3.0 * v + 200.0).collect();
                    let da = normal(scores.len(), 2);
                    let (mut a, mut ds) = (unwritten(scores.len()), unwritten(scores.len()));
                    softmax::forward(&graph, heads, &scores, dropout, &mut a);
                    softmax::backward(&graph, heads, &scores, dropout, &da, &mut ds);
                    let factor = |row: usize, head: usize| f64::from(dropout.factor(row, head));
                    let literal = |inputs: &[Vec<_>]| reference::edge_softmax(&graph, heads, &inputs[0], factor);
                    compare(&format!("{heads} heads, {graph:?}"), &[&scores], literal, &a, &da, &[&ds]);
                }
            }
        }
    }
}

#[test]
fn weights_of_a_row_sum_to_one() {
    for graph in graphs() {
        let heads = 3;
        let scores = normal((graph.entries() + graph.nodes()) * heads, 4);
        let mut weights = unwritten(scores.len());
        softmax::forward(&graph, heads, &scores, Dropout::NONE, &mut weights);
        let ones = vec![1.0; graph.nodes() * heads];
        let mut y = unwritten(ones.len());
        let weights = Weights::joined(&graph, heads, &weights);
        weighted::attend(&graph, Heads::new(heads, heads), weights, &ones, &mut y);
        assert_close("sums", &y, &vec![1.0; ones.len()], 1e-6);
    }
}

#[test]
fn pair_scores_match_the_literal_version() {
    for graph in graphs() {
        for heads in [1, 3, 8] {
            for choice in 0..8 {
                let (own, with_b, with_c) = (choice & 1 != 0, choice & 2 != 0, choice == 5 || choice == 7);
                let slope = if choice == 6 { 1.0f32 } else { 0.2 };
                let (n, e) = (graph.nodes(), graph.entries());
                let (x, y) = (normal(n * heads, 1), normal(n * heads, 2));
                let (b, c) = (normal(e * heads, 3), normal(n * heads, 4));
                let pairs = Pairs {
                    heads,
                    receiver: &x,
                    sender: &y,
                    entries: with_b.then_some(&b),
                    nodes: with_c.then_some(&c),
                    slope,
                };
                let mut a = unwritten((e + if own { n } else { 0 }) * heads);
                scores::forward(&graph, &pairs, &mut a);
                let da = normal(a.len(), 5);
                let mut gradient = da.clone();
                scores::backward(&graph, &pairs, &mut gradient);
                let (of_entries, of_nodes) = gradient.split_at(e * heads);
                let (mut dx, mut dy) = (unwritten(x.len()), unwritten(y.len()));
                sums::to_targets(&graph, heads, of_entries, &mut dx);
                sums::to_sources(&graph, heads, of_entries, &mut dy);
                for sum in [&mut dx, &mut dy] {
                    sum.iter_mut().zip(of_nodes).for_each(|(sum, g)| *sum += g);
                }
                let zeros = (vec![0.0; b.len()], vec![0.0; c.len()]);
                let db = if with_b { of_entries } else { &zeros.0 };
                let dc = if with_c { of_nodes } else { &zeros.1 };
                let literal = |inputs: &[Vec<_>]| {
                    let more = [with_b.then_some(&inputs[2][..]), with_c.then_some(&inputs[3][..])];
                    reference::pair_scores(&graph, heads, [&inputs[0], &inputs[1]], more, own, f64::from(slope))
                };
                compare(&format!("{graph:?}"), &[&x, &y, &b, &c], literal, &a, &da, &[&dx, &dy, db, dc]);
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for direction in [Direction::Undirected, Direction::Directed] {
        let graph: Graph = random_graph(3000, 20_000, direction, 5);
        let heads = Heads::new(40, 5);
        let (q, k) = (normal(graph.nodes() * heads.width, 1), normal(graph.nodes() * heads.width, 2));
        let (x, y) = (normal(graph.nodes() * heads.count, 3), normal(graph.nodes() * heads.count, 4));
        let dropout = Dropout::new(0.3, 9);
        let pairs = Pairs { heads: 5, receiver: &x, sender: &y, entries: None, nodes: None, slope: 0.2 };
        assert_same_on_any_threads("attention", || {
            let rows = graph.entries() + graph.nodes();
            let mut scores = vec![0.0; rows * heads.count];
            scores::forward(&graph, &pairs, &mut scores);
            let mut weights = vec![0.0; scores.len()];
            softmax::forward(&graph, heads.count, &scores, dropout, &mut weights);
            let mut out = vec![0.0; q.len()];
            weighted::attend(&graph, heads, Weights::joined(&graph, heads.count, &weights), &q, &mut out);
            let mut dv = vec![0.0; q.len()];
            weighted::attend_backward(&graph, heads, Weights::joined(&graph, heads.count, &weights), &out, &mut dv);
            let mut products = vec![0.0; graph.entries() * heads.count];
            weighted::dots(&graph, heads, 1.0, &q, &k, &mut products);
            let mut ds = vec![0.0; scores.len()];
            softmax::backward(&graph, heads.count, &scores, dropout, &weights, &mut ds);
            let mut sums_of_sources = vec![0.0; x.len()];
            sums::to_sources(&graph, heads.count, &ds[..products.len()], &mut sums_of_sources);
            scores::backward(&graph, &pairs, &mut ds);
            [scores, weights, out, dv, products, ds, sums_of_sources].concat()
        });
    }
}
