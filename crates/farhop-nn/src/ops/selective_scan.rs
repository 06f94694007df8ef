//! The selective scan of Mamba over sequences.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::selective_scan::{self as kernel, Inputs};

use super::{Array, Backward, Input, Operation, Output, apply, buffers};

/// What [`selective_scan`] reads.
#[derive(Debug)]
pub struct ScanInputs {
    /// What enters the states, `[T, channels]`.
    pub u: Tensor<2>,
    /// Step sizes before bias and softplus, `[T, channels]`.
    pub delta: Tensor<2>,
    /// Decay rates A, `[channels, S]`: negative (`-exp` of a parameter).
    pub a: Tensor<2>,
    /// How u enters the states, `[T, S]`.
    pub b: Tensor<2>,
    /// How states are read, `[T, S]`.
    pub c: Tensor<2>,
    /// What passes by the states, `[channels]`.
    pub d: Tensor<1>,
    /// The gate, `[T, channels]`.
    pub z: Option<Tensor<2>>,
    /// Added to delta, `[channels]`.
    pub bias: Option<Tensor<1>>,
}

/// Inputs u, delta, A, B, C, D, then z and bias if they are there.
#[derive(Debug)]
struct SelectiveScanOp {
    offsets: Arc<Vec<usize>>,
    gated: bool,
    biased: bool,
}

impl SelectiveScanOp {
    fn arrays<'a>(&'a self, input: impl Fn(usize) -> Array<'a>) -> Inputs<'a> {
        Inputs {
            u: input(0).data,
            delta: input(1).data,
            a: input(2).data,
            b: input(3).data,
            c: input(4).data,
            d: input(5).data,
            z: self.gated.then(|| input(6).data),
            bias: self.biased.then(|| input(6 + usize::from(self.gated)).data),
            offsets: &self.offsets,
            channels: input(2).rows(),
            states: input(2).columns(),
        }
    }
}

impl Operation for SelectiveScanOp {
    /// States at the bounds of chunks.
    type Kept = Vec<f32>;

    fn name(&self) -> &'static str {
        "selective_scan"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Vec<f32>) {
        let arrays = self.arrays(|at| inputs[at]);
        let mut y = buffers::take(inputs[0].data.len());
        let wanted = if training { kernel::kept_len(&self.offsets, arrays.channels, arrays.states) } else { 0 };
        let mut kept = buffers::take(wanted);
        kernel::forward(arrays, &mut y, training.then_some(&mut kept[..]));
        (Output { data: y, shape: inputs[0].shape.to_vec() }, kept)
    }

    fn backward(&self, step: Backward<Vec<f32>>) -> Vec<Option<Vec<f32>>> {
        let arrays = self.arrays(|at| step.input(at));
        let gradients = kernel::backward(arrays, &step.kept, &step.gradient);
        buffers::give(step.kept);
        buffers::give(step.gradient);
        let kernel::Gradients { u, delta, a, b, c, d, z, bias } = gradients;
        let optional = z.into_iter().chain(self.biased.then_some(bias));
        let all = [u, delta, a, b, c, d].into_iter().chain(optional);
        all.zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// `e_t = softplus(delta_t + bias)`, `h_t = exp(e_t A) h_(t-1) + e_t u_t B_t`, `y_t = (C_t . h_t + D u_t) silu(z_t)`: y
/// `[T, channels]`, a state of S numbers for every channel, zero at the start of each sequence; `offsets` cut the T
/// rows into sequences. Without z the gate is 1.
///
/// Kept: the inputs, and the states after every [`CHUNK`](farhop_kernels::selective_scan::CHUNK) steps.
pub fn selective_scan(inputs: ScanInputs, offsets: &Arc<Vec<usize>>) -> Tensor<2> {
    let ScanInputs { u, delta, a, b, c, d, z, bias } = inputs;
    let operation = SelectiveScanOp { offsets: offsets.clone(), gated: z.is_some(), biased: bias.is_some() };
    let always = [Input::from(u), delta.into(), a.into(), b.into(), c.into(), d.into()];
    apply(operation, always.into_iter().chain(z.map(Input::from)).chain(bias.map(Input::from)))
}
