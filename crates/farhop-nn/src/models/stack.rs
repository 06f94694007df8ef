//! A plain stack, the frame of most message-passing models:
//! `batch -> encoder -> (layer -> norm -> activation -> dropout (+ x)) x layers -> head`.

use burn::module::Module;
use burn::tensor::Tensor;
use serde_json::{Value, json};

use super::Common;
use crate::init::Seeds;
use crate::layers::{Encoder, Head, Layer, NormBlock};
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, Features, InputShape, OutputShape, Shape};

/// A model of stacked layers `L`.
#[derive(Module, Debug)]
pub struct Stack<L: Module> {
    encoder: Encoder,
    layers: Vec<L>,
    norms: Vec<NormBlock>,
    head: Head,
    /// Channels of a layer's output.
    #[module(skip)]
    width: usize,
    /// Whether a layer adds its input to its output where the widths agree.
    #[module(skip)]
    residual: bool,
}

impl<L: Layer> Stack<L> {
    /// `layer` makes a layer from the channels it reads, those it gives, and its seed.
    pub fn build(
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
        layer: impl Fn(usize, usize, u64) -> L,
    ) -> Self {
        let (encoder, mut width) = common.build_encoder(inputs, seeds);
        let mut layers = Vec::new();
        for i in 0..common.layers {
            let given = width_of(i, common, outputs.outputs);
            layers.push(layer(width, given, seeds.next_seed()));
            width = given;
        }
        // A last layer that answers is not followed by anything.
        let norms = (0..common.layers - usize::from(common.head_layers == 0))
            .map(|_| common.build_norm(common.width))
            .collect();
        let head = common.build_head(width, outputs, seeds);
        Stack { encoder, layers, norms, head, width: common.width, residual: common.residual }
    }
}

/// The channels that layer `i` gives: without a head, the last one gives the answers.
fn width_of(i: usize, common: &Common, outputs: usize) -> usize {
    if common.head_layers == 0 && i + 1 == common.layers { outputs } else { common.width }
}

/// Channels that every layer of a stack reads and gives.
pub fn widths(common: &Common, shape: &Shape) -> Vec<[usize; 2]> {
    let mut width = common.encoder().outputs(shape.inputs, shape.needs_encoder());
    let next = |i: usize| {
        let given = width_of(i, common, shape.outputs);
        [std::mem::replace(&mut width, given), given]
    };
    (0..common.layers).map(next).collect()
}

/// General settings for many graphs, the same for the stacks that were tried.
pub fn general_for_many() -> Value {
    json!({ "model": { "width": 96, "layers": 4, "norm": "batch", "dropout": 0.1, "head_layers": 2 } })
}

/// What a stack needs. `layer` writes a layer under its name from its input, the channels of that, and those it gives.
pub fn cost(
    common: &Common,
    shape: &Shape,
    ledger: &Ledger,
    layer: impl Fn(&str, Tracked, usize, usize) -> Tracked,
) -> Tracked {
    let (mut x, mut width) = common.encoder().cost(shape, ledger);
    for i in 0..common.layers {
        let given = width_of(i, common, shape.outputs);
        let answers = common.head_layers == 0 && i + 1 == common.layers;
        let residual = (common.residual && width == common.width && !answers).then(|| x.clone());
        let hidden = layer(&format!("layers.{i}"), x, width, given);
        width = given;
        if answers {
            x = hidden;
            continue;
        }
        x = ledger.norm_block(&format!("norms.{i}"), hidden, residual, shape.nodes, common.width, common.block());
    }
    common.head().cost(x, width, shape, ledger)
}

impl<L: Layer> Layer for Stack<L> {
    /// `[N, numbers]` to `[N, outputs]` or `[G, outputs]`; every stage is shown to the context under its name.
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut x = self.encoder.stage(features, batch, context);
        for (i, layer) in self.layers.iter().enumerate() {
            let Some(norm) = self.norms.get(i) else {
                // The last layer answers by itself.
                x = context.stage(|| format!("layers.{i}"), layer.forward(x, batch, context)).into();
                continue;
            };
            let residual = (self.residual && x.width() == self.width).then(|| x.clone().into_dense(batch));
            let hidden = context.stage(|| format!("layers.{i}"), layer.forward(x, batch, context));
            x = context.stage(|| format!("norms.{i}"), norm.apply(hidden, residual, context)).into();
        }
        context.stage(|| "head".into(), self.head.forward(x, batch, context))
    }
}
