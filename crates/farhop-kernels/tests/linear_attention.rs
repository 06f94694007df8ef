//! Linear attention against its literal version, pair by pair, whose exact gradients come from the tape.

mod dense_support;
mod tape_support;

use dense_support::{assert_close, assert_same_on_any_threads, normal, wide};
use farhop_kernels::linear_attention::{self as kernel, Inputs, Settings};
use farhop_kernels::reference::graph_attention as literal;
use tape_support::exact;

const PLAIN: Settings = Settings {
    heads: 1,
    features: 1,
    channels: 1,
    own: 0.0,
    epsilon: 0.0,
    normalise: false,
    shared_values: false,
    interleaved: false,
};

/// q, k (positive unless normalised, so that denominators are safe) and v.
fn arrays(rows: usize, settings: &Settings) -> [Vec<f32>; 3] {
    let map = |v: &mut f32| *v = if settings.normalise { *v } else { 1.0 / (1.0 + (-*v).exp()) };
    let [mut q, mut k] = [1, 2].map(|seed| normal(rows * settings.key_width(), seed));
    q.iter_mut().for_each(map);
    k.iter_mut().for_each(map);
    [q, k, normal(rows * settings.value_width(), 3)]
}

/// y and the gradients of q, k and v.
fn run(inputs: Inputs, settings: &Settings, dy: &[f32]) -> [Vec<f32>; 4] {
    let mut y = vec![f32::NAN; dy.len()];
    kernel::forward(inputs, settings, &mut y);
    let [mut q, mut k, mut v] = [inputs.q, inputs.k, inputs.v].map(|array| vec![f32::NAN; array.len()]);
    kernel::backward(inputs, settings, dy, [&mut q, &mut k, &mut v]);
    [y, q, k, v]
}

fn compare(offsets: &[usize], settings: &Settings, draws: usize) {
    let rows = *offsets.last().unwrap();
    let [q, k, v] = arrays(rows, settings);
    let dy = normal(rows * settings.width(), 4);
    let weights: Vec<f32> = normal(draws * rows * settings.heads, 5).iter().map(|v| v.exp()).collect();
    let key_weights = (draws > 0).then_some(&weights[..]);
    let found = run(Inputs { q: &q, k: &k, v: &v, offsets, key_weights }, settings, &dy);
    let (y, gradients) = exact(&[&q, &k, &v], &dy, |x| {
        literal::linear_attention(&x[0], &x[1], &x[2], offsets, settings, &wide(&weights))
    });
    assert_close("y", &found[0], &y, 2e-6);
    for (at, name) in ["dq", "dk", "dv"].into_iter().enumerate() {
        assert_close(name, &found[1 + at], &gradients[at], 1e-5);
    }
}

#[test]
fn a_plain_quotient() {
    // A single row alone would be its own value, whatever q and k are.
    compare(&[0, 1], &Settings { epsilon: 0.5, ..PLAIN }, 0);
    compare(&[0, 5, 5, 6, 40], &Settings { heads: 3, features: 5, channels: 2, ..PLAIN }, 0);
    compare(&[0, 300], &Settings { heads: 1, features: 3, channels: 4, epsilon: 0.1, ..PLAIN }, 0);
}

#[test]
fn heads_that_take_turns_in_the_columns() {
    compare(&[0, 9, 21], &Settings { heads: 2, features: 4, channels: 4, interleaved: true, ..PLAIN }, 0);
    compare(&[0, 9, 21], &Settings { heads: 3, features: 2, channels: 5, interleaved: true, ..PLAIN }, 2);
}

#[test]
fn own_values_and_norms() {
    let settings = Settings { heads: 2, features: 3, channels: 3, own: 1.0, normalise: true, ..PLAIN };
    compare(&[0, 14], &settings, 0);
    compare(&[0, 1, 1, 8, 30], &settings, 0);
    compare(&[0, 4, 30], &Settings { shared_values: true, ..settings }, 0);
    compare(&[0, 4, 30], &Settings { own: 0.5, normalise: false, shared_values: true, ..settings }, 0);
}

#[test]
fn draws_of_key_weights_are_averaged() {
    compare(&[0, 6, 20], &Settings { heads: 2, features: 6, channels: 3, ..PLAIN }, 3);
    compare(&[0, 6, 20], &Settings { heads: 2, features: 2, channels: 3, own: 0.3, normalise: true, ..PLAIN }, 2);
}

#[test]
fn zeros_are_no_reason_for_numbers_that_are_not_finite() {
    let settings = Settings { features: 2, channels: 2, own: 1.0, normalise: true, ..PLAIN };
    let (zeros, v, dy) = ([0.0; 6], normal(6, 1), normal(6, 2));
    let [y, dq, dk, _] =
        run(Inputs { q: &zeros, k: &zeros, v: &v, offsets: &[0, 3], key_weights: None }, &settings, &dy);
    assert_close("y", &y, &wide(&v), 1e-6);
    assert!(dq.iter().chain(&dk).all(|g| g.is_finite()));
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let settings = Settings { heads: 3, features: 10, channels: 12, own: 1.0, normalise: true, ..PLAIN };
    let mut offsets: Vec<usize> = (0..30).map(|g| g * 41).collect();
    offsets.push(offsets[29] + 3000);
    let rows = *offsets.last().unwrap();
    let [q, k, v] = arrays(rows, &settings);
    let dy = normal(rows * settings.width(), 4);
    let inputs = Inputs { q: &q, k: &k, v: &v, offsets: &offsets, key_weights: None };
    assert_same_on_any_threads("linear attention", || run(inputs, &settings, &dy).concat());
}
