//! The propagation and update of a GEN layer as one operation: one node on the tape, and only what we choose is kept.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::Graph;
use farhop_kernels::edge_attention::Dropout;
use farhop_kernels::elimination::{Attention, Coefficients, Kept, Source, Start};
use farhop_kernels::exchange::Halo;
use farhop_kernels::gen_layer::{self as kernel, Config, Weights};

use super::{Array, Backward, EntryWeights, Input, Operation, Output, apply, buffers};

/// Where the coefficients of a [`gen_layer`] come from.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one per layer and step, moved twice")]
pub enum GenCoefficients {
    /// Edge attention with the vectors `[rounds, 2 F]`.
    Attention {
        /// The receiver's and the sender's vector of each round (or of all).
        weights: Tensor<2>,
        /// New scores in each round.
        each_round: bool,
        /// Slope of LeakyReLU below zero.
        slope: f32,
        /// Attention dropout.
        dropout: Option<Dropout>,
        /// A number per entry and head added to the scores of every round, `[E, H]`.
        bias: Option<Tensor<2>>,
    },
    /// Fixed numbers.
    Fixed(Arc<EntryWeights>),
}

/// The tensors of [`gen_layer`].
#[derive(Clone, Debug)]
pub struct GenInputs {
    /// `[N, F]`.
    pub z: Tensor<2>,
    /// Coefficients, with their parameters.
    pub coefficients: GenCoefficients,
    /// W_Q `[F, H * key]` and W_K `[F, key]`; `None` without hop attention.
    pub query_key: Option<(Tensor<2>, Tensor<2>)>,
    /// t `[H, hops]`, flat, added to the scores of hop attention.
    pub hop_bias: Option<Tensor<1>>,
    /// W_V `[F, O]`; `None` where mixed hops are the output as they are.
    pub value: Option<Tensor<2>>,
    /// W `[F, O]`; `None` where a node does not add itself.
    pub residual: Option<Tensor<2>>,
}

/// Inputs, in order, each if there is one: z, W_V, W, the attention vectors, the edge bias, W_Q and W_K, t.
#[derive(Debug)]
struct GenOp {
    graph: Arc<Graph>,
    config: Config,
    kind: Kind,
    value: bool,
    residual: bool,
    hop_attention: bool,
    hop_bias: bool,
    halo: Option<Arc<Halo>>,
}

/// What the backward pass needs besides inputs: what the rounds kept, and the rows of z that others have.
struct KeptRows {
    rounds: Option<Kept>,
    others: Vec<f32>,
}

#[derive(Debug)]
enum Kind {
    Attention { each_round: bool, slope: f32, dropout: Option<Dropout>, bias: bool },
    Fixed(Arc<EntryWeights>),
}

impl GenOp {
    /// Where the inputs of the coefficients begin.
    fn first(&self) -> usize {
        1 + usize::from(self.value) + usize::from(self.residual)
    }

    fn source<'a>(&'a self, input: &impl Fn(usize) -> &'a [f32]) -> Source<'a> {
        let first = self.first();
        match &self.kind {
            Kind::Attention { each_round, slope, dropout, bias } => Source::Attention(Attention {
                weights: input(first),
                each_round: *each_round,
                bias: bias.then(|| input(first + 1)),
                slope: *slope,
                dropout: *dropout,
            }),
            Kind::Fixed(weights) => {
                Source::Given(Coefficients { rounds: 1, edge: &weights.entries, node: &weights.nodes })
            }
        }
    }

    fn weights<'a>(&self, input: &impl Fn(usize) -> &'a [f32]) -> Weights<'a> {
        let coefficients = match self.kind {
            Kind::Attention { bias, .. } => 1 + usize::from(bias),
            Kind::Fixed(_) => 0,
        };
        let first = self.first() + coefficients;
        let query_key = self.hop_attention.then(|| (input(first), input(first + 1)));
        let hop_bias = self.hop_bias.then(|| input(first + 2));
        let value = self.value.then(|| input(1));
        let residual = self.residual.then(|| input(1 + usize::from(self.value)));
        Weights { query_key, hop_bias, value, residual }
    }
}

