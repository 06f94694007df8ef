//! IPR-MPNN: every node is joined to a few virtual nodes that it learns to choose, and messages go both ways.
//!
//! Qian, Manolache, Morris and Niepert, "Probabilistic graph rewiring via virtual nodes", NeurIPS 2024. With C virtual
//! nodes a graph, k of them for each node, R samples (see [`ipr_sampling`](super::ipr_sampling) for the mask M and its
//! gradient):
//!
//! ```text
//! s = perceptron(encoder(x)) [N, C],   M of s [R, N, C] in {0, 1},   nodes b [R, N, F],  virtual nodes c [R, G, C, F']
//! update(m, x) = perceptron(m + lin((1 + eps) x)),       own weights in each of:
//! b <- gelu([update(sum_j gelu(lin b_j + e_ij), b_i) | update(sum_c M_ic lin c_c, b_i)])
//! c <- gelu([update(sum_i M_ic lin b_i, c)           | update(sum over the other c' of lin c_c', c)])
//! ```
//!
//! From the second layer on `(old + new) / sqrt(2)`. With `delay` t, from layer t on the two updates between nodes and
//! virtual nodes are averaged with a second one that reads the state of t layers before. Answers: the mean over samples
//! of nodes or virtual nodes through a perceptron, pooled where they are about graphs, through another one; with
//! `head_per_layer` that of every layer's output, averaged. Virtual nodes start at random, at zero, or from a small
//! network on the nodes that chose them.
//!
//! Differences: a step's loss is that of the averaged heads, not the sum of their losses; random starts do not shrink
//! with the number of graphs in a batch. Cost: R (E F + N C F + N F²).

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_graph::random::{Stream, mix};
use farhop_kernels::segments::Reduction;

use super::ipr_encoder::IprEncoder;
use super::ipr_frame::Frame;
use super::ipr_head::IprHead;
use super::ipr_layer::{IprLayer, Perceptron, Place, State};
#[cfg(test)]
use super::ipr_sampling::RecordedDraws;
use super::ipr_sampling::{EVALUATION, choose, draw};
use super::ipr_start::Start;
use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, Checks, NormKind};
use crate::init::Seeds;
use crate::knobs::{knobs, words};
use crate::layers::Layer;
use crate::ledger::{Ledger, Tracked, rows};
use crate::memory::floats;
use crate::ops::bridge;
use crate::{Batch, Context, Features, InputShape, Level, Network, NnError, OutputShape, Shape};

words! {
    /// What virtual nodes start from.
    pub enum StartKind {
        /// Random numbers, drawn anew in every pass of training.
        #[default]
        Random = "random",
        /// Zeros.
        Zero = "zero",
        /// The mean of the nodes that chose them, after two rounds of messages among these.
        Network = "network",
    }
}

knobs! {
    /// The settings of IPR-MPNN.
    pub struct IprMpnn {
        /// Virtual nodes of a graph.
        virtual_nodes: usize = 3, in 1..=16;
        /// Virtual nodes that each node is joined to; all of them if there are not more.
        chosen: usize = 1, in 1..=16;
        /// Choices that are drawn for every pass, each with its own copy of the graph.
        samples: usize = 2, in 1..=16;
        /// Channels of virtual nodes.
        virtual_width: usize = 256, in 1..=65_536;
        /// How many layers late a second update between nodes and virtual nodes reads; 0 for none.
        delay: usize = 2, in 0..=1000;
        /// Channels of the walk encoding and of the eigenvectors, at most a quarter of the width each; 0 to add them to
        /// the others.
        encoding_width: usize = 32, in 0..=65_536;
        /// What virtual nodes start from.
        start: StartKind = StartKind::Random;
        /// Whether answers about graphs come from virtual nodes instead of nodes.
        virtual_readout: bool = true;
        /// Whether every layer has a head and the answers are averaged; otherwise the last one alone.
        head_per_layer: bool = true;
    }
}

