//! Elimination against sets of nodes at a distance, counts of walks, and the literal equations.

mod common;

use common::*;
use farhop_graph::{Direction, Graph, build, distances, generate, relabel};
use farhop_kernels::edge_attention::Dropout;
use farhop_kernels::elimination::{Coefficients, Config, Mode, Reading, Source, Storage, forward};
use farhop_kernels::heads::Heads;

const MODES: [Mode; 3] = [Mode::Exact, Mode::SelfLoop, Mode::None];
const READINGS: [Reading; 2] = [Reading::Cumulative, Reading::Increment];

fn identity(n: usize) -> Vec<f32> {
    (0..n * n).map(|at| if at / n == at % n { 1.0 } else { 0.0 }).collect()
}

/// Increments of the one-hot features with every coefficient 1: `[K, N, N]`.
fn ones(graph: &Graph, rounds: usize) -> Vec<f32> {
    let n = graph.nodes();
    let (edge, node) = (vec![1.0; graph.entries()], vec![1.0; n]);
    let config =
        Config { rounds, heads: Heads::new(n, 1), mode: Mode::Exact, skip_negligible: true, storage: Storage::Full };
    let source = Source::Given(Coefficients { rounds: 1, edge: &edge, node: &node });
    forward(graph, &config, &source, &identity(n)).increments.concat()
}

#[test]
fn on_trees_increment_k_is_the_set_of_nodes_at_distance_k() {
    let mut trees = vec![generate::path(5).unwrap()];
    trees.extend((0..6).map(|seed| generate::random_tree(30 + seed as usize * 7, seed).unwrap()));
    for tree in trees {
        let (n, rounds) = (tree.nodes(), 7);
        let increments = ones(&tree, rounds);
        for i in 0..n {
            let distance = distances(&tree, i).unwrap();
            for k in 1..=rounds {
                for (j, &d) in distance.iter().enumerate() {
                    let expected = if d as usize == k { 1.0 } else { 0.0 };
                    assert_eq!(increments[((k - 1) * n + i) * n + j], expected, "node {i}, hop {k}, from {j}");
                }
            }
        }
    }
}

#[test]
fn the_five_node_chain_is_settled_after_four_rounds() {
    let increments = ones(&generate::path(5).unwrap(), 8);
    assert!(increments[..4 * 25].chunks(25).all(|hop| hop.contains(&1.0)));
    assert!(increments[4 * 25..].iter().all(|v| *v == 0.0));
}

#[test]
fn with_cycles_increment_k_counts_walks_that_never_step_straight_back() {
    for seed in 0..5 {
        let graph = random_graph(14, 30, Direction::Undirected, seed);
        let n = graph.nodes();
        let mut a = vec![0i64; n * n];
        for i in 0..n {
            for &j in graph.neighbours(i) {
                a[i * n + j as usize] = 1;
            }
        }
        let times = |x: &[i64], y: &[i64]| -> Vec<i64> {
            (0..n * n).map(|at| (0..n).map(|m| x[at / n * n + m] * y[m * n + at % n]).sum()).collect()
        };
        let degree = |i: usize| graph.degree(i) as i64;
        // P1 = A, P2 = A^2 - D, Pk = A Pk-1 - (D - I) Pk-2.
        let mut walks = vec![a.clone()];
        let mut second = times(&a, &a);
        for i in 0..n {
            second[i * n + i] -= degree(i);
        }
        walks.push(second);
        for k in 2..6 {
            let mut next = times(&a, &walks[k - 1]);
            for (at, value) in next.iter_mut().enumerate() {
                *value -= (degree(at / n) - 1) * walks[k - 2][at];
            }
            walks.push(next);
        }
        let increments = ones(&graph, 6);
        for k in 0..6 {
            for at in 0..n * n {
                assert_eq!(increments[k * n * n + at], walks[k][at] as f32, "graph {seed}, hop {}", k + 1);
            }
        }
    }
}

fn problems() -> Vec<Problem> {
    let mut all = Vec::new();
    for mode in MODES {
        for (seed, (rounds, heads)) in
            [(1, Heads::new(5, 1)), (2, Heads::new(6, 2)), (5, Heads::new(7, 3)), (7, Heads::new(4, 1))]
                .into_iter()
                .enumerate()
        {
            let seed = seed as u64;
            let undirected = || random_graph(13, 24, Direction::Undirected, seed + 10);
            let directed = || random_graph(12, 40, Direction::Directed, seed + 20);
            all.push(Problem::given(undirected(), rounds, heads, mode, rounds, seed));
            all.push(Problem::given(undirected(), rounds, heads, mode, 1, seed));
            all.push(Problem::given(directed(), rounds, heads, mode, rounds, seed));
            all.push(Problem::attention(undirected(), rounds, heads, mode, true, seed));
            all.push(Problem::attention(undirected(), rounds, heads, mode, false, seed));
            all.push(Problem::attention(directed(), rounds, heads, mode, true, seed));
        }
    }
    all
}

