//! A linear map of matrices side by side, which are never put side by side.

use burn::tensor::Tensor;
use farhop_kernels::dense::Write;
use farhop_kernels::dense::product::{self, Shape};

use super::bridge::MOST_INPUTS;
use super::{Array, Backward, Input, Operation, Output, apply, buffers, concat, linear};

/// Inputs W `[F_1 + F_2 + .., outputs]`, b `[outputs]`, then the parts.
#[derive(Debug)]
struct ConcatLinearOp;

/// The rows of W that belong to each part, with the shape of its product.
fn pieces(parts: &[Array], outputs: usize) -> Vec<(std::ops::Range<usize>, Shape)> {
    let mut start = 0;
    let piece = |part: &Array| {
        let shape = Shape { rows: part.rows(), inputs: part.columns(), outputs };
        let range = start..start + shape.inputs * outputs;
        start = range.end;
        (range, shape)
    };
    parts.iter().map(piece).collect()
}

impl Operation for ConcatLinearOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "concat_linear"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (weight, bias, parts) = (inputs[0], inputs[1], &inputs[2..]);
        let (rows, outputs) = (parts[0].rows(), weight.columns());
        let mut y = buffers::take(rows * outputs);
        for (at, (range, shape)) in pieces(parts, outputs).into_iter().enumerate() {
            let (bias, write) = if at == 0 { (Some(bias.data), Write::Replace) } else { (None, Write::Add) };
            product::matmul(parts[at].data, &weight.data[range], bias, shape, write, &mut y);
        }
        (Output { data: y, shape: vec![rows, outputs] }, ())
    }

    fn keeps(&self, input: usize) -> bool {
        input != 1
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let weight = step.input(0);
        let parts: Vec<Array> = (2..step.inputs.len()).map(|at| step.input(at)).collect();
        let pieces = pieces(&parts, weight.columns());
        let dy = &step.gradient;
        let dw = step.needed[0].then(|| {
            let mut dw = buffers::take(weight.data.len());
            for ((range, shape), part) in pieces.iter().zip(&parts) {
                product::weight_gradient(part.data, dy, *shape, Write::Replace, &mut dw[range.clone()]);
            }
            dw
        });
        let db = step.needed[1].then(|| {
            let mut db = vec![0.0; weight.columns()];
            product::column_sums(dy, parts[0].rows(), weight.columns(), Write::Replace, &mut db);
            db
        });
        let of_part = |((range, shape), needed): ((std::ops::Range<usize>, Shape), &bool)| {
            needed.then(|| {
                let mut dx = buffers::take(shape.rows * shape.inputs);
                product::matmul_transposed(dy, &weight.data[range], shape, Write::Replace, &mut dx);
                dx
            })
        };
        let of_parts: Vec<_> = pieces.into_iter().zip(&step.needed[2..]).map(of_part).collect();
        buffers::give(step.gradient);
        [dw, db].into_iter().chain(of_parts).collect()
    }
}

/// `[x_1 | x_2 | ..] W + b`: parts `[N, F_1]`, `[N, F_2]`, .., W `[F_1 + F_2 + .., outputs]`. Keeps the parts, and no joined copy of them.
///
/// # Panics
/// If there is no part, or they do not have equally many rows.
pub fn concat_linear(parts: Vec<Tensor<2>>, weight: Tensor<2>, bias: Tensor<1>) -> Tensor<2> {
    if parts.len() > MOST_PARTS {
        return linear(concat(parts), weight, Some(bias));
    }
    let rows = parts.first().map_or(0, |part| part.dims()[0]);
    assert!(!parts.is_empty() && parts.iter().all(|part| part.dims()[0] == rows), "concat_linear: equally many rows");
    apply(ConcatLinearOp, [Input::from(weight), bias.into()].into_iter().chain(parts.into_iter().map(Input::from)))
}

/// More parts than this are joined first.
pub const MOST_PARTS: usize = MOST_INPUTS - 2;
