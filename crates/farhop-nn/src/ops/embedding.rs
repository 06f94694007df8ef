//! Sums of the table rows of categories.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::embedding::{self as kernel, Categories};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Input: the table.
#[derive(Debug)]
struct EmbeddingOp {
    categories: Arc<Categories>,
    width: usize,
}

impl Operation for EmbeddingOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "embedding"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let rows = self.categories.rows();
        let mut y = buffers::take(rows * self.width);
        kernel::forward(&self.categories, inputs[0].data, self.width, &mut y);
        (Output { data: y, shape: vec![rows, self.width] }, ())
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let gradient = kernel::backward(&self.categories, &step.gradient, self.width);
        buffers::give(step.gradient);
        vec![Some(gradient)]
    }
}

/// `y_r = sum over columns c of T[start_c + x_rc]`: the table holds the categories of all columns one after the other,
/// `[table rows, width]`; y is `[rows, width]`.
pub fn embedding(categories: &Arc<Categories>, table: Tensor<2>) -> Tensor<2> {
    let width = table.dims()[1];
    apply(EmbeddingOp { categories: categories.clone(), width }, [Input::from(table)])
}
