//! The head of IPR-MPNN: `linear, relu, linear` on rows, pooled where answers are about graphs, then the same once more.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_kernels::dense::Activation;
use farhop_kernels::segments::Reduction;

use super::ipr_layer::activate;
use crate::init::Seeds;
use crate::layers::Linear;
use crate::ledger::{Ledger, Tracked};
use crate::{Context, ops};

/// Rows to answers.
#[derive(Module, Debug)]
pub struct IprHead {
    before: Vec<Linear>,
    after: Vec<Linear>,
}

fn relu_between(maps: &[Linear], mut x: Tensor<2>) -> Tensor<2> {
    for (at, map) in maps.iter().enumerate() {
        x = if at > 0 { activate(x, Activation::Relu) } else { x };
        x = map.apply(x.into());
    }
    x
}

impl IprHead {
    /// From `inputs` channels through `width` to `outputs`.
    pub fn init(inputs: usize, width: usize, outputs: usize, seeds: &mut Seeds) -> Self {
        let mut maps = |widths: [usize; 3]| {
            widths.windows(2).map(|pair| Linear::init(pair[0], pair[1], seeds.next_seed())).collect()
        };
        IprHead { before: maps([inputs, width, width]), after: maps([width, width, outputs]) }
    }

    /// The answers; `pooled` says how and over which rows.
    pub fn apply(&self, x: Tensor<2>, pooled: Option<(Reduction, &Arc<Vec<usize>>)>, context: &Context) -> Tensor<2> {
        let mut x = relu_between(&self.before, x);
        if let Some((reduction, offsets)) = pooled {
            x = ops::readout(x, offsets, reduction);
        }
        if context.looks() {
            context.saw_embedding(x.clone());
        }
        relu_between(&self.after, x)
    }

    /// Writes it over `count` rows into the ledger, pooled to so many if at all.
    pub fn cost(
        x: Tracked,
        [inputs, width, outputs]: [usize; 3],
        count: usize,
        pooled: Option<usize>,
        ledger: &Ledger,
    ) -> Tracked {
        let maps = |x: Tracked, count: usize, [inputs, outputs]: [usize; 2]| {
            let hidden = ledger.each("head", ledger.linear("head", x, count, inputs, width, true));
            ledger.linear("head", hidden, count, width, outputs, true)
        };
        let x = maps(x, count, [inputs, width]);
        match pooled {
            Some(graphs) => maps(ledger.reduce("head", x, graphs, width), graphs, [width, outputs]),
            None => maps(x, count, [width, outputs]),
        }
    }
}
