//! GatedGCN: edge states, and the mean of neighbours under them as gates.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::edges::{gated_mean as mean, gates, sums};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs a, b `[N, F]` and, if `state`, c `[E, F]`.
#[derive(Debug)]
struct EdgeGatesOp {
    graph: Arc<Graph>,
    state: bool,
}

impl Operation for EdgeGatesOp {
    /// The width.
    type Kept = usize;

    fn name(&self) -> &'static str {
        "edge_gates"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, usize) {
        let (a, width) = (inputs[0].data, inputs[0].columns());
        let mut s = buffers::take(self.graph.entries() * width);
        gates::forward(&self.graph, width, a, inputs[1].data, inputs.get(2).map(|c| c.data), &mut s);
        (Output { data: s, shape: vec![self.graph.entries(), width] }, width)
    }

    /// A sum: nothing is needed again.
    fn keeps(&self, _input: usize) -> bool {
        false
    }

    fn backward(&self, step: Backward<usize>) -> Vec<Option<Vec<f32>>> {
        let (graph, width) = (&*self.graph, step.kept);
        let node_sum = |sum: fn(&Graph, usize, &[f32], &mut [f32])| {
            let mut total = buffers::take(graph.nodes() * width);
            sum(graph, width, &step.gradient, &mut total);
            total
        };
        let da = step.needed[0].then(|| node_sum(sums::to_targets));
        let db = step.needed[1].then(|| node_sum(sums::to_sources));
        let mut gradients = vec![da, db];
        if self.state && step.needed[2] {
            gradients.push(Some(step.gradient));
        } else {
            buffers::give(step.gradient);
            gradients.extend(self.state.then_some(None));
        }
        gradients
    }
}

/// `s_e = a_i + b_j + c_e` for every entry e = (i <- j): a, b `[N, F]`, c `[E, F]` if there is one, s `[E, F]`. Keeps nothing.
///
/// # Panics
/// If the shapes do not fit.
pub fn edge_gates(a: Tensor<2>, b: Tensor<2>, c: Option<Tensor<2>>, graph: &Arc<Graph>) -> Tensor<2> {
    let [nodes, width] = a.dims();
    assert!(nodes == graph.nodes() && b.dims() == a.dims(), "edge_gates: a and b must be [N, F]");
    if let Some(c) = &c {
        assert_eq!(c.dims(), [graph.entries(), width], "edge_gates: c must be [E, F]");
    }
    let operation = EdgeGatesOp { graph: graph.clone(), state: c.is_some() };
    apply(operation, [Some(Input::from(a)), Some(b.into()), c.map(Input::from)].into_iter().flatten())
}

/// Inputs v `[N, F]` and s `[E, F]`.
#[derive(Debug)]
struct GatedMeanOp {
    graph: Arc<Graph>,
    epsilon: f32,
}

impl Operation for GatedMeanOp {
    /// The result and `1 / (sum of gates + epsilon)`, `[N, F]`.
    type Kept = (Vec<f32>, Vec<f32>);

    fn name(&self) -> &'static str {
        "gated_mean"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Self::Kept) {
        let (v, s) = (inputs[0], inputs[1]);
        let mut y = buffers::take(v.data.len());
        let mut inverse = buffers::take(v.data.len());
        mean::forward(&self.graph, v.columns(), self.epsilon, v.data, s.data, &mut y, &mut inverse);
        let kept = if training {
            let mut copy = buffers::take(y.len());
            copy.copy_from_slice(&y);
            (copy, inverse)
        } else {
            buffers::give(inverse);
            Default::default()
        };
        (Output { data: y, shape: v.shape.to_vec() }, kept)
    }

    fn backward(&self, step: Backward<Self::Kept>) -> Vec<Option<Vec<f32>>> {
        let (v, s) = (step.input(0), step.input(1));
        let (y, inverse) = step.kept;
        let mut t = step.gradient;
        t.iter_mut().zip(&inverse).for_each(|(t, inverse)| *t *= inverse);
        buffers::give(inverse);
        let dv = step.needed[0].then(|| {
            let mut dv = buffers::take(v.data.len());
            mean::backward_values(&self.graph, v.columns(), s.data, &t, &mut dv);
            dv
        });
        let ds = step.needed[1].then(|| {
            let mut ds = buffers::take(s.data.len());
            mean::backward_gates(&self.graph, v.columns(), v.data, s.data, &y, &t, &mut ds);
            ds
        });
        buffers::give(t);
        buffers::give(y);
        vec![dv, ds]
    }
}

/// `y_i = (sum of g_e v_j) / (sum of g_e + epsilon)` over the entries e = (i <- j), with the gates `g_e = sigmoid(s_e)`, channel
/// by channel: v, y `[N, F]`, s `[E, F]`; 0 for a node without entries.
///
/// Keeps its inputs, the result and the sum of the gates (`[N, F]` each); gates are computed again.
///
/// # Panics
/// If the shapes do not fit.
pub fn gated_mean(v: Tensor<2>, s: Tensor<2>, graph: &Arc<Graph>, epsilon: f32) -> Tensor<2> {
    let [nodes, width] = v.dims();
    assert!(nodes == graph.nodes() && s.dims() == [graph.entries(), width], "gated_mean: v [N, F] and s [E, F]");
    apply(GatedMeanOp { graph: graph.clone(), epsilon }, [Input::from(v), s.into()])
}
