//! Sparse-dense product over a graph.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::dense::{Write, product};
use farhop_kernels::exchange::Halo;
use farhop_kernels::spmm::{self as kernel, Weights};

use super::{Array, Backward, EntryWeights, Input, Operation, Output, apply, buffers};
use crate::Batch;

/// A graph, or a process's part of one: rows of arrays are own nodes, and those of others come from their owners.
#[derive(Clone, Debug)]
pub(super) struct Neighbourhood {
    pub graph: Arc<Graph>,
    pub halo: Option<Arc<Halo>>,
}

impl Neighbourhood {
    /// The graph of a batch.
    pub fn of(batch: &Batch) -> Self {
        Neighbourhood { graph: batch.graph().clone(), halo: batch.halo().cloned() }
    }

    /// Computes own rows from the rows of all nodes: those that need nothing of others while what others have is under way, then the rest.
    pub fn in_two_steps(&self, own: &[f32], width: usize, mut compute: impl FnMut(&[f32], Range<usize>)) {
        let Some(halo) = &self.halo else { return compute(own, 0..self.graph.nodes()) };
        let (mut rows, underway) = halo.begin_extended(own, width);
        compute(&rows, 0..halo.interior());
        underway.fill(&mut [(&mut rows, width)]);
        compute(&rows, halo.interior()..halo.own());
        buffers::give(rows);
    }

    /// Rows.
    pub fn own(&self) -> usize {
        self.halo.as_ref().map_or(self.graph.nodes(), |halo| halo.own())
    }

    /// The product: x and y `[own, width]`.
    pub fn forward(&self, weights: Weights, bias: Option<&[f32]>, x: &[f32], width: usize, y: &mut [f32]) {
        let graph = &self.graph;
        self.in_two_steps(x, width, |x, rows| kernel::forward_rows(graph, weights, bias, x, width, rows, y));
    }

    /// The product with the transposed coefficients.
    pub fn backward(&self, weights: Weights, dy: &[f32], width: usize, dx: &mut [f32]) {
        let graph = &self.graph;
        self.in_two_steps(dy, width, |dy, rows| kernel::backward_rows(graph, weights, dy, width, rows, dx));
    }
}

/// Inputs x `[N, F]` and, if `bias`, b `[F]`.
#[derive(Debug)]
struct SpmmOp {
    around: Neighbourhood,
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
        self.around.forward(self.weights.view(), bias, x.data, x.columns(), &mut y);
        (Output { data: y, shape: x.shape.to_vec() }, ())
    }

    /// The product is linear and its coefficients are fixed: nothing is needed again.
    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let rows = self.around.own();
        let width = step.gradient.len() / rows.max(1);
        let dx = step.needed[0].then(|| {
            let mut dx = buffers::take(step.gradient.len());
            self.around.backward(self.weights.view(), &step.gradient, width, &mut dx);
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
    let around = Neighbourhood { graph: graph.clone(), halo: halo.cloned() };
    let operation = SpmmOp { around, weights: weights.clone(), bias: bias.is_some() };
    apply(operation, [Some(Input::from(x)), bias.map(Input::from)].into_iter().flatten())
}

/// As [`spmm`], over the graph of a batch, which may be a part of one.
pub fn spread(x: Tensor<2>, batch: &Batch, weights: &Arc<EntryWeights>, bias: Option<Tensor<1>>) -> Tensor<2> {
    spmm_within(x, batch.graph(), weights, bias, batch.halo())
}
