//! A linear map for every head of a row.

use burn::tensor::Tensor;
use farhop_kernels::dense::Write;
use farhop_kernels::dense::product::{self, Shape};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs u `[N, H * C]` and w `[H * C, D]`.
#[derive(Debug)]
struct HeadLinearOp {
    heads: usize,
}

impl HeadLinearOp {
    fn shape(&self, u: Array, w: Array) -> Shape {
        Shape { rows: u.rows(), inputs: u.columns(), outputs: self.heads * w.columns() }
    }

    /// Where row `row` of w stands in a matrix `[H * C, H * D]` with the maps of the heads along its diagonal.
    fn place(&self, row: usize, w: Array) -> usize {
        let (channels, outputs) = (w.rows() / self.heads, w.columns());
        (row * self.heads + row / channels) * outputs
    }

    /// The maps of all heads as one matrix, zeros elsewhere.
    fn spread_out(&self, w: Array) -> Vec<f32> {
        let outputs = w.columns();
        let mut matrix = vec![0.0; w.data.len() * self.heads];
        for (row, values) in w.data.chunks_exact(outputs.max(1)).enumerate() {
            matrix[self.place(row, w)..][..outputs].copy_from_slice(values);
        }
        matrix
    }
}

impl Operation for HeadLinearOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "head_linear"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (u, w) = (inputs[0], inputs[1]);
        let shape = self.shape(u, w);
        let mut y = buffers::take(u.rows() * shape.outputs);
        product::matmul(u.data, &self.spread_out(w), None, shape, Write::Replace, &mut y);
        (Output { data: y, shape: vec![u.rows(), shape.outputs] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (u, w) = (step.input(0), step.input(1));
        let shape = self.shape(u, w);
        let du = step.needed[0].then(|| {
            let mut du = buffers::take(u.data.len());
            product::matmul_transposed(&step.gradient, &self.spread_out(w), shape, Write::Replace, &mut du);
            du
        });
        let dw = step.needed[1].then(|| {
            let mut whole = vec![0.0; w.data.len() * self.heads];
            product::weight_gradient(u.data, &step.gradient, shape, Write::Replace, &mut whole);
            (0..w.rows()).flat_map(|row| whole[self.place(row, w)..][..w.columns()].to_vec()).collect()
        });
        buffers::give(step.gradient);
        vec![du, dw]
    }
}

/// `y_i^h = u_i^h W^h`: u `[N, H * C]`, where head h owns the channels `h * C..(h + 1) * C`, w `[H * C, D]` with the maps of the heads
/// one below the other, y `[N, H * D]`. Keeps both.
///
/// # Panics
/// If u has other channels than w has rows, or heads do not share these out.
pub fn head_linear(u: Tensor<2>, w: Tensor<2>, heads: usize) -> Tensor<2> {
    let rows = w.dims()[0];
    let fits = u.dims()[1] == rows && heads > 0 && rows.is_multiple_of(heads);
    assert!(fits, "head_linear: u must be [N, H * C], w [H * C, D]");
    apply(HeadLinearOp { heads }, [Input::from(u), w.into()])
}

/// `y_i^h = u_i^h . a^h`: u `[N, H * C]`, a `[H, C]`, y `[N, H]`. Keeps both.
///
/// # Panics
/// If u has other channels than a has numbers.
pub fn head_dots(u: Tensor<2>, a: Tensor<2>) -> Tensor<2> {
    let [heads, channels] = a.dims();
    head_linear(u, a.reshape([heads * channels, 1]), heads)
}
