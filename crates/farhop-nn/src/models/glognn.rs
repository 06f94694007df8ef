//! GloGNN: answers are drawn together over the whole graph by coefficients between all pairs of nodes, which are never written down.
//!
//! Li, Zhu, Cheng, Shan, Luo, Li and Qian, "Finding global homophily in graph neural networks when meeting heterophily", ICML 2022:
//!
//! ```text
//! u   = relu( delta (x W_1 + b_1) + (1 - delta) (A T + b_2) ),   H = head(u)         [N, C]
//! X_0 = H, then L times (`layers`), with m = alpha + beta, D = diag(w) (`weighted`, else the unit matrix):
//!   S = X^T X                                                                        [C, C]
//!   R = X (I / (1 - gamma)² + S / m)^-1 D / (m (1 - gamma))                          [N, C]
//!   Q = sum over k of lambda_k A^k R                                                 K `hops`, see `orders`
//!   X <- (1 - gamma) (X - gamma H) (D X^T R) + beta Q + gamma H
//! ```
//!
//! That is `X <- (1 - gamma) Z X + gamma H` with the Z `[N, N]` that best explains X by itself while it is small (alpha) and close to
//! the sum of powers of A (beta). A is the mean over neighbours and node, or the sum over neighbours (`adjacency`).
//! The rows of the adjacency matrix as features are a table T with a row for every node, so that branch belongs to one graph and its order of
//! nodes; it is there if `adjacency_nodes` says how many these are. Nodes beyond the table have zeros. All sums over nodes are those of
//! each graph of a batch by itself. Where answers are about graphs, the last hidden layer takes the place of the answers.
//! With two `head_layers`, `adjacency = "sum"` and answers as they are, it is the authors' model for large graphs.
//! Cost of a layer: N C² + C³ + K E C.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use burn::tensor::activation::relu;

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::Checks;
use crate::init::{self, Seeds};
use crate::knobs::{knobs, words};
use crate::layers::{Encoder, Head, Layer, Linear, NormBlock};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::{EntryWeights, bridge};
use crate::{Batch, Context, Features, InputShape, Level, Network, NnError, OutputShape, Shape, ops};

words! {
    /// How powers of the adjacency matrix are added.
    pub enum Orders {
        /// With a learned number for each of 1 to K.
        #[default]
        Learned = "learned",
        /// All from 0 to K alike.
        Equal = "equal",
        /// With numbers for each of 1 to K that every node has from its own row.
        PerNode = "per-node",
    }
}

words! {
    /// What the adjacency matrix does.
    pub enum AdjacencyKind {
        /// The mean over neighbours and node.
        #[default]
        Mean = "mean",
        /// The sum over neighbours.
        Sum = "sum",
    }
}

knobs! {
    /// The settings of GloGNN; `layers` are its rounds over the whole graph. They are like those of the authors for citation graphs.
    pub struct Glognn {
        /// Powers of the adjacency matrix.
        hops: usize = 4, in 1..=20;
        /// How they are added.
        orders: Orders = Orders::Learned;
        /// What the adjacency matrix does.
        adjacency: AdjacencyKind = AdjacencyKind::Mean;
        /// How much large coefficients between nodes cost.
        alpha: f32 = 0.0, in 0.0..=1e6;
        /// How much coefficients far from the powers of the adjacency matrix cost.
        beta: f32 = 1000.0, in 0.0..=1e6;
        /// Share of the first answers in every round.
        gamma: f32 = 0.8, in 0.0..0.999;
        /// Share of features beside rows of the adjacency matrix.
        delta: f32 = 1.0, in 0.0..=1.0;
        /// Nodes of the one graph whose rows of the adjacency matrix are read too; 0 reads features alone.
        adjacency_nodes: usize = 0, in 0..=100_000_000;
        /// Whether channels have learned weights (GloGNN++).
        weighted: bool = false;
    }
}

