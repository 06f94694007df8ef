//! Every instruction set this machine has gives the literal numbers. One test, alone in its process: the choice is global.

mod common;

use common::*;
use farhop_graph::Direction;
use farhop_kernels::elimination::{Mode, Reading};
use farhop_kernels::heads::Heads;
use farhop_kernels::simd::{self, Isa};

#[test]
fn every_instruction_set_gives_the_literal_numbers() {
    let graph = random_graph(30, 70, Direction::Undirected, 2);
    let problem = Problem::attention(graph, 5, Heads::new(45, 2), Mode::Exact, true, 3);
    let inputs: Vec<Vec<f64>> = problem.inputs().iter().map(|v| v.to_vec()).collect();
    let (states, _) = problem.literal(&inputs);
    let gradients = problem.literal_gradients(Reading::Cumulative);
    let sets = Isa::available();
    assert_eq!(sets[0], Isa::Baseline);
    for isa in sets {
        assert!(Isa::force(isa));
        assert_eq!(Isa::active(), isa);
        assert_close(isa.name(), &problem.kernel().0, &states, 2e-5);
        for (actual, expected) in problem.kernel_gradients(Reading::Cumulative).iter().zip(&gradients) {
            assert_close(isa.name(), actual, expected, 1e-4);
        }
    }
}

#[test]
fn exp_is_close_to_the_exact_one_and_keeps_nan() {
    for n in -8700..8800 {
        let x = n as f32 / 100.0;
        for (name, value) in [("plain", simd::exp::<simd::Plain>(x)), ("fused", simd::exp::<simd::Fused>(x))] {
            let exact = f64::from(x).exp();
            assert!((f64::from(value) / exact - 1.0).abs() < 3e-7, "{name} exp({x}) = {value}");
        }
    }
    assert!(simd::exp::<simd::Plain>(f32::NAN).is_nan());
    assert!(simd::exp::<simd::Plain>(-1e30) < 1e-37);
}
