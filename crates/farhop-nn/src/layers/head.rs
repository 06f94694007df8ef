//! From the last layer to the answer: `[readout over the nodes of each graph ->] (linear -> relu) x (layers - 1) -> linear`.

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_kernels::dense::{Activation, Dropout, Finish};
use farhop_kernels::segments::Reduction;

use super::Linear;
use crate::init::{Seeds, Start};
use crate::knobs::words;
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::ops::{self, Normalisation};
use crate::{Batch, Context, Features, Level, OutputShape, Shape};

/// Rows shorter than this are divided by it instead.
const SHORTEST: f32 = 1e-12;

words! {
    /// How the nodes of a graph become one row.
    pub enum ReadoutKind {
        /// The mean.
        #[default]
        Mean = "mean",
        /// The sum: sees how many nodes there are.
        Sum = "sum",
        /// The largest value of each channel.
        Max = "max",
    }
}

impl From<ReadoutKind> for Reduction {
    fn from(kind: ReadoutKind) -> Self {
        match kind {
            ReadoutKind::Mean => Reduction::Mean,
            ReadoutKind::Sum => Reduction::Sum,
            ReadoutKind::Max => Reduction::Max,
        }
    }
}

/// The settings of a [`Head`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadConfig {
    /// Linear maps; 0 if the last layer has the answers already.
    pub layers: usize,
    /// Channels between them.
    pub width: usize,
    /// Over the nodes of a graph, if answers are about graphs.
    pub readout: ReadoutKind,
    /// Whether hidden rows are divided by their length.
    pub unit_rows: bool,
    /// Whether each of them has half the channels of the one before, whatever `width` is.
    pub halving: bool,
    /// Initial weights.
    pub start: Start,
}

impl HeadConfig {
    /// The channels that a hidden map gives of `inputs`.
    fn hidden(&self, inputs: usize) -> usize {
        if self.halving { (inputs / 2).max(1) } else { self.width }
    }

    /// Counts its weights in the ledger, and nothing else.
    pub(crate) fn weights(&self, inputs: usize, shape: &Shape, ledger: &Ledger) {
        let mut width = inputs;
        for _ in 1..self.layers {
            ledger.weights("head weights", Linear::size(width, self.hidden(width)));
            width = self.hidden(width);
        }
        if self.layers > 0 {
            ledger.weights("head weights", Linear::size(width, shape.outputs));
        }
    }

    /// As [`HeadConfig::cost`], over states side by side.
    pub(crate) fn cost_parts(&self, parts: Vec<Tracked>, inputs: usize, shape: &Shape, ledger: &Ledger) -> Tracked {
        if shape.level == Level::Graph || self.layers != 1 || parts.len() > ops::MOST_PARTS {
            return self.cost(ledger.concat("joined", parts), inputs, shape, ledger);
        }
        self.weights(inputs, shape, ledger);
        let work = Work { name: "head".into(), output: rows(shape.nodes, shape.outputs), ..Work::default() };
        ledger.run_all(work, parts.into_iter().map(|part| (part, true)).collect())
    }

    /// Writes the head over `x` of `inputs` channels into the ledger.
    pub(crate) fn cost(&self, x: Tracked, inputs: usize, shape: &Shape, ledger: &Ledger) -> Tracked {
        let graphs = shape.level == Level::Graph;
        let count = if graphs { shape.graphs.max(1) } else { shape.nodes };
        let mut x = if graphs { ledger.reduce("readout", x, count, inputs) } else { x };
        let mut width = inputs;
        for _ in 1..self.layers {
            x = ledger.linear("head", x, count, width, self.hidden(width), true);
            x = ledger.each("head", x);
            if self.unit_rows {
                x = ledger.each("head", x);
            }
            width = self.hidden(width);
        }
        if self.layers == 0 { x } else { ledger.linear("head", x, count, width, shape.outputs, true) }
    }
}

/// `[N, inputs]` to `[N, outputs]`, or to `[G, outputs]` for answers about graphs.
#[derive(Module, Debug)]
pub struct Head {
    hidden: Vec<Linear>,
    output: Option<Linear>,
    #[module(skip)]
    readout: Option<ReadoutKind>,
    #[module(skip)]
    unit_rows: bool,
}

impl Head {
    /// Initial weights as `config` says.
    pub(crate) fn init(inputs: usize, shape: &OutputShape, config: &HeadConfig, seeds: &mut Seeds) -> Self {
        let mut width = inputs;
        let mut hidden = Vec::new();
        for _ in 1..config.layers {
            hidden.push(Linear::init_as(config.start, width, config.hidden(width), seeds.next_seed()));
            width = config.hidden(width);
        }
        let output =
            (config.layers > 0).then(|| Linear::init_as(config.start, width, shape.outputs, seeds.next_seed()));
        let readout = (shape.level == Level::Graph).then_some(config.readout);
        Head { hidden, output, readout, unit_rows: config.unit_rows }
    }

    /// Whether answers are about graphs.
    pub fn reads_graphs(&self) -> bool {
        self.readout.is_some()
    }

    /// The answers, read from states side by side. For nodes and with one map they are never joined.
    pub fn forward_parts(&self, parts: Vec<Tensor<2>>, batch: &Batch, context: &Context) -> Tensor<2> {
        match &self.output {
            Some(output) if self.hidden.is_empty() && self.readout.is_none() && !context.looks() => {
                ops::concat_linear(parts, output.weight(), output.bias())
            }
            _ => self.forward(ops::concat(parts).into(), batch, context),
        }
    }

    /// The answers.
    pub fn forward(&self, x: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let mut x = match self.readout {
            Some(kind) => ops::readout(x.into_dense(batch), batch.offsets(), kind.into()).into(),
            None => x,
        };
        if context.looks() {
            context.saw_embedding(x.clone().into_dense(batch));
        }
        for linear in &self.hidden {
            let finish = Finish { activation: Activation::Relu, dropout: Dropout::NONE };
            let mut row = ops::norm_block(linear.apply(x), Normalisation::None, finish, None);
            if self.unit_rows {
                row = ops::row_normalise(row, SHORTEST);
            }
            x = row.into();
        }
        match &self.output {
            Some(output) => output.apply(x),
            None => x.into_dense(batch),
        }
    }
}
