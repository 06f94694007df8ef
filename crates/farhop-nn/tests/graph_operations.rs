//! Operations on rows, on matrices of each graph and on scores of entries, against the same mathematics composed of the engine's
//! own functions.

mod operation_support;

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::{Direction, Graph, build};
use farhop_kernels::dense::Dropout;
use farhop_nn::ops::{
    RowChoice, TopScores, cross_products, edge_softmax, fit_rows, graph_linear, head_dots, shifted_inverses, sum_rows,
    take_rows, top_scores,
};
use operation_support::{compare, constant, leaf, numbers, outcome};

/// Three graphs, the second of them empty.
fn offsets() -> Arc<Vec<usize>> {
    Arc::new(vec![0, 4, 4, 5, 9])
}

/// One result of every graph, one below the other.
fn by_graph(task: impl Fn(usize, std::ops::Range<usize>) -> Tensor<2>) -> Tensor<2> {
    Tensor::cat(offsets().windows(2).enumerate().map(|(graph, bounds)| task(graph, bounds[0]..bounds[1])).collect(), 0)
}

/// The matrix that picks `chosen` rows out of `rows`.
fn picks(chosen: &[u32], rows: usize) -> Tensor<2> {
    let entry = |at: usize| f32::from(chosen[at / rows] as usize == at % rows);
    constant((0..chosen.len() * rows).map(entry).collect(), [chosen.len(), rows])
}

#[test]
fn cross_products_are_products_of_the_rows_of_a_graph() {
    let (x, y) = (leaf([9, 3], 1), leaf([9, 2], 2));
    let expected = by_graph(|_, rows| match rows.is_empty() {
        true => constant(vec![0.0; 6], [3, 2]),
        false => x.clone().slice([rows.clone(), 0..3]).transpose().matmul(y.clone().slice([rows, 0..2])),
    });
    compare("S", outcome!(cross_products(x.clone(), y.clone(), &offsets()), x, y), outcome!(expected, x, y));
}

#[test]
fn every_graph_has_a_linear_map_of_its_own() {
    let (x, t) = (leaf([9, 3], 1), leaf([12, 2], 2));
    let of_graph = |graph: usize, rows: std::ops::Range<usize>| {
        let map = t.clone().slice([graph * 3..(graph + 1) * 3, 0..2]);
        x.clone().slice([rows, 0..3]).matmul(map)
    };
    let parts = [(0, 0..4), (2, 4..5), (3, 5..9)].map(|(graph, rows)| of_graph(graph, rows));
    let expected = Tensor::cat(parts.into(), 0);
    compare("Y", outcome!(graph_linear(x.clone(), t.clone(), &offsets()), x, t), outcome!(expected, x, t));
}

#[test]
fn shifted_inverses_are_where_newton_s_iteration_ends() {
    let (shift, factor) = (3.0, 0.5);
    let s = leaf([6, 3], 1);
    // X' = X (2 I - M X) doubles the right digits of M^-1 in each step, and its gradient ends at that of the inverse.
    let unit = || constant((0..9).map(|at| f32::from(at % 4 == 0)).collect(), [3, 3]);
    let inverse = |from: usize| {
        let m = unit() * shift + s.clone().slice([from..from + 3, 0..3]) * factor;
        (0..20).fold(unit() / shift, |x, _| x.clone().matmul(unit() * 2.0 - m.clone().matmul(x)))
    };
    let expected = Tensor::cat(vec![inverse(0), inverse(3)], 0);
    compare("inverses", outcome!(shifted_inverses(s.clone(), shift, factor), s), outcome!(expected, s));
}

#[test]
fn rows_are_taken_and_summed_by_a_matrix_of_zeros_and_ones() {
    let chosen = vec![2, 0, 2, 4, 2];
    let choice = RowChoice::new(chosen.clone(), 6);
    let (x, y) = (leaf([6, 3], 1), leaf([5, 3], 2));
    let picks = picks(&chosen, 6);
    compare("taken", outcome!(take_rows(x.clone(), &choice), x), outcome!(picks.clone().matmul(x.clone()), x));
    let summed = picks.transpose().matmul(y.clone());
    compare("summed", outcome!(sum_rows(y.clone(), &choice), y), outcome!(summed, y));
}

#[test]
fn a_table_is_cut_or_filled_up() {
    let x = leaf([4, 3], 1);
    compare("cut", outcome!(fit_rows(x.clone(), 2), x), outcome!(x.clone().slice([0..2, 0..3]), x));
    let longer = || Tensor::cat(vec![x.clone(), constant(vec![0.0; 6], [2, 3])], 0);
    compare("filled up", outcome!(fit_rows(x.clone(), 6), x), outcome!(longer(), x));
}

