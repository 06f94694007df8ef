//! What is known of a node, as one row of `width` channels:
//!
//! ```text
//! y_i = numbers_i W + b  +  sum over columns c of T_c[category_ic]  +  norm(walk_i) W_w + b_w  +  laplacian(v_i)  +  ..
//! ```
//!
//! Each term is there if the node has what it reads. The sum of table rows is the atom encoder of the Open Graph Benchmark
//! (Hu et al., NeurIPS 2020). Walk probabilities go through batch normalisation before their linear map, as in GraphGPS
//! (Rampášek et al., NeurIPS 2022): their sizes differ much between steps and between graphs. See
//! [`LaplacianEncoder`] for the last term. Every further array of nodes is read as walk probabilities are.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::random::mix;
use farhop_kernels::dense::{Activation, Finish};

use super::laplacian::{LaplacianEncoder, LaplacianReading};
use super::{BlockConfig, Linear, NormBlock};
use crate::config::{ActivationKind, NormKind};
use crate::init::{Seeds, Start};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::Normalisation;
use crate::{ArrayShape, Batch, Context, Features, InputShape, LAPLACIAN, Shape, WALK, init, ops};

/// Sets the seeds of what only some inputs have apart from those that every model has.
const OWN_SEEDS: u64 = 0x656E_636F_6465_7273;

/// The settings of an [`Encoder`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EncoderConfig {
    /// Channels of the result.
    pub width: usize,
    /// Whether numbers are projected even where they are all there is.
    pub projection: bool,
    /// Probability of dropping a number of a node.
    pub dropout: f32,
    /// How eigenvectors are read.
    pub laplacian: LaplacianReading,
    /// Initial weights of the projection.
    pub start: Start,
}

impl EncoderConfig {
    /// Whether there is a projection of `numbers` numbers.
    fn projects(&self, numbers: usize, needs_encoder: bool) -> bool {
        numbers > 0 && (self.projection || needs_encoder)
    }

    /// Channels that the first layer sees: the raw numbers if nothing is encoded.
    pub fn outputs(&self, numbers: usize, needs_encoder: bool) -> usize {
        if self.projection || needs_encoder { self.width } else { numbers }
    }

    /// Writes the encoder into the ledger; gives its output and the channels of that.
    pub(crate) fn cost(&self, shape: &Shape, ledger: &Ledger) -> (Tracked, usize) {
        self.hold(shape, ledger);
        self.pass(shape, ledger)
    }

    /// What is known of nodes and entries, held by the batch.
    pub(crate) fn hold(&self, shape: &Shape, ledger: &Ledger) {
        ledger.hold("features", stored_numbers(shape));
        ledger.hold("categories", (2 * shape.nodes * shape.categories) as u64);
        ledger.hold("encodings", floats(shape.nodes * shape.array_columns()));
        let edge_categories = (2 * shape.entries * shape.edge_categories) as u64;
        ledger.hold("edge features", floats(shape.entries * shape.edge_numbers) + edge_categories);
    }

    /// As [`EncoderConfig::cost`] for a further encoder: what it reads is held already.
    pub(crate) fn pass(&self, shape: &Shape, ledger: &Ledger) -> (Tracked, usize) {
        let Shape { nodes, inputs, .. } = *shape;
        let mut numbers = ledger.data(0);
        if ledger.training() && self.dropout > 0.0 {
            numbers = ledger.data(stored_numbers(shape));
        }
        if !self.projection && !shape.needs_encoder() {
            return (numbers, inputs);
        }
        let hidden = floats(nodes * self.width);
        let mut terms = Vec::new();
        if self.projects(inputs, shape.needs_encoder()) {
            terms.push(ledger.linear("projection", numbers, nodes, inputs, self.width, true));
        }
        let mut add = |term: Tracked| {
            let sum = match terms.pop() {
                Some(sum) => ledger.add("encoder", sum, term),
                None => term,
            };
            terms.push(sum);
        };
        if shape.categories > 0 {
            ledger.weights("category weights", shape.category_rows * self.width);
            let backward = 2 * hidden + farhop_kernels::embedding::bytes(nodes, shape.category_rows, self.width);
            let work = Work { name: "encoder".into(), output: hidden, backward, ..Work::default() };
            add(ledger.run(work, [(ledger.data(0), false)]));
        }
        for ArrayShape { name, width } in &shape.arrays {
            let (weights, columns) = match name.as_str() {
                LAPLACIAN => self.laplacian.size(*width, self.width),
                _ => (2 * width + Linear::size(*width, self.width), *width),
            };
            ledger.weights(&format!("{name} weights"), weights);
            let work = Work { name: "encoder".into(), output: floats(nodes * columns), ..Work::default() };
            let read = ledger.run(work, [(ledger.data(0), false)]);
            add(ledger.product(name, read, nodes, self.width));
        }
        (terms.pop().unwrap_or_else(|| ledger.data(0)), self.width)
    }
}

/// The numbers of all nodes, in bytes.
fn stored_numbers(shape: &Shape) -> u64 {
    match shape.non_zeros {
        None => floats(shape.nodes * shape.inputs),
        // By rows and by columns: an index and a value each, and where lines begin.
        Some(stored) => 4 * floats(stored) + 2 * floats(2 * shape.nodes + shape.inputs),
    }
}

