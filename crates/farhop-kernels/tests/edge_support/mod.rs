//! What the tests of the edge kernels share: graphs, and a comparison with the literal version and its exact gradients.
#![allow(dead_code)]

use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, build};
use farhop_kernels::reference::{Real, tape};

pub fn random_graph(nodes: usize, rows: usize, direction: Direction, seed: u64) -> Graph {
    let mut stream = Stream::new(seed);
    let mut node = || stream.below(nodes as u64) as u32;
    let rows: Vec<(u32, u32)> = (0..rows).map(|_| (node(), node())).collect();
    build(nodes, &rows, direction).unwrap().graph
}

/// One node, no entries, a hub with isolated nodes beside it, undirected and directed ones.
pub fn graphs() -> Vec<Graph> {
    let star: Vec<(u32, u32)> = (1..40).map(|leaf| (0, leaf)).collect();
    vec![
        build(1, &[], Direction::Undirected).unwrap().graph,
        build(4, &[], Direction::Directed).unwrap().graph,
        build(44, &star, Direction::Undirected).unwrap().graph,
        build(44, &star, Direction::Directed).unwrap().graph,
        random_graph(12, 20, Direction::Undirected, 1),
        random_graph(14, 25, Direction::Directed, 2),
    ]
}

/// Normal numbers that f32 holds exactly.
pub fn normal(count: usize, seed: u64) -> Vec<f32> {
    let mut stream = Stream::new(seed);
    (0..count).map(|_| stream.normal() as f32).collect()
}

/// Room for results that must all be written.
pub fn unwritten(count: usize) -> Vec<f32> {
    vec![f32::NAN; count]
}

pub fn assert_close(what: &str, found: &[f32], expected: &[f64], tolerance: f64) {
    assert_close_from(what, found, expected, tolerance, 1e-3);
}

/// Differences relative to the largest number, or to `least` if that is larger.
fn assert_close_from(what: &str, found: &[f32], expected: &[f64], tolerance: f64, least: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(least, |most, v| most.max(v.abs()));
    for (at, (f, e)) in found.iter().zip(expected).enumerate() {
        let difference = (f64::from(*f) - e).abs();
        assert!(difference <= tolerance * scale, "{what}: {f} instead of {e} at {at}");
    }
}

/// Compares `y` and the gradients of `inputs` under the cotangent `dy` with those of the literal version.
pub fn compare(
    what: &str,
    inputs: &[&[f32]],
    literal: impl Fn(&[Vec<tape::Var>]) -> Vec<tape::Var>,
    y: &[f32],
    dy: &[f32],
    gradients: &[&[f32]],
) {
    let wide: Vec<Vec<f64>> = inputs.iter().map(|list| list.iter().map(|v| f64::from(*v)).collect()).collect();
    let recorded = tape::record(&wide.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let expected = literal(&recorded);
    assert_close(what, y, &expected.iter().map(|v| v.value()).collect::<Vec<_>>(), 1e-5);
    let weighted = expected.iter().zip(dy).map(|(v, g)| *v * tape::Var::of(f64::from(*g)));
    let loss = weighted.fold(tape::Var::of(0.0), |sum, term| sum + term);
    let expected = tape::gradients(loss, &recorded);
    assert_eq!(gradients.len(), expected.len(), "{what}: one gradient per input");
    for (n, (found, expected)) in gradients.iter().zip(&expected).enumerate() {
        // A gradient may be nothing but the rest of terms that cancel, and those are of the size of `dy`.
        let least = dy.iter().fold(0.0f64, |most, g| most.max(f64::from(g.abs()))) / 10.0;
        assert_close_from(&format!("{what}, gradient {n}"), found, expected, 1e-5, least.max(1e-3));
    }
}

/// Runs `task` in pools of 1, 2, 3 and 8 threads and fails unless all results have the same bits.
pub fn assert_same_on_any_threads(what: &str, task: impl Fn() -> Vec<f32> + Send + Sync) {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&task).into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    let one = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == one, "{what}: {threads} threads differ from 1");
    }
}
