//! The largest value among neighbours.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::edges::largest as kernel;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Input: x `[N, F]`.
#[derive(Debug)]
struct NeighbourMaxOp {
    graph: Arc<Graph>,
}

impl Operation for NeighbourMaxOp {
    /// Width and winners.
    type Kept = (usize, Vec<u32>);

    fn name(&self) -> &'static str {
        "neighbour_max"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, Self::Kept) {
        let x = inputs[0];
        let mut y = buffers::take(x.data.len());
        let mut winners = vec![0; x.data.len()];
        kernel::forward(&self.graph, x.columns(), x.data, &mut y, &mut winners);
        (Output { data: y, shape: x.shape.to_vec() }, (x.columns(), winners))
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<Self::Kept>) -> Vec<Option<Vec<f32>>> {
        let (width, winners) = step.kept;
        let mut dx = buffers::take(step.gradient.len());
        kernel::backward(&self.graph, width, &winners, &step.gradient, &mut dx);
        buffers::give(step.gradient);
        vec![Some(dx)]
    }
}

/// `y_i = max over entries (i <- j) of x_j`, channel by channel: x, y `[N, F]`; 0 and no gradient for a node without entries. The
/// gradient goes to the first of equal neighbours. Keeps the winners, a `u32` per node and channel.
///
/// # Panics
/// If x has not a row for every node.
pub fn neighbour_max(x: Tensor<2>, graph: &Arc<Graph>) -> Tensor<2> {
    assert_eq!(x.dims()[0], graph.nodes(), "neighbour_max: a row for every node");
    apply(NeighbourMaxOp { graph: graph.clone() }, [Input::from(x)])
}