impl IprMpnn {
    /// What layer `at` is made for.
    fn place(&self, common: &Common, at: usize, level: Level) -> Place {
        let width = [common.width, self.virtual_width];
        let input = |at: usize| if at == 0 { width } else { width.map(|width| 2 * width) };
        let late = (self.delay > 0 && at >= self.delay).then(|| input(at - self.delay));
        let last = at + 1 == common.layers;
        let virtuals = self.reads_virtuals(level);
        Place { input: input(at), late, width, renews: [!(last && virtuals), !last || virtuals] }
    }

    fn reads_virtuals(&self, level: Level) -> bool {
        self.virtual_readout && level == Level::Graph
    }

    fn draws(&self) -> bool {
        self.chosen < self.virtual_nodes
    }

    fn heads(&self, common: &Common) -> usize {
        if self.head_per_layer { common.layers } else { 1 }
    }
}

impl Architecture for IprMpnn {
    const NAME: &'static str = "ipr-mpnn";
    const ABOUT: About = About {
        title: "Implicitly probabilistically rewired message passing",
        citation: "Qian, Manolache, Morris and Niepert, Probabilistic graph rewiring via virtual nodes, NeurIPS 2024",
        idea: "nodes learn which of a few virtual nodes to exchange messages with",
        cost: "R (E F + N C F + N F²)",
        limits: "choices are drawn at random: answers move a little with the numbering of nodes",
    };
    const IDLE: &'static [&'static str] = &["input_projection", "head_layers"];

    fn defaults() -> Common {
        Common {
            layers: 10,
            width: 128,
            input_projection: true,
            norm: NormKind::Batch,
            activation: ActivationKind::GeluExact,
            dropout: 0.0,
            ..Common::default()
        }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        let fits = self.chosen <= self.virtual_nodes;
        Checks(Self::NAME).that(fits, "chosen", self.chosen, || format!("allowed is 1 to {}", self.virtual_nodes))?;
        common.at_least_layers(Self::NAME, 1)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let width = common.width;
        let scorer = self.draws().then(|| {
            let encoder = IprEncoder::init(common, self.encoding_width, inputs, seeds);
            Scorer { encoder, perceptron: Perceptron::init([width, width, self.virtual_nodes], common, seeds) }
        });
        let start = (self.start == StartKind::Network).then(|| Start::init(self, common, inputs, seeds));
        let encoder = IprEncoder::init(common, self.encoding_width, inputs, seeds);
        let layer = |at: usize| IprLayer::init(&self.place(common, at, outputs.level), inputs, common, seeds);
        let layers = (0..common.layers).map(layer).collect();
        let read = 2 * if self.reads_virtuals(outputs.level) { self.virtual_width } else { width };
        let head = |_| IprHead::init(read, width, outputs.outputs, seeds);
        let heads = (0..self.heads(common)).map(head).collect();
        Box::new(IprNetwork {
            scorer,
            start,
            encoder,
            layers,
            heads,
            readout: (outputs.level == Level::Graph).then(|| common.readout.into()),
            reads_virtuals: self.reads_virtuals(outputs.level),
            settings: self.clone(),
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width, graphs) = (shape.nodes, common.width, shape.graphs.max(1));
        let IprMpnn { virtual_nodes, samples, virtual_width, .. } = *self;
        let counts = [samples * nodes, samples * graphs * virtual_nodes];
        // Copies of the graph, and which rows belong together.
        let lists = floats(counts[0] * (6 + 4 * virtual_nodes) + samples * shape.entries * 8);
        ledger.hold("virtual nodes", lists + floats(counts[0] * virtual_nodes));
        if self.draws() {
            let x = IprEncoder::cost(common, self.encoding_width, shape, ledger);
            let scores = Perceptron::cost("scorer", x, nodes, [width, width, virtual_nodes], common, ledger);
            drop(ledger.each("scorer", scores));
        }
        let virtuals = match self.start {
            StartKind::Network => Start::cost(self, common, shape, ledger),
            _ => ledger.data(rows(counts[1], virtual_width)),
        };
        common.encoder().hold(shape, ledger);
        let x = IprEncoder::cost(common, self.encoding_width, shape, ledger);
        let base = if samples > 1 { ledger.reduce("encoder", x, counts[0], width) } else { x };
        let mut states = vec![[Some(base), Some(virtuals)]];
        for at in 0..common.layers {
            let place = self.place(common, at, shape.level);
            let [Some(base), Some(virtuals)] = &states[at] else { break };
            let late = place.late.and_then(|_| match &states[at - self.delay] {
                [Some(base), Some(virtuals)] => Some([base, virtuals]),
                _ => None,
            });
            let sizes = (counts, virtual_nodes, samples);
            let name = format!("layers.{at}");
            let next = IprLayer::cost(&name, &place, [base, virtuals], late, sizes, common, shape, ledger);
            states.push(next);
            if self.delay == 0 || at >= self.delay {
                // Nobody reads it again but the heads.
                let kept = usize::from(!self.head_per_layer) * 2;
                states[at - self.delay.min(at)].iter_mut().take(kept).for_each(|state| *state = None);
            }
        }
        let (from, read, count) = match self.reads_virtuals(shape.level) {
            true => (1, 2 * virtual_width, graphs * virtual_nodes),
            false => (0, 2 * width, nodes),
        };
        let heads = self.heads(common);
        let outputs = states.into_iter().rev().take(heads).filter_map(|state| state.into_iter().nth(from).flatten());
        let answer = |x: Tracked| {
            let mean = if samples > 1 { ledger.spread("head", ledger.reduce("head", x, count, read)) } else { x };
            let pooled = (shape.level == Level::Graph).then_some(graphs);
            IprHead::cost(mean, [read, width, shape.outputs], count, pooled, ledger)
        };
        let sum = outputs.map(answer).reduce(|sum, next| ledger.add("head", sum, next));
        sum.unwrap_or_else(|| ledger.data(0))
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { equivariant: false, reads_edges: true, ..Properties::MESSAGE_PASSING }
    }

    /// All virtual nodes are chosen: the gradient through a choice is an estimate, not the slope of the loss.
    fn small() -> serde_json::Value {
        serde_json::json!({
            "virtual_nodes": 2, "chosen": 2, "virtual_width": 6, "delay": 1, "norm": "layer",
            "encoding_width": 0
        })
    }
}

