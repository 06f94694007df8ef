//! One row per graph from the rows of its nodes.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::segments::{self as kernel, Reduction};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Input: x.
#[derive(Debug)]
struct ReadoutOp {
    offsets: Arc<Vec<usize>>,
    reduction: Reduction,
}

impl Operation for ReadoutOp {
    /// Width, and the rows of the largest values.
    type Kept = (usize, Vec<u32>);

    fn name(&self) -> &'static str {
        "readout"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, (usize, Vec<u32>)) {
        let (x, width) = (inputs[0].data, inputs[0].columns());
        let graphs = self.offsets.len().saturating_sub(1);
        let mut y = buffers::take(graphs * width);
        let mut from = vec![0; if self.reduction == Reduction::Max { graphs * width } else { 0 }];
        kernel::forward(x, width, &self.offsets, self.reduction, &mut y, &mut from);
        (Output { data: y, shape: vec![graphs, width] }, (width, from))
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<(usize, Vec<u32>)>) -> Vec<Option<Vec<f32>>> {
        let (width, from) = step.kept;
        let mut dx = buffers::take(self.offsets.last().copied().unwrap_or(0) * width);
        kernel::backward(&step.gradient, width, &self.offsets, self.reduction, &from, &mut dx);
        buffers::give(step.gradient);
        vec![Some(dx)]
    }
}

/// Mean, sum or largest value of x `[N, width]` over the rows of each graph, `[G, width]`; zeros for a graph without nodes.
pub fn readout(x: Tensor<2>, offsets: &Arc<Vec<usize>>, reduction: Reduction) -> Tensor<2> {
    apply(ReadoutOp { offsets: offsets.clone(), reduction }, [Input::from(x)])
}
