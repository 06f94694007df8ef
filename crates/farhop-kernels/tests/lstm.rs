//! The long short-term memory over lists of arrays against its literal version, whose exact gradients come from the
//! tape.

mod dense_support;
mod tape_support;

use dense_support::{assert_close, assert_same_on_any_threads, normal};
use farhop_kernels::lstm::{self as kernel, Inputs, Weights};
use farhop_kernels::reference::sequences as literal;
use tape_support::exact;

/// w_in, w_rec, b_in, b_rec of both directions.
fn weights(width: usize, states: usize) -> Vec<Vec<f32>> {
    let sizes = [4 * states * width, 4 * states * states, 4 * states, 4 * states];
    (0..8).map(|at| normal(sizes[at % 4], 30 + at as u64).iter().map(|v| v * 0.7).collect()).collect()
}

fn view(weights: &[Vec<f32>]) -> Weights<'_> {
    Weights { w_in: &weights[0], w_rec: &weights[1], b_in: &weights[2], b_rec: &weights[3] }
}

/// y, the gradients of the arrays, and of the weights of both directions.
fn run(list: &[&[f32]], width: usize, states: usize, weights: &[Vec<f32>], dy: &[f32]) -> Vec<Vec<f32>> {
    let inputs = Inputs { list, width, states, directions: [view(&weights[..4]), view(&weights[4..])] };
    let mut y = vec![f32::NAN; dy.len()];
    kernel::forward(inputs, &mut y);
    let mut dx: Vec<Vec<f32>> = list.iter().map(|x| vec![f32::NAN; x.len()]).collect();
    let gradients = kernel::backward(inputs, dy, dx.iter_mut().map(|dx| &mut dx[..]).collect());
    let mut all = vec![y];
    all.extend(dx);
    for g in gradients {
        all.extend([g.w_in, g.w_rec, g.bias.clone(), g.bias]);
    }
    all
}

#[test]
fn the_literal_version_for_odd_sizes() {
    for (rows, width, states, length) in [(1, 1, 1, 1), (3, 2, 3, 4), (70, 3, 2, 2), (5, 7, 10, 3), (0, 2, 2, 2)] {
        let arrays: Vec<Vec<f32>> = (0..length as u64).map(|l| normal(rows * width, l)).collect();
        let list: Vec<&[f32]> = arrays.iter().map(|x| &x[..]).collect();
        let weights = weights(width, states);
        let dy = normal(rows * length * 2 * states, 50);
        let found = run(&list, width, states, &weights, &dy);
        let inputs: Vec<&[f32]> = list.iter().copied().chain(weights.iter().map(|w| &w[..])).collect();
        let (y, gradients) =
            exact(&inputs, &dy, |v| literal::lstm(&v[..length], width, [&v[length..length + 4], &v[length + 4..]]));
        assert_close("y", &found[0], &y, 2e-6);
        for (at, (found, expected)) in found[1..].iter().zip(&gradients).enumerate() {
            assert_close(&format!("gradient {at}"), found, expected, 1e-5);
        }
    }
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let (rows, width, states) = (1500, 6, 9);
    let arrays: Vec<Vec<f32>> = (0..3).map(|l| normal(rows * width, l)).collect();
    let list: Vec<&[f32]> = arrays.iter().map(|x| &x[..]).collect();
    let (weights, dy) = (weights(width, states), normal(rows * 6 * states, 9));
    assert_same_on_any_threads("lstm", || run(&list, width, states, &weights, &dy).concat());
}
