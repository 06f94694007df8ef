//! One layer of IPR-MPNN: messages between nodes, from nodes to virtual nodes and back, and among virtual nodes.

use std::f32::consts::FRAC_1_SQRT_2;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::dense::{Activation, Dropout, Finish};

use super::Common;
use super::ipr_frame::{Copies, Frame};
use crate::config::ActivationKind;
use crate::init::{self, Seeds};
use crate::layers::{BlockConfig, EntryEncoder, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::ops::Normalisation;
use crate::{Batch, Context, InputShape, Shape, ops};

/// Norm and activation inside of a perceptron.
pub fn inside(common: &Common) -> BlockConfig {
    BlockConfig { dropout: 0.0, ..common.block() }
}

/// `activation(x)`.
pub fn activate(x: Tensor<2>, activation: Activation) -> Tensor<2> {
    ops::norm_block(x, Normalisation::None, Finish { activation, dropout: Dropout::NONE }, None)
}

/// `linear, norm, activation, linear`.
#[derive(Module, Debug)]
pub struct Perceptron {
    first: Linear,
    norm: NormBlock,
    second: Linear,
}

impl Perceptron {
    pub fn init(widths: [usize; 3], common: &Common, seeds: &mut Seeds) -> Self {
        Perceptron {
            first: Linear::init(widths[0], widths[1], seeds.next_seed()),
            norm: NormBlock::init(widths[1], inside(common)),
            second: Linear::init(widths[1], widths[2], seeds.next_seed()),
        }
    }

    pub fn apply(&self, x: Tensor<2>, context: &Context) -> Tensor<2> {
        self.second.apply(self.norm.apply(self.first.apply(x.into()), None, context).into())
    }

    pub fn cost(name: &str, x: Tracked, count: usize, widths: [usize; 3], common: &Common, ledger: &Ledger) -> Tracked {
        let x = ledger.linear(name, x, count, widths[0], widths[1], true);
        let x = ledger.norm_block(name, x, None, count, widths[1], inside(common));
        ledger.linear(name, x, count, widths[1], widths[2], true)
    }
}

/// `perceptron(messages + lin((1 + epsilon) x))`, with the map that makes messages of their sources.
#[derive(Module, Debug)]
struct Update {
    epsilon: Param<Tensor<2>>,
    source: Linear,
    target: Linear,
    perceptron: Perceptron,
}

impl Update {
    fn init([source, target, width]: [usize; 3], common: &Common, seeds: &mut Seeds) -> Self {
        Update {
            epsilon: init::uniform(1, 1, 0.0, 0),
            source: Linear::init(source, width, seeds.next_seed()),
            target: Linear::init(target, width, seeds.next_seed()),
            perceptron: Perceptron::init([width; 3], common, seeds),
        }
    }

    fn source(&self, x: &Tensor<2>) -> Tensor<2> {
        self.source.apply(x.clone().into())
    }

    fn apply(&self, messages: Tensor<2>, x: &Tensor<2>, context: &Context) -> Tensor<2> {
        let own = ops::mix(self.epsilon.val() + 1.0, vec![x.clone()]);
        self.perceptron.apply(ops::add(messages, self.target.apply(own.into())), context)
    }

    /// `messages` turns the mapped sources into messages.
    fn cost(
        name: &str,
        [source, target]: [&Tracked; 2],
        [from, to]: [usize; 2],
        [source_width, target_width, width]: [usize; 3],
        common: &Common,
        ledger: &Ledger,
        messages: impl FnOnce(Tracked) -> Tracked,
    ) -> Tracked {
        ledger.weights(&format!("{name} weights"), 1);
        let sent = messages(ledger.linear(name, source.clone(), from, source_width, width, true));
        let own = ledger.each(name, target.clone());
        let own = ledger.linear(name, own, to, target_width, width, true);
        let sum = ledger.add(name, sent, own);
        Perceptron::cost(name, sum, to, [width; 3], common, ledger)
    }
}

/// What nodes receive.
#[derive(Module, Debug)]
struct ToNodes {
    nodes: Update,
    entries: Option<EntryEncoder>,
    entries_map: Option<Linear>,
    virtuals: Update,
    delayed: Option<Update>,
}

/// What virtual nodes receive.
#[derive(Module, Debug)]
struct ToVirtuals {
    nodes: Update,
    delayed: Option<Update>,
    virtuals: Update,
}

/// Channels of nodes and virtual nodes.
pub type Widths = [usize; 2];

/// What a layer is made for.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Channels of its input.
    pub input: Widths,
    /// Channels of the state that it reads late, if it does.
    pub late: Option<Widths>,
    /// Half of the channels of its output.
    pub width: Widths,
    /// Whether nodes and virtual nodes receive something.
    pub renews: [bool; 2],
}

