//! One row per graph from the rows of its nodes, and back.

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

/// Input: x.
#[derive(Debug)]
struct ToNodesOp {
    offsets: Arc<Vec<usize>>,
}

impl Operation for ToNodesOp {
    /// Width.
    type Kept = usize;

    fn name(&self) -> &'static str {
        "to_nodes"
    }

    /// The transpose of the sum over the nodes of a graph.
    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, usize) {
        let (x, width) = (inputs[0].data, inputs[0].columns());
        let nodes = self.offsets.last().copied().unwrap_or(0);
        let mut y = buffers::take(nodes * width);
        kernel::backward(x, width, &self.offsets, Reduction::Sum, &[], &mut y);
        (Output { data: y, shape: vec![nodes, width] }, width)
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<usize>) -> Vec<Option<Vec<f32>>> {
        let mut dx = buffers::take(self.offsets.len().saturating_sub(1) * step.kept);
        kernel::forward(&step.gradient, step.kept, &self.offsets, Reduction::Sum, &mut dx, &mut []);
        buffers::give(step.gradient);
        vec![Some(dx)]
    }
}

/// The row of its graph for every node: x `[G, width]` gives `[N, width]`. Keeps nothing.
pub fn to_nodes(x: Tensor<2>, offsets: &Arc<Vec<usize>>) -> Tensor<2> {
    apply(ToNodesOp { offsets: offsets.clone() }, [Input::from(x)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::bridge;

    #[test]
    fn rows_of_graphs_go_to_their_nodes_and_gradients_come_back_as_sums() {
        // The second graph has no nodes.
        let offsets = Arc::new(vec![0, 2, 2, 5, 6]);
        let rows = |count: usize| (0..count * 3).map(|at| at as f32).collect::<Vec<f32>>();
        let x: Tensor<2> = bridge::from_vec(rows(4), [4, 3]);
        let x = x.autodiff().require_grad();
        let y = to_nodes(x.clone(), &offsets);
        let expected: Vec<f32> =
            [0, 0, 2, 2, 2, 3].iter().flat_map(|graph| [0, 1, 2].map(|c| (graph * 3 + c) as f32)).collect();
        assert_eq!(bridge::into_vec(y.clone()), expected);
        let factors: Tensor<2> = bridge::from_vec(rows(6), [6, 3]);
        let mut tape = (y * factors.autodiff()).sum().backward();
        let sums = [[3.0, 5.0, 7.0], [0.0; 3], [27.0, 30.0, 33.0], [15.0, 16.0, 17.0]];
        assert_eq!(bridge::into_vec(x.grad_remove(&mut tape).unwrap()), sums.concat());
    }
}
