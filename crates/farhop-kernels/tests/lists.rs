//! Lists of arrays taken together against their literal versions, whose exact gradients come from the tape.

mod dense_support;
mod tape_support;

use dense_support::{assert_close, assert_same_on_any_threads, normal};
use farhop_kernels::lists;
use farhop_kernels::reference::lists as literal;
use tape_support::exact;

#[test]
fn softmax_of_short_rows() {
    for (rows, width) in [(1, 1), (7, 3), (0, 4), (900, 11)] {
        let x: Vec<f32> = normal(rows * width, 1).iter().map(|v| v * 20.0).collect();
        let dy = normal(rows * width, 2);
        let mut y = vec![f32::NAN; x.len()];
        lists::row_softmax(&x, width, &mut y);
        let (expected, gradients) = exact(&[&x], &dy, |v| literal::row_softmax(&v[0], width));
        assert_close("y", &y, &expected, 1e-6);
        let mut dx = dy.clone();
        lists::row_softmax_backward(&y, width, &mut dx);
        assert_close("dx", &dx, &gradients[0], 1e-6);
    }
}

/// y, the gradient of the weights and those of all arrays.
fn run_mix(weights: &[f32], x: &[&[f32]], width: usize, dy: &[f32]) -> Vec<Vec<f32>> {
    let mut y = vec![f32::NAN; dy.len()];
    lists::mix(weights, x, width, &mut y);
    let mut dx = vec![vec![f32::NAN; dy.len()]; x.len()];
    let outs = dx.iter_mut().map(|dx| Some(&mut dx[..])).collect();
    let dw = lists::mix_backward(weights, x, width, dy, true, outs).unwrap();
    [vec![y, dw], dx].concat()
}

#[test]
fn weighted_sums_of_arrays() {
    for (rows, width, count) in [(1, 1, 1), (7, 5, 3), (2, 4, 2), (700, 33, 4), (0, 3, 2)] {
        for shared in [false, true] {
            let weights = normal(if shared { count } else { rows * count }, 1);
            let arrays: Vec<Vec<f32>> = (0..count as u64).map(|l| normal(rows * width, 2 + l)).collect();
            let x: Vec<&[f32]> = arrays.iter().map(|x| &x[..]).collect();
            let dy = normal(rows * width, 20);
            let found = run_mix(&weights, &x, width, &dy);
            let inputs = [vec![&weights[..]], x].concat();
            let (y, gradients) = exact(&inputs, &dy, |v| literal::mix(&v[0], &v[1..], width));
            assert_close("y", &found[0], &y, 1e-6);
            for (found, expected) in found[1..].iter().zip(&gradients) {
                assert_close("gradient", found, expected, 1e-5);
            }
        }
    }
}

#[test]
fn gradients_that_nobody_wants_are_left_out() {
    let (weights, x, dy) = (normal(6, 1), normal(9, 2), normal(9, 3));
    let mut dx = vec![f32::NAN; 9];
    let dw = lists::mix_backward(&weights, &[&x, &x], 3, &dy, false, vec![None, Some(&mut dx)]);
    assert!(dw.is_none() && dx.iter().all(|v| v.is_finite()));
}

#[test]
fn largest_values_of_arrays() {
    let arrays: Vec<Vec<f32>> = (0..4).map(|l| normal(77, l)).collect();
    let mut arrays = arrays;
    // Equal values: the first one wins.
    arrays[3][5] = 9.0;
    arrays[1][5] = 9.0;
    let x: Vec<&[f32]> = arrays.iter().map(|x| &x[..]).collect();
    let dy = normal(77, 9);
    let (mut y, mut winners) = (vec![f32::NAN; 77], vec![9; 77]);
    lists::maximum(&x, &mut y, &mut winners);
    let (expected, gradients) = exact(&x, &dy, literal::maximum);
    assert_close("y", &y, &expected, 1e-7);
    assert_eq!(winners[5], 1);
    for (l, expected) in gradients.iter().enumerate() {
        let mut dx = vec![f32::NAN; 77];
        lists::maximum_backward(&winners, l, &dy, &mut dx);
        assert_close("dx", &dx, expected, 1e-7);
    }
    let mut hidden = arrays[2].clone();
    hidden[7] = f32::NAN;
    lists::maximum(&[&arrays[0], &hidden, &arrays[1]], &mut y, &mut winners);
    assert!(y[7].is_nan());
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let (rows, width) = (3000, 24);
    let arrays: Vec<Vec<f32>> = (0..3).map(|l| normal(rows * width, l)).collect();
    let x: Vec<&[f32]> = arrays.iter().map(|x| &x[..]).collect();
    let (scores, shared, dy) = (normal(rows * 3, 4), normal(3, 5), normal(rows * width, 6));
    assert_same_on_any_threads("lists", || {
        let mut weights = vec![0.0; scores.len()];
        lists::row_softmax(&scores, 3, &mut weights);
        let mut all = [run_mix(&weights, &x, width, &dy).concat(), run_mix(&shared, &x, width, &dy).concat()].concat();
        let (mut y, mut winners) = (vec![0.0; rows * width], vec![0; rows * width]);
        lists::maximum(&x, &mut y, &mut winners);
        all.extend(y);
        all
    });
}
