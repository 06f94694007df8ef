//! What goes into and out of a model: table rows, eigenvectors, readouts and sparse numbers against their literal versions, whose
//! exact gradients come from the tape.

mod dense_support;

use dense_support::{assert_close, assert_same_on_any_threads, normal, wide};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, build};
use farhop_kernels::dense::Dropout;
use farhop_kernels::elimination::{self, Attention, Mode, Reading, Source, Storage};
use farhop_kernels::embedding::{self, Categories};
use farhop_kernels::heads::Heads;
use farhop_kernels::reference::tape::{self, Var};
use farhop_kernels::reference::{Real, inputs as literal};
use farhop_kernels::segments::{self, Reduction};
use farhop_kernels::sign_invariant::{self, Inputs};
use farhop_kernels::sparse_features::SparseFeatures;

/// The exact gradients of `sum of weights * y` by the inputs.
fn exact(inputs: &[&[f32]], weights: &[f32], run: impl Fn(&[Vec<Var>]) -> Vec<Var>) -> Vec<Vec<f64>> {
    let inputs: Vec<Vec<f64>> = inputs.iter().map(|values| wide(values)).collect();
    let variables = tape::record(&inputs.iter().map(|values| &values[..]).collect::<Vec<_>>());
    let y = run(&variables);
    assert_eq!(y.len(), weights.len());
    let loss = y.iter().zip(weights).fold(Var::of(0.0), |sum, (y, w)| sum + *y * Var::of(f64::from(*w)));
    tape::gradients(loss, &variables)
}

fn some_categories(rows: usize, counts: &[u32], seed: u64) -> Vec<u16> {
    let mut stream = Stream::new(seed);
    (0..rows)
        .flat_map(|_| counts.iter().map(|&count| stream.below(u64::from(count)) as u16).collect::<Vec<_>>())
        .collect()
}

#[test]
fn embedding_matches_the_reference() {
    for (rows, counts, width) in [(1, vec![1], 1), (7, vec![3, 2], 4), (400, vec![5, 1, 9], 3), (6, vec![50], 8)] {
        let values = some_categories(rows, &counts, 1);
        let categories = Categories::new(values.clone(), &counts);
        let size = categories.table_rows() * width;
        let (table, dy) = (normal(size, 2), normal(rows * width, 3));
        let mut y = vec![f32::NAN; rows * width];
        embedding::forward(&categories, &table, width, &mut y);
        assert_close("y", &y, &literal::embedding(&values, &counts, &wide(&table), width), 1e-6);
        let found = embedding::backward(&categories, &dy, width);
        let expected = exact(&[&table], &dy, |v| literal::embedding(&values, &counts, &v[0], width));
        assert_close("table", &found, &expected[0], 1e-5);
    }
}

#[test]
#[should_panic(expected = "category 3 in column 1")]
fn a_category_out_of_range_is_refused() {
    Categories::new(vec![0, 2, 1, 3], &[2, 3]);
}

#[test]
fn eigenvectors_match_the_reference_for_all_signs() {
    let (rows, columns, width) = (150, 4, 5);
    let mut vectors = normal(rows * columns, 1);
    let (slopes, shifts, dy) = (normal(columns * width, 2), normal(columns * width, 3), normal(rows * width, 4));
    let run = |vectors: &[f32]| {
        let inputs = Inputs { vectors, slopes: &slopes, shifts: &shifts, columns, width };
        let mut y = vec![f32::NAN; rows * width];
        sign_invariant::forward(inputs, &mut y);
        (y, sign_invariant::backward(inputs, &dy))
    };
    let (y, (d_slopes, d_shifts)) = run(&vectors);
    let reference = |a: &[Var], b: &[Var]| literal::sign_invariant(&wide(&vectors), columns, a, b, width);
    let values = literal::sign_invariant(&wide(&vectors), columns, &wide(&slopes), &wide(&shifts), width);
    assert_close("y", &y, &values, 1e-6);
    let expected = exact(&[&slopes, &shifts], &dy, |v| reference(&v[0], &v[1]));
    assert_close("slopes", &d_slopes, &expected[0], 1e-5);
    assert_close("shifts", &d_shifts, &expected[1], 1e-5);
    vectors.iter_mut().skip(2).step_by(columns).for_each(|v| *v = -*v);
    let (flipped, _) = run(&vectors);
    assert_close("flipped", &flipped, &wide(&y), 1e-6);
}

#[test]
fn readouts_match_the_reference() {
    let (width, offsets) = (3, [0, 4, 4, 5, 12]);
    let mut x = normal(12 * width, 1);
    x[width] = x[0].max(1.0);
    x[0] = x[width];
    for reduction in [Reduction::Mean, Reduction::Sum, Reduction::Max] {
        let dy = normal(4 * width, 2);
        let mut y = vec![f32::NAN; 4 * width];
        let mut from = vec![u32::MAX; if reduction == Reduction::Max { y.len() } else { 0 }];
        segments::forward(&x, width, &offsets, reduction, &mut y, &mut from);
        assert_close("y", &y, &literal::segments(&wide(&x), width, &offsets, reduction), 1e-6);
        assert_eq!(y[width..2 * width], [0.0; 3], "no nodes, no signal");
        let mut dx = vec![f32::NAN; x.len()];
        segments::backward(&dy, width, &offsets, reduction, &from, &mut dx);
        let expected = exact(&[&x], &dy, |v| literal::segments(&v[0], width, &offsets, reduction));
        assert_close("dx", &dx, &expected[0], 1e-6);
    }
}

