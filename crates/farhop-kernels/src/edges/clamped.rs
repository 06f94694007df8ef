//! Attention along a list of edges with clamped scores and a vector on every edge:
//!
//! ```text
//! s_x^h = scale sum over channels c of head h of q_ic k_jc f_rc         x = (i <- j) with row r of f
//! w_x^h = exp(clamp(s_x^h, -limit, limit))
//! y_i^h = (sum over x of w_x^h v_j^h) / (sum over x of w_x^h + epsilon)
//! ```
//!
//! Scores are bounded, so no maximum is needed and one pass does. A pair of nodes may occur several times, a node may
//! receive from itself, and edges of a kind share one row of f. Kept for the backward pass: inputs, y and the sums;
//! weights are computed again.

use crate::heads::Heads;
use crate::parallel::{Blocks, SharedMut, sum_in_order};

/// Edges of a shared row that are summed as one part.
const PIECE: usize = 2048;

/// A list of edges that is not a graph: repeated pairs and loops count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeList {
    offsets: Vec<usize>,
    targets: Vec<u32>,
    sources: Vec<u32>,
    rows: Vec<u32>,
    source_offsets: Vec<usize>,
    of_source: Vec<u32>,
    own_rows: usize,
    /// The edges of each shared row.
    shared: Vec<Vec<u32>>,
}

impl EdgeList {
    /// Edges `(source, target, row)` among `nodes` nodes; edges of a target stay in their order. Rows below `own_rows`
    /// belong to one edge each, the `shared_rows` after them to any number.
    ///
    /// # Panics
    /// If a node or a row does not exist.
    pub fn new(nodes: usize, edges: &[(u32, u32, u32)], own_rows: usize, shared_rows: usize) -> Self {
        let mut offsets = vec![0usize; nodes + 1];
        let mut source_offsets = vec![0usize; nodes + 1];
        for &(source, target, row) in edges {
            assert!((row as usize) < own_rows + shared_rows, "an edge has a row that does not exist");
            offsets[target as usize + 1] += 1;
            source_offsets[source as usize + 1] += 1;
        }
        for i in 0..nodes {
            offsets[i + 1] += offsets[i];
            source_offsets[i + 1] += source_offsets[i];
        }
        let mut next = offsets.clone();
        let (mut targets, mut sources, mut rows) = (vec![0; edges.len()], vec![0; edges.len()], vec![0; edges.len()]);
        for &(source, target, row) in edges {
            let at = &mut next[target as usize];
            (targets[*at], sources[*at], rows[*at]) = (target, source, row);
            *at += 1;
        }
        let mut next = source_offsets.clone();
        let mut of_source = vec![0u32; edges.len()];
        let mut shared = vec![Vec::new(); shared_rows];
        for (edge, (&source, &row)) in sources.iter().zip(&rows).enumerate() {
            let at = &mut next[source as usize];
            of_source[*at] = edge as u32;
            *at += 1;
            if row as usize >= own_rows {
                shared[row as usize - own_rows].push(edge as u32);
            }
        }
        EdgeList { offsets, targets, sources, rows, source_offsets, of_source, own_rows, shared }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.sources.len()
    }

    /// Number of rows of f.
    pub fn rows(&self) -> usize {
        self.own_rows + self.shared.len()
    }

    /// `(source, target, row)` of an edge.
    pub fn edge(&self, edge: usize) -> (usize, usize, usize) {
        (self.sources[edge] as usize, self.targets[edge] as usize, self.rows[edge] as usize)
    }
}

/// What the scores are made of.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Queries, `[N, F]`.
    pub q: &'a [f32],
    /// Keys, `[N, F]`.
    pub k: &'a [f32],
    /// Values, `[N, F]`.
    pub v: &'a [f32],
    /// Vectors of edges, `[rows, F]`.
    pub f: &'a [f32],
}

