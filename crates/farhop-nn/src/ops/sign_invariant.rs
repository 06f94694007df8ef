//! A sum over eigenvectors that does not depend on their signs.

use burn::tensor::Tensor;
use farhop_kernels::sign_invariant::{self as kernel, Inputs};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs v `[N, K]`, A and B, `[K, F]` each.
#[derive(Debug)]
struct SignInvariantOp;

fn numbers<'a>(input: impl Fn(usize) -> Array<'a>) -> Inputs<'a> {
    let (vectors, slopes, shifts) = (input(0), input(1), input(2));
    Inputs {
        vectors: vectors.data,
        slopes: slopes.data,
        shifts: shifts.data,
        columns: slopes.rows(),
        width: slopes.columns(),
    }
}

impl Operation for SignInvariantOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "sign_invariant"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let numbers = numbers(|at| inputs[at]);
        let rows = inputs[0].rows();
        let mut y = buffers::take(rows * numbers.width);
        kernel::forward(numbers, &mut y);
        (Output { data: y, shape: vec![rows, numbers.width] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (slopes, shifts) = kernel::backward(numbers(|at| step.input(at)), &step.gradient);
        buffers::give(step.gradient);
        vec![None, Some(slopes), Some(shifts)]
    }
}

/// `y_i = sum over k of relu(v_ik A_k + B_k) + relu(-v_ik A_k + B_k)`: v `[N, K]` is data and gets no gradient, A and B are `[K, F]`, y is `[N, F]`.
/// Keeps its inputs.
pub fn sign_invariant(vectors: Tensor<2>, slopes: Tensor<2>, shifts: Tensor<2>) -> Tensor<2> {
    apply(SignInvariantOp, [vectors, slopes, shifts].map(Input::from))
}
