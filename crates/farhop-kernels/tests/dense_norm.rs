//! Normalisation, activation, dropout and residual against the literal version in f64, and its finite differences.

mod dense_support;

use dense_support::{assert_close, assert_same_on_any_threads, differences, normal, weighted, wide};
use farhop_kernels::dense::batch_norm::{self, Statistics};
use farhop_kernels::dense::layer_norm::{self, Affine};
use farhop_kernels::dense::{Activation, Dropout, Finish, finish, reference};

const EPSILON: f32 = 1e-5;
const SHAPES: [(usize, usize); 4] = [(3, 1), (5, 7), (9, 33), (40, 20)];

/// An activation of each kind (none, with a jump, smooth), without and with dropout. `activations.rs` has all of them.
fn finishes() -> Vec<Finish> {
    let activations = [Activation::Identity, Activation::Relu, Activation::Gelu];
    let dropouts = [Dropout::NONE, Dropout::new(0.3, 11)];
    let all = activations.iter().flat_map(|&activation| dropouts.map(|dropout| Finish { activation, dropout }));
    all.collect()
}

struct Case {
    rows: usize,
    width: usize,
    finish: Finish,
    x: Vec<f32>,
    residual: Option<Vec<f32>>,
    gamma: Vec<f32>,
    beta: Vec<f32>,
    dy: Vec<f32>,
}

impl Case {
    fn affine(&self) -> Affine<'_> {
        Affine { gamma: &self.gamma, beta: &self.beta, epsilon: EPSILON }
    }

    fn residual(&self) -> Option<&[f32]> {
        self.residual.as_deref()
    }

    /// The block from `z` on, in f64.
    fn finished(&self, z: &[f64]) -> Vec<f64> {
        let residual = self.residual.as_deref().map(wide);
        reference::finish(z, residual.as_deref(), self.width, self.finish.activation, self.finish.dropout)
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (rows, width) in SHAPES {
        for finish in finishes() {
            for residual in [false, true] {
                let count = rows * width;
                cases.push(Case {
                    rows,
                    width,
                    finish,
                    x: normal(count, 1).iter().map(|v| 2.0 * v + 3.0).collect(),
                    residual: residual.then(|| normal(count, 2)),
                    gamma: normal(width, 3).iter().map(|v| v + 1.5).collect(),
                    beta: normal(width, 4),
                    dy: normal(count, 5),
                });
            }
        }
    }
    cases
}

/// The derivative of the activation jumps at 0: differences across it say nothing.
fn is_smooth(case: &Case, z: &[f64]) -> bool {
    case.finish.activation != Activation::Relu || z.iter().all(|v| v.abs() > 1e-3)
}

#[test]
fn finish_alone_matches_the_reference() {
    for case in cases() {
        let mut y = vec![f32::NAN; case.x.len()];
        finish::forward(&case.x, case.residual(), case.rows, case.width, &case.finish, &mut y);
        assert_close("y", &y, &case.finished(&wide(&case.x)), 1e-5);
        let mut dx = vec![f32::NAN; case.x.len()];
        finish::backward(&case.x, &case.dy, case.rows, case.width, &case.finish, &mut dx);
        if is_smooth(&case, &wide(&case.x)) {
            let expected = differences(&wide(&case.x), |x| weighted(&case.finished(x), &case.dy));
            assert_close("dx", &dx, &expected, 1e-4);
        }
    }
}

