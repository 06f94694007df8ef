//! Encodings of a node's place in its graph as columns of their own, as GraphGPS has them (Rampášek et al., NeurIPS
//! 2022):
//!
//! ```text
//! walk        p_i = BN(walk_i) W + b, and so is every other array                        [N, width]
//! laplacian   p_i = sum over k of relu(relu((v_ik, lambda_k) A + a) B + b)               [N, width]
//! ```
//!
//! v are eigenvectors of the Laplacian, lambda their eigenvalues, `v . L v / v . v` by the graph itself; a vector of
//! zeros stands for one that a small graph does not have, and adds nothing. In training every vector of every graph
//! gets a random sign if that is wanted.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_kernels::segments::Reduction;

use super::encoder::others;
use super::feed::plain;
use super::laplacian::flipped;
use super::{BlockConfig, Linear, NormBlock};
use crate::config::{ActivationKind, NormKind};
use crate::init::Seeds;
use crate::knobs::words;
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::bridge;
use crate::{ArrayShape, Batch, Context, InputShape, LAPLACIAN, Shape, WALK, ops};

words! {
    /// Whose eigenvectors a batch has.
    pub enum LaplacianForm {
        /// `I - D^-1/2 A D^-1/2`.
        #[default]
        Normalised = "normalised",
        /// `D - A`.
        Unnormalised = "unnormalised",
    }
}

/// The columns of each encoding that the batch has.
#[derive(Module, Debug)]
pub struct PositionColumns {
    walk: Option<Plain>,
    laplacian: Option<Pairs>,
    /// Of all other arrays, in their order.
    others: Vec<Plain>,
}

/// Batch normalisation and a linear map.
#[derive(Module, Debug)]
struct Plain {
    norm: NormBlock,
    linear: Linear,
}

impl Plain {
    fn init(columns: usize, width: usize, seed: u64) -> Self {
        Plain { norm: NormBlock::init(columns, PLAIN_NORM), linear: Linear::init_uniform(columns, width, seed) }
    }

    fn apply(&self, array: Tensor<2>, context: &Context) -> Tensor<2> {
        self.linear.apply(self.norm.apply(array, None, context).into())
    }
}

#[derive(Module, Debug)]
struct Pairs {
    inner: Linear,
    outer: Linear,
    relu: NormBlock,
    #[module(skip)]
    form: LaplacianForm,
    #[module(skip)]
    random_signs: bool,
}

/// Eigenvalues of every graph, `[G, K]`; not a number where there is no vector.
struct Eigenvalues(Vec<f32>);

const PLAIN_NORM: BlockConfig = BlockConfig { norm: NormKind::Batch, activation: ActivationKind::None, dropout: 0.0 };

impl PositionColumns {
    /// Uniform weights and biases, as the authors have them; `width` columns for each encoding of `shape`.
    pub fn init(shape: &InputShape, width: usize, form: LaplacianForm, random_signs: bool, seed: u64) -> Self {
        let mut seeds = Seeds::new(seed);
        let [walk, inner, outer] = [seeds.next_seed(), seeds.next_seed(), seeds.next_seed()];
        PositionColumns {
            laplacian: (shape.array(LAPLACIAN) > 0).then(|| Pairs {
                inner: Linear::init_uniform(2, 2 * width, inner),
                outer: Linear::init_uniform(2 * width, width, outer),
                relu: NormBlock::init(2 * width, plain(ActivationKind::Relu, 0.0)),
                form,
                random_signs,
            }),
            walk: (shape.array(WALK) > 0).then(|| Plain::init(shape.array(WALK), width, walk)),
            others: others(&shape.arrays).map(|array| Plain::init(array.width, width, seeds.next_seed())).collect(),
        }
    }

    /// How many columns there are, if each encoding has `width`.
    pub fn columns(arrays: &[ArrayShape], width: usize) -> usize {
        width * arrays.len()
    }

    /// `x` with the columns at its right.
    pub fn join(&self, x: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let mut parts = vec![x];
        if let Some(walk) = &self.walk {
            parts.push(context.through_gate(walk.apply(batch.array(WALK), context)));
        }
        if let Some(pairs) = &self.laplacian {
            parts.push(context.through_gate(pairs.forward(batch, context)));
        }
        let others = others(&batch.shape().arrays).zip(&self.others);
        let read = |(array, reading): (&ArrayShape, &Plain)| reading.apply(batch.array(&array.name), context);
        parts.extend(others.map(|other| context.through_gate(read(other))));
        ops::concat(parts)
    }

