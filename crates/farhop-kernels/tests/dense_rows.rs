//! Row by row pieces against their literal versions and exact gradients.

mod edge_support;

use edge_support::*;
use farhop_kernels::dense::layer_norm::Affine;
use farhop_kernels::dense::{graph_norm, rows};
use farhop_kernels::reference::edges as reference;

#[test]
fn normalised_rows_match_the_literal_version() {
    for width in [1, 3, 16, 37] {
        let mut x = normal(9 * width, 1);
        // A row that is shorter than epsilon, one of zeros.
        x[..width].iter_mut().for_each(|v| *v *= 1e-4);
        x[width..2 * width].fill(0.0);
        for epsilon in [1e-12f32, 0.01] {
            // Far apart gradients: compared row by row.
            for r in usize::from(epsilon < 1e-6) * 2..9 {
                let row = &x[r * width..(r + 1) * width];
                let dy = normal(width, 2);
                let (mut y, mut dx) = (unwritten(width), unwritten(width));
                rows::normalise(row, width, epsilon, &mut y);
                rows::normalise_backward(row, width, epsilon, &dy, &mut dx);
                let literal = |inputs: &[Vec<_>]| reference::row_normalise(&inputs[0], width, f64::from(epsilon));
                compare(&format!("{width}, row {r}"), &[row], literal, &y, &dy, &[&dx]);
            }
            let mut y = unwritten(x.len());
            rows::normalise(&x, width, epsilon, &mut y);
            assert!(y[width..2 * width].iter().all(|v| *v == 0.0), "a row of zeros stays");
        }
    }
}

#[test]
fn scaled_rows_and_their_products() {
    let (x, s, dy) = (normal(7 * 5, 1), normal(7, 2), normal(7 * 5, 3));
    let (mut y, mut dx, mut ds) = (unwritten(35), unwritten(35), unwritten(7));
    rows::scale(&x, 5, &s, &mut y);
    rows::scale(&dy, 5, &s, &mut dx);
    rows::dots(&x, &dy, 5, &mut ds);
    let literal = |inputs: &[Vec<_>]| (0..35).map(|at| inputs[0][at] * inputs[1][at / 5]).collect();
    compare("scale", &[&x, &s], literal, &y, &dy, &[&dx, &ds]);
}

#[test]
fn columns_come_back_as_they_were_joined() {
    let parts: Vec<(Vec<f32>, usize)> = [3, 1, 0, 4].map(|width| (normal(600 * width, width as u64), width)).to_vec();
    let views: Vec<(&[f32], usize)> = parts.iter().map(|(x, width)| (&x[..], *width)).collect();
    let mut joined = unwritten(600 * 8);
    rows::join_columns(&views, &mut joined);
    let mut start = 0;
    for (x, width) in views {
        assert!((0..600 * width).all(|at| joined[at / width * 8 + start + at % width] == x[at]));
        let mut back = unwritten(x.len());
        rows::take_columns(&joined, 8, start, width, &mut back);
        assert_eq!(back, x);
        start += width;
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (x, dy, s) = (normal(9000 * 11, 1), normal(9000 * 11, 2), normal(9000, 3));
    assert_same_on_any_threads("rows", || {
        let (mut y, mut dx, mut scaled, mut products) =
            (unwritten(x.len()), unwritten(x.len()), unwritten(x.len()), unwritten(9000));
        rows::normalise(&x, 11, 1e-6, &mut y);
        rows::normalise_backward(&x, 11, 1e-6, &dy, &mut dx);
        rows::scale(&x, 11, &s, &mut scaled);
        rows::dots(&x, &dy, 11, &mut products);
        [y, dx, scaled, products].concat()
    });
}

#[test]
fn graphs_normalised_as_a_whole_match_the_literal_version() {
    for width in [1, 5, 16] {
        // The second graph has no nodes, the last one has one.
        let offsets = [0usize, 4, 4, 11, 12];
        let (x, gamma, beta, dy) = (normal(12 * width, 1), normal(width, 2), normal(width, 3), normal(12 * width, 4));
        let affine = Affine { gamma: &gamma, beta: &beta, epsilon: 1e-5 };
        let (mut y, mut statistics, mut dx) = (unwritten(x.len()), unwritten(8), unwritten(x.len()));
        graph_norm::forward(&x, &offsets, affine, &mut y, &mut statistics);
        let gradient = graph_norm::backward(&x, &offsets, affine, &statistics, &dy, &mut dx);
        let literal =
            |inputs: &[Vec<_>]| reference::graph_norm(&inputs[0], &offsets, &inputs[1], &inputs[2], f64::from(1e-5f32));
        // A single number has a variance of zero: its large factor is not compared.
        if width > 1 {
            let found: [&[f32]; 3] = [&dx, &gradient.gamma, &gradient.beta];
            compare(&format!("{width}"), &[&x, &gamma, &beta], literal, &y, &dy, &found);
        }
    }
}
