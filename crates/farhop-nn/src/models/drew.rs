//! DRew: every layer reaches one hop further, and far nodes are seen as they were some layers ago.
//!
//! Gutteridge, Dong, Bronstein and Di Giovanni, "DRew: dynamically rewired message passing with delay", ICML 2023.
//! Layer t = 0, 1, .. reads the hops k = 1 .. t + 1; N_k(i) are the nodes at distance k of i. Hop k reads the states of
//! the layer `t - max(k - delay, 0)`, here x^(t, k):
//!
//! ```text
//! gcn      y_k = S_k x^(t, k) W_kt            S_k: symmetric normalisation of the graph of hop k, with self-loops
//!          r_k = unit(dropout(activation(norm(y_k)))),   x' = unit(x + c sum over k of r_k)            unit(v) = v / |v|, row by row
//! gated    g_ij = sigmoid(D x_i + E x_j^(t, k))
//!          y_i = A x_i + c sum over k of (sum over N_k(i) of g_ij * B x_j^(t, k)) / (sum over N_k(i) of g_ij + 1e-6)
//!          x' = x + dropout(activation(norm(y)))
//! gin      x' = dropout(activation(MLP(x) + c sum over k of MLP_k(sum over N_k(i) of x_j^(t, k))))      MLP: linear, norm, activation
//! ```
//!
//! c is 1, or 1 / (t + 1) with `mean_of_hops`. In gcn and gin a hop that no two nodes of the batch have between them is
//! left out, so that a small graph's answers depend on the others of its batch; that is the authors' rule. Their second
//! relu around the sum of gcn never acts and is left out. Cost: hop sets once, up to N² pairs; then (sum over t and k
//! of |E_k| F + N F²). The states of all layers stay alive.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::{ActivationKind, NormKind};
use crate::init::Seeds;
use crate::knobs::{knobs, words};
use crate::layers::{BlockConfig, Encoder, EncoderConfig, Head, HeadConfig, HopSets, Layer, Linear, NormBlock, plain};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::{Batch, Context, Features, InputShape, Network, OutputShape, Shape, init, ops};

/// Rows shorter than this are divided by it instead.
const SHORTEST: f32 = 1e-12;

/// Added to the sum of gates.
const EPSILON: f32 = 1e-6;

words! {
    /// What a layer of DRew does with a hop.
    pub enum DrewKind {
        /// Graph convolution.
        #[default]
        Gcn = "gcn",
        /// Gated means.
        Gated = "gated",
        /// Sums and perceptrons.
        Gin = "gin",
    }
}

knobs! {
    /// The settings of DRew.
    pub struct Drew {
        /// What a layer does with a hop.
        variant: DrewKind = DrewKind::Gcn;
        /// Hops further than this are seen as they were, a layer for every hop; 0 shows all of them as they are.
        delay: usize = 0, in 0..=1000;
        /// The furthest hop; 0 is as many as layers.
        furthest: usize = 0, in 0..=1000;
        /// Whether hops are averaged rather than added.
        mean_of_hops: bool = false;
        /// Whether hidden rows of the head are divided by their length.
        unit_head_rows: bool = false;
    }
}

impl Drew {
    /// The hops of layer t.
    fn hops(&self, layer: usize) -> usize {
        if self.furthest == 0 { layer + 1 } else { self.furthest.min(layer + 1) }
    }

    /// The layer whose states hop k of layer t reads.
    fn reads(&self, layer: usize, hop: usize) -> usize {
        if self.delay == 0 { layer } else { layer - hop.saturating_sub(self.delay) }
    }

    fn head(&self, common: &Common) -> HeadConfig {
        HeadConfig { unit_rows: self.unit_head_rows, ..common.head() }
    }

    fn encoder(common: &Common) -> EncoderConfig {
        EncoderConfig { projection: true, ..common.encoder() }
    }

    /// What follows the map of a hop.
    fn block(&self, common: &Common) -> BlockConfig {
        let dropout = if self.variant == DrewKind::Gin { 0.0 } else { common.dropout };
        BlockConfig { dropout, ..common.block() }
    }
}

