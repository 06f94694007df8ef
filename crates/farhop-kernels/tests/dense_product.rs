//! Matrix products against the literal version in f64.

mod dense_support;

use dense_support::{assert_close, assert_same_on_any_threads, normal, wide};
use farhop_kernels::dense::product::{Shape, column_sums, matmul, matmul_transposed, weight_gradient};
use farhop_kernels::dense::{Write, reference};

const SHAPES: [(usize, usize, usize); 8] =
    [(0, 3, 2), (1, 1, 1), (5, 0, 3), (4, 3, 0), (7, 3, 5), (65, 17, 33), (300, 40, 9), (2100, 5, 70)];

fn shapes() -> impl Iterator<Item = Shape> {
    SHAPES.into_iter().map(|(rows, inputs, outputs)| Shape { rows, inputs, outputs })
}

fn transposed(values: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows * columns).map(|at| values[at % rows * columns + at / rows]).collect()
}

#[test]
fn matmul_is_the_sum_of_products() {
    for shape in shapes() {
        let Shape { rows, inputs, outputs } = shape;
        let (x, w, b) = (normal(rows * inputs, 1), normal(inputs * outputs, 2), normal(outputs, 3));
        for bias in [None, Some(b.as_slice())] {
            let wide_bias = bias.map(wide);
            let expected = reference::matmul(&wide(&x), &wide(&w), wide_bias.as_deref(), rows, inputs, outputs);
            let before = normal(rows * outputs, 4);
            let mut y = before.clone();
            matmul(&x, &w, bias, shape, Write::Replace, &mut y);
            assert_close("replaced", &y, &expected, 1e-5);
            let mut y = before.clone();
            matmul(&x, &w, bias, shape, Write::Add, &mut y);
            let sum: Vec<f64> = expected.iter().zip(&before).map(|(e, b)| e + f64::from(*b)).collect();
            assert_close("added", &y, &sum, 1e-5);
        }
    }
}

#[test]
fn gradients_are_products_with_the_transposed() {
    for shape in shapes() {
        let Shape { rows, inputs, outputs } = shape;
        check_gradients(&normal(rows * inputs, 1), &normal(inputs * outputs, 2), &normal(rows * outputs, 3), shape);
    }
}

fn check_gradients(x: &[f32], w: &[f32], dy: &[f32], shape: Shape) {
    let Shape { rows, inputs, outputs } = shape;
    let dx = reference::matmul(&wide(dy), &transposed(&wide(w), inputs, outputs), None, rows, outputs, inputs);
    let dw = reference::matmul(&transposed(&wide(x), rows, inputs), &wide(dy), None, inputs, rows, outputs);
    let db = reference::matmul(&vec![1.0; rows], &wide(dy), None, 1, rows, outputs);
    for write in [Write::Replace, Write::Add] {
        let check = |what: &str, expected: &[f64], run: &dyn Fn(&mut [f32])| {
            let mut out = normal(expected.len(), 4);
            let start = wide(&out);
            run(&mut out);
            let base = |i: usize| if write == Write::Add { start[i] } else { 0.0 };
            let expected: Vec<f64> = expected.iter().enumerate().map(|(i, e)| e + base(i)).collect();
            assert_close(what, &out, &expected, 1e-5);
        };
        check("dx", &dx, &|out| matmul_transposed(dy, w, shape, write, out));
        check("dw", &dw, &|out| weight_gradient(x, dy, shape, write, out));
        check("db", &db, &|out| column_sums(dy, rows, outputs, write, out));
    }
}

/// Few nodes have labels: the gradient of most rows is zero.
#[test]
fn rows_of_zeros_are_left_out_of_gradients() {
    for (every, rows) in [(2, 40), (3, 1500), (97, 1500), (2000, 1500)] {
        let shape = Shape { rows, inputs: 19, outputs: 33 };
        let (x, w) = (normal(rows * shape.inputs, 1), normal(shape.inputs * shape.outputs, 2));
        let mut dy = normal(rows * shape.outputs, 3);
        for (row, values) in dy.chunks_exact_mut(shape.outputs).enumerate().filter(|(row, _)| row % every != 1) {
            values.fill(if row % 2 == 0 { 0.0 } else { -0.0 });
        }
        check_gradients(&x, &w, &dy, shape);
    }
}

#[test]
fn a_row_has_the_same_bits_however_many_others_are_zeros() {
    for (inputs, outputs) in [(4, 4), (19, 33), (70, 600)] {
        let shape = Shape { rows: 1100, inputs, outputs };
        let (dy, w) = (normal(shape.rows * outputs, 3), normal(inputs * outputs, 2));
        let gradient = |dy: &[f32]| {
            let mut dx = vec![f32::NAN; shape.rows * inputs];
            matmul_transposed(dy, &w, shape, Write::Replace, &mut dx);
            dx
        };
        let all = gradient(&dy);
        for every in [3, 50, 1000] {
            let mut few = dy.clone();
            few.chunks_exact_mut(outputs).enumerate().for_each(|(row, values)| {
                if row % every != 2 {
                    values.fill(0.0);
                }
            });
            for (row, (few, all)) in gradient(&few).chunks_exact(inputs).zip(all.chunks_exact(inputs)).enumerate() {
                let expected = if row % every == 2 { all.to_vec() } else { vec![0.0; inputs] };
                assert_eq!(few, expected, "row {row}, every {every}");
            }
        }
    }
}

#[test]
fn a_gradient_that_is_no_number_is_not_taken_for_zero() {
    let shape = Shape { rows: 100, inputs: 4, outputs: 3 };
    let (x, w) = (normal(400, 1), normal(12, 2));
    let mut dy = vec![0.0; 300];
    dy[7 * 3 + 1] = f32::NAN;
    let (mut dx, mut dw) = (vec![0.0; 400], vec![0.0; 12]);
    matmul_transposed(&dy, &w, shape, Write::Replace, &mut dx);
    weight_gradient(&x, &dy, shape, Write::Replace, &mut dw);
    assert!(dx[28..32].iter().all(|v| v.is_nan()) && dw.iter().skip(1).step_by(3).all(|v| v.is_nan()));
    assert!(dx[..28].iter().chain(&dx[32..]).all(|v| *v == 0.0));
}

#[test]
fn threads_do_not_change_a_bit() {
    let shape = Shape { rows: 20_011, inputs: 48, outputs: 40 };
    let x = normal(shape.rows * shape.inputs, 1);
    let w = normal(shape.inputs * shape.outputs, 2);
    let dy = normal(shape.rows * shape.outputs, 3);
    assert_same_on_any_threads("products", || {
        let mut y = vec![0.0; shape.rows * shape.outputs];
        matmul(&x, &w, Some(&w[..shape.outputs]), shape, Write::Replace, &mut y);
        let mut dx = vec![0.0; shape.rows * shape.inputs];
        matmul_transposed(&dy, &w, shape, Write::Replace, &mut dx);
        let mut dw = vec![0.0; shape.inputs * shape.outputs];
        weight_gradient(&x, &dy, shape, Write::Replace, &mut dw);
        let mut db = vec![0.0; shape.outputs];
        column_sums(&dy, shape.rows, shape.outputs, Write::Replace, &mut db);
        [y, dx, dw, db].concat()
    });
}
