//! The end of a block: `y = residual + dropout(activation(z))`, and the same without normalisation before it.

use super::dropout::RowKey;
use super::tiles::Tiles;
use super::{Activation, Dropout};
use crate::parallel::SharedMut;
use crate::simd::Arith;
use crate::simd_fn;

/// Activation and dropout after normalisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finish {
    /// Applied first.
    pub activation: Activation,
    /// Applied second.
    pub dropout: Dropout,
}

impl Finish {
    /// True if nothing is done.
    pub fn is_identity(&self) -> bool {
        self.activation == Activation::Identity && self.dropout.is_none()
    }

    /// `row = residual + dropout(activation(row))`.
    #[inline(always)]
    pub(super) fn forward<M: Arith>(&self, key: RowKey, residual: Option<&[f32]>, row: &mut [f32]) {
        self.activation.apply::<M>(row);
        self.dropout.apply(key, row);
        if let Some(residual) = residual {
            row.iter_mut().zip(residual).for_each(|(y, r)| *y += r);
        }
    }

    /// `gradient = gradient of z`, where `gradient` holds that of y and `z` what went into the activation.
    #[inline(always)]
    pub(super) fn backward<M: Arith>(&self, key: RowKey, z: &[f32], gradient: &mut [f32]) {
        self.dropout.apply(key, gradient);
        self.activation.multiply_slope::<M>(z, gradient);
    }
}

/// `y = residual + dropout(activation(x))`, all `[rows, width]`.
///
/// # Panics
/// If a slice is shorter than `rows * width`.
pub fn forward(x: &[f32], residual: Option<&[f32]>, rows: usize, width: usize, finish: &Finish, y: &mut [f32]) {
    let y = SharedMut::new(&mut y[..rows * width]);
    Tiles::elementwise(rows, width).run(|tile| {
        let range = tile.start * width..tile.end * width;
        // SAFETY: tiles are disjoint ranges of rows.
        let part = unsafe { y.part(range.clone()) };
        part.copy_from_slice(&x[range.clone()]);
        forward_rows(residual.map(|r| &r[range]), tile.start, width, finish, part);
    });
}

/// `dx = gradient with respect to x`; the gradient with respect to the residual is `dy` itself.
///
/// # Panics
/// If a slice is shorter than `rows * width`.
pub fn backward(x: &[f32], dy: &[f32], rows: usize, width: usize, finish: &Finish, dx: &mut [f32]) {
    let dx = SharedMut::new(&mut dx[..rows * width]);
    Tiles::elementwise(rows, width).run(|tile| {
        let range = tile.start * width..tile.end * width;
        // SAFETY: tiles are disjoint ranges of rows.
        let part = unsafe { dx.part(range.clone()) };
        part.copy_from_slice(&dy[range.clone()]);
        backward_rows(&x[range], tile.start, width, finish, part);
    });
}

simd_fn! {
    fn forward_rows<M>(residual: Option<&[f32]>, first: usize, width: usize, finish: &Finish, y: &mut [f32]) {
        for (i, row) in y.chunks_exact_mut(width.max(1)).enumerate() {
            let residual = residual.map(|r| &r[i * width..(i + 1) * width]);
            finish.forward::<M>(finish.dropout.row_key(first + i), residual, row);
        }
    }
}

simd_fn! {
    fn backward_rows<M>(x: &[f32], first: usize, width: usize, finish: &Finish, dx: &mut [f32]) {
        for ((i, row), x) in dx.chunks_exact_mut(width.max(1)).enumerate().zip(x.chunks_exact(width.max(1))) {
            finish.backward::<M>(finish.dropout.row_key(first + i), x, row);
        }
    }
}