#[test]
fn layer_norm_matches_the_reference() {
    let mut compared = 0;
    for case in cases() {
        let run = |x: &[f64], gamma: &[f64], beta: &[f64]| reference::layer_norm(x, gamma, beta, f64::from(EPSILON));
        let (x, gamma, beta) = (wide(&case.x), wide(&case.gamma), wide(&case.beta));
        let mut y = vec![f32::NAN; case.x.len()];
        let mut statistics = vec![f32::NAN; case.rows * 2];
        layer_norm::forward(&case.x, case.residual(), case.affine(), case.rows, &case.finish, &mut y, &mut statistics);
        let z = run(&x, &gamma, &beta);
        assert_close("y", &y, &case.finished(&z), 1e-4);
        let mut dx = vec![f32::NAN; case.x.len()];
        let gradient =
            layer_norm::backward(&case.x, &statistics, case.affine(), &case.dy, case.rows, &case.finish, &mut dx);
        // One channel has no variance: everything but beta is flat, to a large rounding error.
        if is_smooth(&case, &z) && case.width > 1 {
            let loss = |z: Vec<f64>| weighted(&case.finished(&z), &case.dy);
            assert_close("dx", &dx, &differences(&x, |x| loss(run(x, &gamma, &beta))), 1e-3);
            assert_close("dgamma", &gradient.gamma, &differences(&gamma, |g| loss(run(&x, g, &beta))), 1e-4);
            assert_close("dbeta", &gradient.beta, &differences(&beta, |b| loss(run(&x, &gamma, b))), 1e-4);
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} cases compared");
}

#[test]
fn batch_norm_matches_the_reference() {
    let mut compared = 0;
    for case in cases() {
        let (x, gamma, beta) = (wide(&case.x), wide(&case.gamma), wide(&case.beta));
        let own = batch_norm::statistics(&case.x, case.rows, case.width);
        let (mean, variance) = reference::column_statistics(&x, case.width);
        assert_close("mean", &own.mean, &mean, 1e-6);
        assert_close("variance", &own.variance, &variance, 1e-5);
        let given = Statistics { mean: normal(case.width, 6), variance: vec![0.7; case.width] };
        for (statistics, through) in [(&own, true), (&given, false)] {
            let run = |x: &[f64], gamma: &[f64], beta: &[f64]| {
                let (mean, variance) = match through {
                    true => reference::column_statistics(x, case.width),
                    false => (wide(&given.mean), wide(&given.variance)),
                };
                reference::batch_norm(x, gamma, beta, &mean, &variance, f64::from(EPSILON))
            };
            let mut y = vec![f32::NAN; case.x.len()];
            batch_norm::forward(&case.x, case.residual(), case.affine(), statistics, case.rows, &case.finish, &mut y);
            let z = run(&x, &gamma, &beta);
            assert_close("y", &y, &case.finished(&z), 1e-4);
            let mut dx = vec![f32::NAN; case.x.len()];
            let gradient = batch_norm::backward(
                &case.x,
                case.affine(),
                statistics,
                through,
                &case.dy,
                case.rows,
                &case.finish,
                &mut dx,
            );
            if is_smooth(&case, &z) {
                let loss = |z: Vec<f64>| weighted(&case.finished(&z), &case.dy);
                assert_close("dx", &dx, &differences(&x, |x| loss(run(x, &gamma, &beta))), 1e-3);
                assert_close("dgamma", &gradient.gamma, &differences(&gamma, |g| loss(run(&x, g, &beta))), 1e-4);
                assert_close("dbeta", &gradient.beta, &differences(&beta, |b| loss(run(&x, &gamma, b))), 1e-4);
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared} cases compared");
}

#[test]
fn statistics_survive_a_large_mean() {
    let (rows, width) = (5000, 3);
    let x: Vec<f32> = normal(rows * width, 1).iter().map(|v| v + 10_000.0).collect();
    let found = batch_norm::statistics(&x, rows, width);
    let (mean, variance) = reference::column_statistics(&wide(&x), width);
    assert_close("mean", &found.mean, &mean, 1e-6);
    assert_close("variance", &found.variance, &variance, 1e-3);
}

#[test]
fn dropout_keeps_the_mean_and_the_share() {
    let (rows, width) = (500, 200);
    for probability in [0.1f32, 0.5, 0.9] {
        let dropout = Dropout::new(probability, 42);
        let factors = (0..rows * width).map(|at| dropout.factor(at / width, at % width));
        let dropped = factors.clone().filter(|f| *f == 0.0).count() as f64 / (rows * width) as f64;
        let mean = factors.map(f64::from).sum::<f64>() / (rows * width) as f64;
        let p = f64::from(probability);
        // Five standard deviations.
        let share_error = 5.0 * (p * (1.0 - p) / (rows * width) as f64).sqrt();
        assert!((dropped - p).abs() < share_error, "{probability}: dropped {dropped}");
        assert!((mean - 1.0).abs() < share_error / (1.0 - p), "{probability}: mean {mean}");
        let other = Dropout::new(probability, 43);
        let same = (0..rows * width)
            .filter(|at| dropout.factor(at / width, at % width) == other.factor(at / width, at % width))
            .count() as f64
            / (rows * width) as f64;
        let independent = p * p + (1.0 - p) * (1.0 - p);
        assert!((same - independent).abs() < 0.01, "{probability}: seeds agree on {same}, not {independent}");
    }
}

#[test]
fn dropout_masks_of_neighbours_are_independent() {
    let dropout = Dropout::new(0.5, 7);
    let on = |row: usize, column: usize| i64::from(dropout.factor(row, column) > 0.0) * 2 - 1;
    let (rows, width) = (400, 256);
    for (down, right) in [(0, 1), (1, 0), (1, 1), (0, 16), (0, 128), (2, 0)] {
        let pairs = (0..rows - down).flat_map(|r| (0..width - right).map(move |c| (r, c)));
        let sum: i64 = pairs.clone().map(|(r, c)| on(r, c) * on(r + down, c + right)).sum();
        let count = pairs.count() as f64;
        assert!((sum as f64).abs() < 5.0 * count.sqrt(), "({down}, {right}): correlation {}", sum as f64 / count);
    }
}

#[test]
fn not_a_number_is_not_hidden() {
    for activation in Activation::ALL {
        let finish = Finish { activation, dropout: Dropout::NONE };
        let mut y = vec![0.0; 2];
        finish::forward(&[f32::NAN, 1.0], None, 1, 2, &finish, &mut y);
        assert!(y[0].is_nan() && y[1].is_finite(), "{activation:?}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (rows, width) = (9001, 48);
    let finish = Finish { activation: Activation::Gelu, dropout: Dropout::new(0.25, 3) };
    let (x, residual, dy) = (normal(rows * width, 1), normal(rows * width, 2), normal(rows * width, 3));
    let (gamma, beta) = (normal(width, 4), normal(width, 5));
    let affine = Affine { gamma: &gamma, beta: &beta, epsilon: EPSILON };
    assert_same_on_any_threads("norms", || {
        let mut y = vec![0.0; rows * width];
        let mut dx = vec![0.0; rows * width];
        let mut statistics = vec![0.0; rows * 2];
        layer_norm::forward(&x, Some(&residual), affine, rows, &finish, &mut y, &mut statistics);
        let by_layer = layer_norm::backward(&x, &statistics, affine, &dy, rows, &finish, &mut dx);
        let mut all = [y.clone(), dx.clone(), by_layer.gamma, by_layer.beta].concat();
        let columns = batch_norm::statistics(&x, rows, width);
        batch_norm::forward(&x, None, affine, &columns, rows, &finish, &mut y);
        let by_batch = batch_norm::backward(&x, affine, &columns, true, &dy, rows, &finish, &mut dx);
        all.extend([y, dx, by_batch.gamma, by_batch.beta, columns.mean, columns.variance].concat());
        all
    });
}
