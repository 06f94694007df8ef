//! The selective scan and the causal convolution against their literal versions, whose exact gradients come from the
//! tape, and against outside numbers.

mod dense_support;
mod tape_support;

use std::path::Path;

use dense_support::{assert_close, assert_same_on_any_threads, normal};
use farhop_kernels::causal_convolution as convolution;
use farhop_kernels::reference::sequences as literal;
use farhop_kernels::selective_scan::{self as scan, Inputs};
use serde_json::Value;
use tape_support::exact;

/// u, delta, A, B, C, D, z, bias.
fn arrays(rows: usize, channels: usize, states: usize) -> [Vec<f32>; 8] {
    let mut a = normal(channels * states, 3);
    a.iter_mut().for_each(|a| *a = -a.exp());
    let wide = |seed| normal(rows * channels, seed);
    let narrow = |seed| normal(rows * states, seed);
    [wide(1), wide(2), a, narrow(4), narrow(5), normal(channels, 6), wide(7), normal(channels, 8)]
}

fn view<'a>(arrays: &'a [Vec<f32>; 8], offsets: &'a [usize], channels: usize, states: usize) -> Inputs<'a> {
    let [u, delta, a, b, c, d, z, bias] = arrays.each_ref().map(|array| &array[..]);
    let given = |array: &'a [f32]| if array.is_empty() { None } else { Some(array) };
    Inputs { u, delta, a, b, c, d, z: given(z), bias: given(bias), offsets, channels, states }
}

/// y and the gradients of all arrays, in order.
fn run_scan(inputs: Inputs, dy: &[f32]) -> Vec<Vec<f32>> {
    let mut y = vec![f32::NAN; dy.len()];
    let mut kept = vec![f32::NAN; scan::kept_len(inputs.offsets, inputs.channels, inputs.states)];
    scan::forward(inputs, &mut y, Some(&mut kept));
    let mut alone = vec![f32::NAN; dy.len()];
    scan::forward(inputs, &mut alone, None);
    assert_eq!(y, alone, "whether states are kept changes nothing");
    let g = scan::backward(inputs, &kept, dy);
    let bias = if inputs.bias.is_some() { g.bias } else { Vec::new() };
    vec![y, g.u, g.delta, g.a, g.b, g.c, g.d, g.z.unwrap_or_default(), bias]
}

const NAMES: [&str; 9] = ["y", "du", "d delta", "dA", "dB", "dC", "dD", "dz", "d bias"];

#[test]
fn the_literal_scan_for_odd_sizes_and_empty_sequences() {
    let cases: [(&[usize], usize, usize, bool); 6] = [
        (&[0, 1], 1, 1, true),
        (&[0, 5, 5, 6, 13], 3, 4, true),
        (&[0, 33, 97], 17, 3, true),
        (&[0, 64, 64, 96], 2, 5, false),
        (&[0, 7], 40, 16, true),
        (&[0, 0], 2, 2, false),
    ];
    for (offsets, channels, states, gated) in cases {
        let rows = *offsets.last().unwrap();
        let mut arrays = arrays(rows, channels, states);
        if !gated {
            (arrays[6], arrays[7]) = (Vec::new(), Vec::new());
        }
        let dy = normal(rows * channels, 9);
        let found = run_scan(view(&arrays, offsets, channels, states), &dy);
        let (y, gradients) = exact(&arrays.each_ref().map(|array| &array[..]), &dy, |variables| {
            let variables: &[_; 8] = variables.try_into().unwrap();
            literal::selective_scan(variables, offsets, channels, states)
        });
        assert_close("y", &found[0], &y, 1e-5);
        for at in 0..8 {
            assert_close(NAMES[at + 1], &found[at + 1], &gradients[at], 2e-5);
        }
    }
}

