//! One product for every head of a row.

use burn::tensor::Tensor;
use farhop_kernels::dense::Write;
use farhop_kernels::dense::product::{self, Shape};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs u `[N, H * C]` and a `[H, C]`.
#[derive(Debug)]
struct HeadDotsOp;

/// The vectors of heads as one matrix `[H * C, H]`: column h has those of head h in its own rows, zeros elsewhere.
fn spread_out(a: Array) -> Vec<f32> {
    let (heads, channels) = (a.rows(), a.columns());
    let mut matrix = vec![0.0; a.data.len() * heads];
    for (row, value) in a.data.iter().enumerate() {
        matrix[row * heads + row / channels.max(1)] = *value;
    }
    matrix
}

fn shape(u: Array, a: Array) -> Shape {
    Shape { rows: u.rows(), inputs: u.columns(), outputs: a.rows() }
}

impl Operation for HeadDotsOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "head_dots"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (u, a) = (inputs[0], inputs[1]);
        let mut y = buffers::take(u.rows() * a.rows());
        product::matmul(u.data, &spread_out(a), None, shape(u, a), Write::Replace, &mut y);
        (Output { data: y, shape: vec![u.rows(), a.rows()] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (u, a) = (step.input(0), step.input(1));
        let shape = shape(u, a);
        let du = step.needed[0].then(|| {
            let mut du = buffers::take(u.data.len());
            product::matmul_transposed(&step.gradient, &spread_out(a), shape, Write::Replace, &mut du);
            du
        });
        let da = step.needed[1].then(|| {
            let mut whole = vec![0.0; a.data.len() * a.rows()];
            product::weight_gradient(u.data, &step.gradient, shape, Write::Replace, &mut whole);
            (0..a.data.len()).map(|row| whole[row * a.rows() + row / a.columns().max(1)]).collect()
        });
        buffers::give(step.gradient);
        vec![du, da]
    }
}

/// `y_i^h = u_i^h . a^h`: u `[N, H * C]`, where head h owns the channels `h * C..(h + 1) * C`, a `[H, C]`, y `[N, H]`. Keeps both.
///
/// # Panics
/// If u has other channels than a has numbers.
pub fn head_dots(u: Tensor<2>, a: Tensor<2>) -> Tensor<2> {
    let [heads, channels] = a.dims();
    assert_eq!(u.dims()[1], heads * channels, "head_dots: u must be [N, H * C]");
    apply(HeadDotsOp, [Input::from(u), a.into()])
}
