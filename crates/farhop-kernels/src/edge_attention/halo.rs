//! Rows of nodes that another process owns: their coefficients and the gradients of their scores, from what their owner says of them.
//!
//! A row of such a node is there in part only. With the largest score m and the inverse sum s of the whole row, every coefficient of it is
//! `exp(e_ji - m_j) s_j`, with the bits of its owner; with the mean D of the gradients of the whole row, every gradient of a score is
//! `a_ji (g_ji - D_j) LeakyReLU'`.

use super::{Scores, drop_some};
use crate::parallel::{Blocks, SharedMut};
use crate::simd::exp;
use crate::simd_fn;
use farhop_graph::Graph;

/// Coefficients of the rows from `own` on, `edge[E, H]` and `node[N, H]`, from `norms[2, N, H]`.
pub(crate) fn forward(graph: &Graph, scores: &Scores, own: usize, norms: &[f32], edge: &mut [f32], node: &mut [f32]) {
    let (heads, offsets) = (scores.heads, graph.offsets());
    let (edge, node) = (SharedMut::new(edge), SharedMut::new(node));
    Blocks::by_entries(&offsets[own..], 2, heads * 8).run(|rows| {
        let rows = own + rows.start..own + rows.end;
        // SAFETY: blocks are disjoint ranges of rows, and a row owns its entries and its node.
        let (edge, node) = unsafe {
            (
                edge.part(offsets[rows.start] * heads..offsets[rows.end] * heads),
                node.part(rows.start * heads..rows.end * heads),
            )
        };
        coefficients(graph, scores, rows.start, rows.end, norms, edge, node);
        drop_some(graph, scores, rows.start, edge, node);
    });
}

/// Turns the gradients of coefficients of the rows from `own` on into those of their scores. `means[N, H]` are those of whole rows.
pub(crate) fn backward(graph: &Graph, scores: &Scores, own: usize, norms: &[f32], means: &[f32], gradient: &mut [f32]) {
    let (heads, offsets) = (scores.heads, graph.offsets());
    let shared = SharedMut::new(gradient);
    Blocks::by_entries(&offsets[own..], 2, heads * 8).run(|rows| {
        let rows = own + rows.start..own + rows.end;
        let entries = offsets[rows.start] * heads..offsets[rows.end] * heads;
        let mut plain = vec![0.0; entries.len()];
        let mut nothing = vec![0.0; rows.len() * heads];
        coefficients(graph, scores, rows.start, rows.end, norms, &mut plain, &mut nothing);
        // SAFETY: blocks are disjoint ranges of rows, and a row owns its entries.
        let gradient = unsafe { shared.part(entries.clone()) };
        let mut at = 0;
        for i in rows {
            for (n, &j) in graph.neighbours(i).iter().enumerate() {
                for h in 0..heads {
                    let mut g = gradient[at];
                    if let Some(dropout) = scores.dropout {
                        g *= dropout.factor(scores.entry_counter(entries.start + at));
                    }
                    let slope = scores.leaky_gradient(scores.raw(i, j as usize, offsets[i] + n, h));
                    gradient[at] = plain[at] * (g - means[i * heads + h]) * slope;
                    at += 1;
                }
            }
        }
    });
}

simd_fn! {
    /// Without dropout; `edge` and `node` are the parts that the rows own.
    fn coefficients<M>(
        graph: &Graph,
        scores: &Scores,
        first: usize,
        end: usize,
        norms: &[f32],
        edge: &mut [f32],
        node: &mut [f32],
    ) {
        let (heads, offsets) = (scores.heads, graph.offsets());
        let (most, scale) = norms.split_at(norms.len() / 2);
        let base = offsets[first];
        for i in first..end {
            let row = &mut edge[(offsets[i] - base) * heads..(offsets[i + 1] - base) * heads];
            for h in 0..heads {
                let (most, scale) = (most[i * heads + h], scale[i * heads + h]);
                node[(i - first) * heads + h] = exp::<M>(scores.leaky(scores.raw_self(i, h)) - most) * scale;
                for (n, &j) in graph.neighbours(i).iter().enumerate() {
                    let score = scores.leaky(scores.raw(i, j as usize, offsets[i] + n, h));
                    row[n * heads + h] = exp::<M>(score - most) * scale;
                }
            }
        }
    }
}
