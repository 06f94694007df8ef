//! FSGNN: features after every hop, with and without the node itself, each with a map of its own; which of them count is learned.
//!
//! Maurya, Liu and Murata, "Simplifying approach to node classification in graph neural networks", Journal of Computational
//! Science 62, 2022:
//!
//! ```text
//! list    = X, S X, T X, S² X, T² X, .., S^K X, T^K X           n of these, as `hop_features` says, each [N, inputs]
//! S_ij    = 1 / sqrt(deg_i deg_j),   T_ij = 1 / sqrt((deg_i + 1)(deg_j + 1)),  T_ii = 1 / (deg_i + 1)
//! w       = softmax(a)                                          a [n], one number for each of the list
//! Y_l     = unit(list_l W_l + b_l)                              [N, F], every row divided by its length (`unit_rows`)
//! answers = head( dropout relu [ w_0 Y_0 | w_1 Y_1 | .. ] )     n F channels
//! ```
//!
//! Hops of numbers that go in as they are (no encoder, no dropout of inputs) are made once a batch; then a step does not touch the
//! graph. With `mean_one` and two `head_layers` it is the authors' model for large graphs. Nodes read those that send to them; the
//! authors' program reads along the edges in the other direction, which is the same in undirected graphs.
//! Cost: 2 K E inputs once, then N n (inputs F + F C); memory n N inputs.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_kernels::dense::Finish;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::ActivationKind;
use crate::init::{self, Seeds};
use crate::knobs::{knobs, words};
use crate::layers::{Encoder, Head, Layer, Linear};
use crate::ledger::{Ledger, Tracked};
use crate::memory::floats;
use crate::ops::{EntryWeights, Normalisation, degree_of};
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape, ops};

/// Rows shorter than this are divided by it.
const SHORTEST: f32 = 1e-12;

words! {
    /// Which features after hops are read, beside those of the node itself.
    pub enum HopFeatures {
        /// Both kinds.
        #[default]
        All = "all",
        /// Means that contain the node itself.
        WithSelf = "with-self",
        /// Means of neighbours alone.
        WithoutSelf = "without-self",
    }
}

impl HopFeatures {
    fn with_self(self) -> bool {
        self != HopFeatures::WithoutSelf
    }

    fn without_self(self) -> bool {
        self != HopFeatures::WithSelf
    }
}

knobs! {
    /// The settings of FSGNN; `width` is the channels of each map.
    pub struct Fsgnn {
        /// Hops whose features are read, near and far apart.
        hops: usize = 3, in 1..=64;
        /// Which features after hops are read, beside those of the node itself.
        hop_features: HopFeatures = HopFeatures::All;
        /// Whether every row of a map's output is divided by its length.
        unit_rows: bool = true;
        /// Whether the weights of maps have the mean 1 instead of the sum 1.
        mean_one: bool = false;
    }
}

impl Fsgnn {
    /// Members of the list.
    fn members(&self) -> usize {
        let kinds = usize::from(self.hop_features.with_self()) + usize::from(self.hop_features.without_self());
        1 + kinds * self.hops
    }
}

impl Architecture for Fsgnn {
    const NAME: &'static str = "fsgnn";
    const ABOUT: About = About {
        title: "Feature selection graph neural network",
        citation: "Maurya, Liu and Murata, Simplifying approach to node classification in graph neural networks, J. Comput. Sci. 2022",
        idea: "features after every hop, with and without the node itself, each with its map; a softmax selects among them",
        cost: "K E inputs once, then N K (inputs F + F C)",
        limits: "edge features are not read",
    };
    const IDLE: &'static [&'static str] = &["layers", "norm", "residual"];

    fn defaults() -> Common {
        Common { width: 64, dropout: 0.5, ..Common::default() }
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
        let members = self.members();
        Box::new(FsgnnNetwork {
            encoder,
            selection: init::constant(members, 1.0),
            // A row of zeros, such as a hop of a node alone, has no direction: the bias gives it one.
            maps: (0..members).map(|_| Linear::init_uniform(width, common.width, seeds.next_seed())).collect(),
            head: common.build_head(members * common.width, outputs, seeds),
            settings: self.clone(),
            activation: common.activation,
            dropout: common.dropout,
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, members) = (shape.nodes, self.members());
        ledger.hold("coefficients", floats(2 * shape.entries + nodes));
        ledger.weights("selection weights", members);
        let (x, width) = common.encoder().cost(shape, ledger);
        let raw = !common.input_projection && !shape.needs_encoder();
        if raw {
            // Hops of sparse numbers are dense, and so is what they start from.
            let made = members - usize::from(shape.non_zeros.is_none());
            ledger.hold("hops", floats(nodes * width * made));
        }
        let mut list = vec![x.clone()];
        let mut last = [x.clone(), x];
        for member in 1..members {
            // The two kinds take turns where both are read.
            let kind = if self.hop_features == HopFeatures::All { member % 2 } else { 0 };
            let next = if raw { ledger.data(0) } else { ledger.spread("hops", last[kind].clone()) };
            list.push(next.clone());
            last[kind] = next;
        }
        drop(last);
        let mut parts = Vec::new();
        for (i, x) in list.into_iter().enumerate() {
            let mut part = ledger.linear(&format!("maps.{i}"), x, nodes, width, common.width, true);
            if self.unit_rows {
                part = ledger.each(&format!("maps.{i}"), part);
            }
            parts.push(ledger.each(&format!("maps.{i}"), part));
        }
        let all = ledger.concat("collected", parts);
        let all = ledger.each("collected", all);
        common.head().cost(all, members * common.width, shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(self.hops + 1)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { spreads: true, ..Properties::MESSAGE_PASSING }
    }

    /// What every hop adds up, and its gradient. Hops of the features themselves are made once, before the first step: nothing a pass.
    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2] {
        if !common.input_projection && !shape.needs_encoder() {
            return [0, 0];
        }
        let width = common.encoder().outputs(shape.inputs, shape.needs_encoder());
        [(self.members() - 1) * width; 2]
    }

    fn halo_rounds(&self, common: &Common) -> [usize; 2] {
        if common.input_projection { [self.members() - 1; 2] } else { [0, 0] }
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "hops": 2 })
    }
}

