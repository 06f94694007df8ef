//! Products of neighbours.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::edges::weighted as kernel;
use farhop_kernels::heads::Heads;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs q and k, `[N, F]`.
#[derive(Debug)]
struct EdgeDotOp {
    graph: Arc<Graph>,
    heads: usize,
    scale: f32,
}

impl Operation for EdgeDotOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "edge_dot"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (q, k) = (inputs[0], inputs[1]);
        let mut a = buffers::take(self.graph.entries() * self.heads);
        let heads = Heads::new(q.columns(), self.heads);
        kernel::dots(&self.graph, heads, self.scale, q.data, k.data, &mut a);
        (Output { data: a, shape: vec![self.graph.entries(), self.heads] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (q, k) = (step.input(0), step.input(1));
        let heads = Heads::new(q.columns(), self.heads);
        let dq = step.needed[0].then(|| {
            let mut dq = buffers::take(q.data.len());
            kernel::dots_backward_left(&self.graph, heads, self.scale, &step.gradient, k.data, &mut dq);
            dq
        });
        let dk = step.needed[1].then(|| {
            let mut dk = buffers::take(k.data.len());
            kernel::dots_backward_right(&self.graph, heads, self.scale, &step.gradient, q.data, &mut dk);
            dk
        });
        buffers::give(step.gradient);
        vec![dq, dk]
    }
}

/// `a_e^h = scale q_i^h . k_j^h` for every entry e = (i <- j): q and k `[N, H * C]`, a `[E, H]`. Keeps q and k.
///
/// # Panics
/// If q and k are not both `[N, F]`, or there is no head.
pub fn edge_dot(q: Tensor<2>, k: Tensor<2>, graph: &Arc<Graph>, heads: usize, scale: f32) -> Tensor<2> {
    assert!(heads > 0 && q.dims()[0] == graph.nodes() && q.dims() == k.dims(), "edge_dot: q and k must be [N, H * C]");
    apply(EdgeDotOp { graph: graph.clone(), heads, scale }, [Input::from(q), k.into()])
}
