//! The way through a model that all models share:
//! `batch -> encoder -> (layer -> norm -> activation -> dropout (+ x)) x layers -> head`.

use burn::module::Module;
use burn::tensor::Tensor;

use crate::layers::{Encoder, Head, Layer, NormBlock};
use crate::{Batch, Context, Features};

/// A model of stacked layers `L`.
#[derive(Module, Debug)]
pub struct Trunk<L: Module> {
    pub(super) encoder: Encoder,
    pub(super) layers: Vec<L>,
    pub(super) norms: Vec<NormBlock>,
    pub(super) head: Head,
    /// Channels of a layer's output.
    #[module(skip)]
    pub(super) width: usize,
    /// Whether a layer adds its input to its output where the widths agree.
    #[module(skip)]
    pub(super) residual: bool,
}

impl<L: Layer> Layer for Trunk<L> {
    /// `[N, numbers]` to `[N, outputs]` or `[G, outputs]`; every stage is shown to the context under its name.
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let mut x = match self.encoder.forward(features, batch, context) {
            Features::Dense(x) => context.stage(|| "encoder".into(), x).into(),
            sparse => sparse,
        };
        for (i, (layer, norm)) in self.layers.iter().zip(&self.norms).enumerate() {
            let residual = (self.residual && x.width() == self.width).then(|| x.clone().into_dense(batch));
            let hidden = context.stage(|| format!("layers.{i}"), layer.forward(x, batch, context));
            x = context.stage(|| format!("norms.{i}"), norm.apply(hidden, residual, context)).into();
        }
        context.stage(|| "head".into(), self.head.forward(x, batch, context))
    }
}
