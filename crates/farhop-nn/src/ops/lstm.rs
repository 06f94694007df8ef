//! A long short-term memory over a list of tensors, in both directions.

use burn::tensor::Tensor;
use farhop_kernels::lstm::{self as kernel, Inputs, Weights};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// The weights of one direction; gates in the order i, f, g, o.
#[derive(Clone, Debug)]
pub struct LstmWeights {
    /// Of the tensors of the list, `[4 M, F]`.
    pub w_in: Tensor<2>,
    /// Of the last state, `[4 M, M]`.
    pub w_rec: Tensor<2>,
    /// `[4 M]`.
    pub b_in: Tensor<1>,
    /// `[4 M]`.
    pub b_rec: Tensor<1>,
}

/// Inputs: four weights of each direction, then the list.
#[derive(Debug)]
struct LstmOp;

const WEIGHTS: usize = 8;

/// Calls `task` with the kernel's view of the arrays.
fn with_inputs<R>(arrays: &[Array], task: impl FnOnce(Inputs) -> R) -> R {
    let list: Vec<&[f32]> = arrays[WEIGHTS..].iter().map(|x| x.data).collect();
    let weights = |at: usize| Weights {
        w_in: arrays[at].data,
        w_rec: arrays[at + 1].data,
        b_in: arrays[at + 2].data,
        b_rec: arrays[at + 3].data,
    };
    let (width, states) = (arrays[0].columns(), arrays[1].columns());
    task(Inputs { list: &list, width, states, directions: [weights(0), weights(4)] })
}

impl Operation for LstmOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "lstm"
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let rows = inputs[WEIGHTS].rows();
        let width = (inputs.len() - WEIGHTS) * 2 * inputs[1].columns();
        let mut y = buffers::take(rows * width);
        with_inputs(inputs, |inputs| kernel::forward(inputs, &mut y));
        (Output { data: y, shape: vec![rows, width] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let arrays: Vec<Array> = (0..step.inputs.len()).map(|at| step.input(at)).collect();
        let mut dx: Vec<Vec<f32>> = arrays[WEIGHTS..].iter().map(|x| buffers::take(x.data.len())).collect();
        let outputs = dx.iter_mut().map(|dx| &mut dx[..]).collect();
        let directions = with_inputs(&arrays, |inputs| kernel::backward(inputs, &step.gradient, outputs));
        buffers::give(step.gradient);
        let weights = directions.into_iter().flat_map(|g| [g.w_in, g.w_rec, g.bias.clone(), g.bias]);
        weights.chain(dx).zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// `[N, L 2 M]`: for every row the states of two memories over the L tensors `[N, F]` of the list, one from the first
/// to the last, one from the last to the first; columns `l 2 M ..` are the state of the forward one after tensor l,
/// then of the backward one. `[i, f, g, o] = x w_in^T + b_in + h w_rec^T + b_rec`, `c <- s(f) c + s(i) tanh(g)`,
/// `h <- s(o) tanh(c)`.
///
/// Kept: the inputs. The backward pass computes blocks of rows again.
///
/// # Panics
/// If the list is empty, longer than [`MOST_INPUTS`](super::bridge::MOST_INPUTS) less eight, or shapes do not agree.
pub fn lstm(list: Vec<Tensor<2>>, forward: LstmWeights, backward: LstmWeights) -> Tensor<2> {
    let weights = [forward, backward].into_iter().flat_map(|weights| {
        let LstmWeights { w_in, w_rec, b_in, b_rec } = weights;
        [Input::from(w_in), w_rec.into(), b_in.into(), b_rec.into()]
    });
    apply(LstmOp, weights.chain(list.into_iter().map(Input::from)))
}
