//! Gathering packed rows: the numbers of the full ones up to what 16 bits hold, in every mode.

mod common;

use common::*;
use farhop_graph::{Direction, generate};
use farhop_kernels::elimination::{Mode, Reading, Storage};
use farhop_kernels::heads::Heads;

/// What a packed number may be off, as a part of the largest of its row: written out, so that the kernel's own constant is checked.
const STEP: f64 = 0.5 / 32767.0;

fn problems() -> Vec<Problem> {
    let graph = |direction| random_graph(40, 90, direction, 7);
    let mut all = Vec::new();
    for direction in [Direction::Undirected, Direction::Directed] {
        for mode in [Mode::Exact, Mode::SelfLoop, Mode::None] {
            for each_round in [true, false] {
                all.push(Problem::attention(graph(direction), 5, Heads::new(21, 3), mode, each_round, 3));
            }
            all.push(Problem::given(graph(direction), 4, Heads::new(64, 1), mode, 1, 5));
        }
    }
    all
}

#[test]
fn packed_rows_give_the_literal_numbers_within_their_steps() {
    for mut problem in problems() {
        let inputs: Vec<Vec<f64>> = problem.inputs().iter().map(|v| v.to_vec()).collect();
        let (states, _) = problem.literal(&inputs);
        let gradients = problem.literal_gradients(Reading::Cumulative);
        let full = problem.kernel().0;
        problem.config.storage = Storage::Packed;
        let packed = problem.kernel().0;
        assert_ne!(full, packed, "nothing was packed: the test shows nothing");
        // Every round adds an error of a step, and through attention a few more.
        let rounds = problem.config.rounds as f64;
        assert_close("states", &packed, &states, 4.0 * rounds * STEP);
        for (actual, expected) in problem.kernel_gradients(Reading::Cumulative).iter().zip(&gradients) {
            assert_close("gradient", actual, expected, 8.0 * rounds * STEP);
        }
    }
}

#[test]
fn whole_numbers_lose_nothing() {
    let mut problem =
        Problem::given(random_graph(50, 120, Direction::Undirected, 1), 1, Heads::new(16, 2), Mode::Exact, 1, 4);
    for (at, value) in problem.z.iter_mut().enumerate() {
        *value = if at % 16 == 3 { 32767.0 } else { (*value * 1000.0).round() };
    }
    let full = problem.kernel();
    problem.config.storage = Storage::Packed;
    assert_eq!(problem.kernel(), full);
}

#[test]
fn a_number_that_is_not_finite_reaches_its_neighbours() {
    let mut problem =
        Problem::given(random_graph(30, 60, Direction::Undirected, 2), 2, Heads::new(8, 1), Mode::Exact, 1, 4);
    problem.config.storage = Storage::Packed;
    problem.z[5 * 8 + 1] = f64::NAN;
    let (states, _) = problem.kernel();
    let near = problem.graph.neighbours(5);
    assert!(!near.is_empty());
    for &i in near {
        assert!(states[i as usize * 8 + 1].is_nan(), "node {i}");
    }
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let graph = generate::barabasi_albert(4000, 6, 1).unwrap();
    let mut problem = Problem::attention(graph, 4, Heads::new(24, 3), Mode::Exact, true, 2);
    problem.config.storage = Storage::Packed;
    let run = |threads| on_threads(threads, || (problem.kernel(), problem.kernel_gradients(Reading::Cumulative)));
    let once = run(1);
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), once, "{threads} threads");
    }
}