/// The numbers of the formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Heads over the channels.
    pub heads: Heads,
    /// What scores are multiplied with.
    pub scale: f32,
    /// The largest score.
    pub limit: f32,
    /// Added to the sum of weights.
    pub epsilon: f32,
}

fn row(values: &[f32], at: usize, width: usize) -> &[f32] {
    &values[at * width..(at + 1) * width]
}

fn score(q: &[f32], k: &[f32], f: &[f32], scale: f32) -> f32 {
    scale * q.iter().zip(k).zip(f).map(|((q, k), f)| q * k * f).sum::<f32>()
}

/// Writes y `[N, F]` and `1 / (sum of weights + epsilon)`, `[N, H]`.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn forward(edges: &EdgeList, settings: &Settings, inputs: Inputs, y: &mut [f32], inverse: &mut [f32]) {
    let Settings { heads, scale, limit, epsilon } = *settings;
    let (width, count) = (heads.width, heads.count);
    let (y, inverse) = (SharedMut::new(y), SharedMut::new(inverse));
    Blocks::by_entries(&edges.offsets, 1, 3 * width).run(|block| {
        for i in block {
            // SAFETY: blocks are disjoint ranges of nodes, and a node owns its rows.
            let (y, inverse) =
                unsafe { (y.part(i * width..(i + 1) * width), inverse.part(i * count..(i + 1) * count)) };
            y.fill(0.0);
            inverse.fill(epsilon);
            let q = row(inputs.q, i, width);
            for edge in edges.offsets[i]..edges.offsets[i + 1] {
                let (j, _, r) = edges.edge(edge);
                let (k, v, f) = (row(inputs.k, j, width), row(inputs.v, j, width), row(inputs.f, r, width));
                for (h, sum) in inverse.iter_mut().enumerate() {
                    let c = heads.range(h);
                    let s = score(&q[c.clone()], &k[c.clone()], &f[c.clone()], scale);
                    let weight = s.clamp(-limit, limit).exp();
                    *sum += weight;
                    y[c.clone()].iter_mut().zip(&v[c]).for_each(|(y, v)| *y += weight * v);
                }
            }
            for (h, sum) in inverse.iter_mut().enumerate() {
                *sum = 1.0 / *sum;
                y[heads.range(h)].iter_mut().for_each(|y| *y *= *sum);
            }
        }
    });
}

/// The gradients of q, k, v and f.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradients {
    /// `[N, F]`.
    pub q: Vec<f32>,
    /// `[N, F]`.
    pub k: Vec<f32>,
    /// `[N, F]`.
    pub v: Vec<f32>,
    /// `[rows, F]`.
    pub f: Vec<f32>,
}

