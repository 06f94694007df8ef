//! Operations over entries against the same mathematics composed of the engine's own functions and dense matrices of the graph.

mod operation_support;

use std::sync::Arc;

use burn::tensor::{Tensor, activation};
use farhop_graph::{Direction, Graph, build};
use farhop_kernels::dense::Dropout;
use farhop_nn::ops::{
    EntryWeights, PairScores, attend, concat, edge_dot, edge_gates, edge_relu_sum, edge_softmax, entry_sum,
    gat_attention, gated_mean, gather_sources, gather_targets, neighbour_max, pair_scores, row_normalise, scale_rows,
    spmm,
};
use operation_support::{compare, constant, device, leaf, numbers, outcome};

/// A graph with the matrices that pick the target and the source of every entry, `[E, N]`.
struct Setting {
    graph: Arc<Graph>,
    targets: Tensor<2>,
    sources: Tensor<2>,
}

/// A directed and an undirected graph, each with an isolated node.
fn settings() -> Vec<Setting> {
    let pairs = [(0, 1), (1, 2), (3, 1), (4, 0), (2, 4), (4, 1), (5, 1)];
    [Direction::Directed, Direction::Undirected]
        .map(|direction| {
            let graph = build(7, &pairs, direction).unwrap().graph;
            let (mut targets, mut sources) = (vec![0.0; graph.entries() * 7], vec![0.0; graph.entries() * 7]);
            for i in 0..7 {
                for entry in graph.offsets()[i]..graph.offsets()[i + 1] {
                    targets[entry * 7 + i] = 1.0;
                    sources[entry * 7 + graph.sources()[entry] as usize] = 1.0;
                }
            }
            let shape = [graph.entries(), 7];
            Setting { graph: Arc::new(graph), targets: constant(targets, shape), sources: constant(sources, shape) }
        })
        .into()
}

impl Setting {
    fn entries(&self) -> usize {
        self.graph.entries()
    }

    fn of_targets(&self, x: &Tensor<2>) -> Tensor<2> {
        self.targets.clone().matmul(x.clone())
    }

    fn of_sources(&self, x: &Tensor<2>) -> Tensor<2> {
        self.sources.clone().matmul(x.clone())
    }

    fn sum(&self, x: Tensor<2>) -> Tensor<2> {
        self.targets.clone().transpose().matmul(x)
    }
}

/// `[H, H * C]`: gives every channel its head's number.
fn widen(heads: usize, channels: usize) -> Tensor<2> {
    let width = heads * channels;
    constant((0..heads * width).map(|at| f32::from(at % width / channels == at / width)).collect(), [heads, width])
}

fn leaky(x: Tensor<2>, slope: f32) -> Tensor<2> {
    activation::relu(x.clone()) - activation::relu(-x) * slope
}

#[test]
fn attend_is_a_sum_of_weighted_rows() {
    for setting in settings() {
        let (v, w, s) = (leaf([7, 6], 1), leaf([setting.entries(), 3], 2), leaf([7, 3], 3));
        let sum = || setting.sum(w.clone().matmul(widen(3, 2)) * setting.of_sources(&v));
        let whole = sum() + s.clone().matmul(widen(3, 2)) * v.clone();
        let found = outcome!(attend(v.clone(), w.clone(), None, &setting.graph), v, w);
        compare("neighbours only", found, outcome!(sum(), v, w));
        let expected = outcome!(whole, v, w, s);
        let found = outcome!(attend(v.clone(), w.clone(), Some(s.clone()), &setting.graph), v, w, s);
        compare("with own weights", found, expected.clone());
        let joined = Tensor::cat(vec![w.clone(), s.clone()], 0);
        compare("joined", outcome!(attend(v.clone(), joined, None, &setting.graph), v, w, s), expected);
    }
}

#[test]
fn edge_softmax_is_a_softmax_of_every_row() {
    for setting in settings() {
        let (scores, own) = (leaf([setting.entries(), 3], 1), leaf([7, 3], 2));
        let exps = || scores.clone().exp();
        let plain = exps() / setting.of_targets(&setting.sum(exps()));
        let found = outcome!(edge_softmax(scores.clone(), &setting.graph, Dropout::NONE), scores);
        compare("entries", found, outcome!(plain, scores));
        let with_own = || {
            let total = setting.sum(exps()) + own.clone().exp();
            Tensor::cat(vec![exps() / setting.of_targets(&total), own.clone().exp() / total], 0)
        };
        let joined = || Tensor::cat(vec![scores.clone(), own.clone()], 0);
        let found = outcome!(edge_softmax(joined(), &setting.graph, Dropout::NONE), scores, own);
        compare("with own scores", found, outcome!(with_own(), scores, own));
        let dropout = Dropout::new(0.4, 3);
        let rows = setting.entries() + 7;
        let mask = constant((0..rows * 3).map(|at| dropout.factor(at / 3, at % 3)).collect(), [rows, 3]);
        let found = outcome!(edge_softmax(joined(), &setting.graph, dropout), scores, own);
        compare("with dropout", found, outcome!(with_own() * mask, scores, own));
    }
}