#[test]
fn head_dots_are_sums_over_the_channels_of_a_head() {
    let (u, a) = (leaf([5, 6], 1), leaf([2, 3], 2));
    let head = |h: usize| (u.clone().slice([0..5, 3 * h..3 * h + 3]) * a.clone().slice([h..h + 1, 0..3])).sum_dim(1);
    let expected = Tensor::cat(vec![head(0), head(1)], 1);
    compare("dots", outcome!(head_dots(u.clone(), a.clone()), u, a), outcome!(expected, u, a));
}

/// Places of a node's scores in `[E + N, H]`: of its entries, then its own.
fn places(graph: &Graph, node: usize) -> Vec<usize> {
    (graph.offsets()[node]..graph.offsets()[node + 1]).chain([graph.entries() + node]).collect()
}

/// Every node's softmax over the `most` largest of its scores, head by head, with nothing else: the chosen ones are found here by
/// counting how many are larger.
fn literal_softmax(scores: &Tensor<2>, graph: &Graph, most: usize, per_head: bool) -> Tensor<2> {
    let [rows, heads] = scores.dims();
    let values = numbers(scores.clone());
    let mut keep = vec![0.0; rows * heads];
    for node in 0..graph.nodes() {
        let places = places(graph, node);
        let share = |place: usize, head: usize| {
            let size = |place: usize| f64::from(values[place * heads + head]).exp();
            size(place) / places.iter().map(|place| size(*place)).sum::<f64>()
        };
        for &place in &places {
            for head in 0..heads {
                let rank = |of: usize| match per_head {
                    true => f64::from(values[of * heads + head]),
                    false => (0..heads).map(|head| share(of, head)).sum(),
                };
                let larger = places.iter().filter(|other| rank(**other) > rank(place)).count();
                keep[place * heads + head] = f32::from(larger < most);
            }
        }
    }
    let exps = scores.clone().exp() * constant(keep, [rows, heads]);
    let mut of_node = vec![0.0; rows * graph.nodes()];
    for node in 0..graph.nodes() {
        places(graph, node).into_iter().for_each(|place| of_node[place * graph.nodes() + node] = 1.0);
    }
    let of_node = constant(of_node, [rows, graph.nodes()]);
    exps.clone() / of_node.clone().matmul(of_node.transpose().matmul(exps))
}

#[test]
fn the_softmax_of_top_scores_knows_the_best_alone() {
    let pairs = [(0, 1), (1, 2), (3, 1), (4, 0), (2, 4), (4, 1), (5, 1)];
    for direction in [Direction::Directed, Direction::Undirected] {
        let graph = Arc::new(build(7, &pairs, direction).unwrap().graph);
        let scores = leaf([graph.entries() + 7, 3], 4);
        for (most, per_head) in [(2, true), (3, true), (2, false), (3, false), (100, true)] {
            let settings = TopScores { most, per_head, edges: Dropout::NONE };
            let chosen = top_scores(scores.clone(), &graph, settings);
            let found = outcome!(edge_softmax(chosen, &graph, Dropout::NONE), scores);
            let expected = outcome!(literal_softmax(&scores, &graph, most, per_head), scores);
            compare(&format!("{direction:?}, {most} of a node, heads apart: {per_head}"), found, expected);
        }
    }
}

#[test]
fn dropped_pairs_of_nodes_are_gone_in_both_directions() {
    let graph = Arc::new(
        build(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 3)], Direction::Undirected).unwrap().graph,
    );
    let scores = leaf([graph.entries() + 6, 2], 4).detach();
    let settings = TopScores { most: 0, per_head: false, edges: Dropout::new(0.5, 7) };
    let found = numbers(edge_softmax(top_scores(scores, &graph, settings), &graph, Dropout::NONE));
    let (mut gone, mut there) = (0, 0);
    for i in 0..6 {
        for entry in graph.offsets()[i]..graph.offsets()[i + 1] {
            let j = graph.sources()[entry] as usize;
            let back = (graph.offsets()[j]..graph.offsets()[j + 1]).find(|back| graph.sources()[*back] as usize == i);
            let zero = |entry: usize| found[entry * 2] == 0.0 && found[entry * 2 + 1] == 0.0;
            assert_eq!(zero(entry), zero(back.expect("the other direction")), "{i} <- {j}");
            *(if zero(entry) { &mut gone } else { &mut there }) += 1;
        }
    }
    assert!(gone > 0 && there > 0, "{gone} dropped, {there} left");
}
