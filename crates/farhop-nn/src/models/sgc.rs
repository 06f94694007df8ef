//! SGC: the features K hops away on average, and one linear map.
//!
//! Wu, Zhang, de Souza, Fifty, Yu and Weinberger, "Simplifying graph convolutional networks", ICML 2019:
//!
//! ```text
//! answers = head(S^K X)                                  [N, C]; one linear map unless `head_layers` says otherwise
//! S_ij    = 1 / sqrt((deg_i + 1)(deg_j + 1)),  S_ii = 1 / (deg_i + 1)
//! ```
//!
//! A GCN of K layers without what lies between them. Numbers that go in as they are (no encoder, no dropout of inputs) are propagated once a
//! batch; then a step does not touch the graph.
//! Cost: K E inputs once, then N inputs C; memory N inputs.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{About, Architecture, Change, Common, Properties, Reach, narrower};
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{Encoder, Head, Layer};
use crate::ledger::{Ledger, Tracked};
use crate::memory::floats;
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape, ops};

knobs! {
    /// The settings of SGC.
    pub struct Sgc {
        /// Steps of propagation.
        hops: usize = 2, in 1..=1000;
    }
}

impl Architecture for Sgc {
    const NAME: &'static str = "sgc";
    const ABOUT: About = About {
        title: "Simple graph convolution",
        citation: "Wu, Zhang, de Souza, Fifty, Yu and Weinberger, Simplifying graph convolutional networks, ICML 2019",
        idea: "a GCN without what lies between its layers: features are averaged over K hops once, then mapped",
        cost: "K E inputs once, then N inputs C",
        limits: "edge features are not read",
    };
    const IDLE: &'static [&'static str] = &["layers", "norm", "activation", "dropout", "residual"];

    fn defaults() -> Common {
        Common::default()
    }

    fn check(&self, _common: &Common) -> Result<(), NnError> {
        Ok(())
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let (encoder, width) = common.build_encoder(inputs, seeds);
        Box::new(SgcNetwork { encoder, head: common.build_head(width, outputs, seeds), hops: self.hops })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        ledger.symmetric_weights(shape);
        let (mut x, width) = common.encoder().cost(shape, ledger);
        if common.input_projection || shape.needs_encoder() {
            for _ in 0..self.hops {
                x = ledger.spread("hops", x);
            }
        } else {
            ledger.hold("hops", floats(shape.nodes * width));
            // A step lies beside the one that it is made from, the first beside the features.
            if self.hops > 1 || shape.non_zeros.is_some() {
                ledger.pass(floats(shape.nodes * width));
            }
            x = ledger.data(0);
        }
        common.head().cost(x, width, shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(self.hops + 1)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { spreads: true, ..Properties::MESSAGE_PASSING }
    }

    /// Features as they are have no width to choose.
    fn smaller(&self, common: &Common, _training: bool) -> Vec<Vec<Change>> {
        let wide = common.input_projection || common.head_layers > 1;
        if wide { narrower(common.width) } else { Vec::new() }
    }

    /// What every step adds up, and its gradient. Steps of the features themselves are made once, before the first pass: nothing a pass.
    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2] {
        if !common.input_projection && !shape.needs_encoder() {
            return [0, 0];
        }
        [self.hops * common.encoder().outputs(shape.inputs, shape.needs_encoder()); 2]
    }

    fn halo_rounds(&self, common: &Common) -> [usize; 2] {
        if common.input_projection { [self.hops; 2] } else { [0, 0] }
    }
}

/// The encoder, the steps, the head.
#[derive(Module, Debug)]
pub struct SgcNetwork {
    encoder: Encoder,
    head: Head,
    #[module(skip)]
    hops: usize,
}

/// The batch's own numbers after some steps.
struct Propagated(Tensor<2>);

impl SgcNetwork {
    fn steps(&self, x: Tensor<2>, batch: &Batch) -> Tensor<2> {
        let weights = batch.symmetric_weights();
        (0..self.hops).fold(x, |x, _| ops::spread(x, batch, &weights, None))
    }
}

impl Layer for SgcNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let x = self.encoder.stage(features, batch, context);
        let x = if x.are_own(batch) {
            batch.derived(self.hops as u64, |batch| Propagated(self.steps(batch.features(), batch))).0.clone()
        } else {
            self.steps(x.into_dense(batch), batch)
        };
        let x = context.stage(|| "steps".into(), x);
        context.stage(|| "head".into(), self.head.forward(x.into(), batch, context))
    }
}
