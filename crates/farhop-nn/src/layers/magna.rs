//! The layer of MAGNA: attention over neighbours, spread over several hops. See the model for the formulas.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::dense::{Activation, Dropout, Finish};

use super::Linear;
use crate::config::ActivationKind;
use crate::init::{self, Seeds};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::{self, Normalisation, PairScores, TopScores};
use crate::{Batch, Context, RowsOf, Shape};

/// Added to the variance: with rows that are constant, the slope of the authors' norm.
const EPSILON: f32 = 1e-12;

/// Channels of the inner layer of the feed-forward block, as a multiple of the width.
const INNER: usize = 4;

/// The settings of a [`MagnaLayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MagnaLayerConfig {
    /// Channels of the output.
    pub width: usize,
    /// Attention heads.
    pub heads: usize,
    /// Steps of diffusion.
    pub hops: usize,
    /// Share of the values themselves in every step.
    pub alpha: f32,
    /// Slope of LeakyReLU below zero.
    pub slope: f32,
    /// Weights that a node keeps; 0 for all.
    pub top_entries: usize,
    /// Whether every head keeps its own.
    pub top_per_head: bool,
    /// Whether scores are made from the values.
    pub shared_scores: bool,
    /// Probability of dropping an element of a row.
    pub dropout: f32,
    /// Probability of dropping an attention weight, anew in every step.
    pub attention_dropout: f32,
    /// Twice the probability of dropping a pair of neighbours.
    pub edge_dropout: f32,
    /// Probability of dropping an element of the inner layer.
    pub inner_dropout: f32,
    /// Activation of the inner layer.
    pub activation: ActivationKind,
}

/// `a (h - mean) / deviation + b` for every row, with the deviation of a sample (divided by one less than the width).
#[derive(Module, Debug)]
struct DeviationNorm {
    scale: Param<Tensor<1>>,
    shift: Param<Tensor<1>>,
}

impl DeviationNorm {
    fn init(width: usize) -> Self {
        DeviationNorm { scale: init::constant(width, 1.0), shift: init::constant(width, 0.0) }
    }

    /// Layer norm divides by the deviation of a population: the ratio of the two goes into the scale.
    fn apply(&self, x: Tensor<2>, dropout: Dropout) -> Tensor<2> {
        let width = x.dims()[1] as f32;
        let gamma = self.scale.val() * ((width - 1.0).max(0.0) / width).sqrt();
        let norm = Normalisation::Layer { gamma, beta: self.shift.val(), epsilon: EPSILON };
        ops::norm_block(x, norm, Finish { activation: Activation::Identity, dropout }, None)
    }
}

/// Multi-hop attention and a feed-forward block, `[N, inputs]` to `[N, width]`.
#[derive(Module, Debug)]
pub struct MagnaLayer {
    norm: DeviationNorm,
    values: Param<Tensor<2>>,
    sender_values: Option<Param<Tensor<2>>>,
    receiver_values: Option<Param<Tensor<2>>>,
    sender: Param<Tensor<2>>,
    receiver: Param<Tensor<2>>,
    output: Param<Tensor<2>>,
    residual: Option<Param<Tensor<2>>>,
    inner_norm: DeviationNorm,
    inner: Linear,
    outer: Linear,
    #[module(skip)]
    config: MagnaLayerConfig,
}

fn activated(x: Tensor<2>, activation: Activation, dropout: Dropout) -> Tensor<2> {
    let finish = Finish { activation, dropout };
    if finish.is_identity() { x } else { ops::norm_block(x, Normalisation::None, finish, None) }
}

impl MagnaLayer {
    /// Glorot weights, zero biases.
    pub(crate) fn init(inputs: usize, config: MagnaLayerConfig, seeds: &mut Seeds) -> Self {
        let MagnaLayerConfig { width, heads, .. } = config;
        let mut map = |inputs: usize| init::glorot(inputs, width, seeds.next_seed());
        let values = map(inputs);
        let sender_values = (!config.shared_scores).then(|| map(inputs));
        let receiver_values = (!config.shared_scores).then(|| map(inputs));
        let output = map(width);
        let residual = (inputs != width).then(|| map(inputs));
        MagnaLayer {
            norm: DeviationNorm::init(inputs),
            values,
            sender_values,
            receiver_values,
            sender: init::glorot(heads, width / heads, seeds.next_seed()),
            receiver: init::glorot(heads, width / heads, seeds.next_seed()),
            output,
            residual,
            inner_norm: DeviationNorm::init(width),
            inner: Linear::init(width, INNER * width, seeds.next_seed()),
            outer: Linear::init(INNER * width, width, seeds.next_seed()),
            config,
        }
    }

    /// Attention scores `[E + N, heads]`.
    fn scores(&self, y: &Tensor<2>, values: &Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let part = |map: &Option<Param<Tensor<2>>>, vectors: &Param<Tensor<2>>| {
            let from = match map {
                Some(map) => ops::linear(y.clone(), map.val(), None),
                None => values.clone(),
            };
            ops::head_dots(activated(from, Activation::Tanh, Dropout::NONE), vectors.val())
        };
        let scores = PairScores {
            receiver: part(&self.receiver_values, &self.receiver),
            sender: part(&self.sender_values, &self.sender),
            entries: None,
            nodes: None,
            own: true,
            slope: self.config.slope,
        };
        let scores = ops::pair_scores(scores, batch.graph());
        let entries = RowsOf::Entries(batch.graph().entries());
        let edges = context.dropout_of(entries, self.config.edge_dropout / 2.0);
        let (most, per_head) = (self.config.top_entries, self.config.top_per_head);
        if most == 0 && edges.is_none() {
            return scores;
        }
        ops::top_scores(scores, batch.graph(), TopScores { most, per_head, edges })
    }