/// The gradients from dy; y and `inverse` are those of [`forward`]. Two numbers for every edge and head are alive in
/// passing.
///
/// # Panics
/// If a slice is shorter than its shape.
pub fn backward(
    edges: &EdgeList,
    settings: &Settings,
    inputs: Inputs,
    y: &[f32],
    inverse: &[f32],
    dy: &[f32],
) -> Gradients {
    let Settings { heads, scale, limit, .. } = *settings;
    let (width, count) = (heads.width, heads.count);
    let nodes = edges.nodes();
    let mut dq = vec![0.0; nodes * width];
    let (mut dk, mut dv) = (vec![0.0; nodes * width], vec![0.0; nodes * width]);
    // Gradients of scores, and weights, side by side.
    let mut kept = vec![0.0; edges.edges() * 2 * count];
    {
        let (dq, kept) = (SharedMut::new(&mut dq), SharedMut::new(&mut kept));
        Blocks::by_entries(&edges.offsets, 1, 4 * width).run(|block| {
            for i in block {
                let range = edges.offsets[i]..edges.offsets[i + 1];
                // SAFETY: blocks are disjoint ranges of nodes, and a node owns its row and the edges that it receives.
                let (dq, kept) = unsafe {
                    (dq.part(i * width..(i + 1) * width), kept.part(range.start * 2 * count..range.end * 2 * count))
                };
                let (q, y, dy) = (row(inputs.q, i, width), row(y, i, width), row(dy, i, width));
                let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
                for (edge, kept) in range.zip(kept.chunks_exact_mut(2 * count)) {
                    let (j, _, r) = edges.edge(edge);
                    let (k, v, f) = (row(inputs.k, j, width), row(inputs.v, j, width), row(inputs.f, r, width));
                    for h in 0..count {
                        let c = heads.range(h);
                        let s = score(&q[c.clone()], &k[c.clone()], &f[c.clone()], scale);
                        let weight = s.clamp(-limit, limit).exp() * inverse[i * count + h];
                        let along = dot(&dy[c.clone()], &v[c.clone()]) - dot(&dy[c.clone()], &y[c.clone()]);
                        let slope = if s.abs() <= limit { scale * weight * along } else { 0.0 };
                        (kept[h], kept[count + h]) = (slope, weight);
                        for c in c {
                            dq[c] += slope * k[c] * f[c];
                        }
                    }
                }
            }
        });
    }
    {
        let (dk, dv) = (SharedMut::new(&mut dk), SharedMut::new(&mut dv));
        Blocks::by_entries(&edges.source_offsets, 1, 4 * width).run(|block| {
            for j in block {
                // SAFETY: blocks are disjoint ranges of nodes, and a node owns its rows.
                let (dk, dv) = unsafe { (dk.part(j * width..(j + 1) * width), dv.part(j * width..(j + 1) * width)) };
                for &edge in &edges.of_source[edges.source_offsets[j]..edges.source_offsets[j + 1]] {
                    let (_, i, r) = edges.edge(edge as usize);
                    let kept = row(&kept, edge as usize, 2 * count);
                    let (q, f, dy) = (row(inputs.q, i, width), row(inputs.f, r, width), row(dy, i, width));
                    for h in 0..count {
                        for c in heads.range(h) {
                            dk[c] += kept[h] * q[c] * f[c];
                            dv[c] += kept[count + h] * dy[c];
                        }
                    }
                }
            }
        });
    }
    let df = rows_gradient(edges, heads, inputs, &kept);
    Gradients { q: dq, k: dk, v: dv, f: df }
}

/// The gradient of f: rows of one edge each are written, shared rows are summed by pieces in their order.
fn rows_gradient(edges: &EdgeList, heads: Heads, inputs: Inputs, kept: &[f32]) -> Vec<f32> {
    let (width, count) = (heads.width, heads.count);
    let mut df = vec![0.0; edges.rows() * width];
    let add = |edge: usize, out: &mut [f32]| {
        let (j, i, _) = edges.edge(edge);
        let (q, k, kept) = (row(inputs.q, i, width), row(inputs.k, j, width), row(kept, edge, 2 * count));
        for (h, slope) in kept[..count].iter().enumerate() {
            for c in heads.range(h) {
                out[c] += slope * q[c] * k[c];
            }
        }
    };
    {
        let df = SharedMut::new(&mut df);
        Blocks::by_rows(edges.edges(), width).run(|block| {
            for edge in block {
                let r = edges.rows[edge] as usize;
                if r < edges.own_rows {
                    // SAFETY: such a row belongs to this edge alone, and blocks are disjoint ranges of edges.
                    add(edge, unsafe { df.part(r * width..(r + 1) * width) });
                }
            }
        });
    }
    for (r, members) in edges.shared.iter().enumerate() {
        let pieces: Vec<&[u32]> = members.chunks(PIECE).collect();
        let parts = crate::parallel::in_order(pieces.len(), true, |piece| {
            let mut sum = vec![0.0; width];
            pieces[piece].iter().for_each(|&edge| add(edge as usize, &mut sum));
            sum
        });
        let start = (edges.own_rows + r) * width;
        df[start..start + width].copy_from_slice(&sum_in_order(parts, width));
    }
    df
}