/// `[N, numbers]` and the rest of a node to `[N, width]`.
#[derive(Module, Debug)]
pub struct Encoder {
    projection: Option<Linear>,
    categories: Option<Param<Tensor<2>>>,
    walk: Option<ArrayEncoder>,
    laplacian: Option<LaplacianEncoder>,
    /// Of all other arrays, in their order.
    others: Vec<ArrayEncoder>,
    #[module(skip)]
    dropout: f32,
}

/// Batch normalisation and a linear map.
#[derive(Module, Debug)]
struct ArrayEncoder {
    norm: NormBlock,
    linear: Linear,
}

impl Encoder {
    /// Glorot weights and tables (each column's table by itself), zero biases; the projection as `config` says. Takes the seed of the projection from `seeds`.
    pub(crate) fn init(shape: &InputShape, config: &EncoderConfig, seeds: &mut Seeds) -> Self {
        let mut own = Seeds::new(mix(seeds.seed(), OWN_SEEDS));
        let projects = config.projects(shape.numbers, shape.needs_encoder());
        let [categories, walk, laplacian] = [own.next_seed(), own.next_seed(), own.next_seed()];
        let array = |columns: usize, seed: u64| ArrayEncoder::init(columns, config.width, seed);
        Encoder {
            projection: projects.then(|| Linear::init_as(config.start, shape.numbers, config.width, seeds.next_seed())),
            categories: (!shape.categories.is_empty())
                .then(|| init::tables(&shape.categories, config.width, categories)),
            walk: Some(shape.array(WALK)).filter(|steps| *steps > 0).map(|steps| array(steps, walk)),
            laplacian: Some(shape.array(LAPLACIAN))
                .filter(|vectors| *vectors > 0)
                .map(|vectors| LaplacianEncoder::init(vectors, config.width, config.laplacian, laplacian)),
            others: others(&shape.arrays).map(|other| array(other.width, own.next_seed())).collect(),
            dropout: config.dropout,
        }
    }

    /// The encoded nodes; the numbers themselves if there is nothing to encode.
    pub fn forward(&self, numbers: Features, batch: &Batch, context: &Context) -> Features {
        let numbers = self.drop_numbers(numbers, context);
        // Arrays of the batch may have readers elsewhere: what this one reads counts.
        let encodes = self.categories.is_some() || self.walk.is_some() || self.laplacian.is_some();
        if self.projection.is_none() && !encodes && self.others.is_empty() {
            return numbers;
        }
        // Added one by one, so that no more than two terms are alive.
        let mut sum: Option<Tensor<2>> = None;
        let mut add = |term: Tensor<2>| {
            sum = Some(match sum.take() {
                Some(sum) => ops::add(sum, term),
                None => term,
            });
        };
        if let Some(projection) = &self.projection {
            add(projection.apply(numbers));
        }
        if let Some(table) = &self.categories {
            add(context.through_gate(ops::embedding(batch.categories(), table.val())));
        }
        if let Some(walk) = &self.walk {
            add(context.through_gate(walk.forward(batch.array(WALK), context)));
        }
        if let Some(laplacian) = &self.laplacian {
            add(context.through_gate(laplacian.forward(batch, context)));
        }
        for (array, encoder) in others(&batch.shape().arrays).zip(&self.others) {
            add(context.through_gate(encoder.forward(batch.array(&array.name), context)));
        }
        sum.map_or_else(|| batch.input(), Features::from)
    }

    /// As [`Encoder::forward`]; what is encoded is shown to the context.
    pub fn stage(&self, numbers: Features, batch: &Batch, context: &Context) -> Features {
        match self.forward(numbers, batch, context) {
            Features::Dense(x) => context.stage(|| "encoder".into(), x).into(),
            sparse => sparse,
        }
    }

    fn drop_numbers(&self, numbers: Features, context: &Context) -> Features {
        if !context.is_training() {
            return numbers;
        }
        let dropout = context.dropout(self.dropout);
        match numbers {
            Features::Dense(x) if !dropout.is_none() => {
                let finish = Finish { activation: Activation::Identity, dropout };
                ops::norm_block(x, Normalisation::None, finish, None).into()
            }
            other => other.dropped(dropout),
        }
    }
}

impl ArrayEncoder {
    fn init(columns: usize, width: usize, seed: u64) -> Self {
        let norm = BlockConfig { norm: NormKind::Batch, activation: ActivationKind::None, dropout: 0.0 };
        ArrayEncoder { norm: NormBlock::init(columns, norm), linear: Linear::init(columns, width, seed) }
    }

    fn forward(&self, array: Tensor<2>, context: &Context) -> Tensor<2> {
        self.linear.apply(self.norm.apply(array, None, context).into())
    }
}

/// The arrays without a reading of their own.
pub(super) fn others(arrays: &[ArrayShape]) -> impl Iterator<Item = &ArrayShape> {
    arrays.iter().filter(|array| ![WALK, LAPLACIAN].contains(&array.name.as_str()))
}
