//! Eliminated hops with fixed coefficients, read as a weighed sum or side by side.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::dense::rows as rows_kernel;
use farhop_kernels::elimination::{
    self as kernel, Coefficients, Config, HopGradient, Kept, Mode, Reading, RowGradient, Source, Storage,
};
use farhop_kernels::heads::Heads;
use farhop_kernels::lists;

use super::{Array, Backward, EntryWeights, Input, Operation, Output, apply, buffers};

/// How the hops `d^0 .. d^K` become the result.
#[derive(Clone, Debug, PartialEq)]
pub enum Hops {
    /// Their sum with these weights, one for each of `0 ..= K`.
    Sum(Vec<f32>),
    /// Side by side, for this K.
    Concat(usize),
}

impl Hops {
    /// Hop `hop` alone.
    pub fn only(hop: usize) -> Self {
        Hops::Sum((0..=hop).map(|k| if k == hop { 1.0 } else { 0.0 }).collect())
    }

    /// The farthest hop, K.
    pub fn farthest(&self) -> usize {
        match self {
            Hops::Sum(weights) => weights.len().saturating_sub(1),
            Hops::Concat(farthest) => *farthest,
        }
    }
}

/// The kernel's settings of `rounds` rounds over `width` channels.
pub(crate) fn elimination(rounds: usize, width: usize) -> Config {
    Config { rounds, heads: Heads::new(width, 1), mode: Mode::Exact, skip_negligible: false, storage: Storage::Full }
}

/// Input: x.
#[derive(Debug)]
struct EliminateOp {
    graph: Arc<Graph>,
    weights: Arc<EntryWeights>,
    hops: Hops,
}

impl EliminateOp {
    fn source(&self) -> Source<'_> {
        Source::Given(Coefficients { rounds: 1, edge: &self.weights.entries, node: &self.weights.nodes })
    }
}

impl Operation for EliminateOp {
    type Kept = Option<Kept>;

    fn name(&self) -> &'static str {
        "eliminate"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, Option<Kept>) {
        let x = inputs[0];
        let (rows, width) = (x.rows(), x.columns());
        let config = elimination(self.hops.farthest(), width);
        let kept = kernel::forward(&self.graph, &config, &self.source(), x.data);
        let all = std::iter::once(x.data).chain(kept.increments.iter().map(Vec::as_slice));
        let (y, outputs) = match &self.hops {
            Hops::Sum(weights) => {
                let mut y = buffers::take(x.data.len());
                lists::mix(weights, &all.collect::<Vec<_>>(), width, &mut y);
                (y, width)
            }
            Hops::Concat(farthest) => {
                let outputs = (farthest + 1) * width;
                let mut y = buffers::take(rows * outputs);
                rows_kernel::join_columns(&all.map(|d| (d, width)).collect::<Vec<_>>(), &mut y);
                (y, outputs)
            }
        };
        let kept = if training {
            Some(kept)
        } else {
            kept.give_back();
            None
        };
        (Output { data: y, shape: vec![rows, outputs] }, kept)
    }

    fn backward(&self, step: Backward<Option<Kept>>) -> Vec<Option<Vec<f32>>> {
        let (x, width) = (step.input(0).data, step.input(0).columns());
        let Some(kept) = step.kept else { return vec![None] };
        let config = elimination(self.hops.farthest(), width);
        let (hops, gradient) = (&self.hops, &step.gradient[..]);
        let of_rows = || Box::new(OfHops { hops, gradient, width }) as RowGradient;
        let gradients = kernel::backward(&self.graph, &config, &self.source(), x, kept, Reading::Increment, &of_rows);
        buffers::give(gradients.edge);
        buffers::give(gradients.node);
        buffers::give(step.gradient);
        vec![Some(gradients.z)]
    }
}

/// The gradients of the hops from that of the result.
struct OfHops<'a> {
    hops: &'a Hops,
    gradient: &'a [f32],
    width: usize,
}

impl HopGradient for OfHops<'_> {
    fn row(&mut self, i: usize, _last: &[f32], block: &mut [f32]) {
        let width = self.width;
        match self.hops {
            Hops::Sum(weights) => {
                let gradient = &self.gradient[i * width..(i + 1) * width];
                for (part, weight) in block.chunks_exact_mut(width).zip(&weights[1..]) {
                    part.iter_mut().zip(gradient).for_each(|(part, g)| *part = weight * g);
                }
            }
            Hops::Concat(farthest) => {
                let all = (farthest + 1) * width;
                block.copy_from_slice(&self.gradient[i * all + width..(i + 1) * all]);
            }
        }
    }

    /// Hop 0 is x itself.
    fn end(&mut self, rows: Range<usize>, z: &mut [f32]) {
        let width = self.width;
        let (all, weight) = match self.hops {
            Hops::Sum(weights) => (width, weights[0]),
            Hops::Concat(farthest) => ((farthest + 1) * width, 1.0),
        };
        for (i, row) in rows.zip(z.chunks_exact_mut(width)) {
            let gradient = &self.gradient[i * all..i * all + width];
            row.iter_mut().zip(gradient).for_each(|(z, g)| *z += weight * g);
        }
    }
}

/// The hops of x `[N, F]` without what steps straight back, with fixed coefficients c:
///
/// ```text
/// d^0 = x,   u_ij^1 = c_ij x_j,   u_ij^k = c_ij (d_j^(k-1) - u_ji^(k-1)),   d_i^k = sum over neighbours j of u_ij^k
/// ```
///
/// The sum `[N, F]` of `d^0 .. d^K` with weights, or all side by side, `[N, (K + 1) F]`. The coefficients of nodes for themselves are not
/// read. Keeps x, the hops and some numbers per node; states of entries never exist.
///
/// # Panics
/// If x has not a row for every node, or K is 0.
pub fn eliminate(x: Tensor<2>, graph: &Arc<Graph>, weights: &Arc<EntryWeights>, hops: Hops) -> Tensor<2> {
    assert_eq!(x.dims()[0], graph.nodes(), "eliminate: a row of x for every node");
    assert!(hops.farthest() > 0, "eliminate: at least one hop");
    apply(EliminateOp { graph: graph.clone(), weights: weights.clone(), hops }, [Input::from(x)])
}
