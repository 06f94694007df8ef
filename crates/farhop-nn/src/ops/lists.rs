//! Lists of equally large tensors taken together.

use burn::tensor::Tensor;
use farhop_kernels::lists as kernel;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Input: x.
#[derive(Debug)]
struct RowSoftmaxOp;

impl Operation for RowSoftmaxOp {
    /// Width, and a copy of the output.
    type Kept = (usize, Vec<f32>);

    fn name(&self) -> &'static str {
        "row_softmax"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, (usize, Vec<f32>)) {
        let x = inputs[0];
        let mut y = buffers::take(x.data.len());
        kernel::row_softmax(x.data, x.columns(), &mut y);
        let mut kept = buffers::take(if training { y.len() } else { 0 });
        if training {
            kept.copy_from_slice(&y);
        }
        (Output { data: y, shape: x.shape.to_vec() }, (x.columns(), kept))
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<(usize, Vec<f32>)>) -> Vec<Option<Vec<f32>>> {
        let ((width, y), mut gradient) = (step.kept, step.gradient);
        kernel::row_softmax_backward(&y, width, &mut gradient);
        buffers::give(y);
        vec![Some(gradient)]
    }
}

/// The softmax of every row of x `[N, L]`. Kept: a copy of the result.
pub fn row_softmax(x: Tensor<2>) -> Tensor<2> {
    apply(RowSoftmaxOp, [Input::from(x)])
}

/// Inputs: weights, then the list.
#[derive(Debug)]
struct MixOp;

impl Operation for MixOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "mix"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let list: Vec<&[f32]> = inputs[1..].iter().map(|x| x.data).collect();
        let mut y = buffers::take(inputs[1].data.len());
        kernel::mix(inputs[0].data, &list, inputs[1].columns(), &mut y);
        (Output { data: y, shape: inputs[1].shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (weights, width) = (step.input(0), step.input(1).columns());
        let list: Vec<&[f32]> = (1..step.inputs.len()).map(|at| step.input(at).data).collect();
        let size = step.gradient.len();
        let mut gradients: Vec<Option<Vec<f32>>> =
            step.needed[1..].iter().map(|needed| needed.then(|| buffers::take(size))).collect();
        let outputs =
            gradients.iter_mut().map(|gradient| gradient.as_mut().map(|gradient| &mut gradient[..])).collect();
        let dw = kernel::mix_backward(weights.data, &list, width, &step.gradient, step.needed[0], outputs);
        buffers::give(step.gradient);
        gradients.insert(0, dw);
        gradients
    }
}

/// `y_i = sum over l of w_il x^l_i`: the list x of L tensors `[N, F]`, weights `[N, L]` or, the same for all rows,
/// `[1, L]`. Kept: all inputs.
///
/// # Panics
/// If the list is empty, longer than [`MOST_INPUTS`](super::bridge::MOST_INPUTS) less one, or shapes do not agree.
pub fn mix(weights: Tensor<2>, list: Vec<Tensor<2>>) -> Tensor<2> {
    apply(MixOp, std::iter::once(Input::from(weights)).chain(list.into_iter().map(Input::from)))
}

/// Inputs: the list.
#[derive(Debug)]
struct MaximumOp;

impl Operation for MaximumOp {
    /// Which tensor of the list has the largest value.
    type Kept = Vec<u8>;

    fn name(&self) -> &'static str {
        "maximum"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, Vec<u8>) {
        let list: Vec<&[f32]> = inputs.iter().map(|x| x.data).collect();
        let mut y = buffers::take(list[0].len());
        let mut winners = vec![0; y.len()];
        kernel::maximum(&list, &mut y, &mut winners);
        (Output { data: y, shape: inputs[0].shape.to_vec() }, winners)
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<Vec<u8>>) -> Vec<Option<Vec<f32>>> {
        let gradient = |(l, needed): (usize, &bool)| {
            needed.then(|| {
                let mut dx = buffers::take(step.gradient.len());
                kernel::maximum_backward(&step.kept, l, &step.gradient, &mut dx);
                dx
            })
        };
        let gradients = step.needed.iter().enumerate().map(gradient).collect();
        buffers::give(step.gradient);
        gradients
    }
}

/// The largest value of the tensors of a list, element by element; its gradient goes to the first one that has it.
/// Kept: a byte for every element.
///
/// # Panics
/// If the list is empty, longer than [`MOST_INPUTS`](super::bridge::MOST_INPUTS), or shapes do not agree.
pub fn maximum(list: Vec<Tensor<2>>) -> Tensor<2> {
    apply(MaximumOp, list.into_iter().map(Input::from))
}