/// An encoder of its own and a perceptron.
#[derive(Module, Debug)]
struct Scorer {
    encoder: IprEncoder,
    perceptron: Perceptron,
}

/// Scores, encoders, layers and heads.
#[derive(Module, Debug)]
pub struct IprNetwork {
    scorer: Option<Scorer>,
    start: Option<Start>,
    encoder: IprEncoder,
    layers: Vec<IprLayer>,
    heads: Vec<IprHead>,
    #[module(skip)]
    readout: Option<Reduction>,
    #[module(skip)]
    reads_virtuals: bool,
    #[module(skip)]
    settings: IprMpnn,
}

impl IprNetwork {
    /// The mask M, `[R N, C]`.
    fn mask(&self, features: &Features, frame: &Frame, batch: &Batch, context: &Context) -> Tensor<2> {
        let (samples, columns) = (frame.samples, frame.virtual_nodes);
        let seed = context.next_seed();
        let Some(scorer) = &self.scorer else {
            let rows = samples * batch.nodes();
            return bridge::from_vec(vec![1.0; rows * columns], [rows, columns]);
        };
        let encoded = scorer.encoder.forward(features.clone(), batch, context);
        let scores = context.stage(|| "scorer".into(), scorer.perceptron.apply(encoded, context));
        let uniform = match seed {
            None if samples == 1 => Vec::new(),
            _ => draw(batch, samples, columns, seed),
        };
        #[cfg(test)]
        let uniform = match batch.derived(0, |_| RecordedDraws::default()).of(seed.is_some()) {
            Some(recorded) => recorded.uniform.clone(),
            None => uniform,
        };
        choose(scores, uniform, self.settings.chosen)
    }

