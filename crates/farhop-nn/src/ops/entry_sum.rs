//! Between entries and nodes.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::edges::sums as kernel;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// A row per entry, summed to the target.
    ToTargets,
    /// A row per node, copied to the entries that it is the target of.
    OfTargets,
    /// A row per node, copied to the entries that it is the source of.
    OfSources,
}

/// Input: x, a row per entry or per node.
#[derive(Debug)]
struct MoveOp {
    graph: Arc<Graph>,
    way: Way,
}

impl MoveOp {
    /// Rows of x and of y.
    fn rows(&self) -> (usize, usize) {
        let (nodes, entries) = (self.graph.nodes(), self.graph.entries());
        if self.way == Way::ToTargets { (entries, nodes) } else { (nodes, entries) }
    }
}

impl Operation for MoveOp {
    /// The width.
    type Kept = usize;

    fn name(&self) -> &'static str {
        match self.way {
            Way::ToTargets => "entry_sum",
            Way::OfTargets => "gather_targets",
            Way::OfSources => "gather_sources",
        }
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, usize) {
        let (x, width, rows) = (inputs[0].data, inputs[0].columns(), self.rows().1);
        let mut y = buffers::take(rows * width);
        match self.way {
            Way::ToTargets => kernel::to_targets(&self.graph, width, x, &mut y),
            Way::OfTargets => kernel::of_targets(&self.graph, width, x, &mut y),
            Way::OfSources => kernel::of_sources(&self.graph, width, x, &mut y),
        }
        (Output { data: y, shape: vec![rows, width] }, width)
    }

    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<usize>) -> Vec<Option<Vec<f32>>> {
        let width = step.kept;
        let mut dx = buffers::take(self.rows().0 * width);
        match self.way {
            Way::ToTargets => kernel::of_targets(&self.graph, width, &step.gradient, &mut dx),
            Way::OfTargets => kernel::to_targets(&self.graph, width, &step.gradient, &mut dx),
            Way::OfSources => kernel::to_sources(&self.graph, width, &step.gradient, &mut dx),
        }
        buffers::give(step.gradient);
        vec![Some(dx)]
    }
}

fn moved(x: Tensor<2>, graph: &Arc<Graph>, way: Way) -> Tensor<2> {
    let operation = MoveOp { graph: graph.clone(), way };
    assert_eq!(x.dims()[0], operation.rows().0, "{}: a row for each", Operation::name(&operation));
    apply(operation, [Input::from(x)])
}

/// `y_i = sum over entries e = (i <- j) of x_e`: x `[E, F]`, y `[N, F]`. Keeps nothing.
///
/// # Panics
/// If x has not a row for every entry.
pub fn entry_sum(x: Tensor<2>, graph: &Arc<Graph>) -> Tensor<2> {
    moved(x, graph, Way::ToTargets)
}

/// `y_e = x_i` for every entry e = (i <- j): x `[N, F]`, y `[E, F]`. For few channels, such as heads. Keeps nothing.
///
/// # Panics
/// If x has not a row for every node.
pub fn gather_targets(x: Tensor<2>, graph: &Arc<Graph>) -> Tensor<2> {
    moved(x, graph, Way::OfTargets)
}

/// `y_e = x_j` for every entry e = (i <- j): x `[N, F]`, y `[E, F]`. For few channels, such as heads. Keeps nothing.
///
/// # Panics
/// If x has not a row for every node.
pub fn gather_sources(x: Tensor<2>, graph: &Arc<Graph>) -> Tensor<2> {
    moved(x, graph, Way::OfSources)
}