impl Operation for GenOp {
    type Kept = KeptRows;

    fn name(&self) -> &'static str {
        "gen_layer"
    }

    fn forward(&self, inputs: &[Array], training: bool) -> (Output, KeptRows) {
        let input = |i: usize| inputs[i].data;
        let (source, weights) = (self.source(&input), self.weights(&input));
        let (graph, config, halo) = (&self.graph, &self.config, self.halo.as_deref());
        let (mut extended, underway) = halo.map(|halo| halo.begin_extended(input(0), config.hops.heads.width)).unzip();
        let mut z = match &mut extended {
            Some(rows) => Start::Arriving(rows, underway),
            None => Start::Here(input(0)),
        };
        let (data, rounds) = kernel::forward_within(graph, config, &source, &weights, &mut z, training, halo);
        let others = if training { z.rows()[input(0).len()..].to_vec() } else { Vec::new() };
        drop(z);
        buffers::give(extended.unwrap_or_default());
        let rows = data.len().checked_div(config.outputs).unwrap_or(0);
        (Output { data, shape: vec![rows, config.outputs] }, KeptRows { rounds, others })
    }

    fn backward(&self, step: Backward<KeptRows>) -> Vec<Option<Vec<f32>>> {
        let arrays = step.inputs;
        let input = |i: usize| arrays[i].map_or(&[][..], |array| array.data);
        let (source, weights) = (self.source(&input), self.weights(&input));
        let halo = self.halo.as_deref();
        let width = self.config.hops.heads.width;
        let extended = halo.map(|halo| halo.extended_by(input(0), &step.kept.others, width));
        let gradients = kernel::backward_within(
            &self.graph,
            &self.config,
            &source,
            &weights,
            extended.as_deref().unwrap_or(input(0)),
            step.kept.rounds,
            kernel::Given::Pre(step.gradient),
            step.needed[0],
            halo,
        );
        buffers::give(extended.unwrap_or_default());
        let mut all = vec![gradients.z];
        all.extend(self.value.then_some(gradients.value));
        all.extend(self.residual.then_some(gradients.residual));
        if let Kind::Attention { bias, .. } = self.kind {
            all.push(gradients.attention);
            if bias {
                let size = self.graph.entries() * self.config.elimination.heads.count;
                all.push(sum_rounds(gradients.edge, size));
            }
        }
        if self.hop_attention {
            all.extend([gradients.query, gradients.key]);
        }
        if self.hop_bias {
            all.push(gradients.hop_bias);
        }
        all.into_iter().zip(step.needed).map(|(gradient, needed)| needed.then_some(gradient)).collect()
    }
}

/// The gradient of a bias that all rounds share: `[rounds, size]` to `[size]`, in the order of the rounds.
fn sum_rounds(mut rounds: Vec<f32>, size: usize) -> Vec<f32> {
    let (first, others) = rounds.split_at_mut(size);
    for round in others.chunks_exact(size.max(1)) {
        first.iter_mut().zip(round).for_each(|(sum, value)| *sum += value);
    }
    rounds.truncate(size);
    rounds
}

/// `z W + hop attention(elimination(z)) W_V`, `[N, F]` to `[N, O]`: see [`farhop_kernels::gen_layer`]. Where the graph is a part of one, rows are
/// those of own nodes.
pub fn gen_layer(inputs: GenInputs, graph: &Arc<Graph>, config: Config, halo: Option<&Arc<Halo>>) -> Tensor<2> {
    let (operation, tensors) = operation(inputs, graph, config);
    apply(GenOp { halo: halo.cloned(), ..operation }, tensors)
}

/// The hop distributions of every node, `[N, H * hops]`. They are for looking at: no gradient goes through them.
pub fn hop_distributions(inputs: GenInputs, graph: &Arc<Graph>, config: Config) -> Tensor<2> {
    let (operation, tensors) = operation(inputs, graph, config);
    apply(Looked { layer: operation, at: Sight::Hops }, tensors)
}