    /// What virtual nodes start from, `[R G C, F']`.
    fn start(
        &self,
        features: &Features,
        mask: &Tensor<2>,
        frame: &Frame,
        batch: &Batch,
        context: &Context,
    ) -> Tensor<2> {
        let seed = context.next_seed();
        if let Some(start) = &self.start {
            return start.forward(features.clone(), mask, frame, batch, context);
        }
        let width = self.settings.virtual_width;
        let count = frame.samples * frame.graphs * frame.virtual_nodes;
        #[cfg(test)]
        if let Some(recorded) = batch.derived(0, |_| RecordedDraws::default()).of(seed.is_some()) {
            return bridge::from_vec(recorded.start.clone(), [count, width]);
        }
        if self.settings.start == StartKind::Zero {
            return bridge::from_vec(vec![0.0; count * width], [count, width]);
        }
        let deviation = (2.0 / ((frame.virtual_nodes + frame.samples) * width) as f64).sqrt();
        let all = batch.share().map_or(frame.graphs, |share| share.total.graphs);
        let row = |at: usize| {
            let (sample, c) = (at / (frame.graphs * frame.virtual_nodes), at % frame.virtual_nodes);
            let graph = batch.first_graph() + at / frame.virtual_nodes % frame.graphs;
            let in_batch = ((sample * all + graph) * frame.virtual_nodes + c) as u64;
            let place = (sample * frame.virtual_nodes + c) as u64;
            // In evaluation every graph has the same, whatever stands before it in the batch.
            let mut stream = Stream::new(seed.map_or(mix(EVALUATION, place), |seed| mix(seed, in_batch)));
            (0..width).map(move |_| (deviation * stream.normal()) as f32).collect::<Vec<_>>()
        };
        bridge::from_vec((0..count).flat_map(row).collect(), [count, width])
    }

    fn answer(
        &self,
        head: &IprHead,
        state: State,
        frame: &Frame,
        batch: &Batch,
        context: &Context,
    ) -> Option<Tensor<2>> {
        let x = match self.reads_virtuals {
            true => frame.mean_virtual(state.1?),
            false => frame.copies.mean(state.0?),
        };
        let offsets = if self.reads_virtuals { &frame.readout } else { batch.offsets() };
        Some(head.apply(x, self.readout.map(|readout| (readout, offsets)), context))
    }
}

impl Layer for IprNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let IprMpnn { virtual_nodes, samples, .. } = self.settings;
        let key = mix(samples as u64, virtual_nodes as u64);
        let frame = batch.derived(key, |batch| Frame::new(batch, samples, virtual_nodes));
        let mask = self.mask(&features, &frame, batch, context);
        let virtuals = context.stage(|| "start".into(), self.start(&features, &mask, &frame, batch, context));
        let nodes = context.stage(|| "encoder".into(), self.encoder.forward(features, batch, context));
        let mut states: Vec<State> = vec![(Some(frame.copies.of_nodes(nodes)), Some(virtuals))];
        for (i, layer) in self.layers.iter().enumerate() {
            let (Some(nodes), Some(virtuals)) = &states[i] else { break };
            let late = i.checked_sub(self.settings.delay).filter(|_| self.settings.delay > 0).map(|at| &states[at]);
            let next = layer.forward([nodes, virtuals], late, &mask, &frame, batch, context);
            let seen = [&next.0, &next.1].into_iter().flatten();
            seen.for_each(|seen| drop(context.stage(|| format!("layers.{i}"), seen.clone())));
            states.push(next);
            if self.heads.len() == 1 && i >= self.settings.delay {
                // Nobody reads it again.
                states[i - self.settings.delay] = (None, None);
            }
        }
        let last = states.split_off(states.len().saturating_sub(self.heads.len()));
        let answers: Vec<Tensor<2>> = self
            .heads
            .iter()
            .zip(last)
            .filter_map(|(head, state)| self.answer(head, state, &frame, batch, context))
            .collect();
        #[cfg(test)]
        if batch.derived(0, |_| RecordedDraws::default()).heads_apart {
            return Tensor::cat(answers, 0);
        }
        let count = answers.len() as f32;
        let sum = answers.into_iter().reduce(|sum, next| sum + next);
        let sum = sum.unwrap_or_else(|| bridge::from_vec(Vec::new(), [0, 0]));
        context.stage(|| "head".into(), if count > 1.0 { sum / count } else { sum })
    }
}
