//! Sums over neighbours with learned weights.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::edges::weighted::{self as kernel, Weights};
use farhop_kernels::heads::Heads;

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// Inputs v `[N, F]`, w `[E, H]` or `[E + N, H]` and, if `own`, s `[N, H]`.
#[derive(Debug)]
struct AttendOp {
    graph: Arc<Graph>,
    own: bool,
}

impl AttendOp {
    fn weights<'a>(&self, w: Array<'a>, s: Option<Array<'a>>) -> Weights<'a> {
        match s {
            Some(s) => Weights { entries: w.data, nodes: Some(s.data) },
            None => Weights::joined(&self.graph, w.columns(), w.data),
        }
    }
}

impl Operation for AttendOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "attend"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (v, w) = (inputs[0], inputs[1]);
        let mut y = buffers::take(v.data.len());
        let weights = self.weights(w, inputs.get(2).copied());
        kernel::attend(&self.graph, Heads::new(v.columns(), w.columns()), weights, v.data, &mut y);
        (Output { data: y, shape: v.shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (v, w) = (step.input(0), step.input(1));
        let (graph, heads) = (&*self.graph, Heads::new(v.columns(), w.columns()));
        let dy = &step.gradient;
        let weights = self.weights(w, self.own.then(|| step.input(2)));
        let dv = step.needed[0].then(|| {
            let mut dv = buffers::take(v.data.len());
            kernel::attend_backward(graph, heads, weights, dy, &mut dv);
            dv
        });
        let dw = step.needed[1].then(|| {
            let mut dw = buffers::take(w.data.len());
            let (entries, nodes) = dw.split_at_mut(graph.entries() * heads.count);
            kernel::dots(graph, heads, 1.0, dy, v.data, entries);
            if !nodes.is_empty() {
                kernel::own_dots(graph, heads, 1.0, dy, v.data, nodes);
            }
            dw
        });
        let mut gradients = vec![dv, dw];
        if self.own {
            gradients.push(step.needed[2].then(|| {
                let mut ds = buffers::take(graph.nodes() * heads.count);
                kernel::own_dots(graph, heads, 1.0, dy, v.data, &mut ds);
                ds
            }));
        }
        buffers::give(step.gradient);
        gradients
    }
}

/// `y_i^h = s_i^h v_i^h + sum over entries e = (i <- j) of w_e^h v_j^h`: v and y `[N, H * C]`, where head h owns the channels
/// `h * C..(h + 1) * C`.
///
/// Weights w are `[E, H]`, with own weights s `[N, H]` beside them or none; or both in one array `[E + N, H]`, entries first, as
/// [`edge_softmax`](super::edge_softmax) gives it, and then `own` is `None`. Keeps its inputs, nothing of size E x H * C.
///
/// # Panics
/// If the shapes do not fit.
pub fn attend(v: Tensor<2>, weights: Tensor<2>, own: Option<Tensor<2>>, graph: &Arc<Graph>) -> Tensor<2> {
    let ([nodes, _], [rows, heads]) = (v.dims(), weights.dims());
    assert_eq!(nodes, graph.nodes(), "attend: a row of v for every node");
    let joined = own.is_none() && rows == graph.entries() + nodes;
    assert!(heads > 0 && (joined || rows == graph.entries()), "attend: weights must be [E, H], or [E + N, H] alone");
    if let Some(own) = &own {
        assert_eq!(own.dims(), [nodes, heads], "attend: own weights must be [N, H]");
    }
    let operation = AttendOp { graph: graph.clone(), own: own.is_some() };
    apply(operation, [Some(Input::from(v)), Some(weights.into()), own.map(Input::from)].into_iter().flatten())
}
