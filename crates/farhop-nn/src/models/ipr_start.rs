//! Virtual nodes of IPR-MPNN from the nodes that chose them. A copy of the graph for each sample and virtual node, w_ij
//! = M_ic M_jc:
//!
//! ```text
//! a_i <- gelu(norm(lin_2 gelu(lin_1((1 + eps) a_i + sum_j w_ij gelu(a_j + e_ij)))))       twice, from encoder(x)
//! c    = sum_i M_ic perceptron(a_i) / (sum_i M_ic + 1e-7)          the number below taken as a constant
//! ```

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::Common;
use super::ipr_encoder::IprEncoder;
use super::ipr_frame::{Copies, Frame};
use super::ipr_layer::{Perceptron, activate, inside};
use super::ipr_mpnn::IprMpnn;
use crate::config::ActivationKind;
use crate::init::{self, Seeds};
use crate::layers::{EntryEncoder, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::memory::floats;
use crate::{Batch, Context, Features, InputShape, Shape, ops};

/// One round of messages among the nodes that chose a virtual node.
#[derive(Module, Debug)]
struct StartRound {
    epsilon: Param<Tensor<2>>,
    entries: Option<EntryEncoder>,
    first: Linear,
    second: Linear,
    norm: NormBlock,
}

/// Virtual nodes from the nodes that chose them.
#[derive(Module, Debug)]
pub struct Start {
    encoder: IprEncoder,
    rounds: Vec<StartRound>,
    first: Linear,
    norm: NormBlock,
    rest: Perceptron,
    #[module(skip)]
    activation: ActivationKind,
}

impl Start {
    pub fn init(settings: &IprMpnn, common: &Common, inputs: &InputShape, seeds: &mut Seeds) -> Self {
        let width = common.width;
        let encoder = IprEncoder::init(common, settings.encoding_width, inputs, seeds);
        let round = |_| StartRound {
            epsilon: init::uniform(1, 1, 0.0, 0),
            entries: EntryEncoder::init(inputs, width, seeds),
            first: Linear::init(width, width, seeds.next_seed()),
            second: Linear::init(width, width, seeds.next_seed()),
            norm: NormBlock::init(width, inside(common)),
        };
        let rounds = (0..2).map(round).collect();
        Start {
            encoder,
            rounds,
            first: Linear::init(width, width, seeds.next_seed()),
            norm: NormBlock::init(width, inside(common)),
            rest: Perceptron::init([width, width, settings.virtual_width], common, seeds),
            activation: common.activation,
        }
    }

    pub fn forward(
        &self,
        features: Features,
        mask: &Tensor<2>,
        frame: &Frame,
        batch: &Batch,
        context: &Context,
    ) -> Tensor<2> {
        let count = frame.samples * frame.virtual_nodes;
        let copies = batch.derived(count as u64, |batch| Copies::new(batch, count));
        // [R, N, C] to [R, C, N]: a copy of the graph for each sample and virtual node.
        let member: Tensor<3> = mask.clone().reshape([frame.samples, batch.nodes(), frame.virtual_nodes]);
        let member: Tensor<2> = member.swap_dims(1, 2).reshape([count * batch.nodes(), 1]);
        let both =
            ops::gather_targets(member.clone(), &copies.graph) * ops::gather_sources(member.clone(), &copies.graph);
        let mut x = copies.of_nodes(self.encoder.forward(features, batch, context));
        for round in &self.rounds {
            let mut sent = ops::gather_sources(x.clone(), &copies.graph);
            if let Some(entries) = round.entries.as_ref().and_then(|entries| entries.forward(batch)) {
                sent = activate(sent + copies.of_entries(entries), self.activation.into());
            }
            let messages = ops::entry_sum(ops::scale_rows(sent, both.clone()), &copies.graph);
            let sum = ops::mix(round.epsilon.val() + 1.0, vec![x]) + messages;
            let inner = activate(round.first.apply(sum.into()), self.activation.into());
            x = round.norm.apply(round.second.apply(inner.into()), None, context);
        }
        let x = self.norm.apply(self.first.apply(x.into()), None, context);
        frame.means(self.rest.apply(x, context), member, batch)
    }

    pub fn cost(settings: &IprMpnn, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (width, copies) = (common.width, settings.samples * settings.virtual_nodes);
        let (count, edges) = (copies * shape.nodes, copies * shape.entries);
        ledger.hold("copies", floats(6 * count + 8 * edges));
        let x = IprEncoder::cost(common, settings.encoding_width, shape, ledger);
        let mut x = ledger.reduce("start", x, count, width);
        for _ in 0..2 {
            let mut sent = ledger.reduce("start", x.clone(), edges, width);
            if let Some(entries) = EntryEncoder::cost("start", width, shape, ledger) {
                let entries = ledger.reduce("start", entries, edges, width);
                sent = ledger.each("start", ledger.add("start", sent, entries));
            }
            let messages = ledger.reduce("start", ledger.each("start", sent), count, width);
            ledger.weights("start weights", 1);
            let sum = ledger.add("start", ledger.each("start", x), messages);
            let inner = ledger.each("start", ledger.linear("start", sum, count, width, width, true));
            let hidden = ledger.linear("start", inner, count, width, width, true);
            x = ledger.norm_block("start", hidden, None, count, width, inside(common));
        }
        let hidden = ledger.linear("start", x, count, width, width, true);
        let hidden = ledger.norm_block("start", hidden, None, count, width, inside(common));
        let rest = [width, width, settings.virtual_width];
        let x = ledger.each("start", Perceptron::cost("start", hidden, count, rest, common, ledger));
        let output = rows(copies * shape.graphs.max(1), settings.virtual_width);
        ledger.run(Work { name: "start".into(), output, ..Work::default() }, [(x, false)])
    }
}
