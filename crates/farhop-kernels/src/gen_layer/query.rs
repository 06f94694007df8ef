//! The queries of hop attention, `q = (z W_Q) W_K^T` head by head, a tile of rows at a time.

use super::Config;
use crate::dense::Write;
use crate::dense::product::{Shape, matmul, matmul_transposed, weight_gradient};
use crate::dense::product::{tile_product, tile_product_transposed, tile_weight_gradient};

/// How q comes from z.
pub(super) enum Projection<'a> {
    /// `q = z M`, `M[:, head] = W_Q[:, head] W_K[head]^T`, `[F, F]`.
    Folded { folded: Vec<f32>, query: &'a [f32], key: &'a [f32] },
    /// `q = (z W_Q) S^T`: cheaper where features are much wider than keys. S is W_K with every head's rows moved to the columns of its own
    /// keys, zeros elsewhere, `[F, H * key]`.
    Steps { query: &'a [f32], spread: Vec<f32>, inner: usize },
}

impl<'a> Projection<'a> {
    pub fn new(config: &Config, query: &'a [f32], key: &'a [f32]) -> Self {
        let width = config.hops.heads.width;
        if 2 * query.len() < width * width {
            let inner = query.len() / width;
            Projection::Steps { query, spread: spread_keys(config, key, inner), inner }
        } else {
            Projection::Folded { folded: fold(config, query, key), query, key }
        }
    }

    /// Numbers per row that [`Projection::apply`] needs besides its result.
    pub fn inner(&self) -> usize {
        match self {
            Projection::Folded { .. } => 0,
            Projection::Steps { inner, .. } => *inner,
        }
    }

    /// Writes q of `rows` rows, `[rows, F]`; `inner` holds what is between the steps afterwards.
    pub fn apply(&self, rows: usize, width: usize, z: &[f32], inner: &mut [f32], q: &mut [f32]) {
        match self {
            Projection::Folded { folded, .. } => tile_product(rows, width, width, z, folded, Write::Replace, q),
            Projection::Steps { query, spread, inner: size } => {
                tile_product(rows, width, *size, z, query, Write::Replace, inner);
                tile_product_transposed(rows, *size, width, inner, spread, Write::Replace, q);
            }
        }
    }

    /// Numbers that [`Projection::backward`] sums up.
    pub fn sums(&self, width: usize) -> usize {
        match self {
            Projection::Folded { .. } => width * width,
            Projection::Steps { inner, .. } => 2 * width * inner,
        }
    }

    /// Adds to `sums` and `d_z` what comes from the gradient of q; `inner` is as [`Projection::apply`] left it, and overwritten.
    #[allow(clippy::too_many_arguments)]
    pub fn backward(
        &self,
        rows: usize,
        width: usize,
        z: &[f32],
        inner: &mut [f32],
        gradient: &[f32],
        sums: &mut [f32],
        d_z: Option<&mut [f32]>,
    ) {
        match self {
            Projection::Folded { folded, .. } => {
                tile_weight_gradient(width, rows, width, z, gradient, sums);
                if let Some(d_z) = d_z {
                    tile_product_transposed(rows, width, width, gradient, folded, Write::Add, d_z);
                }
            }
            // q = t S^T with t = z W_Q: dS = dq^T t, dt = dq S.
            Projection::Steps { query, spread, inner: size } => {
                let (d_query, d_spread) = sums.split_at_mut(width * size);
                tile_weight_gradient(width, rows, *size, gradient, inner, d_spread);
                tile_product(rows, width, *size, gradient, spread, Write::Replace, inner);
                tile_weight_gradient(width, rows, *size, z, inner, d_query);
                if let Some(d_z) = d_z {
                    tile_product_transposed(rows, *size, width, inner, query, Write::Add, d_z);
                }
            }
        }
    }

    /// Gradients of W_Q and W_K from the sums over all rows.
    pub fn finish(&self, config: &Config, sums: &[f32]) -> (Vec<f32>, Vec<f32>) {
        match self {
            Projection::Folded { query, key, .. } => unfold(config, query, key, sums),
            Projection::Steps { inner, .. } => {
                let heads = config.hops.heads;
                let (d_query, d_spread) = sums.split_at(heads.width * inner);
                let size = inner / heads.count;
                let mut d_key = vec![0.0; heads.width * size];
                for h in 0..heads.count {
                    for f in heads.range(h) {
                        d_key[f * size..(f + 1) * size]
                            .copy_from_slice(&d_spread[f * inner + h * size..f * inner + (h + 1) * size]);
                    }
                }
                (d_query.to_vec(), d_key)
            }
        }
    }
}

/// S of [`Projection::Steps`].
fn spread_keys(config: &Config, key: &[f32], inner: usize) -> Vec<f32> {
    let heads = config.hops.heads;
    let size = inner / heads.count;
    let mut out = vec![0.0; heads.width * inner];
    for h in 0..heads.count {
        for f in heads.range(h) {
            out[f * inner + h * size..f * inner + (h + 1) * size].copy_from_slice(&key[f * size..(f + 1) * size]);
        }
    }
    out
}

/// Each head's part of W_Q, `[F, key]`, made contiguous.
fn head_query(query: &[f32], h: usize, count: usize, key: usize) -> Vec<f32> {
    query.chunks_exact(count * key).flat_map(|row| &row[h * key..(h + 1) * key]).copied().collect()
}

/// M `[F, F]`.
fn fold(config: &Config, query: &[f32], key: &[f32]) -> Vec<f32> {
    let heads = config.hops.heads;
    let (width, size) = (heads.width, key.len() / heads.width.max(1));
    let mut folded = vec![0.0; width * width];
    for h in 0..heads.count {
        let range = heads.range(h);
        let part = head_query(query, h, heads.count, size);
        let mut product = vec![0.0; width * range.len()];
        let shape = Shape { rows: width, inputs: range.len(), outputs: size };
        matmul_transposed(&part, &key[range.start * size..range.end * size], shape, Write::Replace, &mut product);
        for (row, values) in folded.chunks_exact_mut(width).zip(product.chunks_exact(range.len().max(1))) {
            row[range.clone()].copy_from_slice(values);
        }
    }
    folded
}

/// Gradients of W_Q and W_K from that of M.
fn unfold(config: &Config, query: &[f32], key: &[f32], d_fold: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let heads = config.hops.heads;
    let (width, size) = (heads.width, key.len() / heads.width.max(1));
    let mut d_query = vec![0.0; query.len()];
    let mut d_key = vec![0.0; key.len()];
    for h in 0..heads.count {
        let range = heads.range(h);
        let rows = range.start * size..range.end * size;
        let given: Vec<f32> = d_fold.chunks_exact(width).flat_map(|row| &row[range.clone()]).copied().collect();
        let shape = Shape { rows: width, inputs: range.len(), outputs: size };
        // M_h = Q_h K_h^T: dQ_h = dM_h K_h, dK_h = dM_h^T Q_h.
        let mut part = vec![0.0; width * size];
        matmul(&given, &key[rows.clone()], None, shape, Write::Replace, &mut part);
        for (row, values) in d_query.chunks_exact_mut(heads.count * size).zip(part.chunks_exact(size)) {
            row[h * size..(h + 1) * size].copy_from_slice(values);
        }
        weight_gradient(&given, &head_query(query, h, heads.count, size), shape, Write::Replace, &mut d_key[rows]);
    }
    (d_query, d_key)
}