impl Architecture for Drew {
    const NAME: &'static str = "drew";
    const ABOUT: About = About {
        title: "Dynamically rewired message passing with delay",
        citation: "Gutteridge, Dong, Bronstein and Di Giovanni, DRew, ICML 2023",
        idea: "every layer reaches one hop further, and far nodes are seen as they were some layers ago",
        cost: "sum over layers and hops of |E_k| F + N F²",
        limits: "holds all pairs of nodes up to as many hops as layers; edge features are not read",
    };
    const IDLE: &'static [&'static str] = &["input_projection"];

    fn defaults() -> Common {
        Common { layers: 7, width: 128, norm: NormKind::Batch, dropout: 0.0, ..Common::default() }
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let encoder = Encoder::init(inputs, &Drew::encoder(common), seeds);
        let layers = (0..common.layers).map(|layer| DrewLayer::init(self, common, layer, seeds)).collect();
        let head = Head::init(common.width, outputs, &self.head(common), seeds);
        Box::new(DrewNetwork { encoder, layers, head, settings: self.clone(), residual: common.residual })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, width) = (shape.nodes, common.width);
        let hops = (0..common.layers).map(|layer| self.hops(layer)).max().unwrap_or(0);
        // The size of a hop set is not known beforehand.
        let expected = HopSets::expected(shape, hops);
        let pairs = |hop: usize| expected[hop - 1];
        let weights = usize::from(self.variant != DrewKind::Gated);
        ledger.hold("hop sets", HopSets::bytes(&expected, nodes, weights));
        let mut states = vec![Drew::encoder(common).cost(shape, ledger).0];
        for layer in 0..common.layers {
            let name = format!("layers.{layer}");
            let x = states[layer].clone();
            let linear = |x: &Tracked, bias: bool| ledger.linear(&name, x.clone(), nodes, width, width, bias);
            let product = |x: &Tracked| ledger.product(&name, x.clone(), nodes, width);
            let norm = |y: Tracked, residual: Option<Tracked>| {
                ledger.norm_block(&name, y, residual, nodes, width, self.block(common))
            };
            let read = |hop: usize| states[self.reads(layer, hop)].clone();
            let add = |sum: Option<Tracked>, term: Tracked| match sum {
                Some(sum) => ledger.add(&name, sum, term),
                None => term,
            };
            let mut sum = None;
            let next = match self.variant {
                DrewKind::Gcn => {
                    for hop in 1..=self.hops(layer) {
                        let y = ledger.spread(&name, linear(&read(hop), false));
                        sum = Some(add(sum.take(), ledger.each(&name, norm(y, None))));
                    }
                    let sum = add(sum, x);
                    ledger.each(&name, sum)
                }
                DrewKind::Gated => {
                    (0..3).for_each(|_| ledger.weights(&name, Linear::size(width, width)));
                    let receiver = product(&x);
                    for hop in 1..=self.hops(layer) {
                        let (sender, values) = (product(&read(hop)), product(&read(hop)));
                        let work = Work { name: name.clone(), output: floats(pairs(hop) * width), ..Work::default() };
                        let state = ledger.run(work, [(receiver.clone(), false), (sender, false)]);
                        let (output, kept) = (values.bytes(), 2 * values.bytes());
                        let work = Work { name: name.clone(), output, kept, ..Work::default() };
                        sum = Some(add(sum.take(), ledger.run(work, [(values, true), (state, true)])));
                    }
                    let sum = add(sum, linear(&x, true));
                    norm(sum, common.residual.then_some(x))
                }
                DrewKind::Gin => {
                    sum = Some(norm(linear(&x, true), None));
                    for hop in 1..=self.hops(layer) {
                        let y = ledger.spread(&name, read(hop));
                        sum = Some(add(sum.take(), norm(linear(&y, true), None)));
                    }
                    let end = plain(common.activation, common.dropout);
                    let sum = sum.unwrap_or_else(|| x.clone());
                    ledger.norm_block(&name, sum, common.residual.then_some(x), nodes, width, end)
                }
            };
            states.push(next);
        }
        let last = states.swap_remove(common.layers);
        drop(states);
        self.head(common).cost(last, width, shape, ledger)
    }

    fn reach(&self, common: &Common) -> Reach {
        if self.variant != DrewKind::Gated {
            // Whether a hop is left out depends on the whole graph.
            return Reach::WholeGraph;
        }
        Reach::Hops((0..common.layers).map(|layer| self.hops(layer)).sum())
    }

    fn properties(&self, _common: &Common) -> Properties {
        let graphs_apart = self.variant == DrewKind::Gated;
        Properties { graphs_apart, shares: graphs_apart, most_nodes: Some(20_000), ..Properties::MESSAGE_PASSING }
    }

    fn burden(&self, common: &Common, nodes: usize) -> String {
        let pairs = (nodes as u128).pow(2);
        format!("lists the pairs of nodes up to {} hops apart, which may be all {pairs} of them", common.layers)
    }
}

/// An encoder, layers that reach further and further, and a head.
#[derive(Module, Debug)]
pub struct DrewNetwork {
    encoder: Encoder,
    layers: Vec<DrewLayer>,
    head: Head,
    #[module(skip)]
    settings: Drew,
    #[module(skip)]
    residual: bool,
}

impl Layer for DrewNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let hops = (0..self.layers.len()).map(|layer| self.settings.hops(layer)).max().unwrap_or(0);
        let sets = HopSets::of(batch, hops);
        let mut states = vec![self.encoder.stage(features, batch, context).into_dense(batch)];
        for (i, layer) in self.layers.iter().enumerate() {
            let x = layer.apply(&states, &sets, self, context);
            states.push(context.stage(|| format!("layers.{i}"), x));
        }
        let last = states.swap_remove(self.layers.len());
        drop(states);
        context.stage(|| "head".into(), self.head.forward(last.into(), batch, context))
    }
}

