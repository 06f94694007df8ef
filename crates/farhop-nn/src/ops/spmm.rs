//! Sparse-dense product over a graph.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::dense::{Write, product};
use farhop_kernels::spmm as kernel;

use super::{Array, Backward, EntryWeights, Input, Operation, Output, apply, buffers};

/// Inputs x `[N, F]` and, if `bias`, b `[F]`.
#[derive(Debug)]
struct SpmmOp {
    graph: Arc<Graph>,
    weights: Arc<EntryWeights>,
    bias: bool,
}

impl Operation for SpmmOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "spmm"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let x = inputs[0];
        let mut y = buffers::take(x.data.len());
        let bias = self.bias.then(|| inputs[1].data);
        kernel::forward(&self.graph, self.weights.view(), bias, x.data, x.columns(), &mut y);
        (Output { data: y, shape: x.shape.to_vec() }, ())
    }

    /// The product is linear and its coefficients are fixed: nothing is needed again.
    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let rows = self.graph.nodes();
        let width = step.gradient.len() / rows.max(1);
        let dx = step.needed[0].then(|| {
            let mut dx = buffers::take(step.gradient.len());
            kernel::backward(&self.graph, self.weights.view(), &step.gradient, width, &mut dx);
            dx
        });
        let mut gradients = vec![dx];
        if self.bias {
            gradients.push(step.needed[1].then(|| {
                let mut db = vec![0.0; width];
                product::column_sums(&step.gradient, rows, width, Write::Replace, &mut db);
                db
            }));
        }
        buffers::give(step.gradient);
        gradients
    }
}

/// `y_i = b + s_i x_i + sum over entries (i <- j) of w_e x_j`: x and y `[N, F]`, b `[F]` if there is one. Without own weights s
/// (see [`EntryWeights`]) that term is left out. Sums and means of neighbours are this with the weights made for them.
pub fn spmm(x: Tensor<2>, graph: &Arc<Graph>, weights: &Arc<EntryWeights>, bias: Option<Tensor<1>>) -> Tensor<2> {
    let operation = SpmmOp { graph: graph.clone(), weights: weights.clone(), bias: bias.is_some() };
    apply(operation, [Some(Input::from(x)), bias.map(Input::from)].into_iter().flatten())
}
