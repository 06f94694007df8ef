//! Products within each graph of a batch: small matrices from all its nodes, and back to them.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::dense::Write;
use farhop_kernels::dense::product::{self, Shape};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// The rows of every graph with the place of its small matrix.
fn each_graph(offsets: &[usize], mut task: impl FnMut(usize, std::ops::Range<usize>)) {
    offsets.windows(2).enumerate().for_each(|(graph, bounds)| task(graph, bounds[0]..bounds[1]));
}

/// Inputs x `[N, A]` and y `[N, B]`.
#[derive(Debug)]
struct CrossProductsOp {
    offsets: Arc<Vec<usize>>,
}

impl Operation for CrossProductsOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "cross_products"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (x, y) = (inputs[0], inputs[1]);
        let (a, b, graphs) = (x.columns(), y.columns(), self.offsets.len() - 1);
        let mut s = vec![0.0; graphs * a * b];
        each_graph(&self.offsets, |graph, rows| {
            let shape = Shape { rows: rows.len(), inputs: a, outputs: b };
            let (x, y) = (&x.data[rows.start * a..rows.end * a], &y.data[rows.start * b..rows.end * b]);
            product::weight_gradient(x, y, shape, Write::Replace, &mut s[graph * a * b..(graph + 1) * a * b]);
        });
        (Output { data: s, shape: vec![graphs * a, b] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (x, y) = (step.input(0), step.input(1));
        let (a, b) = (x.columns(), y.columns());
        let ds = |graph: usize| &step.gradient[graph * a * b..(graph + 1) * a * b];
        let dx = step.needed[0].then(|| {
            let mut dx = buffers::take(x.data.len());
            each_graph(&self.offsets, |graph, rows| {
                let shape = Shape { rows: rows.len(), inputs: a, outputs: b };
                let y = &y.data[rows.start * b..rows.end * b];
                let part = &mut dx[rows.start * a..rows.end * a];
                product::matmul_transposed(y, ds(graph), shape, Write::Replace, part);
            });
            dx
        });
        let dy = step.needed[1].then(|| {
            let mut dy = buffers::take(y.data.len());
            each_graph(&self.offsets, |graph, rows| {
                let shape = Shape { rows: rows.len(), inputs: a, outputs: b };
                let x = &x.data[rows.start * a..rows.end * a];
                let part = &mut dy[rows.start * b..rows.end * b];
                product::matmul(x, ds(graph), None, shape, Write::Replace, part);
            });
            dy
        });
        buffers::give(step.gradient);
        vec![dx, dy]
    }
}

/// `S_g = X_g^T Y_g` for the rows of every graph g, one below the other: x `[N, A]`, y `[N, B]`, `[G * A, B]`. Keeps both.
///
/// # Panics
/// If x and y have not as many rows as the offsets end with.
pub fn cross_products(x: Tensor<2>, y: Tensor<2>, offsets: &Arc<Vec<usize>>) -> Tensor<2> {
    let rows = offsets.last().copied();
    assert!(rows == Some(x.dims()[0]) && rows == Some(y.dims()[0]), "cross_products: a row for every node");
    apply(CrossProductsOp { offsets: offsets.clone() }, [Input::from(x), y.into()])
}

/// Inputs x `[N, A]` and t `[G * A, B]`.
#[derive(Debug)]
struct GraphLinearOp {
    offsets: Arc<Vec<usize>>,
}