/// The coefficients of every set, `[sets * (E + N), H]`: of entries, then of nodes with themselves. For looking at, too.
pub fn edge_coefficients(inputs: GenInputs, graph: &Arc<Graph>, config: Config) -> Tensor<2> {
    let (operation, tensors) = operation(inputs, graph, config);
    apply(Looked { layer: operation, at: Sight::Edges }, tensors)
}

/// The weights with which `node` reads every node at every hop, `[N, H * (K + 1)]`: see [`kernel::reads`]. For looking at, too.
pub fn hop_reads(inputs: GenInputs, graph: &Arc<Graph>, config: Config, node: usize) -> Tensor<2> {
    let (operation, tensors) = operation(inputs, graph, config);
    apply(Looked { layer: operation, at: Sight::Reads(node) }, tensors)
}

fn operation(inputs: GenInputs, graph: &Arc<Graph>, config: Config) -> (GenOp, Vec<Input>) {
    let GenInputs { z, coefficients, query_key, hop_bias, value, residual } = inputs;
    let (has_value, has_residual) = (value.is_some(), residual.is_some());
    let mut tensors: Vec<Input> = [Some(z), value, residual].into_iter().flatten().map(Input::from).collect();
    let kind = match coefficients {
        GenCoefficients::Attention { weights, each_round, slope, dropout, bias } => {
            tensors.push(weights.into());
            let kind = Kind::Attention { each_round, slope, dropout, bias: bias.is_some() };
            tensors.extend(bias.map(Input::from));
            kind
        }
        GenCoefficients::Fixed(weights) => Kind::Fixed(weights),
    };
    let hop_attention = query_key.is_some();
    if let Some((query, key)) = query_key {
        tensors.extend([Input::from(query), key.into()]);
    }
    let with_bias = hop_bias.is_some() && hop_attention;
    tensors.extend(hop_bias.filter(|_| hop_attention).map(Input::from));
    let graph = graph.clone();
    let (value, residual) = (has_value, has_residual);
    (GenOp { graph, config, kind, value, residual, hop_attention, hop_bias: with_bias, halo: None }, tensors)
}

/// What a [`GenOp`] weighs its hops, its edges or other nodes with.
#[derive(Debug)]
struct Looked {
    layer: GenOp,
    at: Sight,
}

#[derive(Clone, Copy, Debug)]
enum Sight {
    Hops,
    Edges,
    Reads(usize),
}

impl Operation for Looked {
    type Kept = ();

    fn name(&self) -> &'static str {
        match self.at {
            Sight::Hops => "hop_distributions",
            Sight::Edges => "edge_coefficients",
            Sight::Reads(_) => "hop_reads",
        }
    }

    fn forward(&self, inputs: &[Array], _training: bool) -> (Output, ()) {
        let GenOp { graph, config, .. } = &self.layer;
        let input = |i: usize| inputs[i].data;
        let source = self.layer.source(&input);
        let (data, columns) = match self.at {
            Sight::Hops => {
                let data = kernel::distributions(graph, config, &source, &self.layer.weights(&input), input(0));
                (data, config.hops.heads.count * config.hops.hops(config.elimination.rounds))
            }
            Sight::Edges => (kernel::coefficients(graph, config, &source, input(0)), config.elimination.heads.count),
            Sight::Reads(node) => {
                let data = kernel::reads(graph, config, &source, &self.layer.weights(&input), input(0), node);
                (data, config.hops.heads.count * (config.elimination.rounds + 1))
            }
        };
        let rows = data.len().checked_div(columns).unwrap_or(0);
        (Output { data, shape: vec![rows, columns] }, ())
    }

    fn backward(&self, step: Backward<()>) -> Vec<Option<Vec<f32>>> {
        vec![None; step.needed.len()]
    }
}