#[test]
fn pair_scores_are_sums_of_both_ends() {
    for setting in settings() {
        let (x, y) = (leaf([7, 2], 1), leaf([7, 2], 2));
        let (b, c) = (leaf([setting.entries(), 2], 3), leaf([7, 2], 4));
        let both = || setting.of_targets(&x) + setting.of_sources(&y);
        let parts = |entries: bool, nodes: bool, own: bool, slope: f32| PairScores {
            receiver: x.clone(),
            sender: y.clone(),
            entries: entries.then(|| b.clone()),
            nodes: nodes.then(|| c.clone()),
            own,
            slope,
        };
        let found = outcome!(pair_scores(parts(false, false, false, 0.2), &setting.graph), x, y);
        compare("two parts", found, outcome!(leaky(both(), 0.2), x, y));
        let found = outcome!(pair_scores(parts(true, false, false, 1.0), &setting.graph), x, y, b);
        compare("linear", found, outcome!(both() + b.clone(), x, y, b));
        let own = || x.clone() + y.clone();
        let all = Tensor::cat(vec![both(), own()], 0);
        let found = outcome!(pair_scores(parts(false, false, true, 0.2), &setting.graph), x, y);
        compare("with the nodes", found, outcome!(leaky(all, 0.2), x, y));
        let all = Tensor::cat(vec![both() + b.clone(), own() + c.clone()], 0);
        let found = outcome!(pair_scores(parts(true, true, true, 0.2), &setting.graph), x, y, b, c);
        compare("four parts", found, outcome!(leaky(all, 0.2), x, y, b, c));
        let all = Tensor::cat(vec![both(), own() + c.clone()], 0);
        let found = outcome!(pair_scores(parts(false, true, true, 0.2), &setting.graph), x, y, c);
        compare("own part only", found, outcome!(leaky(all, 0.2), x, y, c));
    }
}

#[test]
fn edge_dot_is_a_product_per_head() {
    for setting in settings() {
        let (q, k) = (leaf([7, 6], 1), leaf([7, 6], 2));
        let product = setting.of_targets(&q) * setting.of_sources(&k);
        let expected = product.matmul(widen(3, 2).transpose()) * 0.7;
        let found = outcome!(edge_dot(q.clone(), k.clone(), &setting.graph, 3, 0.7), q, k);
        compare("edge_dot", found, outcome!(expected, q, k));
    }
}

#[test]
fn edge_gates_add_both_ends() {
    for setting in settings() {
        let (a, b, c) = (leaf([7, 5], 1), leaf([7, 5], 2), leaf([setting.entries(), 5], 3));
        let both = || setting.of_targets(&a) + setting.of_sources(&b);
        let found = outcome!(edge_gates(a.clone(), b.clone(), None, &setting.graph), a, b);
        compare("two parts", found, outcome!(both(), a, b));
        let found = outcome!(edge_gates(a.clone(), b.clone(), Some(c.clone()), &setting.graph), a, b, c);
        compare("three parts", found, outcome!(both() + c.clone(), a, b, c));
    }
}

#[test]
fn gated_mean_weighs_by_the_sigmoid() {
    for setting in settings() {
        let (v, s) = (leaf([7, 5], 1), leaf([setting.entries(), 5], 2));
        let gates = activation::sigmoid(s.clone());
        let expected = setting.sum(gates.clone() * setting.of_sources(&v)) / (setting.sum(gates) + 0.1);
        let found = outcome!(gated_mean(v.clone(), s.clone(), &setting.graph, 0.1), v, s);
        compare("gated_mean", found, outcome!(expected, v, s));
    }
}

#[test]
fn edge_relu_sum_has_the_edge_inside() {
    for setting in settings() {
        let (v, e) = (leaf([7, 5], 1), leaf([setting.entries(), 5], 2));
        let expected = setting.sum(activation::relu(setting.of_sources(&v) + e.clone()));
        let found = outcome!(edge_relu_sum(v.clone(), e.clone(), &setting.graph), v, e);
        compare("edge_relu_sum", found, outcome!(expected, v, e));
    }
}

#[test]
fn a_graph_without_entries_gives_zeros() {
    let graph = Arc::new(build(3, &[], Direction::Undirected).unwrap().graph);
    let (v, none) = (leaf([3, 4], 1), leaf([0, 4], 2));
    let zeros = vec![0.0; 12];
    assert_eq!(numbers(edge_relu_sum(v.clone(), none.clone(), &graph)), zeros);
    assert_eq!(numbers(gated_mean(v.clone(), none.clone(), &graph, 1e-6)), zeros);
    assert_eq!(numbers(attend(v.clone(), none, None, &graph)), zeros);
    assert_eq!(edge_dot(v.clone(), v.clone(), &graph, 2, 1.0).dims(), [0, 2]);
    // Each node attends to itself alone.
    let own = edge_softmax(leaf([3, 2], 3), &graph, Dropout::NONE);
    let found = outcome!(attend(v.clone(), own, None, &graph), v);
    assert_eq!(found[0], numbers(v));
}