impl Operation for GraphLinearOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "graph_linear"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (x, t) = (inputs[0], inputs[1]);
        let (a, b) = (x.columns(), t.columns());
        let mut y = buffers::take(x.rows() * b);
        each_graph(&self.offsets, |graph, rows| {
            let shape = Shape { rows: rows.len(), inputs: a, outputs: b };
            let (x, t) = (&x.data[rows.start * a..rows.end * a], &t.data[graph * a * b..(graph + 1) * a * b]);
            product::matmul(x, t, None, shape, Write::Replace, &mut y[rows.start * b..rows.end * b]);
        });
        (Output { data: y, shape: vec![x.rows(), b] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (x, t) = (step.input(0), step.input(1));
        let (a, b) = (x.columns(), t.columns());
        let dx = step.needed[0].then(|| {
            let mut dx = buffers::take(x.data.len());
            each_graph(&self.offsets, |graph, rows| {
                let shape = Shape { rows: rows.len(), inputs: a, outputs: b };
                let (dy, t) =
                    (&step.gradient[rows.start * b..rows.end * b], &t.data[graph * a * b..(graph + 1) * a * b]);
                product::matmul_transposed(dy, t, shape, Write::Replace, &mut dx[rows.start * a..rows.end * a]);
            });
            dx
        });
        let dt = step.needed[1].then(|| {
            let mut dt = vec![0.0; t.data.len()];
            each_graph(&self.offsets, |graph, rows| {
                let shape = Shape { rows: rows.len(), inputs: a, outputs: b };
                let (x, dy) = (&x.data[rows.start * a..rows.end * a], &step.gradient[rows.start * b..rows.end * b]);
                product::weight_gradient(x, dy, shape, Write::Replace, &mut dt[graph * a * b..(graph + 1) * a * b]);
            });
            dt
        });
        buffers::give(step.gradient);
        vec![dx, dt]
    }
}

/// `Y_g = X_g T_g` for the rows of every graph g: x `[N, A]`, the matrices t of all graphs one below the other `[G * A, B]`, y
/// `[N, B]`. Keeps both.
///
/// # Panics
/// If the shapes do not fit the offsets.
pub fn graph_linear(x: Tensor<2>, t: Tensor<2>, offsets: &Arc<Vec<usize>>) -> Tensor<2> {
    let [rows, columns] = x.dims();
    let fits = offsets.last() == Some(&rows) && t.dims()[0] == (offsets.len() - 1) * columns;
    assert!(fits, "graph_linear: a row for every node, a matrix for every graph");
    apply(GraphLinearOp { offsets: offsets.clone() }, [Input::from(x), t.into()])
}

/// Input s `[G * C, C]`.
#[derive(Debug)]
struct ShiftedInversesOp {
    /// Rows of all matrices together.
    rows: usize,
    shift: f64,
    factor: f64,
}

/// Writes the inverse of `shift I + factor s` to y, by elimination with the largest pivot of each column, in double precision. m has
/// room for a matrix.
fn invert(s: &[f32], size: usize, shift: f64, factor: f64, m: &mut [f64], y: &mut [f64]) {
    m.iter_mut().zip(s).for_each(|(m, s)| *m = factor * f64::from(*s));
    y.fill(0.0);
    for i in 0..size {
        m[i * size + i] += shift;
        y[i * size + i] = 1.0;
    }
    let swap = |matrix: &mut [f64], a: usize, b: usize| (0..size).for_each(|c| matrix.swap(a * size + c, b * size + c));
    for column in 0..size {
        let length = |row: &usize| m[row * size + column].abs();
        let pivot = (column..size).max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or(column);
        swap(m, pivot, column);
        swap(y, pivot, column);
        let divisor = m[column * size + column];
        for c in 0..size {
            m[column * size + c] /= divisor;
            y[column * size + c] /= divisor;
        }
        for row in (0..size).filter(|row| *row != column) {
            let share = m[row * size + column];
            for c in 0..size {
                m[row * size + c] -= share * m[column * size + c];
                y[row * size + c] -= share * y[column * size + c];
            }
        }
    }
}

/// `-factor Y^T G Y^T`.
fn inverse_backward(y: &[f64], gradient: &[f32], size: usize, factor: f64) -> Vec<f32> {
    let mut half = vec![0.0; size * size];
    for i in 0..size {
        for k in 0..size {
            let g = f64::from(gradient[i * size + k]);
            (0..size).for_each(|j| half[i * size + j] += g * y[j * size + k]);
        }
    }
    let mut ds = vec![0.0f64; size * size];
    for k in 0..size {
        for i in 0..size {
            let share = y[k * size + i];
            (0..size).for_each(|j| ds[i * size + j] -= factor * share * half[k * size + j]);
        }
    }
    ds.into_iter().map(|value| value as f32).collect()
}

