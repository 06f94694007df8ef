//! Nodes and their encodings side by side, each in channels of its own: `[numbers and categories | laplacian | walk]`,
//! where the walk goes through `norm, linear, norm, relu, linear`.

use burn::module::Module;
use burn::tensor::Tensor;

use super::Common;
use crate::config::{ActivationKind, NormKind};
use crate::init::Seeds;
use crate::layers::{BlockConfig, Encoder, EncoderConfig, LaplacianEncoder, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::{Batch, Context, Features, InputShape, LAPLACIAN, Shape, WALK, ops};

const NORM: BlockConfig = BlockConfig { norm: NormKind::Batch, activation: ActivationKind::None, dropout: 0.0 };
const RELU: BlockConfig = BlockConfig { activation: ActivationKind::Relu, ..NORM };

/// The channels of each part; 0 for what is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Split {
    plain: usize,
    laplacian: usize,
    walk: usize,
}

impl Split {
    /// `channels` for each encoding, at most a quarter of the width; none if they are added instead.
    fn new(width: usize, channels: usize, plain: bool, laplacian: bool, walk: bool) -> Option<Self> {
        let channels = channels.min(width / 4);
        if channels == 0 || !(laplacian || walk) {
            return None;
        }
        let [mut laplacian, mut walk] = [laplacian, walk].map(|there| if there { channels } else { 0 });
        let rest = width - laplacian - walk;
        match (plain, laplacian > 0) {
            (true, _) => return Some(Split { plain: rest, laplacian, walk }),
            (false, true) => laplacian += rest,
            (false, false) => walk += rest,
        }
        Some(Split { plain: 0, laplacian, walk })
    }

    fn of_inputs(width: usize, channels: usize, inputs: &InputShape) -> Option<Self> {
        let plain = inputs.numbers > 0 || inputs.with_arrays(is_plain).needs_encoder();
        Split::new(width, channels, plain, inputs.array(LAPLACIAN) > 0, inputs.array(WALK) > 0)
    }
}

/// Whether an array has no channels of its own here: the shared encoder reads it.
fn is_plain(name: &str) -> bool {
    ![WALK, LAPLACIAN].contains(&name)
}

/// Channels of the hidden layer between `channels` channels of the walk.
fn hidden(channels: usize) -> usize {
    2 * channels
}

#[derive(Module, Debug)]
struct Walk {
    norm: NormBlock,
    first: Linear,
    inner: NormBlock,
    second: Linear,
}

/// What is known of a node to `[N, width]`.
#[derive(Module, Debug)]
pub struct IprEncoder {
    plain: Option<Encoder>,
    laplacian: Option<LaplacianEncoder>,
    walk: Option<Walk>,
}

impl IprEncoder {
    /// With `channels` for each encoding; 0 adds them.
    pub fn init(common: &Common, channels: usize, inputs: &InputShape, seeds: &mut Seeds) -> Self {
        let Some(split) = Split::of_inputs(common.width, channels, inputs) else {
            return IprEncoder { plain: Some(common.build_encoder(inputs, seeds).0), laplacian: None, walk: None };
        };
        let bare = inputs.with_arrays(is_plain);
        let (steps, vectors) = (inputs.array(WALK), inputs.array(LAPLACIAN));
        let config = EncoderConfig { width: split.plain, ..common.encoder() };
        IprEncoder {
            plain: (split.plain > 0).then(|| Encoder::init(&bare, &config, seeds)),
            laplacian: (split.laplacian > 0).then(|| {
                let kind = common.laplacian_encoder;
                LaplacianEncoder::init(vectors, split.laplacian, kind, seeds.next_seed())
            }),
            walk: (split.walk > 0).then(|| Walk {
                norm: NormBlock::init(steps, NORM),
                first: Linear::init(steps, hidden(split.walk), seeds.next_seed()),
                inner: NormBlock::init(hidden(split.walk), RELU),
                second: Linear::init(hidden(split.walk), split.walk, seeds.next_seed()),
            }),
        }
    }

    /// The encoded nodes.
    pub fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let mut parts = Vec::new();
        parts.extend(self.plain.as_ref().map(|plain| plain.forward(features, batch, context).into_dense(batch)));
        parts.extend(self.laplacian.as_ref().map(|laplacian| context.through_gate(laplacian.forward(batch, context))));
        parts.extend(self.walk.as_ref().map(|walk| {
            let hidden = walk.first.apply(walk.norm.apply(batch.array(WALK), None, context).into());
            context.through_gate(walk.second.apply(walk.inner.apply(hidden, None, context).into()))
        }));
        if parts.len() == 1 { parts.remove(0) } else { ops::concat(parts) }
    }

    /// Writes it into the ledger; what it reads is held elsewhere.
    pub fn cost(common: &Common, channels: usize, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (bare, steps, vectors) = (shape.with_arrays(is_plain), shape.array(WALK), shape.array(LAPLACIAN));
        let plain = shape.inputs > 0 || bare.needs_encoder();
        let split = Split::new(common.width, channels, plain, vectors > 0, steps > 0);
        let Some(split) = split else { return common.encoder().pass(shape, ledger).0 };
        let mut parts = Vec::new();
        if split.plain > 0 {
            let config = EncoderConfig { width: split.plain, ..common.encoder() };
            parts.push(config.pass(&bare, ledger).0);
        }
        if split.laplacian > 0 {
            let (weights, numbers) = common.laplacian_encoder.size(vectors, split.laplacian);
            ledger.weights("laplacian weights", weights);
            let work = Work { name: "encoder".into(), output: floats(shape.nodes * numbers), ..Work::default() };
            let read = ledger.run(work, [(ledger.data(0), false)]);
            parts.push(ledger.product("laplacian", read, shape.nodes, split.laplacian));
        }
        if split.walk > 0 {
            let inner = hidden(split.walk);
            let x = ledger.data(0);
            ledger.weights("walk weights", NormBlock::size(steps, NORM));
            let output = floats(shape.nodes * steps);
            let x = ledger.run(Work { name: "walk".into(), output, ..Work::default() }, [(x, false)]);
            let x = ledger.linear("walk", x, shape.nodes, steps, inner, true);
            let x = ledger.norm_block("walk", x, None, shape.nodes, inner, RELU);
            parts.push(ledger.linear("walk", x, shape.nodes, inner, split.walk, true));
        }
        ledger.concat("encoder", parts)
    }
}
