//! Sparse-dense product over a graph.

use std::borrow::Cow;
use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::dense::{Write, product};
use farhop_kernels::exchange::Halo;
use farhop_kernels::spmm as kernel;

use super::{Array, Backward, EntryWeights, Input, Operation, Output, apply, buffers};

/// Inputs x `[N, F]` and, if `bias`, b `[F]`.
#[derive(Debug)]
struct SpmmOp {
    graph: Arc<Graph>,
    weights: Arc<EntryWeights>,
    bias: bool,
    halo: Option<Arc<Halo>>,
}

impl SpmmOp {
    /// The rows of all nodes, those of others from their owners.
    fn extended<'a>(&self, rows: &'a [f32], width: usize) -> Cow<'a, [f32]> {
        match &self.halo {
            Some(halo) => Cow::Owned(halo.extended(rows, width)),
            None => Cow::Borrowed(rows),
        }
    }

    fn own(&self) -> usize {
        self.halo.as_ref().map_or(self.graph.nodes(), |halo| halo.own())
    }
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
        let (width, rows) = (x.columns(), self.extended(x.data, x.columns()));
        kernel::forward_own(&self.graph, self.weights.view(), bias, &rows, width, self.own(), &mut y);
        give_owned(rows);
        (Output { data: y, shape: x.shape.to_vec() }, ())
    }

    /// The product is linear and its coefficients are fixed: nothing is needed again.
    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let rows = self.own();
        let width = step.gradient.len() / rows.max(1);
        let dx = step.needed[0].then(|| {
            let mut dx = buffers::take(step.gradient.len());
            let all = self.extended(&step.gradient, width);
            kernel::backward_own(&self.graph, self.weights.view(), &all, width, rows, &mut dx);
            give_owned(all);
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
    spmm_within(x, graph, weights, bias, None)
}

/// As [`spmm`], where the graph may be a part of one: x and y have the rows of own nodes.
pub fn spmm_within(
    x: Tensor<2>,
    graph: &Arc<Graph>,
    weights: &Arc<EntryWeights>,
    bias: Option<Tensor<1>>,
    halo: Option<&Arc<Halo>>,
) -> Tensor<2> {
    let operation =
        SpmmOp { graph: graph.clone(), weights: weights.clone(), bias: bias.is_some(), halo: halo.cloned() };
    apply(operation, [Some(Input::from(x)), bias.map(Input::from)].into_iter().flatten())
}

fn give_owned(rows: Cow<[f32]>) {
    if let Cow::Owned(rows) = rows {
        buffers::give(rows);
    }
}
