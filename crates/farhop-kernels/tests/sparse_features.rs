//! Sparse features against the plain product.

mod common;

use common::{assert_close, f32s, f64s, normals, on_threads};
use farhop_kernels::reference::real::product;
use farhop_kernels::sparse_features::SparseFeatures;

fn mostly_zeros(rows: usize, columns: usize) -> Vec<f32> {
    let mut x = vec![0.0; rows * columns];
    for (n, value) in f32s(&normals(rows * columns / 20, 1.0, 4)).into_iter().enumerate() {
        x[n * 7919 % (rows * columns)] = value;
    }
    x
}

#[test]
fn the_product_and_its_gradient_equal_the_dense_ones() {
    // The last three have more columns than are summed at a time, and rows and columns that are read often or seldom.
    for (rows, columns, outputs) in
        [(1, 40, 3), (50, 33, 8), (400, 300, 17), (900, 25, 130), (30, 800, 64 + 3), (700, 650, 128)]
    {
        let x = mostly_zeros(rows, columns);
        let sparse = SparseFeatures::from_dense(&x, columns).unwrap();
        let (w, b, dy) =
            (normals(columns * outputs, 1.0, 5), normals(outputs, 1.0, 6), normals(rows * outputs, 1.0, 7));
        let mut expected = product(&f64s(&x), &w, columns, outputs);
        expected.iter_mut().enumerate().for_each(|(n, v)| *v += b[n % outputs]);
        let mut y = vec![f32::NAN; rows * outputs];
        sparse.matmul(&f32s(&w), Some(&f32s(&b)), outputs, &mut y);
        assert_close("y", &y, &expected, 1e-5);
        let transposed: Vec<f64> =
            (0..rows * columns).map(|at| f64::from(x[at % rows * columns + at / rows])).collect();
        let mut dw = vec![f32::NAN; columns * outputs];
        sparse.weight_gradient(&f32s(&dy), outputs, &mut dw);
        assert_close("dw", &dw, &product(&transposed, &dy, rows, outputs), 1e-5);
    }
}

#[test]
fn dense_features_are_not_kept_sparse_and_nan_is_not_lost() {
    assert!(SparseFeatures::from_dense(&[1.0; 40], 4).is_none());
    let mut x = vec![0.0f32; 100];
    x[13] = f32::NAN;
    let mut y = vec![0.0; 10];
    SparseFeatures::from_dense(&x, 10).unwrap().matmul(&[1.0; 10], None, 1, &mut y);
    assert!(y[1].is_nan() && y[0] == 0.0);
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let sparse = SparseFeatures::from_dense(&mostly_zeros(3000, 500), 500).unwrap();
    const OUTPUTS: usize = 150;
    let w = f32s(&normals(500 * OUTPUTS, 1.0, 5));
    let run = |threads| {
        on_threads(threads, || {
            let (mut y, mut dw) = (vec![0.0; 3000 * OUTPUTS], vec![0.0; 500 * OUTPUTS]);
            sparse.matmul(&w, None, OUTPUTS, &mut y);
            sparse.weight_gradient(&y, OUTPUTS, &mut dw);
            (y, dw)
        })
    };
    let once = run(1);
    for threads in [2, 3, 8] {
        assert!(once == run(threads), "{threads} threads give other bits");
    }
}
