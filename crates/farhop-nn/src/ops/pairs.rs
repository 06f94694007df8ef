//! States of all pairs of nodes of a graph, and attention by them.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::dense::Dropout;
use farhop_kernels::heads::Heads;
use farhop_kernels::pairs::{Pairs, attention, gates};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// The tensors of [`pair_gates`].
#[derive(Debug)]
pub struct PairGateInputs {
    /// States of nodes, `[N, F]`.
    pub h: Tensor<2>,
    /// W_q, `[F, F]`.
    pub query: Tensor<2>,
    /// b_q, `[F]`.
    pub query_bias: Tensor<1>,
    /// W_k, `[F, F]`.
    pub key: Tensor<2>,
    /// States of pairs, `[P, F]`.
    pub e: Tensor<2>,
    /// W, `[F, 2 F]`: of every head first the columns of w, then those of b.
    pub pair: Tensor<2>,
    /// b, `[2 F]`.
    pub pair_bias: Tensor<1>,
}

/// Inputs as in [`PairGateInputs`], in that order.
#[derive(Debug)]
struct PairGatesOp {
    pairs: Arc<Pairs>,
    heads: usize,
    root: bool,
}

impl PairGatesOp {
    fn inputs<'a>(&'a self, input: impl Fn(usize) -> Array<'a>) -> gates::Inputs<'a> {
        let [h, query, query_bias, key, e, pair, pair_bias] = std::array::from_fn(|at| input(at).data);
        let (pairs, heads, root) = (&*self.pairs, self.heads, self.root);
        gates::Inputs { pairs, heads, root, h, query, query_bias, key, e, pair, pair_bias }
    }
}

impl Operation for PairGatesOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "pair_gates"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let e = inputs[4];
        let mut t = buffers::take(e.data.len());
        gates::forward(&self.inputs(|at| inputs[at]), &mut t);
        (Output { data: t, shape: e.shape.to_vec() }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let gates::Gradients { h, query, query_bias, key, e, pair, pair_bias } =
            gates::backward(&self.inputs(|at| step.input(at)), &step.gradient);
        buffers::give(step.gradient);
        let all = [h, query, query_bias, key, e, pair, pair_bias];
        all.into_iter().zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// `t_p = relu(root((q_i + k_j) * w_p) + b_p)` for every pair p = (i <- j) with `q = h W_q + b_q`, `k = h W_k` and `[w | b] = e W + b`:
/// t `[P, F]`. `root` is the signed square root, or nothing. Keeps its inputs; q, k, w and b are f64 in passing.
///
/// # Panics
/// If the shapes do not fit.
pub fn pair_gates(inputs: PairGateInputs, pairs: &Arc<Pairs>, heads: usize, root: bool) -> Tensor<2> {
    let PairGateInputs { h, query, query_bias, key, e, pair, pair_bias } = inputs;
    let operation = PairGatesOp { pairs: pairs.clone(), heads, root };
    let inputs: [Input; 7] =
        [h.into(), query.into(), query_bias.into(), key.into(), e.into(), pair.into(), pair_bias.into()];
    apply(operation, inputs)
}

/// Inputs t `[P, F]`, v `[N, F]` and u `[1, F]`.
#[derive(Debug)]
struct PairAttentionOp {
    pairs: Arc<Pairs>,
    heads: usize,
    limit: f32,
    dropout: Dropout,
}

impl PairAttentionOp {
    fn inputs<'a>(&'a self, input: impl Fn(usize) -> Array<'a>) -> attention::Inputs<'a> {
        let heads = Heads::new(input(1).columns(), self.heads);
        let [t, v, u] = std::array::from_fn(|at| input(at).data);
        attention::Inputs { pairs: &self.pairs, heads, limit: self.limit, dropout: self.dropout, t, v, u }
    }
}

impl Operation for PairAttentionOp {
    /// The weights before dropout, `[P, H]`.
    type Kept = Vec<f32>;

    fn name(&self) -> &'static str {
        "pair_attention"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Vec<f32>) {
        let (nodes, width) = (self.pairs.nodes(), inputs[1].columns());
        let mut y = buffers::take(nodes * 2 * width);
        let mut a = buffers::take(self.pairs.count() * self.heads);
        attention::forward(&self.inputs(|at| inputs[at]), &mut y, &mut a);
        if !training {
            buffers::give(std::mem::take(&mut a));
        }
        (Output { data: y, shape: vec![nodes, 2 * width] }, a)
    }

    fn backward(&self, step: Backward<Vec<f32>>) -> Vec<Option<Vec<f32>>> {
        let inputs = self.inputs(|at| step.inputs[at].unwrap_or(Array { data: &[], shape: &[] }));
        let mut gradients = [inputs.t, inputs.v, inputs.u].map(|input| buffers::take(input.len()));
        let [dt, dv, du] = &mut gradients;
        attention::backward(&inputs, &step.kept, &step.gradient, dt, dv, du);
        buffers::give(step.kept);
        buffers::give(step.gradient);
        gradients.into_iter().zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// `y_i = [ sum of a_p v_j | sum of a_p t_p ]` over the pairs p = (i <- j) of node i, with `a_p = softmax(clamp(t_p . u, -limit, limit))` head
/// by head, and dropout of the a_p: t `[P, F]`, v `[N, F]`, u `[1, F]`, y `[N, 2 F]`. Keeps its inputs and a, `[P, H]`.
///
/// # Panics
/// If the shapes do not fit.
pub fn pair_attention(
    [t, v, u]: [Tensor<2>; 3],
    pairs: &Arc<Pairs>,
    heads: usize,
    limit: f32,
    dropout: Dropout,
) -> Tensor<2> {
    let width = v.dims()[1];
    let fits = t.dims() == [pairs.count(), width] && v.dims()[0] == pairs.nodes() && u.dims() == [1, width];
    assert!(fits, "pair_attention: t must be [P, F], v [N, F] and u [1, F]");
    apply(PairAttentionOp { pairs: pairs.clone(), heads, limit, dropout }, [t, v, u].map(Input::from))
}
