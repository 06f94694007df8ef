//! States of pairs against their literal versions, whose exact gradients come from the tape.

mod dense_support;
mod tape_support;

use dense_support::{assert_close, assert_same_on_any_threads, normal};
use farhop_kernels::dense::Dropout;
use farhop_kernels::heads::Heads;
use farhop_kernels::pairs::{Pairs, attention, gates};
use farhop_kernels::reference::pairs as literal;
use tape_support::exact;

/// h, W_q, b_q, W_k, e, W and b.
fn arrays(pairs: &Pairs, width: usize) -> [Vec<f32>; 7] {
    let (nodes, count) = (pairs.nodes(), pairs.count());
    let sizes = [nodes * width, width * width, width, width * width, count * width, 2 * width * width, 2 * width];
    let mut seed = 0;
    sizes.map(|size| {
        seed += 1;
        normal(size, seed)
    })
}

fn inputs<'a>(pairs: &'a Pairs, heads: usize, root: bool, arrays: &'a [Vec<f32>; 7]) -> gates::Inputs<'a> {
    let [h, query, query_bias, key, e, pair, pair_bias] = arrays;
    gates::Inputs { pairs, heads, root, h, query, query_bias, key, e, pair, pair_bias }
}

fn listed(gradients: gates::Gradients) -> [Vec<f32>; 7] {
    let gates::Gradients { h, query, query_bias, key, e, pair, pair_bias } = gradients;
    [h, query, query_bias, key, e, pair, pair_bias]
}

#[test]
fn gates_match_the_literal_version() {
    for (offsets, width, heads) in [(vec![0, 1], 1, 1), (vec![0, 3, 3, 8], 6, 3), (vec![0, 5, 9], 8, 2)] {
        for root in [true, false] {
            let pairs = Pairs::new(&offsets);
            let arrays = arrays(&pairs, width);
            let mut t = vec![f32::NAN; pairs.count() * width];
            let dt = normal(t.len(), 20);
            gates::forward(&inputs(&pairs, heads, root, &arrays), &mut t);
            let found = listed(gates::backward(&inputs(&pairs, heads, root, &arrays), &dt));
            let slices = arrays.each_ref().map(|array| &array[..]);
            let (expected, gradients) = exact(&slices, &dt, |x| {
                literal::gates(&pairs, Heads::new(width, heads), root, std::array::from_fn(|at| &x[at][..]))
            });
            assert_close("t", &t, &expected, 1e-6);
            for (at, (found, expected)) in found.iter().zip(&gradients).enumerate() {
                assert_close(&format!("{offsets:?}, {root}, gradient {at}"), found, expected, 1e-6);
            }
        }
    }
}

#[test]
fn a_root_of_nothing_has_no_slope() {
    let pairs = Pairs::new(&[0, 2]);
    let mut arrays = arrays(&pairs, 2);
    arrays[1].fill(0.0);
    arrays[2].fill(0.0);
    arrays[3].fill(0.0);
    let found = listed(gates::backward(&inputs(&pairs, 1, true, &arrays), &[1.0; 8]));
    assert!(found.iter().flatten().all(|value| value.is_finite()));
    assert!(found[2].iter().all(|value| *value == 0.0));
}

fn attended<'a>(pairs: &'a Pairs, heads: Heads, dropout: Dropout, arrays: &'a [Vec<f32>]) -> attention::Inputs<'a> {
    attention::Inputs { pairs, heads, limit: 2.0, dropout, t: &arrays[0], v: &arrays[1], u: &arrays[2] }
}

/// y and the gradients of t, v and u.
fn run(inputs: &attention::Inputs, dy: &[f32]) -> [Vec<f32>; 4] {
    let (mut y, mut a) = (vec![f32::NAN; dy.len()], vec![f32::NAN; inputs.pairs.count() * inputs.heads.count]);
    attention::forward(inputs, &mut y, &mut a);
    let [mut dt, mut dv, mut du] = [inputs.t, inputs.v, inputs.u].map(|array| vec![f32::NAN; array.len()]);
    attention::backward(inputs, &a, dy, &mut dt, &mut dv, &mut du);
    [y, dt, dv, du]
}

#[test]
fn attention_matches_the_literal_version() {
    for dropout in [Dropout::NONE, Dropout::new(0.4, 3)] {
        for (offsets, width, count) in [(vec![0, 1], 1, 1), (vec![0, 3, 3, 8], 6, 3), (vec![0, 7, 16], 10, 2)] {
            let (pairs, heads) = (Pairs::new(&offsets), Heads::new(width, count));
            let sizes = [pairs.count() * width, pairs.nodes() * width, width];
            // Some scores are beyond the limit.
            let arrays: Vec<Vec<f32>> = sizes.iter().zip(1..).map(|(size, seed)| normal(*size, seed)).collect();
            let dy = normal(pairs.nodes() * 2 * width, 9);
            let found = run(&attended(&pairs, heads, dropout, &arrays), &dy);
            let factor = |i: usize, h: usize, place: usize| f64::from(dropout.factor(i * count + h, place));
            let slices: Vec<&[f32]> = arrays.iter().map(|array| &array[..]).collect();
            let (expected, gradients) =
                exact(&slices, &dy, |x| literal::attention(&pairs, heads, 2.0, factor, [&x[0], &x[1], &x[2]]));
            assert_close("y", &found[0], &expected, 2e-6);
            for (at, expected) in gradients.iter().enumerate() {
                assert_close(&format!("{offsets:?}, gradient {at}"), &found[1 + at], expected, 1e-5);
            }
        }
    }
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let mut offsets: Vec<usize> = (0..6).map(|g| g * 13).collect();
    offsets.push(offsets[5] + 90);
    let (pairs, width) = (Pairs::new(&offsets), 24);
    let (arrays, heads) = (arrays(&pairs, width), Heads::new(width, 4));
    assert_same_on_any_threads("pairs", || {
        let mut t = vec![0.0; pairs.count() * width];
        gates::forward(&inputs(&pairs, 4, true, &arrays), &mut t);
        let gradients = listed(gates::backward(&inputs(&pairs, 4, true, &arrays), &t)).concat();
        let inner = [t, arrays[0].clone(), arrays[2].clone()];
        let attended = attended(&pairs, heads, Dropout::new(0.2, 4), &inner);
        let attention = run(&attended, &normal(pairs.nodes() * 2 * width, 5)).concat();
        [gradients, attention].concat()
    });
}
