//! The normalisation between the parts of a transformer layer: over the rows of the batch, over the channels of a node, or over all
//! nodes and channels of a graph.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::{BlockConfig, NormBlock};
use crate::config::{ActivationKind, NormKind};
use crate::ledger::{Ledger, Tracked};
use crate::{Batch, Context, init, ops};

/// Added to the variance before the root.
const EPSILON: f32 = 1e-5;

/// `[N, width]` to the same, normalised.
#[derive(Module, Debug)]
pub struct StateNorm {
    rows: Option<NormBlock>,
    scale: Option<Param<Tensor<1>>>,
    shift: Option<Param<Tensor<1>>>,
}

impl StateNorm {
    /// Scale 1, shift 0. `whole_graphs` makes layer normalisation one over all numbers of a graph.
    pub fn init(width: usize, norm: NormKind, whole_graphs: bool) -> Self {
        let whole = whole_graphs && norm == NormKind::Layer;
        StateNorm {
            rows: (!whole).then(|| NormBlock::init(width, block(norm))),
            scale: whole.then(|| init::constant(width, 1.0)),
            shift: whole.then(|| init::constant(width, 0.0)),
        }
    }

    /// The normalised rows; for whole graphs, `offsets` of the batch say where these begin.
    pub fn apply(&self, x: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        match (&self.rows, &self.scale, &self.shift) {
            (Some(rows), ..) => rows.apply(x, None, context),
            (None, Some(scale), Some(shift)) => ops::graph_norm(x, scale.val(), shift.val(), batch.offsets(), EPSILON),
            _ => x,
        }
    }

    /// Writes it into the ledger.
    pub(crate) fn cost(ledger: &Ledger, name: &str, x: Tracked, count: usize, width: usize, norm: NormKind) -> Tracked {
        ledger.norm_block(name, x, None, count, width, block(norm))
    }
}

fn block(norm: NormKind) -> BlockConfig {
    BlockConfig { norm, activation: ActivationKind::None, dropout: 0.0 }
}
