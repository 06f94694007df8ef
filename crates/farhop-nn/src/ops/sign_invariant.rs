//! A sum over eigenvectors that does not depend on their signs.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::sign_invariant::{self as kernel, Inputs};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs A and B, `[K, F]` each.
#[derive(Debug)]
struct SignInvariantOp {
    vectors: Arc<Vec<f32>>,
}

impl SignInvariantOp {
    fn inputs<'a>(&'a self, slopes: Array<'a>, shifts: Array<'a>) -> Inputs<'a> {
        Inputs {
            vectors: &self.vectors,
            slopes: slopes.data,
            shifts: shifts.data,
            columns: slopes.rows(),
            width: slopes.columns(),
        }
    }
}

impl Operation for SignInvariantOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "sign_invariant"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let numbers = self.inputs(inputs[0], inputs[1]);
        let rows = self.vectors.len() / numbers.columns.max(1);
        let mut y = buffers::take(rows * numbers.width);
        kernel::forward(numbers, &mut y);
        (Output { data: y, shape: vec![rows, numbers.width] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (slopes, shifts) = kernel::backward(self.inputs(step.input(0), step.input(1)), &step.gradient);
        buffers::give(step.gradient);
        vec![Some(slopes), Some(shifts)]
    }
}

/// `y_i = sum over k of relu(v_ik A_k + B_k) + relu(-v_ik A_k + B_k)`: v `[N, K]` is data, A and B are `[K, F]`, y is `[N, F]`.
pub fn sign_invariant(vectors: &Arc<Vec<f32>>, slopes: Tensor<2>, shifts: Tensor<2>) -> Tensor<2> {
    apply(SignInvariantOp { vectors: vectors.clone() }, [Input::from(slopes), shifts.into()])
}