/// The maps, what selects among them, the head.
#[derive(Module, Debug)]
pub struct FsgnnNetwork {
    encoder: Encoder,
    selection: Param<Tensor<1>>,
    maps: Vec<Linear>,
    head: Head,
    #[module(skip)]
    settings: Fsgnn,
    #[module(skip)]
    activation: ActivationKind,
    #[module(skip)]
    dropout: f32,
}

/// The coefficients S. Whoever receives from nobody counts as of degree 1.
struct Neighbours(std::sync::Arc<EntryWeights>);

impl Neighbours {
    fn of(batch: &Batch) -> Self {
        let graph = batch.graph();
        let root = |i: usize| 1.0 / (degree_of(graph, batch.halo(), i).max(1) as f64).sqrt();
        let row = |i: usize| graph.neighbours(i).iter().map(move |&j| (root(i) * root(j as usize)) as f32);
        let entries = (0..graph.nodes()).flat_map(row).collect();
        Neighbours(std::sync::Arc::new(EntryWeights { entries, nodes: Vec::new() }))
    }
}

/// The list of the batch's own numbers.
struct PropagatedHops(Vec<Tensor<2>>);

impl FsgnnNetwork {
    /// The list, from its first member.
    fn hops(&self, x: Tensor<2>, batch: &Batch) -> Vec<Tensor<2>> {
        let kinds = self.settings.hop_features;
        let neighbours = batch.derived(0, Neighbours::of);
        let (mut without, mut with) = (x.clone(), x.clone());
        let mut list = vec![x];
        for _ in 0..self.settings.hops {
            if kinds.without_self() {
                without = ops::spread(without, batch, &neighbours.0, None);
                list.push(without.clone());
            }
            if kinds.with_self() {
                with = ops::spread(with, batch, &batch.symmetric_weights(), None);
                list.push(with.clone());
            }
        }
        list
    }

    /// The list, made once a batch if it is that of the batch's own numbers.
    fn list(&self, x: Features, batch: &Batch) -> Vec<Tensor<2>> {
        if !x.are_own(batch) {
            return self.hops(x.into_dense(batch), batch);
        }
        let key = 4 * self.settings.hops as u64 + self.settings.hop_features as u64;
        batch.derived(key, |batch| PropagatedHops(self.hops(batch.features(), batch))).0.clone()
    }
}

impl Layer for FsgnnNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let x = self.encoder.stage(features, batch, context);
        let members = self.maps.len();
        let mut shares = ops::row_softmax(self.selection.val().reshape([1, members]));
        if self.settings.mean_one {
            shares = shares * members as f32;
        }
        let mut parts = Vec::new();
        for (i, (map, x)) in self.maps.iter().zip(self.list(x, batch)).enumerate() {
            let mut part = map.apply(x.into());
            if self.settings.unit_rows {
                part = ops::row_normalise(part, SHORTEST);
            }
            part = ops::mix(shares.clone().slice([0..1, i..i + 1]), vec![part]);
            parts.push(context.stage(|| format!("maps.{i}"), part));
        }
        let finish = Finish { activation: self.activation.into(), dropout: context.dropout(self.dropout) };
        let joined = ops::concat(parts);
        let hidden = ops::norm_block(joined, Normalisation::None, finish, None);
        context.stage(|| "head".into(), self.head.forward(hidden.into(), batch, context))
    }
}
