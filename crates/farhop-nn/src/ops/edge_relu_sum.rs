//! GINE: the sum of neighbours with an edge state inside the activation.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::edges::relu_sum as kernel;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs v `[N, F]` and e `[E, F]`.
#[derive(Debug)]
struct EdgeReluSumOp {
    graph: Arc<Graph>,
}

impl Operation for EdgeReluSumOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "edge_relu_sum"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let v = inputs[0];
        let mut y = buffers::take(v.data.len());
        kernel::forward(&self.graph, v.columns(), v.data, inputs[1].data, &mut y);
        (Output { data: y, shape: v.shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (v, e) = (step.input(0), step.input(1));
        let dv = step.needed[0].then(|| {
            let mut dv = buffers::take(v.data.len());
            kernel::backward_values(&self.graph, v.columns(), v.data, e.data, &step.gradient, &mut dv);
            dv
        });
        let de = step.needed[1].then(|| {
            let mut de = buffers::take(e.data.len());
            kernel::backward_edges(&self.graph, v.columns(), v.data, e.data, &step.gradient, &mut de);
            de
        });
        buffers::give(step.gradient);
        vec![dv, de]
    }
}

/// `y_i = sum over entries e = (i <- j) of relu(v_j + e_e)`: v, y `[N, F]`, e `[E, F]`. Keeps its inputs and nothing else.
///
/// # Panics
/// If the shapes do not fit.
pub fn edge_relu_sum(v: Tensor<2>, edges: Tensor<2>, graph: &Arc<Graph>) -> Tensor<2> {
    let [nodes, width] = v.dims();
    assert!(nodes == graph.nodes() && edges.dims() == [graph.entries(), width], "edge_relu_sum: v [N, F], e [E, F]");
    apply(EdgeReluSumOp { graph: graph.clone() }, [Input::from(v), edges.into()])
}
