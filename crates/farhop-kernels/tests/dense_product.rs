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
        let (x, w, dy) = (normal(rows * inputs, 1), normal(inputs * outputs, 2), normal(rows * outputs, 3));
        let dx = reference::matmul(&wide(&dy), &transposed(&wide(&w), inputs, outputs), None, rows, outputs, inputs);
        let dw = reference::matmul(&transposed(&wide(&x), rows, inputs), &wide(&dy), None, inputs, rows, outputs);
        let db = reference::matmul(&vec![1.0; rows], &wide(&dy), None, 1, rows, outputs);
        for write in [Write::Replace, Write::Add] {
            let check = |what: &str, expected: &[f64], run: &dyn Fn(&mut [f32])| {
                let mut out = normal(expected.len(), 4);
                let start = wide(&out);
                run(&mut out);
                let base = |i: usize| if write == Write::Add { start[i] } else { 0.0 };
                let expected: Vec<f64> = expected.iter().enumerate().map(|(i, e)| e + base(i)).collect();
                assert_close(what, &out, &expected, 1e-5);
            };
            check("dx", &dx, &|out| matmul_transposed(&dy, &w, shape, write, out));
            check("dw", &dw, &|out| weight_gradient(&x, &dy, shape, write, out));
            check("db", &db, &|out| column_sums(&dy, rows, outputs, write, out));
        }
    }
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