impl Operation for ShiftedInversesOp {
    /// The inverses, in double precision; empty if nothing is trained.
    type Kept = Vec<f64>;

    fn name(&self) -> &'static str {
        "shifted_inverses"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Vec<f64>) {
        let (s, size) = (inputs[0], inputs[0].columns());
        let area = (size * size).max(1);
        let mut data = buffers::take(s.data.len());
        let (mut m, mut y) = (vec![0.0; area], vec![0.0; if training { s.data.len() } else { area }]);
        for (graph, (s, data)) in s.data.chunks_exact(area).zip(data.chunks_exact_mut(area)).enumerate() {
            let start = if training { graph * area } else { 0 };
            let y = &mut y[start..start + area];
            invert(s, size, self.shift, self.factor, &mut m, y);
            data.iter_mut().zip(&*y).for_each(|(data, y)| *data = *y as f32);
        }
        (Output { data, shape: s.shape.to_vec() }, if training { y } else { Vec::new() })
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<Vec<f64>>) -> Vec<Option<Vec<f32>>> {
        let size = step.gradient.len() / self.rows.max(1);
        let area = (size * size).max(1);
        let mut ds = Vec::with_capacity(step.gradient.len());
        for (y, gradient) in step.kept.chunks_exact(area).zip(step.gradient.chunks_exact(area)) {
            ds.extend(inverse_backward(y, gradient, size, self.factor));
        }
        buffers::give(step.gradient);
        vec![Some(ds)]
    }
}

/// `(shift I + factor S_g)^-1` of square matrices one below the other, `[G * C, C]`, in double precision within. Keeps the result.
///
/// # Panics
/// If they are not square.
pub fn shifted_inverses(s: Tensor<2>, shift: f64, factor: f64) -> Tensor<2> {
    let [rows, columns] = s.dims();
    assert!(rows.is_multiple_of(columns.max(1)), "shifted_inverses: square matrices");
    apply(ShiftedInversesOp { rows, shift, factor }, [Input::from(s)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inverse(s: &[f32], size: usize, shift: f64, factor: f64) -> Vec<f64> {
        let (mut m, mut y) = (vec![f64::NAN; s.len()], vec![f64::NAN; s.len()]);
        invert(s, size, shift, factor, &mut m, &mut y);
        y
    }

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let s = [2.0, 0.5, -1.0, 0.5, 3.0, 0.25, -1.0, 0.25, 4.0];
        let (shift, factor) = (0.5, 2.0);
        let y = inverse(&s, 3, shift, factor);
        let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        for i in 0..3 {
            for j in 0..3 {
                let entry = |k: usize| shift * unit(i, k) + factor * f64::from(s[i * 3 + k]);
                let product: f64 = (0..3).map(|k| entry(k) * y[k * 3 + j]).sum();
                assert!((product - unit(i, j)).abs() < 1e-12, "{i}, {j}: {product}");
            }
        }
    }

    #[test]
    fn slopes_of_an_inverse_are_small_steps() {
        let s = [2.0f32, 0.5, -0.25, 3.0];
        let weights = [1.0f32, -0.5, 0.25, 2.0];
        let value =
            |s: &[f32]| -> f64 { inverse(s, 2, 1.0, 0.5).iter().zip(&weights).map(|(y, w)| y * f64::from(*w)).sum() };
        let found = inverse_backward(&inverse(&s, 2, 1.0, 0.5), &weights, 2, 0.5);
        for (at, found) in found.iter().enumerate() {
            let moved = |step: f32| {
                let mut moved = s;
                moved[at] += step;
                value(&moved)
            };
            let slope = (moved(1.0 / 256.0) - moved(-1.0 / 256.0)) * 128.0;
            assert!((f64::from(*found) - slope).abs() < 1e-5, "{at}: {found} instead of {slope}");
        }
    }
}
