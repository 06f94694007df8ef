//! `y = x W + b`.

use burn::tensor::Tensor;
use farhop_kernels::dense::Write;
use farhop_kernels::dense::product::{self, Shape};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs x `[N, inputs]`, W `[inputs, outputs]` and, if `bias`, b `[outputs]`.
#[derive(Debug)]
struct LinearOp {
    bias: bool,
}

impl LinearOp {
    fn shape(x: Array, weight: Array) -> Shape {
        Shape { rows: x.rows(), inputs: weight.rows(), outputs: weight.columns() }
    }
}

impl Operation for LinearOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "linear"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let shape = Self::shape(inputs[0], inputs[1]);
        let mut y = buffers::take(shape.rows * shape.outputs);
        let bias = self.bias.then(|| inputs[2].data);
        product::matmul(inputs[0].data, inputs[1].data, bias, shape, Write::Replace, &mut y);
        (Output { data: y, shape: vec![shape.rows, shape.outputs] }, ())
    }

    fn keeps(&self, input: usize) -> bool {
        input < 2
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (x, weight) = (step.input(0), step.input(1));
        let shape = Self::shape(x, weight);
        let dx = step.needed[0].then(|| {
            let mut dx = buffers::take(shape.rows * shape.inputs);
            product::matmul_transposed(&step.gradient, weight.data, shape, Write::Replace, &mut dx);
            dx
        });
        let dw = step.needed[1].then(|| {
            let mut dw = buffers::take(shape.inputs * shape.outputs);
            product::weight_gradient(x.data, &step.gradient, shape, Write::Replace, &mut dw);
            dw
        });
        let mut gradients = vec![dx, dw];
        if self.bias {
            gradients.push(step.needed[2].then(|| {
                let mut db = vec![0.0; shape.outputs];
                product::column_sums(&step.gradient, shape.rows, shape.outputs, Write::Replace, &mut db);
                db
            }));
        }
        buffers::give(step.gradient);
        gradients
    }
}

/// `x W + b`: x `[N, inputs]`, W `[inputs, outputs]`, b `[outputs]` if there is one.
pub fn linear(x: Tensor<2>, weight: Tensor<2>, bias: Option<Tensor<1>>) -> Tensor<2> {
    let operation = LinearOp { bias: bias.is_some() };
    apply(operation, [Some(Input::from(x)), Some(weight.into()), bias.map(Input::from)].into_iter().flatten())
}
