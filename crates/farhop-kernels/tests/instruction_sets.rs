//! Every instruction set this machine has gives the literal numbers. One test, alone in its process: the choice is global.

mod common;

use common::*;
use farhop_graph::Direction;
use farhop_kernels::elimination::{Mode, Reading, Storage};
use farhop_kernels::heads::Heads;
use farhop_kernels::simd::{self, Isa, active};

#[test]
fn every_instruction_set_gives_the_literal_numbers() {
    let graph = random_graph(30, 70, Direction::Undirected, 2);
    // One head of 64 or 128 channels has code of its own.
    let mut problems = [(45, 2), (64, 1), (128, 1)].map(|(width, count)| {
        let problem = Problem::attention(graph.clone(), 5, Heads::new(width, count), Mode::Exact, true, 3);
        let inputs: Vec<Vec<f64>> = problem.inputs().iter().map(|v| v.to_vec()).collect();
        let (states, _) = problem.literal(&inputs);
        let gradients = problem.literal_gradients(Reading::Cumulative);
        (problem, states, gradients)
    });
    let sets = Isa::available();
    assert_eq!(sets[0], Isa::Baseline);
    for isa in sets {
        assert!(Isa::force(isa));
        assert_eq!(Isa::active(), isa);
        check_pieces(isa);
        for (problem, states, gradients) in &mut problems {
            for (storage, error) in [(Storage::Full, 0.0), (Storage::Packed, 40.0 * 0.5 / 32767.0)] {
                problem.config.storage = storage;
                assert_close(isa.name(), &problem.kernel().0, states, 2e-5 + error);
                for (actual, expected) in problem.kernel_gradients(Reading::Cumulative).iter().zip(&*gradients) {
                    assert_close(isa.name(), actual, expected, 1e-4 + error);
                }
            }
        }
    }
}

/// The two reductions that are written out per instruction set, and exp.
fn pieces(a: f32, x: &[f32], y: &mut [f32], v: &[f32]) -> (f32, f32, f32) {
    (active::dot(x, v), active::axpy_dot(a, x, y, v), active::exp(x[0]))
}

fn check_pieces(isa: Isa) {
    for len in [1, 3, 7, 8, 9, 16, 31, 32, 33, 64, 100, 128, 515] {
        let (x, v, start) = (normals(len, 1.0, 1), normals(len, 1.0, 2), normals(len, 1.0, 3));
        let (x32, v32, mut y32) = (f32s(&x), f32s(&v), f32s(&start));
        let (dot, again, exp) = pieces(0.7, &x32, &mut y32, &v32);
        let expected: f64 = f64s(&x32).iter().zip(f64s(&v32)).map(|(a, b)| a * b).sum();
        let size: f64 = x.iter().zip(&v).map(|(a, b)| (a * b).abs()).sum::<f64>() + 1e-6;
        assert!((f64::from(dot) - expected).abs() < 1e-6 * size, "{} dot of {len}", isa.name());
        assert!((f64::from(again) - expected).abs() < 1e-6 * size, "{} axpy_dot of {len}", isa.name());
        let sum: Vec<f64> =
            f64s(&f32s(&start)).iter().zip(f64s(&x32)).map(|(y, x)| y + f64::from(0.7f32) * x).collect();
        assert_close(isa.name(), &y32, &sum, 1e-6);
        // Whole numbers of 16 bits go the same way.
        let whole: Vec<i16> = x.iter().map(|v| (v * 5000.0) as i16).collect();
        let mut y = f32s(&start);
        let (scaled, product) = (
            f32s(&whole.iter().map(|v| f64::from(*v)).collect::<Vec<_>>()),
            active::axpy_dot_packed(0.7, &whole, &mut y, &v32),
        );
        let (expected, _, _) = pieces(0.7, &scaled, &mut y32, &v32);
        assert!((product - expected).abs() <= 1e-6 * 5000.0 * size as f32, "{} whole numbers of {len}", isa.name());
        let sum: Vec<f64> =
            f64s(&f32s(&start)).iter().zip(&whole).map(|(y, x)| y + f64::from(0.7f32) * f64::from(*x)).collect();
        assert_close(isa.name(), &y, &sum, 1e-6);
        assert!((f64::from(exp) / f64::from(x32[0]).exp() - 1.0).abs() < 3e-7);
    }
}

#[test]
fn exp_is_close_to_the_exact_one_and_keeps_nan() {
    for n in -8700..8800 {
        let x = n as f32 / 100.0;
        let value = simd::exp::<simd::Portable>(x);
        let exact = f64::from(x).exp();
        assert!((f64::from(value) / exact - 1.0).abs() < 3e-7, "exp({x}) = {value}");
    }
    assert!(simd::exp::<simd::Portable>(f32::NAN).is_nan());
    for x in [-87.01, -104.0, -1e20, f32::MIN, f32::NEG_INFINITY] {
        assert_eq!(simd::exp::<simd::Portable>(x), 0.0, "exp({x})");
    }
    assert!(simd::exp::<simd::Portable>(f32::INFINITY).is_finite());
}