#[test]
fn arbitrary_coefficients_equal_the_literal_equations() {
    for problem in problems() {
        let inputs: Vec<Vec<f64>> = problem.inputs().iter().map(|v| v.to_vec()).collect();
        let (states, increments) = problem.literal(&inputs);
        let (kernel_states, kernel_increments) = problem.kernel();
        let what = format!("{:?}", problem.config);
        assert_close(&what, &kernel_states, &states, 2e-5);
        assert_close(&what, &kernel_increments, &increments, 2e-5);
    }
}

#[test]
fn gradients_equal_those_of_the_literal_equations() {
    for problem in problems() {
        for reading in READINGS {
            let expected = problem.literal_gradients(reading);
            for (n, (actual, expected)) in problem.kernel_gradients(reading).iter().zip(&expected).enumerate() {
                assert_close(&format!("{:?} {reading:?} input {n}", problem.config), actual, expected, 1e-4);
            }
        }
    }
}

#[test]
fn literal_gradients_equal_finite_differences() {
    for problem in problems().into_iter().filter(|p| p.config.rounds == 5) {
        let mut inputs: Vec<Vec<f64>> = problem.inputs().iter().map(|v| v.to_vec()).collect();
        let gradients = problem.literal_gradients(Reading::Cumulative);
        let loss = |inputs: &[Vec<f64>]| -> f64 {
            problem.literal(inputs).0.iter().zip(&problem.cotangent).map(|(a, b)| a * b).sum()
        };
        for (list, gradient) in gradients.iter().enumerate() {
            let size = gradient.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            for at in (0..gradient.len()).step_by(gradient.len() / 11 + 1) {
                let (kept, step) = (inputs[list][at], 1e-6);
                inputs[list][at] = kept + step;
                let above = loss(&inputs);
                inputs[list][at] = kept - step;
                let below = loss(&inputs);
                inputs[list][at] = kept;
                let difference = ((above - below) / (2.0 * step) - gradient[at]).abs() / size;
                assert!(difference < 1e-6, "{:?} input {list}[{at}]: {difference:e}", problem.config);
            }
        }
    }
}

#[test]
fn attention_dropout_has_the_same_mask_in_both_directions() {
    let graph = random_graph(15, 30, Direction::Undirected, 3);
    let mut problem = Problem::attention(graph, 4, Heads::new(6, 2), Mode::Exact, true, 5);
    if let Kind::Attention { dropout, .. } = &mut problem.coefficients {
        *dropout = Some(Dropout::new(0.4, 11));
    }
    let inputs: Vec<Vec<f64>> = problem.inputs().iter().map(|v| v.to_vec()).collect();
    assert_close("states", &problem.kernel().0, &problem.literal(&inputs).0, 2e-5);
    let expected = problem.literal_gradients(Reading::Cumulative);
    for (actual, expected) in problem.kernel_gradients(Reading::Cumulative).iter().zip(&expected) {
        assert_close("gradient", actual, expected, 1e-4);
    }
    // Without dropout the result is another one, so the mask did something.
    let with = problem.kernel().0;
    if let Kind::Attention { dropout, .. } = &mut problem.coefficients {
        *dropout = None;
    }
    assert_ne!(with, problem.kernel().0);
}

#[test]
fn dropped_share_and_mean_are_as_asked() {
    let dropout = Dropout::new(0.3, 9);
    let factors: Vec<f64> = (0..200_000).map(|c| f64::from(dropout.factor(c))).collect();
    let dropped = factors.iter().filter(|f| **f == 0.0).count() as f64 / factors.len() as f64;
    assert!((dropped - 0.3).abs() < 0.005, "dropped {dropped}");
    let mean = factors.iter().sum::<f64>() / factors.len() as f64;
    assert!((mean - 1.0).abs() < 0.01, "mean {mean}");
}