    /// The layer.
    pub fn apply(&self, h: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let MagnaLayerConfig { hops, alpha, dropout, attention_dropout, .. } = self.config;
        let y = self.norm.apply(h.clone(), context.dropout(dropout));
        let values = ops::linear(y.clone(), self.values.val(), None);
        let scores = self.scores(&y, &values, batch, context);
        drop(y);
        context.saw_attention(batch.graph(), 1, || ops::edge_softmax(scores.clone(), batch.graph(), Dropout::NONE));
        let mut weights = None;
        let mut state = values.clone();
        for _ in 0..hops {
            let drops = context.dropout_of(RowsOf::Entries(batch.graph().entries()), attention_dropout);
            // Weights are the same in every step unless they are dropped anew.
            let current = match weights.take() {
                Some(weights) if drops.is_none() => weights,
                _ => ops::edge_softmax(scores.clone(), batch.graph(), drops),
            };
            let near = ops::attend(state, current.clone(), None, batch.graph());
            state = ops::sum(vec![(near, 1.0 - alpha), (values.clone(), alpha)]);
            state = activated(state, Activation::Identity, context.dropout(dropout));
            weights = Some(current);
        }
        drop((weights, scores, values));
        let spread = ops::linear(state, self.output.val(), None);
        let residual = match &self.residual {
            Some(map) => ops::linear(h, map.val(), None),
            None => h,
        };
        let t = ops::add(residual, activated(spread, Activation::Identity, context.dropout(dropout)));
        let inner = self.inner.apply(self.inner_norm.apply(t.clone(), Dropout::NONE).into());
        let inner = activated(inner, self.config.activation.into(), context.dropout(self.config.inner_dropout));
        let outer = self.outer.apply(inner.into());
        ops::add(t, activated(outer, Activation::Identity, context.dropout(dropout)))
    }
}

impl MagnaLayerConfig {
    /// Writes the layer over h of `inputs` channels into the ledger.
    pub(crate) fn cost(&self, name: &str, h: Tracked, inputs: usize, shape: &Shape, ledger: &Ledger) -> Tracked {
        let MagnaLayerConfig { width, heads, .. } = *self;
        let Shape { nodes, entries, .. } = *shape;
        let training = ledger.training();
        let statistics = floats(2 * nodes);
        let norm = |x: Tracked, width: usize| {
            ledger.weights(&format!("{name} weights"), 2 * width);
            let work = Work { name: name.into(), output: x.bytes(), kept: statistics, ..Work::default() };
            ledger.run(work, [(x, true)])
        };
        let drops = |x: Tracked| if training && self.dropout > 0.0 { ledger.each(name, x) } else { x };
        let y = norm(h.clone(), inputs);
        let values = ledger.linear(name, y.clone(), nodes, inputs, width, false);
        ledger.weights(&format!("{name} weights"), 2 * width);
        let part = || {
            let from = if self.shared_scores {
                values.clone()
            } else {
                ledger.linear(name, y.clone(), nodes, inputs, width, false)
            };
            ledger.product(name, ledger.each(name, from), nodes, heads)
        };
        let (receiver, sender) = (part(), part());
        let scored = floats((entries + nodes) * heads);
        let work = || Work { name: format!("{name} attention"), output: scored, ..Work::default() };
        let mut scores = ledger.run(work(), [(receiver, true), (sender, true)]);
        if self.top_entries > 0 || (training && self.edge_dropout > 0.0) {
            scores = ledger.run(Work { forward: 2 * scored, ..work() }, [(scores, false)]);
        }
        drop(y);
        let redrawn = training && self.attention_dropout > 0.0;
        let mut weights = None;
        let mut state = values.clone();
        for _ in 0..self.hops {
            let current = match weights.take() {
                Some(weights) if !redrawn => weights,
                _ => ledger.run(work(), [(scores.clone(), true)]),
            };
            let output = floats(nodes * width);
            let step = Work { name: name.into(), output, ..Work::default() };
            let spread = ledger.run(step, [(state, true), (Tracked::clone(&current), true)]);
            state = drops(ledger.add(name, spread, values.clone()));
            weights = Some(current);
        }
        drop((weights, scores, values));
        let spread = drops(ledger.linear(name, state, nodes, width, width, false));
        let residual = if inputs == width { h } else { ledger.linear(name, h, nodes, inputs, width, false) };
        let t = ledger.add(name, residual, spread);
        let inner = ledger.linear(name, norm(t.clone(), width), nodes, width, INNER * width, true);
        let inner = ledger.each(name, inner);
        let outer = drops(ledger.linear(name, inner, nodes, INNER * width, width, true));
        ledger.add(name, t, outer)
    }
}