/// Nodes and virtual nodes after a layer.
pub type State = (Option<Tensor<2>>, Option<Tensor<2>>);

/// One layer.
#[derive(Module, Debug)]
pub struct IprLayer {
    to_nodes: Option<ToNodes>,
    to_virtuals: Option<ToVirtuals>,
    #[module(skip)]
    activation: ActivationKind,
    #[module(skip)]
    residual: bool,
    #[module(skip)]
    dropout: f32,
}

impl IprLayer {
    pub fn init(place: &Place, inputs: &InputShape, common: &Common, seeds: &mut Seeds) -> Self {
        let Place { input: [base, centre], late, width: [wide, narrow], renews } = *place;
        let to_nodes = renews[0].then(|| ToNodes {
            nodes: Update::init([base, base, wide], common, seeds),
            entries: EntryEncoder::init(inputs, wide, seeds),
            entries_map: inputs.has_edges().then(|| Linear::init(wide, wide, seeds.next_seed())),
            virtuals: Update::init([centre, base, wide], common, seeds),
            delayed: late.map(|late| Update::init([late[1], base, wide], common, seeds)),
        });
        let to_virtuals = renews[1].then(|| ToVirtuals {
            nodes: Update::init([base, centre, narrow], common, seeds),
            delayed: late.map(|late| Update::init([late[0], centre, narrow], common, seeds)),
            virtuals: Update::init([centre, centre, narrow], common, seeds),
        });
        let Common { activation, residual, dropout, .. } = *common;
        IprLayer { to_nodes, to_virtuals, activation, residual, dropout }
    }

    /// The next state, from the last one and the one that is read late.
    pub fn forward(
        &self,
        [nodes, virtuals]: [&Tensor<2>; 2],
        late: Option<&State>,
        mask: &Tensor<2>,
        frame: &Frame,
        batch: &Batch,
        context: &Context,
    ) -> State {
        let late_nodes = late.and_then(|late| late.0.as_ref());
        let late_virtuals = late.and_then(|late| late.1.as_ref());
        let half = |now: Tensor<2>, late: Option<Tensor<2>>| match late {
            Some(late) => ops::sum(vec![(now, 0.5), (late, 0.5)]),
            None => now,
        };
        let new_nodes = self.to_nodes.as_ref().map(|to| {
            let scatter = |update: &Update, from: &Tensor<2>| {
                update.apply(frame.scatter(&update.source(from), mask), nodes, context)
            };
            let messages = self.messages(to, nodes, &frame.copies, batch);
            let from_nodes = to.nodes.apply(messages, nodes, context);
            let delayed = to.delayed.as_ref().zip(late_virtuals).map(|(update, from)| scatter(update, from));
            let reads_virtuals = half(scatter(&to.virtuals, virtuals), delayed);
            self.finish(ops::concat([from_nodes, reads_virtuals]), nodes, context)
        });
        let new_virtuals = self.to_virtuals.as_ref().map(|to| {
            let gather = |update: &Update, from: &Tensor<2>| {
                update.apply(frame.gather(&update.source(from), mask), virtuals, context)
            };
            let delayed = to.delayed.as_ref().zip(late_nodes).map(|(update, from)| gather(update, from));
            let from_nodes = half(gather(&to.nodes, nodes), delayed);
            let others = frame.others(&to.virtuals.source(virtuals));
            let reads_virtuals = to.virtuals.apply(others, virtuals, context);
            self.finish(ops::concat([from_nodes, reads_virtuals]), virtuals, context)
        });
        (new_nodes, new_virtuals)
    }

    /// The sum over neighbours of `activation(lin x_j + e_ij)`, of `lin x_j` if entries have no features.
    fn messages(&self, to: &ToNodes, nodes: &Tensor<2>, copies: &Copies, batch: &Batch) -> Tensor<2> {
        let source = to.nodes.source(nodes);
        let entries = to.entries.as_ref().and_then(|entries| entries.forward(batch)).zip(to.entries_map.as_ref());
        let Some((entries, map)) = entries else {
            return ops::spmm(source, &copies.graph, &copies.ones, None);
        };
        let entries = copies.of_entries(map.apply(entries.into()));
        if self.activation == ActivationKind::Relu {
            return ops::edge_relu_sum(source, entries, &copies.graph);
        }
        let sum = ops::add(ops::gather_sources(source, &copies.graph), entries);
        ops::entry_sum(activate(sum, self.activation.into()), &copies.graph)
    }