impl Architecture for Glognn {
    const NAME: &'static str = "glognn";
    const ABOUT: About = About {
        title: "Global homophily graph neural network",
        citation: "Li, Zhu, Cheng, Shan, Luo, Li and Qian, Finding global homophily in graph neural networks, ICML 2022",
        idea: "every node draws on all nodes that look alike, by a matrix in closed form that is never written down",
        cost: "N F² + L (N C² + C³ + K E C)",
        limits: "edge features are not read; all nodes of a graph are read at once",
    };
    const IDLE: &'static [&'static str] = &["residual"];

    fn defaults() -> Common {
        Common { layers: 2, width: 64, norm: crate::NormKind::None, dropout: 0.5, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(Self::NAME, 1)?;
        let checks = Checks(Self::NAME);
        checks.that(self.alpha + self.beta > 0.0, "beta", self.beta, || "alpha + beta must be above 0".into())?;
        let missing = self.delta < 1.0 && self.adjacency_nodes == 0;
        checks.that(!missing, "delta", self.delta, || "below 1 it needs adjacency_nodes, the nodes of the graph".into())
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let (encoder, width) = common.build_encoder(inputs, seeds);
        let features = Linear::init(width, common.width, seeds.next_seed());
        let nodes = self.adjacency_nodes;
        let table = (nodes > 0).then(|| init::glorot(nodes, common.width, seeds.next_seed()));
        let head = common.build_head(common.width, outputs, seeds);
        let graphs = outputs.level == Level::Graph;
        let channels = if graphs { common.width } else { outputs.outputs };
        let per_node = self.orders == Orders::PerNode;
        Box::new(GlognnNetwork {
            encoder,
            features,
            table_bias: table.is_some().then(|| init::constant(common.width, 0.0)),
            table,
            norm: common.build_norm(common.width),
            head,
            orders: (self.orders == Orders::Learned).then(|| init::constant(self.hops, 1.0 / self.hops as f32)),
            node_orders: per_node.then(|| init::glorot(channels, self.hops, seeds.next_seed())),
            node_orders_mix: per_node.then(|| init::glorot(self.hops, self.hops, seeds.next_seed())),
            weights: self.weighted.then(|| init::constant(channels, 1.0 / channels as f32)),
            rounds: common.layers,
            settings: self.clone(),
            rounds_first: graphs,
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let nodes = shape.nodes;
        ledger.symmetric_weights(shape);
        let (x, width) = common.encoder().cost(shape, ledger);
        let mut u = ledger.linear("features", x, nodes, width, common.width, true);
        if self.adjacency_nodes > 0 {
            ledger.weights("table weights", (self.adjacency_nodes + 1) * common.width);
            let work = Work { name: "table".into(), output: floats(nodes * common.width), ..Work::default() };
            let table = ledger.run(work, [(ledger.data(0), false)]);
            u = ledger.add("features", u, table);
        }
        let u = ledger.norm_block("norm", u, None, nodes, common.width, common.block());
        let first = shape.level == Level::Graph;
        let channels = if first { common.width } else { shape.outputs };
        let own = match self.orders {
            Orders::Learned => self.hops,
            Orders::Equal => 0,
            Orders::PerNode => (channels + self.hops) * self.hops,
        };
        ledger.weights("round weights", own + if self.weighted { channels } else { 0 });
        if first {
            return common.head().cost(self.rounds_cost(u, common, shape, ledger), channels, shape, ledger);
        }
        self.rounds_cost(common.head().cost(u, common.width, shape, ledger), common, shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn small() -> serde_json::Value {
        // With weights of hundreds nothing is left of small steps in f32.
        serde_json::json!({ "hops": 2, "beta": 1.0, "gamma": 0.0 })
    }

    fn properties(&self, _common: &Common) -> Properties {
        let apart = self.adjacency_nodes == 0;
        Properties { equivariant: apart, graphs_apart: apart, shares: apart, ..Properties::MESSAGE_PASSING }
    }
}

impl Glognn {
    fn rounds_cost(&self, h: Tracked, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let bytes = h.bytes();
        let channels = (bytes / 4) as usize / shape.nodes.max(1);
        let small = floats(shape.graphs.max(1) * channels * channels);
        let mut x = h.clone();
        for i in 0..common.layers {
            let name = format!("rounds.{i}");
            let plain = |output: u64| Work { name: name.clone(), output, ..Work::default() };
            let s = ledger.run(plain(small), [(x.clone(), true)]);
            // Training keeps the inverses in double precision.
            let inverses = Work { kept: 2 * small, ..plain(small) };
            let inverse = ledger.run(inverses, [(s.clone(), false)]);
            let t = ledger.each(&name, inverse);
            let r = ledger.run(plain(bytes), [(x.clone(), true), (t.clone(), true)]);
            let drawn = ledger.each(&name, ledger.run(plain(small), [(s, true), (t, true)]));
            let q = match self.orders {
                Orders::Learned | Orders::Equal => {
                    let r = if self.orders == Orders::Learned { ledger.spread(&name, r) } else { r };
                    ledger.run(Work { forward: 2 * bytes, backward: 3 * bytes, ..plain(bytes) }, [(r, true)])
                }
                Orders::PerNode => {
                    let scores = ledger.product(&name, x.clone(), shape.nodes, self.hops);
                    let scores = ledger.product(&name, ledger.each(&name, scores), shape.nodes, self.hops);
                    let mut list = vec![(scores, true)];
                    let mut power = r;
                    for _ in 0..self.hops {
                        power = ledger.spread(&name, power);
                        list.push((power.clone(), true));
                    }
                    ledger.run_all(plain(bytes), list)
                }
            };
            let apart = ledger.add(&name, x, h.clone());
            let drawn = ledger.run(plain(bytes), [(apart, true), (drawn, true)]);
            x = ledger.sum(&name, vec![drawn, q, h.clone()]);
        }
        x
    }
}

/// The coefficients of A.
struct Adjacency(Arc<EntryWeights>);

/// A perceptron with two branches, a head, and the rounds after it (before it for answers about graphs).
#[derive(Module, Debug)]
pub struct GlognnNetwork {
    encoder: Encoder,
    features: Linear,
    table: Option<Param<Tensor<2>>>,
    table_bias: Option<Param<Tensor<1>>>,
    norm: NormBlock,
    head: Head,
    orders: Option<Param<Tensor<1>>>,
    node_orders: Option<Param<Tensor<2>>>,
    node_orders_mix: Option<Param<Tensor<2>>>,
    weights: Option<Param<Tensor<1>>>,
    #[module(skip)]
    rounds: usize,
    #[module(skip)]
    settings: Glognn,
    #[module(skip)]
    rounds_first: bool,
}

impl GlognnNetwork {
    /// Q from R and X.
    fn powers(&self, r: Tensor<2>, x: &Tensor<2>, batch: &Batch, adjacency: &Arc<EntryWeights>) -> Tensor<2> {
        let graph = batch.graph();
        if let Some(orders) = &self.orders {
            let next = ops::spmm(r, graph, adjacency, None);
            return ops::polynomial_filter(next, orders.val(), batch, adjacency);
        }
        let hops = self.settings.hops;
        let (Some(first), Some(second)) = (&self.node_orders, &self.node_orders_mix) else {
            return ops::polynomial_filter(r, bridge::from_vec(vec![1.0; hops + 1], [hops + 1]), batch, adjacency);
        };
        let shares = ops::linear(relu(ops::linear(x.clone(), first.val(), None)), second.val(), None);
        let mut list = Vec::new();
        let mut power = r;
        for _ in 0..hops {
            power = ops::spmm(power, graph, adjacency, None);
            list.push(power.clone());
        }
        ops::mix(shares, list)
    }

    /// One round: X from X and H.
    fn round(&self, x: Tensor<2>, h: &Tensor<2>, batch: &Batch, adjacency: &Arc<EntryWeights>) -> Tensor<2> {
        let Glognn { alpha, beta, gamma, .. } = self.settings;
        let (channels, graphs) = (x.dims()[1], batch.graphs());
        let (rest, cost) = (1.0 - f64::from(gamma), f64::from(alpha) + f64::from(beta));
        let s = ops::cross_products(x.clone(), x.clone(), batch.offsets());
        let inverse = ops::shifted_inverses(s.clone(), 1.0 / (rest * rest), 1.0 / cost);
        let mut t = inverse * (1.0 / (cost * rest)) as f32;
        if let Some(weights) = &self.weights {
            t = t * weights.val().reshape([1, channels]);
        }
        let r = ops::graph_linear(x.clone(), t.clone(), batch.offsets());
        let places = Arc::new((0..=graphs).map(|graph| graph * channels).collect());
        let mut drawn = ops::graph_linear(s, t, &places) * (1.0 - gamma);
        if let Some(weights) = &self.weights {
            drawn = ops::scale_rows(drawn, weights.val().reshape([channels, 1]).repeat_dim(0, graphs));
        }
        let q = self.powers(r, &x, batch, adjacency);
        let apart = ops::sum(vec![(x, 1.0), (h.clone(), -gamma)]);
        let drawn = ops::graph_linear(apart, drawn, batch.offsets());
        ops::sum(vec![(drawn, 1.0), (q, beta), (h.clone(), gamma)])
    }
}

impl Layer for GlognnNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let kind = self.settings.adjacency;
        let adjacency = batch.derived(kind as u64, |batch| {
            Adjacency(match kind {
                AdjacencyKind::Mean => EntryWeights::mean_with_self(batch.graph(), None),
                AdjacencyKind::Sum => EntryWeights::sum(batch.graph()),
            })
        });
        let adjacency = &adjacency.0;
        let mut u = self.features.apply(self.encoder.stage(features, batch, context));
        if let (Some(table), Some(bias)) = (&self.table, &self.table_bias) {
            let table = ops::fit_rows(table.val(), batch.nodes());
            let row = ops::spmm(table, batch.graph(), adjacency, Some(bias.val()));
            u = ops::sum(vec![(u, self.settings.delta), (row, 1.0 - self.settings.delta)]);
        }
        let u = context.stage(|| "norm".into(), self.norm.apply(u, None, context));
        let rounds = |h: Tensor<2>| {
            let mut x = h.clone();
            for i in 0..self.rounds {
                x = context.stage(|| format!("rounds.{i}"), self.round(x, &h, batch, adjacency));
            }
            x
        };
        if self.rounds_first {
            return self.head.forward(rounds(u).into(), batch, context);
        }
        rounds(context.stage(|| "head".into(), self.head.forward(u.into(), batch, context)))
    }
}
