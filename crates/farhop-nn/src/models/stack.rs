//! A plain stack, the frame of most message-passing models:
//! `batch -> encoder -> (layer -> norm -> activation -> dropout (+ x)) x layers -> head`.

use burn::module::Module;
use burn::tensor::Tensor;

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
    /// `layer` makes a layer from its place in the stack, the channels it reads and its seed; it gives `common.width` channels.
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
            layers.push(layer(i, width, seeds.next_seed()));
            width = common.width;
        }
        let norms = (0..common.layers).map(|_| common.build_norm(common.width)).collect();
        let head = common.build_head(width, outputs, seeds);
        Stack { encoder, layers, norms, head, width: common.width, residual: common.residual }
    }
}

/// What a stack needs. `layer` writes a layer from its place, its input and the channels of that.
pub fn cost(
    common: &Common,
    shape: &Shape,
    ledger: &Ledger,
    layer: impl Fn(usize, Tracked, usize) -> Tracked,
) -> Tracked {
    let (mut x, mut width) = common.encoder().cost(shape, ledger);
    for i in 0..common.layers {
        let residual = (common.residual && width == common.width).then(|| x.clone());
        let hidden = layer(i, x, width);
        x = ledger.norm_block(&format!("norms.{i}"), hidden, residual, shape.nodes, common.width, common.block());
        width = common.width;
    }
    common.head().cost(x, width, shape, ledger)
}

impl<L: Layer> Layer for Stack<L> {
    /// `[N, numbers]` to `[N, outputs]` or `[G, outputs]`; every stage is shown to the context under its name.
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut x = self.encoder.stage(features, batch, context);
        for (i, (layer, norm)) in self.layers.iter().zip(&self.norms).enumerate() {
            let residual = (self.residual && x.width() == self.width).then(|| x.clone().into_dense(batch));
            let hidden = context.stage(|| format!("layers.{i}"), layer.forward(x, batch, context));
            x = context.stage(|| format!("norms.{i}"), norm.apply(hidden, residual, context)).into();
        }
        context.stage(|| "head".into(), self.head.forward(x, batch, context))
    }
}
