//! What goes into a layer: a tensor, or numbers that are mostly zeros and kept that way.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_kernels::dense::Dropout;
use farhop_kernels::sparse_features::SparseFeatures;

use crate::Batch;
use crate::ops::{self, bridge, buffers};

/// Features of nodes, `[N, width]`.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one per layer and step, moved a few times")]
pub enum Features {
    /// A tensor, tracked or not.
    Dense(Tensor<2>),
    /// Data with few non-zeros.
    Sparse {
        /// The non-zeros.
        matrix: Arc<SparseFeatures>,
        /// Whether they are the batch's own numbers, unchanged.
        unchanged: bool,
        /// What rows are multiplied with, `[N, 1]`.
        gate: Option<Tensor<2>>,
    },
}

impl Features {
    /// Number of channels.
    pub fn width(&self) -> usize {
        match self {
            Features::Dense(x) => x.dims()[1],
            Features::Sparse { matrix, .. } => matrix.columns(),
        }
    }

    /// `x W + b`, over the non-zeros alone where there are few.
    pub fn linear(self, weight: Tensor<2>, bias: Option<Tensor<1>>) -> Tensor<2> {
        match self {
            Features::Dense(x) => ops::linear(x, weight, bias),
            Features::Sparse { matrix, gate: None, .. } => ops::sparse_linear(&matrix, weight, bias),
            Features::Sparse { matrix, gate: Some(gate), .. } => {
                let rows = ops::scale_rows(ops::sparse_linear(&matrix, weight, None), gate);
                match bias {
                    Some(bias) => ops::add_row(rows, bias),
                    None => rows,
                }
            }
        }
    }

    /// Whether these are the batch's own numbers, unchanged, and want no gradient: what is made of them alone is the same in every pass.
    pub(crate) fn are_own(&self, batch: &Batch) -> bool {
        let place = |x: &Tensor<2>| bridge::with_slice(x, |values| (values.as_ptr() as usize, values.len()));
        match self {
            Features::Dense(x) => !x.is_require_grad() && place(x) == place(&batch.features()),
            Features::Sparse { unchanged, .. } => *unchanged,
        }
    }

    /// The features as a tensor.
    pub fn into_dense(self, batch: &Batch) -> Tensor<2> {
        match self {
            Features::Dense(x) => x,
            Features::Sparse { unchanged: true, .. } => batch.features(),
            Features::Sparse { matrix, gate: None, .. } => dense(&matrix),
            Features::Sparse { matrix, gate: Some(gate), .. } => ops::scale_rows(dense(&matrix), gate),
        }
    }

    /// The features after dropout: an element has the same factor in both forms.
    pub(crate) fn dropped(self, dropout: Dropout) -> Features {
        match self {
            Features::Sparse { matrix, gate, .. } if !dropout.is_none() => {
                Features::Sparse { matrix: Arc::new(matrix.dropped(&dropout)), unchanged: false, gate }
            }
            other => other,
        }
    }

    /// The features with row n multiplied by `gate[n]`, `[N, 1]`.
    pub(crate) fn gated(self, gate: &Tensor<2>) -> Features {
        match self {
            Features::Dense(x) => Features::Dense(ops::scale_rows(x, gate.clone())),
            Features::Sparse { matrix, .. } => Features::Sparse { matrix, unchanged: false, gate: Some(gate.clone()) },
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        match self {
            Features::Dense(x) => bridge::with_slice(x, |values| values.iter().all(|value| value.is_finite())),
            Features::Sparse { matrix, .. } => matrix.is_finite(),
        }
    }
}

impl From<Tensor<2>> for Features {
    fn from(tensor: Tensor<2>) -> Self {
        Features::Dense(tensor)
    }
}

/// The tensor of a sparse matrix.
pub(crate) fn dense(matrix: &SparseFeatures) -> Tensor<2> {
    let mut data = buffers::take(matrix.rows() * matrix.columns());
    matrix.write_dense(&mut data);
    bridge::from_vec(data, [matrix.rows(), matrix.columns()])
}
