//! A stack of layers with what baselines put around them:
//!
//! ```text
//! h^0 = encoder(x)
//! h^l = [h^(l-1) +] dropout(activation(norm(layer(h^(l-1)) [+ h^(l-1) W + b])))       residual, skip
//! answers = head(jump(h^1 .. h^L)),  or the last layer itself, without norm and activation: `head_layers = 0`
//! ```
//!
//! The terms in brackets are settings. Linear skips, and the sum as jump, are those of Luo, Shi and Wu, "Classic GNNs are strong baselines",
//! NeurIPS 2024. Where the last layer itself gives answers about graphs, those of its nodes are read out.

use burn::module::Module;
use burn::tensor::Tensor;

use super::Common;
use super::jump::{Jump, JumpKind};
use crate::config::{Checks, NormKind};
use crate::init::Seeds;
use crate::layers::{BlockConfig, Encoder, Head, Layer, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, Features, InputShape, NnError, OutputShape, Shape, ops};

/// What a [`Frame`] has beside the shared settings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameConfig {
    /// Whether a linear map of a layer's input is added to its output, before the norm.
    pub skip: bool,
    /// How states of layers are taken together.
    pub jump: JumpKind,
    /// Whether the last layer is followed by activation and dropout alone, without a norm.
    pub bare_end: bool,
}

/// Where a layer stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// From 0.
    pub index: usize,
    /// Channels that it reads.
    pub inputs: usize,
    /// Channels that it gives.
    pub outputs: usize,
    /// Whether it gives the answers.
    pub answers: bool,
}

impl Place {
    /// Layer `index`, which reads `inputs` channels; without a head, the last one gives the answers.
    fn new(common: &Common, index: usize, inputs: usize, answers: usize) -> Self {
        let last = common.head_layers == 0 && index + 1 == common.layers;
        Place { index, inputs, outputs: if last { answers } else { common.width }, answers: last }
    }
}

impl FrameConfig {
    /// What follows layer `index`.
    fn block(&self, common: &Common, index: usize) -> BlockConfig {
        let bare = self.bare_end && index + 1 == common.layers;
        BlockConfig { norm: if bare { NormKind::None } else { common.norm }, ..common.block() }
    }

    /// Whether the settings go together.
    pub fn check(&self, model: &'static str, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(model, 1)?;
        let alone = common.head_layers > 0 || self.jump == JumpKind::None;
        Checks(model)
            .that(alone, "jump", self.jump.word(), || "a jump needs a head: head_layers = 1 or more".into())?;
        self.jump.check(model, common.layers)
    }

    /// What the network needs. `layer` writes a layer from its place and its input.
    pub fn cost(
        &self,
        common: &Common,
        shape: &Shape,
        ledger: &Ledger,
        layer: impl Fn(Place, Tracked) -> Tracked,
    ) -> Tracked {
        let (mut x, mut width) = common.encoder().cost(shape, ledger);
        let mut states = Vec::new();
        for i in 0..common.layers {
            let place = Place::new(common, i, width, shape.outputs);
            let residual = (common.residual && width == common.width).then(|| x.clone());
            let name = format!("skips.{i}");
            let skip = self.skip.then(|| ledger.linear(&name, x.clone(), shape.nodes, width, place.outputs, true));
            let mut hidden = layer(place, x);
            if let Some(skip) = skip {
                hidden = ledger.add(&name, hidden, skip);
            }
            if place.answers {
                return common.head().cost(hidden, place.outputs, shape, ledger);
            }
            x = ledger.norm_block(
                &format!("norms.{i}"),
                hidden,
                residual,
                shape.nodes,
                common.width,
                self.block(common, i),
            );
            width = common.width;
            if self.jump != JumpKind::None {
                states.push(x.clone());
            }
        }
        if self.jump == JumpKind::Concat && !states.is_empty() {
            drop(x);
            let width = self.jump.outputs(common.layers, common.width);
            return common.head().cost_parts(states, width, shape, ledger);
        }
        if let Some(all) = self.jump.cost(states, shape.nodes, common.width, ledger) {
            (x, width) = (all, self.jump.outputs(common.layers, common.width));
        }
        common.head().cost(x, width, shape, ledger)
    }
}

/// A model of layers `L`.
#[derive(Module, Debug)]
pub struct Frame<L: Module> {
    encoder: Encoder,
    layers: Vec<L>,
    skips: Vec<Linear>,
    norms: Vec<NormBlock>,
    jump: Jump,
    head: Head,
    /// Channels of a layer's output.
    #[module(skip)]
    width: usize,
    /// Whether a layer adds its input to its output where the widths agree.
    #[module(skip)]
    residual: bool,
}

impl<L: Layer> Frame<L> {
    /// `layer` makes a layer from its place and seed.
    pub fn build(
        config: FrameConfig,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
        layer: impl Fn(Place, u64) -> L,
    ) -> Self {
        let (encoder, mut width) = common.build_encoder(inputs, seeds);
        let (mut layers, mut skips) = (Vec::new(), Vec::new());
        for i in 0..common.layers {
            let place = Place::new(common, i, width, outputs.outputs);
            layers.push(layer(place, seeds.next_seed()));
            if config.skip {
                skips.push(Linear::init(width, place.outputs, seeds.next_seed()));
            }
            width = place.outputs;
        }
        // A last layer that answers is not followed by anything.
        let normed = common.layers - usize::from(common.head_layers == 0);
        let read = config.jump.outputs(common.layers, width);
        Frame {
            encoder,
            layers,
            skips,
            norms: (0..normed).map(|i| NormBlock::init(common.width, config.block(common, i))).collect(),
            jump: Jump::init(config.jump, common.layers, common.width, seeds),
            head: common.build_head(read, outputs, seeds),
            width: common.width,
            residual: common.residual,
        }
    }
}

impl<L: Layer> Layer for Frame<L> {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut x = self.encoder.stage(features, batch, context);
        let mut states = Vec::new();
        for (i, layer) in self.layers.iter().enumerate() {
            let residual = (self.residual && x.width() == self.width).then(|| x.clone().into_dense(batch));
            let skip = self.skips.get(i).map(|skip| skip.apply(x.clone()));
            let mut hidden = context.stage(|| format!("layers.{i}"), layer.forward(x, batch, context));
            if let Some(skip) = skip {
                hidden = ops::add(hidden, skip);
            }
            let Some(norm) = self.norms.get(i) else {
                // The last layer answers by itself.
                return self.head.forward(hidden.into(), batch, context);
            };
            let state = context.stage(|| format!("norms.{i}"), norm.apply(hidden, residual, context));
            if self.jump.reads_all() {
                states.push(state.clone());
            }
            x = state.into();
        }
        if self.jump.joins() && !states.is_empty() {
            drop(x);
            return context.stage(|| "head".into(), self.head.forward_parts(states, batch, context));
        }
        let x = self.jump.apply(states).map_or(x, Features::from);
        context.stage(|| "head".into(), self.head.forward(x, batch, context))
    }
}