#[test]
fn sparse_rows_are_the_dense_matrix() {
    let (rows, columns, outputs) = (40, 12, 5);
    let mut dense = normal(rows * columns, 1);
    dense.iter_mut().enumerate().filter(|(at, _)| at % 3 != 0).for_each(|(_, v)| *v = 0.0);
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in dense.chunks_exact(columns) {
        // Backwards: the order within a row does not matter.
        for (column, &value) in row.iter().enumerate().rev().filter(|(_, v)| **v != 0.0) {
            indices.push(column as u32);
            values.push(value);
        }
        offsets.push(indices.len());
    }
    let sparse = SparseFeatures::from_rows(offsets, indices, values, columns);
    let mut back = vec![f32::NAN; dense.len()];
    sparse.write_dense(&mut back);
    assert_eq!(back, dense);
    let dropout = Dropout::new(0.4, 5);
    let dropped: Vec<f32> =
        dense.iter().enumerate().map(|(at, v)| v * dropout.factor(at / columns, at % columns)).collect();
    sparse.dropped(&dropout).write_dense(&mut back);
    assert_eq!(back, dropped);
    // The columns are dropped as the rows are.
    let dy = normal(rows * outputs, 2);
    let mut dw = vec![f32::NAN; columns * outputs];
    sparse.dropped(&dropout).weight_gradient(&dy, outputs, &mut dw);
    let expected: Vec<f64> = (0..columns * outputs)
        .map(|at| {
            (0..rows).map(|r| f64::from(dropped[r * columns + at / outputs] * dy[r * outputs + at % outputs])).sum()
        })
        .collect();
    assert_close("dw", &dw, &expected, 1e-5);
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let (rows, width) = (6000, 48);
    let categories = Categories::new(some_categories(rows, &[7, 200], 1), &[7, 200]);
    let (table, dy) = (normal(207 * width, 2), normal(rows * width, 3));
    let (vectors, slopes, shifts) = (normal(rows * 4, 4), normal(4 * width, 5), normal(4 * width, 6));
    let offsets: Vec<usize> = (0..=rows).step_by(20).collect();
    assert_same_on_any_threads("inputs", || {
        let mut y = vec![0.0; rows * width];
        embedding::forward(&categories, &table, width, &mut y);
        let mut all = y.clone();
        all.extend(embedding::backward(&categories, &dy, width));
        let inputs = Inputs { vectors: &vectors, slopes: &slopes, shifts: &shifts, columns: 4, width };
        sign_invariant::forward(inputs, &mut y);
        all.extend_from_slice(&y);
        let (a, b) = sign_invariant::backward(inputs, &dy);
        all.extend(a.into_iter().chain(b));
        for reduction in [Reduction::Mean, Reduction::Max] {
            let mut pooled = vec![0.0; (offsets.len() - 1) * width];
            let mut from = vec![0; if reduction == Reduction::Max { pooled.len() } else { 0 }];
            segments::forward(&dy, width, &offsets, reduction, &mut pooled, &mut from);
            all.extend_from_slice(&pooled);
            segments::backward(&pooled, width, &offsets, reduction, &from, &mut y);
            all.extend_from_slice(&y);
        }
        all
    });
}

#[test]
fn one_edge_bias_for_all_rounds_is_the_same_bias_in_every_round() {
    let graph = build(6, &[(0, 1), (1, 2), (2, 0), (3, 2), (4, 5), (0, 5)], Direction::Undirected).unwrap().graph;
    let (rounds, heads) = (3, Heads::new(4, 2));
    let (z, weights) = (normal(6 * 4, 1), normal(rounds * 8, 2));
    let bias = normal(graph.entries() * 2, 3);
    let repeated = bias.repeat(rounds);
    let config =
        elimination::Config { rounds, heads, mode: Mode::Exact, skip_negligible: true, storage: Storage::Full };
    let run = |bias: &[f32]| {
        let attention = Attention { weights: &weights, each_round: true, bias: Some(bias), slope: 0.2, dropout: None };
        let source = Source::Attention(attention);
        let kept = elimination::forward(&graph, &config, &source, &z);
        let seed =
            || -> elimination::RowGradient { Box::new(|i: usize, block: &mut [f32]| block.fill(i as f32 - 2.0)) };
        let increments = kept.increments.clone();
        let gradients = elimination::backward(&graph, &config, &source, &z, kept, Reading::Increment, &seed);
        (increments, gradients.edge, gradients.z)
    };
    let (one, every) = (run(&bias), run(&repeated));
    assert!(one == every);
    assert_eq!(one.1.len(), repeated.len());
    assert!(one.0 != run(&normal(graph.entries() * 2, 4)).0, "the bias matters");
}
