//! A polynomial of the graph with learned coefficients, as one operation.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::dense::rows;
use farhop_kernels::lists;

use super::spmm::Neighbourhood;
use super::{Array, Backward, EntryWeights, Input, Operation, Output, apply, buffers};
use crate::Batch;

/// Inputs z `[N, F]` and gamma `[K + 1]`.
#[derive(Debug)]
struct PolynomialFilterOp {
    around: Neighbourhood,
    weights: Arc<EntryWeights>,
}

impl Operation for PolynomialFilterOp {
    type Kept = ();

    fn name(&self) -> &'static str {
        "polynomial_filter"
    }

    /// By Horner's rule, from the highest power down: two arrays, whatever the degree.
    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let (z, gamma) = (inputs[0], inputs[1].data);
        let width = z.columns();
        let (mut t, mut next) = (buffers::take(z.data.len()), buffers::take(z.data.len()));
        let highest = gamma[gamma.len() - 1];
        t.iter_mut().zip(z.data).for_each(|(t, z)| *t = highest * z);
        for &factor in gamma[..gamma.len() - 1].iter().rev() {
            self.around.forward(self.weights.view(), None, &t, width, &mut next);
            lists::mix(&[1.0, factor], &[&next, z.data], width, &mut t);
        }
        buffers::give(next);
        (Output { data: t, shape: z.shape.to_vec() }, ())
    }

    /// With `Q_0 = dy` and `Q_k = P^T Q_(k-1)`: `dz = sum of gamma_k Q_k` and `dgamma_k = <z, Q_k>`.
    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        let (z, gamma) = (step.input(0), step.input(1).data);
        let (width, size) = (z.columns(), z.data.len());
        let mut q = step.gradient;
        let (mut dz, mut next) = (vec![0.0; size], buffers::take(size));
        let mut of_rows = buffers::take(z.rows());
        let mut dgamma = Vec::with_capacity(gamma.len());
        for (k, &factor) in gamma.iter().enumerate() {
            if k > 0 {
                self.around.backward(self.weights.view(), &q, width, &mut next);
                std::mem::swap(&mut q, &mut next);
            }
            rows::dots(z.data, &q, width, &mut of_rows);
            dgamma.push(of_rows.iter().map(|dot| f64::from(*dot)).sum::<f64>() as f32);
            if step.needed[0] {
                dz.iter_mut().zip(&q).for_each(|(dz, q)| *dz += factor * q);
            }
        }
        [q, next, of_rows].into_iter().for_each(buffers::give);
        vec![step.needed[0].then_some(dz), step.needed[1].then_some(dgamma)]
    }
}

/// `y = sum over k = 0 .. K of gamma_k P^k z`: z and y `[N, F]`, gamma `[K + 1]`, P the fixed coefficients `weights`. Keeps z and
/// gamma, nothing that grows with K.
///
/// # Panics
/// If there is no coefficient, or z has not a row for every node.
pub fn polynomial_filter(z: Tensor<2>, gamma: Tensor<1>, batch: &Batch, weights: &Arc<EntryWeights>) -> Tensor<2> {
    assert!(gamma.dims()[0] > 0 && z.dims()[0] == batch.nodes(), "polynomial_filter: z [N, F], a coefficient at least");
    apply(
        PolynomialFilterOp { around: Neighbourhood::of(batch), weights: weights.clone() },
        [Input::from(z), gamma.into()],
    )
}