#[test]
fn skipping_negligible_products_changes_nothing_beyond_rounding() {
    // Hubs make the products of attention small: here many gathers are skipped.
    let graph = generate::barabasi_albert(3000, 12, 4).unwrap();
    let mut problem = Problem::attention(graph, 6, Heads::new(8, 2), Mode::Exact, true, 6);
    let skipped = problem.kernel().1;
    problem.config.skip_negligible = false;
    let whole = problem.kernel().1;
    let n = problem.graph.nodes() * 8;
    for (k, (a, b)) in skipped.chunks(n).zip(whole.chunks(n)).enumerate() {
        for (row, (a, b)) in a.chunks(8).zip(b.chunks(8)).enumerate() {
            let size = b.iter().fold(1e-30f32, |m, v| m.max(v.abs()));
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() <= 4e-6 * size, "hop {} row {row}: {a} against {b}", k + 1);
            }
        }
    }
    assert_ne!(skipped, whole, "nothing was skipped: the test shows nothing");
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let graph = generate::barabasi_albert(4000, 6, 1).unwrap();
    for each_round in [true, false] {
        let problem = Problem::attention(random_relabelled(&graph), 4, Heads::new(24, 3), Mode::Exact, each_round, 2);
        let run = |threads| on_threads(threads, || (problem.kernel(), problem.kernel_gradients(Reading::Cumulative)));
        let once = run(1);
        for threads in [1, 2, 3, 8] {
            assert!(once == run(threads), "{threads} threads give other bits");
        }
    }
}

fn random_relabelled(graph: &Graph) -> Graph {
    relabel(graph, &permutation(graph.nodes(), 77)).unwrap()
}

fn permutation(n: usize, seed: u64) -> Vec<u32> {
    let mut ids: Vec<u32> = (0..n as u32).collect();
    farhop_graph::random::Stream::new(seed).shuffle(&mut ids);
    ids
}

#[test]
fn permuting_the_nodes_permutes_the_result() {
    let graph = random_graph(40, 90, Direction::Undirected, 8);
    let mut problem = Problem::attention(graph, 5, Heads::new(6, 2), Mode::Exact, true, 3);
    if let Kind::Attention { bias, .. } = &mut problem.coefficients {
        bias.clear();
    }
    let (n, width) = (40, 6);
    let new_id = permutation(n, 5);
    let (states, _) = problem.kernel();
    let gradients = problem.kernel_gradients(Reading::Cumulative);
    let moved = |values: &[f64]| {
        let mut out = values.to_vec();
        for (block, from) in out.chunks_mut(n * width).zip(values.chunks(n * width)) {
            for i in 0..n {
                let to = new_id[i] as usize;
                block[to * width..(to + 1) * width].copy_from_slice(&from[i * width..(i + 1) * width]);
            }
        }
        out
    };
    problem.graph = relabel(&problem.graph, &new_id).unwrap();
    problem.z = moved(&problem.z);
    problem.cotangent = moved(&problem.cotangent);
    assert_close("states", &problem.kernel().0, &moved(&f64s(&states)), 1e-5);
    let after = problem.kernel_gradients(Reading::Cumulative);
    assert_close("z", &after[0], &moved(&f64s(&gradients[0])), 1e-5);
    assert_close("weights", &after[1], &f64s(&gradients[1]), 1e-5);
}

#[test]
fn huge_logits_zero_vectors_and_lonely_nodes_stay_finite() {
    // Node 6 has no edge.
    let graph = build(7, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5)], Direction::Undirected).unwrap().graph;
    for scale in [0.0, 1e4, 1e15] {
        let mut problem = Problem::attention(graph.clone(), 4, Heads::new(4, 1), Mode::Exact, true, 9);
        for value in &mut problem.z {
            *value *= scale;
        }
        let (states, increments) = problem.kernel();
        assert!(states.iter().chain(&increments).all(|v| v.is_finite()), "scale {scale}");
        for k in 0..4 {
            let lonely = (k * 7 + 6) * 4..(k * 7 + 7) * 4;
            assert_eq!(states[lonely.clone()], f32s(&problem.z[24..28])[..], "a lonely node keeps its features");
            assert!(increments[lonely].iter().all(|v| *v == 0.0));
        }
        for gradient in problem.kernel_gradients(Reading::Cumulative) {
            assert!(gradient.iter().all(|v| v.is_finite()), "scale {scale}");
        }
    }
}

#[test]
fn no_nodes_no_edges_one_node_and_a_large_star_work() {
    for graph in [
        build(0, &[], Direction::Undirected).unwrap().graph,
        build(1, &[], Direction::Undirected).unwrap().graph,
        build(3, &[], Direction::Directed).unwrap().graph,
        generate::star(1_000_000).unwrap(),
    ] {
        let problem = Problem::attention(graph, 3, Heads::new(2, 1), Mode::Exact, true, 1);
        let (states, _) = problem.kernel();
        assert_eq!(states.len(), 3 * problem.graph.nodes() * 2);
        assert!(states.iter().all(|v| v.is_finite()));
        assert!(problem.kernel_gradients(Reading::Cumulative)[0].iter().all(|v| v.is_finite()));
    }
}
