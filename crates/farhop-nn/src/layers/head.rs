//! From the last layer to the answer: `[readout over the nodes of each graph ->] (linear -> relu) x (layers - 1) -> linear`.

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_kernels::dense::{Activation, Dropout, Finish};
use farhop_kernels::segments::Reduction;
use serde::{Deserialize, Serialize};

use super::Linear;
use crate::init::Seeds;
use crate::memory::floats;
use crate::ops::{self, Normalisation};
use crate::{Batch, Context, Features, Level, MemoryEstimate, OutputShape};

/// How the nodes of a graph become one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadoutKind {
    /// The mean.
    #[default]
    Mean,
    /// The sum: sees how many nodes there are.
    Sum,
    /// The largest value of each channel.
    Max,
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
    /// Linear maps, at least 1.
    pub layers: usize,
    /// Channels between them.
    pub width: usize,
    /// Over the nodes of a graph, if answers are about graphs.
    pub readout: ReadoutKind,
}

impl HeadConfig {
    /// Number of parameters for `inputs` channels to `outputs`.
    pub fn size(&self, inputs: usize, outputs: usize) -> usize {
        let last = if self.layers > 1 { self.width } else { inputs };
        let hidden = (1..self.layers).map(|i| Linear::size(if i == 1 { inputs } else { self.width }, self.width));
        hidden.sum::<usize>() + Linear::size(last, outputs)
    }

    /// Adds what the head needs for `rows` answers of `outputs` numbers.
    pub(crate) fn memory(
        &self,
        inputs: usize,
        shape: OutputShape,
        rows: usize,
        training: bool,
        estimate: &mut MemoryEstimate,
    ) {
        estimate.weights("head weights", self.size(inputs, shape.outputs), training);
        if training {
            let pooled = if shape.level == Level::Graph { 2 * rows * inputs } else { 0 };
            estimate.keep("head", floats(pooled + 2 * (self.layers - 1) * rows * self.width));
        }
    }
}

/// `[N, inputs]` to `[N, outputs]`, or to `[G, outputs]` for answers about graphs.
#[derive(Module, Debug)]
pub struct Head {
    hidden: Vec<Linear>,
    output: Linear,
    #[module(skip)]
    readout: Option<ReadoutKind>,
}

impl Head {
    /// Glorot weights, zero biases.
    pub(crate) fn init(inputs: usize, shape: &OutputShape, config: &HeadConfig, seeds: &mut Seeds) -> Self {
        let mut width = inputs;
        let mut hidden = Vec::new();
        for _ in 1..config.layers {
            hidden.push(Linear::init(width, config.width, seeds.next_seed()));
            width = config.width;
        }
        let output = Linear::init(width, shape.outputs, seeds.next_seed());
        Head { hidden, output, readout: (shape.level == Level::Graph).then_some(config.readout) }
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
            x = ops::norm_block(linear.apply(x), Normalisation::None, finish, None).into();
        }
        self.output.apply(x)
    }
}
