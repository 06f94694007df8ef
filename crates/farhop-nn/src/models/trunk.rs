//! The way through a model that all models share:
//! `x -> dropout -> [linear ->] (layer -> norm -> activation -> dropout (+ x)) x layers -> linear`.

use burn::tensor::Tensor;

use crate::layers::{Layer, Linear, NormBlock};
use crate::{Batch, Context};

/// The parts of a model, in the order in which features pass them.
pub(super) struct Trunk<'a, L> {
    pub input: &'a NormBlock,
    pub projection: Option<&'a Linear>,
    pub layers: &'a [L],
    pub norms: &'a [NormBlock],
    pub head: &'a Linear,
    /// Whether a layer adds its input to its output where the widths agree.
    pub residual: bool,
    /// Channels of a layer's output.
    pub outputs: fn(&L) -> usize,
}

impl<L: Layer> Trunk<'_, L> {
    /// `[N, inputs]` to `[N, outputs]`; every stage is shown to the context under its name.
    pub fn forward(self, features: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        let mut x = context.stage(|| "input".into(), features);
        if context.is_training() {
            x = self.input.apply(x, None, context);
        }
        if let Some(projection) = self.projection {
            x = context.stage(|| "projection".into(), projection.forward(x, batch, context));
        }
        for (i, (layer, norm)) in self.layers.iter().zip(self.norms).enumerate() {
            let residual = (self.residual && x.dims()[1] == (self.outputs)(layer)).then(|| x.clone());
            let hidden = context.stage(|| format!("layers.{i}"), layer.forward(x, batch, context));
            x = context.stage(|| format!("norms.{i}"), norm.apply(hidden, residual, context));
        }
        context.stage(|| "head".into(), self.head.apply(x))
    }
}