    /// Writes `x` with the columns into the ledger.
    pub(crate) fn cost(x: Tracked, shape: &Shape, width: usize, ledger: &Ledger) -> Tracked {
        let (nodes, laplacian) = (shape.nodes, shape.array(LAPLACIAN));
        let mut parts = vec![x];
        ledger.hold("encodings", floats(nodes * shape.array_columns()));
        for ArrayShape { name, width: columns } in shape.arrays.iter().filter(|array| array.name != LAPLACIAN) {
            let normed = ledger.norm_block(name, ledger.data(0), None, nodes, *columns, PLAIN_NORM);
            parts.push(ledger.linear(name, normed, nodes, *columns, width, true));
        }
        if laplacian > 0 {
            let rows = nodes * laplacian;
            let pairs = ledger.data(2 * floats(rows));
            let inner = ledger.linear("laplacian", pairs, rows, 2, 2 * width, true);
            let inner = ledger.each("laplacian", inner);
            let outer = ledger.linear("laplacian", inner, rows, 2 * width, width, true);
            let outer = ledger.each("laplacian", outer);
            let (output, kept) = (outer.bytes(), floats(rows));
            let work = Work { name: "laplacian".into(), output, kept, ..Work::default() };
            let masked = ledger.run(work, [(outer, true)]);
            parts.push(ledger.reduce("laplacian", masked, nodes, width));
        }
        ledger.concat("encoder", parts)
    }
}

impl Pairs {
    fn forward(&self, batch: &Batch, context: &Context) -> Tensor<2> {
        let (nodes, count) = (batch.nodes(), batch.shape().array(LAPLACIAN));
        let values = batch.derived(self.form as u64, |batch| eigenvalues(batch, self.form));
        let vectors = match context.next_seed().filter(|_| self.random_signs) {
            Some(seed) => flipped(batch, seed),
            None => batch.array(LAPLACIAN),
        };
        let vectors = bridge::into_vec(vectors);
        let (mut pairs, mut mask) = (Vec::with_capacity(2 * vectors.len()), Vec::with_capacity(vectors.len()));
        for (graph, range) in batch.offsets().windows(2).enumerate() {
            let values = &values.0[graph * count..(graph + 1) * count];
            for row in vectors[range[0] * count..range[1] * count].chunks_exact(count) {
                for (vector, value) in row.iter().zip(values) {
                    let known = !value.is_nan();
                    pairs.extend([*vector, if known { *value } else { 0.0 }]);
                    mask.push(if known { 1.0 } else { 0.0 });
                }
            }
        }
        let rows = nodes * count;
        let pairs: Tensor<2> = bridge::from_vec(pairs, [rows, 2]);
        let inner = self.relu.apply(self.inner.apply(pairs.into()), None, context);
        let outer = self.relu.apply(self.outer.apply(inner.into()), None, context);
        let masked = ops::scale_rows(outer, bridge::from_vec(mask, [rows, 1]));
        let offsets = Arc::new((0..=nodes).map(|node| node * count).collect());
        ops::readout(masked, &offsets, Reduction::Sum)
    }
}

/// The Rayleigh quotients of the vectors: their eigenvalues, whatever their length.
fn eigenvalues(batch: &Batch, form: LaplacianForm) -> Eigenvalues {
    let array = batch.array(LAPLACIAN);
    Eigenvalues(bridge::with_slice(&array, |vectors| quotients(batch, vectors, array.dims()[1], form)))
}

fn quotients(batch: &Batch, vectors: &[f32], count: usize, form: LaplacianForm) -> Vec<f32> {
    let graph = batch.graph();
    let degree = |i: usize| graph.degree(i) as f64;
    let value = |i: usize, k: usize| f64::from(vectors[i * count + k]);
    let mut values = Vec::with_capacity(batch.graphs() * count);
    for range in batch.offsets().windows(2) {
        for k in 0..count {
            let (mut energy, mut length) = (0.0, 0.0);
            for i in range[0]..range[1] {
                let own = value(i, k);
                length += own * own;
                for &j in graph.neighbours(i) {
                    let other = value(j as usize, k);
                    energy += match form {
                        LaplacianForm::Unnormalised => own * own - own * other,
                        LaplacianForm::Normalised => {
                            let root = (degree(i) * degree(j as usize).max(1.0)).sqrt();
                            own * own / degree(i) - own * other / root
                        }
                    };
                }
            }
            values.push(if length > 0.0 { (energy / length) as f32 } else { f32::NAN });
        }
    }
    values
}