/// The maps of a layer: those of the hops (gcn, gin), and those that all hops share (gated, gin).
#[derive(Module, Debug)]
struct DrewLayer {
    hops: Vec<HopMap>,
    own: Option<HopMap>,
    values: Option<Linear>,
    receiver: Option<Linear>,
    sender: Option<Linear>,
    end: NormBlock,
}

/// A linear map and what follows it.
#[derive(Module, Debug)]
struct HopMap {
    weight: Param<Tensor<2>>,
    bias: Option<Param<Tensor<1>>>,
    norm: NormBlock,
}

impl HopMap {
    fn init(settings: &Drew, common: &Common, seed: u64) -> Self {
        let bias = settings.variant != DrewKind::Gcn;
        HopMap {
            weight: init::glorot(common.width, common.width, seed),
            bias: bias.then(|| init::constant(common.width, 0.0)),
            norm: NormBlock::init(common.width, settings.block(common)),
        }
    }

    fn linear(&self, x: Tensor<2>) -> Tensor<2> {
        ops::linear(x, self.weight.val(), self.bias.as_ref().map(Param::val))
    }
}

impl DrewLayer {
    fn init(settings: &Drew, common: &Common, layer: usize, seeds: &mut Seeds) -> Self {
        let width = common.width;
        let gated = settings.variant == DrewKind::Gated;
        let hops = if gated { 0 } else { settings.hops(layer) };
        let mut map = || HopMap::init(settings, common, seeds.next_seed());
        let (hops, own) = ((0..hops).map(|_| map()).collect(), (settings.variant != DrewKind::Gcn).then(&mut map));
        let mut shared = || gated.then(|| Linear::init(width, width, seeds.next_seed()));
        let activation = match settings.variant {
            DrewKind::Gin => common.activation,
            _ => ActivationKind::None,
        };
        let dropout = if settings.variant == DrewKind::Gin { common.dropout } else { 0.0 };
        let end = NormBlock::init(width, plain(activation, dropout));
        DrewLayer { hops, own, values: shared(), receiver: shared(), sender: shared(), end }
    }

    fn apply(&self, states: &[Tensor<2>], sets: &HopSets, network: &DrewNetwork, context: &Context) -> Tensor<2> {
        let layer = states.len() - 1;
        let settings = &network.settings;
        let x = states[layer].clone();
        let residual = network.residual.then(|| x.clone());
        let read = |hop: usize| states[settings.reads(layer, hop)].clone();
        let share = if settings.mean_of_hops { 1.0 / (layer + 1) as f32 } else { 1.0 };
        // Hops that no two nodes of the batch have between them are left out.
        let present = || (1..=settings.hops(layer)).filter_map(|hop| sets.get(hop).map(|set| (hop, set)));
        let mut sum: Option<Tensor<2>> = None;
        let mut add = |term: Tensor<2>| {
            sum = Some(match sum.take() {
                Some(sum) => ops::add(sum, term),
                None => term,
            });
        };
        if let (Some(own), Some(values), Some(receiver), Some(sender)) =
            (&self.own, &self.values, &self.receiver, &self.sender)
        {
            let receivers = receiver.apply(x.clone().into());
            for (hop, set) in present() {
                let state = ops::edge_gates(receivers.clone(), sender.apply(read(hop).into()), None, &set.graph);
                add(ops::gated_mean(values.apply(read(hop).into()), state, &set.graph, EPSILON));
            }
            let own_part = own.linear(x);
            let y = match sum {
                Some(sum) => ops::sum(vec![(own_part, 1.0), (sum, share)]),
                None => own_part,
            };
            return own.norm.apply(y, residual, context);
        }
        for (hop, set) in present() {
            let map = &self.hops[hop - 1];
            if self.own.is_some() {
                let near = ops::spmm(read(hop), &set.graph, set.ones(), None);
                add(map.norm.apply(map.linear(near), None, context));
            } else {
                let y = ops::spmm(map.linear(read(hop)), &set.graph, set.symmetric(), None);
                add(ops::row_normalise(map.norm.apply(y, None, context), SHORTEST));
            }
        }
        let sum = sum.map(|sum| if share == 1.0 { sum } else { ops::sum(vec![(sum, share)]) });
        let Some(own) = &self.own else {
            let next = match (sum, residual) {
                (Some(sum), Some(x)) => ops::add(x, sum),
                (Some(sum), None) => sum,
                (None, _) => x,
            };
            return ops::row_normalise(next, SHORTEST);
        };
        let y = own.norm.apply(own.linear(x), None, context);
        let y = match sum {
            Some(sum) => ops::add(y, sum),
            None => y,
        };
        self.end.apply(y, residual, context)
    }
}
