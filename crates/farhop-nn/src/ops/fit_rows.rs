//! A table made as long as it must be.

use burn::tensor::Tensor;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Input: x.
#[derive(Debug)]
struct FitRowsOp {
    from: usize,
    to: usize,
    width: usize,
}

/// `data` cut or filled up with zeros.
fn fitted(data: &[f32], length: usize) -> Vec<f32> {
    let mut fitted = vec![0.0; length];
    let both = data.len().min(length);
    fitted[..both].copy_from_slice(&data[..both]);
    fitted
}

impl Operation for FitRowsOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "fit_rows"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        (Output { data: fitted(inputs[0].data, self.to * self.width), shape: vec![self.to, self.width] }, ())
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let dx = fitted(&step.gradient, self.from * self.width);
        buffers::give(step.gradient);
        vec![Some(dx)]
    }
}

/// The first `rows` rows of x, with rows of zeros below if there are not so many.
pub fn fit_rows(x: Tensor<2>, rows: usize) -> Tensor<2> {
    let [from, width] = x.dims();
    if from == rows { x } else { apply(FitRowsOp { from, to: rows, width }, [Input::from(x)]) }
}