    fn finish(&self, new: Tensor<2>, old: &Tensor<2>, context: &Context) -> Tensor<2> {
        let mut new = activate(new, self.activation.into());
        if self.residual && new.dims() == old.dims() {
            new = ops::sum(vec![(new, FRAC_1_SQRT_2), (old.clone(), FRAC_1_SQRT_2)]);
        }
        let dropout = context.dropout(self.dropout);
        if dropout.is_none() {
            return new;
        }
        ops::norm_block(new, Normalisation::None, Finish { activation: Activation::Identity, dropout }, None)
    }

    /// Writes it into the ledger; `counts` are the base rows and virtual rows of all samples.
    #[allow(clippy::too_many_arguments, reason = "as forward, and what sizes it has")]
    pub fn cost(
        name: &str,
        place: &Place,
        [nodes, virtuals]: [&Tracked; 2],
        late: Option<[&Tracked; 2]>,
        (counts, virtual_nodes, samples): ([usize; 2], usize, usize),
        common: &Common,
        shape: &Shape,
        ledger: &Ledger,
    ) -> [Option<Tracked>; 2] {
        let Place { input: [base, centre], width: [wide, narrow], renews, .. } = *place;
        let late_widths = place.late.unwrap_or_default();
        let finish = |new: Tracked, old: &Tracked| {
            let new = ledger.each(name, new);
            let added = common.residual && new.bytes() == old.bytes();
            let new = if added { ledger.spread(name, ledger.add(name, new, old.clone())) } else { new };
            if common.dropout > 0.0 && ledger.training() { ledger.each(name, new) } else { new }
        };
        let half = |now: Tracked, late: Option<Tracked>| match late {
            Some(late) => ledger.spread(name, ledger.add(name, now, late)),
            None => now,
        };
        let new_nodes = renews[0].then(|| {
            let edges = samples * shape.entries;
            let messages = |sent: Tracked| match EntryEncoder::cost(name, wide, shape, ledger) {
                None => ledger.spread(name, sent),
                Some(entries) => {
                    let entries = ledger.linear(name, entries, shape.entries, wide, wide, true);
                    let entries = ledger.reduce(name, entries, edges, wide);
                    let sources = ledger.reduce(name, sent, edges, wide);
                    let sum = ledger.each(name, ledger.add(name, sources, entries));
                    ledger.reduce(name, sum, counts[0], wide)
                }
            };
            let ends = [counts[0], counts[0]];
            let from_nodes = Update::cost(name, [nodes, nodes], ends, [base, base, wide], common, ledger, messages);
            let scatter = |from: &Tracked, width: usize| {
                let mixed = |sent: Tracked| {
                    let parts = (0..virtual_nodes).map(|_| ledger.reduce(name, sent.clone(), counts[0], wide));
                    let parts = parts.map(|part| (part, true)).collect();
                    ledger.run_all(Work { name: name.into(), output: rows(counts[0], wide), ..Work::default() }, parts)
                };
                let ends = [counts[1], counts[0]];
                Update::cost(name, [from, nodes], ends, [width, base, wide], common, ledger, mixed)
            };
            let delayed = late.map(|late| scatter(late[1], late_widths[1]));
            let reads_virtuals = half(scatter(virtuals, centre), delayed);
            finish(ledger.concat(name, vec![from_nodes, reads_virtuals]), nodes)
        });
        let new_virtuals = renews[1].then(|| {
            let gather = |from: &Tracked, width: usize| {
                let summed = |sent: Tracked| {
                    let parts = (0..virtual_nodes).map(|_| {
                        ledger.reduce(name, ledger.each(name, sent.clone()), counts[1] / virtual_nodes, narrow)
                    });
                    ledger.concat(name, parts.collect())
                };
                let ends = [counts[0], counts[1]];
                Update::cost(name, [from, virtuals], ends, [width, centre, narrow], common, ledger, summed)
            };
            let delayed = late.map(|late| gather(late[0], late_widths[0]));
            let from_nodes = half(gather(nodes, base), delayed);
            let others = |sent: Tracked| ledger.spread(name, sent);
            let ends = [counts[1], counts[1]];
            let widths = [centre, centre, narrow];
            let reads_virtuals = Update::cost(name, [virtuals, virtuals], ends, widths, common, ledger, others);
            finish(ledger.concat(name, vec![from_nodes, reads_virtuals]), virtuals)
        });
        [new_nodes, new_virtuals]
    }
}
