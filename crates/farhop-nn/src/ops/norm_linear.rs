//! A linear map behind normalisation, activation and dropout, as one operation: what lies between is made again in the backward pass.

use burn::tensor::Tensor;
use farhop_kernels::dense::product::{self, Shape};
use farhop_kernels::dense::{Finish, Write};

use super::norm_block::{Kept, NormBlockOp};
use super::{Array, Backward, Input, Normalisation, Operation, Output, apply, buffers};

/// Inputs of the block, then W `[inputs, outputs]` and, if `bias`, b `[outputs]`.
#[derive(Debug)]
struct NormLinearOp {
    block: NormBlockOp,
    bias: bool,
}

impl NormLinearOp {
    /// Where W stands.
    fn weight(&self) -> usize {
        1 + self.block.parameters()
    }

    fn shape(x: Array, weight: Array) -> Shape {
        Shape { rows: x.rows(), inputs: weight.rows(), outputs: weight.columns() }
    }
}

impl Operation for NormLinearOp {
    type Kept = Kept;

    fn name(&self) -> &'static str {
        "norm_linear"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Kept) {
        let at = self.weight();
        let shape = Self::shape(inputs[0], inputs[at]);
        let (between, kept) = self.block.forward(&inputs[..at], training);
        let mut y = buffers::take(shape.rows * shape.outputs);
        let bias = self.bias.then(|| inputs[at + 1].data);
        product::matmul(&between.data, inputs[at].data, bias, shape, Write::Replace, &mut y);
        buffers::give(between.data);
        (Output { data: y, shape: vec![shape.rows, shape.outputs] }, kept)
    }

    fn keeps(&self, input: usize) -> bool {
        input <= self.weight()
    }

    fn backward(&self, step: Backward<Kept>) -> Vec<Option<Vec<f32>>> {
        let at = self.weight();
        let (dy, weight) = (&step.gradient, step.input(at));
        let shape = Self::shape(step.input(0), weight);
        let of_block: Vec<Array> = (0..at).map(|input| step.input(input)).collect();
        let mut between = self.block.again(&of_block, &step.kept);
        let dw = step.needed[at].then(|| {
            let mut dw = buffers::take(shape.inputs * shape.outputs);
            product::weight_gradient(&between, dy, shape, Write::Replace, &mut dw);
            dw
        });
        let db = self.bias.then(|| {
            step.needed[at + 1].then(|| {
                let mut db = vec![0.0; shape.outputs];
                product::column_sums(dy, shape.rows, shape.outputs, Write::Replace, &mut db);
                db
            })
        });
        // Its gradient takes its memory.
        product::matmul_transposed(dy, weight.data, shape, Write::Replace, &mut between);
        buffers::give(step.gradient);
        let inputs = of_block.into_iter().map(Some).collect();
        let needed = &step.needed[..at];
        let mut gradients = self.block.backward(Backward { inputs, kept: step.kept, gradient: between, needed });
        gradients.push(dw);
        gradients.extend(db);
        gradients
    }
}

/// `dropout(activation(norm(x))) W + b`: x `[N, inputs]`, W `[inputs, outputs]`. Equal in every bit to [`norm_block`](super::norm_block) and
/// [`linear`](super::linear) one after the other, but keeps x alone: an array of x's size less.
pub fn norm_linear(
    x: Tensor<2>,
    norm: Normalisation,
    finish: Finish,
    weight: Tensor<2>,
    bias: Option<Tensor<1>>,
) -> Tensor<2> {
    let (block, affine) = NormBlockOp::new(norm, finish, false);
    let operation = NormLinearOp { block, bias: bias.is_some() };
    let affine = affine.into_iter().flatten().map(Input::from);
    let maps = [Some(Input::from(weight)), bias.map(Input::from)].into_iter().flatten();
    apply(operation, std::iter::once(Input::from(x)).chain(affine).chain(maps))
}
