//! Graph attention in one piece against the literal scores, softmax and sum, with exact gradients.

mod edge_support;

use edge_support::*;
use farhop_graph::{Direction, Graph};
use farhop_kernels::dense::Dropout;
use farhop_kernels::edges::gat::{self, Attention};
use farhop_kernels::edges::scores::Pairs;
use farhop_kernels::edges::sums;
use farhop_kernels::heads::Heads;
use farhop_kernels::reference::edges as reference;

/// z, and the gradients of v, x, y and of the sums before LeakyReLU.
fn run(graph: &Graph, attention: &Attention, v: &[f32], width: usize, dz: &[f32]) -> [Vec<f32>; 5] {
    let heads = attention.pairs.heads;
    let (n, e) = (graph.nodes(), graph.entries());
    let (mut z, mut statistics, mut dv) = (unwritten(n * width), unwritten(2 * n * heads), unwritten(n * width));
    gat::forward(graph, attention, v, width, &mut z, &mut statistics);
    gat::backward_values(graph, attention, &statistics, dz, width, &mut dv);
    let mut gradient = unwritten((e + if attention.own { n } else { 0 }) * heads);
    gat::backward_scores(graph, attention, v, &statistics, dz, width, &mut gradient);
    let (mut dx, mut dy) = (unwritten(n * heads), unwritten(n * heads));
    sums::to_targets(graph, heads, &gradient[..e * heads], &mut dx);
    sums::to_sources(graph, heads, &gradient[..e * heads], &mut dy);
    for sum in [&mut dx, &mut dy] {
        sum.iter_mut().zip(&gradient[e * heads..]).for_each(|(sum, g)| *sum += g);
    }
    [z, dv, dx, dy, gradient]
}

#[test]
fn attention_matches_the_literal_version() {
    for graph in graphs() {
        for heads in [(1, 1), (10, 3), (64, 1), (24, 3), (72, 8)].map(|(width, count)| Heads::new(width, count)) {
            for choice in 0..8 {
                let (own, with_b) = (choice & 1 != 0, choice & 2 != 0);
                let dropout = if choice & 4 != 0 { Dropout::new(0.4, 5) } else { Dropout::NONE };
                let slope = if choice == 3 { 1.0f32 } else { 0.2 };
                let (n, e, count) = (graph.nodes(), graph.entries(), heads.count);
                let (v, dz) = (normal(n * heads.width, 1), normal(n * heads.width, 2));
                let (x, y) = (normal(n * count, 3), normal(n * count, 4));
                let (b, c) = (normal(e * count, 5), normal(n * count, 6));
                let pairs = Pairs {
                    heads: count,
                    receiver: &x,
                    sender: &y,
                    entries: with_b.then_some(&b),
                    nodes: (own && with_b).then_some(&c),
                    slope,
                };
                let attention = Attention { pairs, own, dropout };
                let [z, dv, dx, dy, gradient] = run(&graph, &attention, &v, heads.width, &dz);
                let (db, dc) = gradient.split_at(e * count);
                let none = (vec![0.0; b.len()], vec![0.0; c.len()]);
                let literal = |inputs: &[Vec<_>]| {
                    let more = [with_b.then_some(&inputs[3][..]), (own && with_b).then_some(&inputs[4][..])];
                    let ends = [&inputs[1][..], &inputs[2][..]];
                    let scores = reference::pair_scores(&graph, count, ends, more, own, f64::from(slope));
                    let factor = |row: usize, head: usize| f64::from(dropout.factor(row, head));
                    let weights = reference::edge_softmax(&graph, count, &scores, factor);
                    let (w, s) = weights.split_at(e * count);
                    reference::attend(&graph, heads, w, own.then_some(s), &inputs[0])
                };
                let db = if with_b { db } else { &none.0 };
                let dc = if own && with_b { dc } else { &none.1 };
                compare(
                    &format!("{heads:?}, choice {choice}, {graph:?}"),
                    &[&v, &x, &y, &b, &c],
                    literal,
                    &z,
                    &dz,
                    &[&dv, &dx, &dy, db, dc],
                );
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for direction in [Direction::Undirected, Direction::Directed] {
        let graph = random_graph(3000, 20_000, direction, 5);
        let (v, dz) = (normal(3000 * 40, 1), normal(3000 * 40, 2));
        let (x, y) = (normal(3000 * 5, 3), normal(3000 * 5, 4));
        let pairs = Pairs { heads: 5, receiver: &x, sender: &y, entries: None, nodes: None, slope: 0.2 };
        let attention = Attention { pairs, own: true, dropout: Dropout::new(0.3, 7) };
        assert_same_on_any_threads("attention", || run(&graph, &attention, &v, 40, &dz).concat());
    }
}