#[test]
fn the_scan_has_the_numbers_of_mambas_own() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/selective_scan.json");
    let fixture: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let numbers =
        |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
    let narrow = |value: &Value| -> Vec<f32> { numbers(value).iter().map(|v| *v as f32).collect() };
    let size = |name: &str| fixture[name].as_u64().unwrap() as usize;
    let offsets: Vec<usize> = numbers(&fixture["offsets"]).iter().map(|v| *v as usize).collect();
    let arrays: [Vec<f32>; 8] = std::array::from_fn(|at| narrow(&fixture["inputs"][at]));
    let wide: [Vec<f64>; 8] = std::array::from_fn(|at| numbers(&fixture["inputs"][at]));
    let (channels, states) = (size("channels"), size("states"));
    let y = literal::selective_scan(&wide, &offsets, channels, states);
    for (found, expected) in y.iter().zip(numbers(&fixture["out"])) {
        assert!((found - expected).abs() < 1e-12, "the literal version: {found} instead of {expected}");
    }
    let found = run_scan(view(&arrays, &offsets, channels, states), &narrow(&fixture["cotangent"]));
    assert_close("y", &found[0], &numbers(&fixture["out"]), 1e-6);
    for at in 0..8 {
        assert_close(NAMES[at + 1], &found[at + 1], &numbers(&fixture["gradients"][at]), 3e-6);
    }
}

#[test]
fn the_scan_has_the_same_bits_with_any_number_of_threads() {
    let (channels, states) = (70, 5);
    for offsets in [vec![0, 700], (0..40).map(|s| s * 23).collect()] {
        let rows = *offsets.last().unwrap();
        let (arrays, dy) = (arrays(rows, channels, states), normal(rows * channels, 9));
        let inputs = view(&arrays, &offsets, channels, states);
        assert_same_on_any_threads("scan", || run_scan(inputs, &dy).concat());
    }
}

/// y and the gradients of x, weight and bias.
fn run_convolution(x: &[f32], weight: &[f32], bias: &[f32], offsets: &[usize], dy: &[f32]) -> Vec<Vec<f32>> {
    let mut y = vec![f32::NAN; x.len()];
    convolution::forward(x, weight, bias, offsets, &mut y);
    let mut dx = vec![f32::NAN; x.len()];
    let (dw, db) = convolution::backward(x, weight, bias.len(), offsets, dy, &mut dx);
    vec![y, dx, dw, db]
}

#[test]
fn the_literal_convolution_for_odd_sizes_and_short_sequences() {
    for (offsets, channels, taps) in [
        (vec![0, 1], 1, 1),
        (vec![0, 1, 1, 3, 9, 20], 3, 4),
        (vec![0, 700, 701], 5, 4),
        (vec![0, 2, 5], 18, 7),
        (vec![0, 0], 2, 3),
    ] {
        let rows = *offsets.last().unwrap();
        let (x, dy) = (normal(rows * channels, 1), normal(rows * channels, 2));
        let (weight, bias) = (normal(channels * taps, 3), normal(channels, 4));
        let found = run_convolution(&x, &weight, &bias, &offsets, &dy);
        let (y, gradients) =
            exact(&[&x, &weight, &bias], &dy, |v| literal::causal_convolution(&v[0], &v[1], &v[2], &offsets));
        assert_close("y", &found[0], &y, 1e-6);
        assert_close("dx", &found[1], &gradients[0], 1e-6);
        assert_close("d weight", &found[2], &gradients[1], 1e-5);
        assert_close("d bias", &found[3], &gradients[2], 1e-5);
    }
}

#[test]
fn the_convolution_does_not_look_ahead() {
    let offsets = [0, 6];
    let (mut x, weight, bias) = (normal(12, 1), normal(8, 2), normal(2, 3));
    let mut y = vec![0.0; 12];
    convolution::forward(&x, &weight, &bias, &offsets, &mut y);
    let before = y.clone();
    x[6..].fill(9.0);
    convolution::forward(&x, &weight, &bias, &offsets, &mut y);
    assert_eq!(before[..6], y[..6]);
    assert_ne!(before[6..8], y[6..8]);
}

#[test]
fn the_convolution_has_the_same_bits_with_any_number_of_threads() {
    let offsets: Vec<usize> = (0..60).map(|s| s * 37).collect();
    let rows = *offsets.last().unwrap();
    let (x, dy) = (normal(rows * 48, 1), normal(rows * 48, 2));
    let (weight, bias) = (normal(48 * 4, 3), normal(48, 4));
    assert_same_on_any_threads("convolution", || run_convolution(&x, &weight, &bias, &offsets, &dy).concat());
}