#[test]
fn entries_are_summed_and_nodes_copied() {
    for setting in settings() {
        let (e, n) = (leaf([setting.entries(), 3], 1), leaf([7, 3], 2));
        compare("sum", outcome!(entry_sum(e.clone(), &setting.graph), e), outcome!(setting.sum(e.clone()), e));
        let found = outcome!(gather_targets(n.clone(), &setting.graph), n);
        compare("targets", found, outcome!(setting.of_targets(&n), n));
        let found = outcome!(gather_sources(n.clone(), &setting.graph), n);
        compare("sources", found, outcome!(setting.of_sources(&n), n));
    }
}

#[test]
fn neighbour_max_is_the_largest_of_each_row() {
    for setting in settings() {
        let x = leaf([7, 5], 1);
        let rows = (0..7).map(|i| match setting.graph.neighbours(i) {
            [] => x.clone().slice([0..1, 0..5]) * 0.0,
            list => Tensor::cat(list.iter().map(|&j| x.clone().slice([j as usize..j as usize + 1, 0..5])).collect(), 0)
                .max_dim(0),
        });
        let expected = outcome!(Tensor::cat(rows.collect(), 0), x);
        compare("neighbour_max", outcome!(neighbour_max(x.clone(), &setting.graph), x), expected);
    }
}

#[test]
fn fixed_weights_normalise_the_matrix_of_the_graph() {
    for setting in settings() {
        let graph = &setting.graph;
        let x = leaf([7, 3], 1);
        let matrix = setting.sum(setting.sources.clone());
        let own = Tensor::<2>::eye(7, &device());
        let degrees = matrix.clone().sum_dim(1);
        // A row without entries stays zero.
        let inverse = degrees.clone().recip().mask_fill(degrees.clone().equal_elem(0.0), 0.0);
        let larger = degrees + 1.0;
        let both = matrix.clone() + own;
        let cases = [
            ("sum", EntryWeights::sum(graph), matrix.clone()),
            ("mean", EntryWeights::mean(graph, None), matrix.clone() * inverse.clone()),
            ("mean with self", EntryWeights::mean_with_self(graph, None), both.clone() / larger.clone()),
            ("symmetric", EntryWeights::symmetric(graph), matrix * inverse.clone().sqrt() * inverse.sqrt().transpose()),
            (
                "symmetric with self",
                EntryWeights::symmetric_with_self(graph, None),
                both / larger.clone().sqrt() / larger.sqrt().transpose(),
            ),
        ];
        for (what, weights, matrix) in cases {
            let found = outcome!(spmm(x.clone(), graph, &weights, None), x);
            compare(what, found, outcome!(matrix.matmul(x.clone()), x));
        }
    }
}

#[test]
fn rows_are_normalised_scaled_and_joined() {
    let (x, s) = (leaf([6, 4], 1), leaf([6, 1], 2));
    let norm = x.clone().powf_scalar(2.0).sum_dim(1).sqrt();
    compare("normalise", outcome!(row_normalise(x.clone(), 1e-12), x), outcome!(x.clone() / norm, x));
    // All rows are shorter than this.
    compare("short rows", outcome!(row_normalise(x.clone(), 50.0), x), outcome!(x.clone() / 50.0, x));
    let found = outcome!(scale_rows(x.clone(), s.clone()), x, s);
    compare("scale", found, outcome!(x.clone() * s.clone(), x, s));
    let found = outcome!(concat([x.clone(), s.clone(), x.clone()]), x, s);
    compare("concat", found, outcome!(Tensor::cat(vec![x.clone(), s.clone(), x.clone()], 1), x, s));
    let many = vec![s.clone(); 60];
    compare("many", outcome!(concat(many.clone()), s), outcome!(s.clone().repeat_dim(1, 60), s));
}

#[test]
fn gat_attention_is_its_three_steps() {
    for setting in settings() {
        let (v, x, y) = (leaf([7, 6], 1), leaf([7, 3], 2), leaf([7, 3], 3));
        let (b, c) = (leaf([setting.entries(), 3], 4), leaf([7, 3], 5));
        for (own, dropout) in [(false, Dropout::NONE), (true, Dropout::NONE), (true, Dropout::new(0.4, 3))] {
            let scores = |more: bool| PairScores {
                receiver: x.clone(),
                sender: y.clone(),
                entries: more.then(|| b.clone()),
                nodes: (more && own).then(|| c.clone()),
                own,
                slope: 0.2,
            };
            let steps = |more: bool| {
                let weights = edge_softmax(pair_scores(scores(more), &setting.graph), &setting.graph, dropout);
                attend(v.clone(), weights, None, &setting.graph)
            };
            let fused = |more: bool| gat_attention(v.clone(), scores(more), &setting.graph, dropout);
            compare("plain", outcome!(fused(false), v, x, y), outcome!(steps(false), v, x, y));
            compare("with b", outcome!(fused(true), v, x, y, b), outcome!(steps(true), v, x, y, b));
            if own {
                compare("with c", outcome!(fused(true), v, x, y, b, c), outcome!(steps(true), v, x, y, b, c));
            }
        }
    }
}
