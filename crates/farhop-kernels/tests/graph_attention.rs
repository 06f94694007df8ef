//! Attention within graphs against its literal version, whose exact gradients come from the tape.

mod dense_support;
mod tape_support;

use dense_support::{assert_close, assert_same_on_any_threads, normal};
use farhop_kernels::dense::Dropout;
use farhop_kernels::graph_attention::{self as kernel, Inputs, Rows, Settings};
use farhop_kernels::reference::graph_attention as literal;
use tape_support::exact;

fn settings(heads: usize, channels: usize, dropout: Dropout) -> Settings {
    Settings { heads, channels, scale: 0.7 / (channels as f32).sqrt(), dropout }
}

/// y and the gradients of q, k and v.
fn run(inputs: Inputs, settings: &Settings, dy: &[f32]) -> [Vec<f32>; 4] {
    let rows = inputs.offsets.last().copied().unwrap_or(0);
    let mut y = vec![f32::NAN; dy.len()];
    let mut sums = vec![f32::NAN; rows * settings.heads];
    kernel::forward(inputs, settings, &mut y, &mut sums);
    let mut packed = vec![f32::NAN; 3 * dy.len()];
    kernel::backward(inputs, settings, &y, &sums, dy, &mut packed);
    let [mut q, mut k, mut v] = [(); 3].map(|()| vec![f32::NAN; dy.len()]);
    kernel::split(&packed, settings.width(), [&mut q, &mut k, &mut v]);
    [y, q, k, v]
}

fn compare(offsets: &[usize], settings: &Settings, size: f32) {
    compare_above(offsets, settings, size, 0.0);
}

/// Queries are `size` times normal, values lie around `level`.
fn compare_above(offsets: &[usize], settings: &Settings, size: f32, level: f32) {
    let width = settings.width();
    let count = offsets.last().unwrap() * width;
    let arrays: Vec<Vec<f32>> = (1..=4).map(|seed| normal(count, seed)).collect();
    let [q, k, v, dy] = &arrays[..] else { unreachable!() };
    let q: Vec<f32> = q.iter().map(|v| v * size).collect();
    let v = &v.iter().map(|v| v + level).collect::<Vec<f32>>();
    let whole = |data| Rows::whole(data, width);
    let inputs = Inputs { q: whole(&q), k: whole(k), v: whole(v), offsets };
    let found = run(inputs, settings, dy);
    let start = |i: usize| offsets[offsets.partition_point(|o| *o <= i) - 1];
    let factor =
        |i: usize, j: usize, h: usize| f64::from(settings.dropout.factor(i * settings.heads + h, j - start(i)));
    let (y, gradients) = exact(&[&q, k, v], dy, |x| {
        let scale = f64::from(settings.scale);
        literal::graph_attention(&x[0], &x[1], &x[2], offsets, settings.heads, settings.channels, scale, factor)
    });
    assert_close("y", &found[0], &y, 2e-6);
    for (at, name) in ["dq", "dk", "dv"].into_iter().enumerate() {
        assert_close(name, &found[1 + at], &gradients[at], 1e-5);
    }
}

#[test]
fn the_literal_version_for_odd_sizes_and_empty_graphs() {
    compare(&[0, 1], &settings(1, 1, Dropout::NONE), 1.0);
    compare(&[0, 5, 5, 6, 19], &settings(3, 5, Dropout::NONE), 1.0);
    compare(&[0, 0, 37, 41], &settings(2, 16, Dropout::NONE), 8.0);
    compare(&[0, 130, 131], &settings(1, 3, Dropout::NONE), 1.0);
    // Several blocks of keys, and more than a small segment.
    compare(&[0, 2, 523], &settings(1, 2, Dropout::NONE), 4.0);
}

#[test]
fn rows_with_one_weight_near_one_keep_their_gradients() {
    // What is left of a row's gradients is the difference of numbers that are alike.
    compare_above(&[0, 9, 30], &settings(2, 4, Dropout::NONE), 20.0, 50.0);
    compare_above(&[0, 9, 30], &settings(1, 4, Dropout::new(0.2, 3)), 20.0, 0.0);
}

#[test]
fn dropout_is_the_same_in_both_passes() {
    compare(&[0, 5, 5, 6, 19], &settings(2, 3, Dropout::new(0.3, 5)), 1.0);
    compare(&[0, 7, 540], &settings(1, 1, Dropout::new(0.6, 6)), 1.0);
}

#[test]
fn packed_arrays_give_the_same_bits() {
    let settings = settings(2, 7, Dropout::new(0.1, 1));
    let (offsets, width, rows) = ([0, 40, 57], settings.width(), 57);
    let (qkv, dy) = (normal(rows * 3 * width, 1), normal(rows * width, 2));
    let [mut q, mut k, mut v] = [(); 3].map(|()| vec![0.0; rows * width]);
    kernel::split(&qkv, width, [&mut q, &mut k, &mut v]);
    let whole = |data| Rows::whole(data, width);
    let apart = run(Inputs { q: whole(&q), k: whole(&k), v: whole(&v), offsets: &offsets }, &settings, &dy);
    assert!(apart == run(Inputs::packed(&qkv, width, &offsets), &settings, &dy));
}

#[test]
fn large_scores_do_not_overflow_and_weights_sum_to_one() {
    let settings = Settings { heads: 1, channels: 4, scale: 1.0, dropout: Dropout::NONE };
    let offsets = [0, 300];
    let mut qkv: Vec<f32> = normal(300 * 12, 3).iter().map(|v| v * 30.0).collect();
    qkv.chunks_exact_mut(12).for_each(|row| row[8..].fill(2.0));
    let dy = normal(300 * 4, 4);
    let [y, ..] = run(Inputs::packed(&qkv, 4, &offsets), &settings, &dy);
    assert_close("y", &y, &[2.0; 1200], 1e-6);
}

#[test]
fn a_number_that_is_not_finite_stays_in_its_graph() {
    let settings = settings(1, 2, Dropout::NONE);
    let offsets = [0, 3, 8];
    let mut qkv = normal(8 * 6, 1);
    qkv[6 + 2] = f32::NAN;
    let mut y = vec![0.0; 16];
    kernel::forward(Inputs::packed(&qkv, 2, &offsets), &settings, &mut y, &mut [0.0; 8]);
    assert!(y[..6].iter().all(|v| v.is_nan()) && y[6..].iter().all(|v| v.is_finite()));
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let settings = settings(3, 8, Dropout::new(0.2, 9));
    let mut offsets: Vec<usize> = (0..40).map(|g| g * 31).collect();
    offsets.push(offsets[39] + 900);
    let rows = *offsets.last().unwrap();
    let (qkv, dy) = (normal(rows * 72, 1), normal(rows * 24, 2));
    assert_same_on_any_threads("attention", || run(Inputs::packed(&qkv, 24, &offsets), &settings, &dy).concat());
}
