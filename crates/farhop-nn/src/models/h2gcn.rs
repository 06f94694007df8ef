//! H2GCN: neighbours and neighbours of neighbours apart, and everything is kept side by side for the last map.
//!
//! Zhu, Yan, Zhao, Heimann, Akoglu and Koutra, "Beyond homophily in graph neural networks: current limitations and effective
//! designs", NeurIPS 2020:
//!
//! ```text
//! r_0     = relu(x W)                                  [N, F], no offset
//! r_k     = [ S_1 r_(k-1) | S_2 r_(k-1) ]              [N, 2^k F],   k = 1 .. K rounds (`layers`)
//! answers = head( dropout [ r_K | r_0 | r_1 | .. | r_(K-1) ] )          (2^(K+1) - 1) F channels
//! S_h[ij] = 1 / sqrt(d_h(i) d_h(j)) where i and j are exactly h steps apart, d_h(i) how many are; 0 where there is none
//! ```
//!
//! A node is in none of its own means: it comes in by being kept. The rounds have no weights. The last round stands first, as in the
//! authors' program; the head has an offset, theirs has none. Rows of features divided by their sum, as the authors do, are a matter of
//! preparing data.
//! Cost: finding the second ring once, sum of deg² (much where there are hubs), then N F² and (E_1 + E_2) F (2^K - 1).

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::{Direction, Graph, second_ring};

use super::{About, Architecture, Common, Properties, Reach};
use crate::config::Checks;
use crate::init::{self, Seeds};
use crate::knobs::knobs;
use crate::layers::{BlockConfig, Encoder, Head, Layer, NormBlock};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::{EntryWeights, Normalisation};
use crate::{Batch, Context, Features, InputShape, Network, NnError, OutputShape, Shape, ops};

knobs! {
    /// H2GCN has the shared settings alone; `layers` are its rounds, and channels double with each.
    pub struct H2gcn {}
}

/// Rounds beyond which channels, doubled with each, are out of hand.
const MOST_ROUNDS: usize = 8;

/// What follows the embedding: no dropout, which comes before the head.
fn embedding_block(common: &Common) -> BlockConfig {
    BlockConfig { dropout: 0.0, ..common.block() }
}

/// Channels of everything side by side.
fn collected(common: &Common) -> usize {
    ((1 << (common.layers + 1)) - 1) * common.width
}

impl Architecture for H2gcn {
    const NAME: &'static str = "h2gcn";
    const ABOUT: About = About {
        title: "Heterophily graph convolutional network",
        citation: "Zhu, Yan, Zhao, Heimann, Akoglu and Koutra, Beyond homophily in graph neural networks, NeurIPS 2020",
        idea: "own features, neighbours and nodes two steps away are never mixed, and every round is kept",
        cost: "sum of deg² once, then N F² + 2^K (E + E_2) F",
        limits: "edge features are not read; the second ring of a hub is large",
    };
    const IDLE: &'static [&'static str] = &["residual"];

    fn defaults() -> Common {
        Common { layers: 2, width: 64, norm: crate::NormKind::None, dropout: 0.5, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        Checks(Self::NAME).count("layers", common.layers, 1, MOST_ROUNDS)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let (encoder, width) = common.build_encoder(inputs, seeds);
        Box::new(H2gcnNetwork {
            encoder,
            embedding: init::glorot(width, common.width, seeds.next_seed()),
            norm: NormBlock::init(common.width, embedding_block(common)),
            head: common.build_head(collected(common), outputs, seeds),
            rounds: common.layers,
            dropout: common.dropout,
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let Shape { nodes, entries, .. } = *shape;
        let second = shape.pairs_within_two_steps().saturating_sub(entries);
        ledger.hold("coefficients", floats(entries) + floats(second));
        ledger.hold("second ring", 2 * floats(second) + 2 * floats(nodes));
        let (x, width) = common.encoder().cost(shape, ledger);
        let embedded = ledger.linear("embedding", x, nodes, width, common.width, false);
        let first = ledger.norm_block("norm", embedded, None, nodes, common.width, embedding_block(common));
        let mut rounds = vec![first];
        for k in 1..=common.layers {
            let last = rounds[k - 1].clone();
            let parts = vec![ledger.spread("rounds", last.clone()), ledger.spread("rounds", last)];
            rounds.push(ledger.concat("rounds", parts));
        }
        rounds.rotate_right(1);
        let mut all = ledger.concat("collected", rounds);
        if ledger.training() && common.dropout > 0.0 {
            let work = Work { name: "collected".into(), output: all.bytes(), ..Work::default() };
            all = ledger.run(work, [(all, true)]);
        }
        common.head().cost(all, collected(common), shape, ledger)
    }

    fn reach(&self, common: &Common) -> Reach {
        // Two steps a round, and the degrees of those that are read: two steps more.
        Reach::Hops(2 * common.layers + 2)
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties::MESSAGE_PASSING
    }
}

/// The nodes exactly two steps away, with coefficients for both rings.
#[derive(Debug)]
struct Rings {
    second: Arc<Graph>,
    first_weights: Arc<EntryWeights>,
    second_weights: Arc<EntryWeights>,
}

impl Rings {
    fn of(batch: &Batch) -> Self {
        let graph = batch.graph();
        // More entries than a graph can have leave the ring empty; no plan gets that far.
        let none = |_| Graph::from_csr(Direction::Undirected, vec![0; graph.nodes() + 1], Vec::new());
        let second = second_ring(graph).or_else(none).map_or_else(|_| graph.clone(), Arc::new);
        Rings {
            first_weights: EntryWeights::symmetric(graph),
            second_weights: EntryWeights::symmetric(&second),
            second,
        }
    }
}

/// The embedding, the rounds, the head.
#[derive(Module, Debug)]
pub struct H2gcnNetwork {
    encoder: Encoder,
    embedding: Param<Tensor<2>>,
    norm: NormBlock,
    head: Head,
    #[module(skip)]
    rounds: usize,
    #[module(skip)]
    dropout: f32,
}

impl Layer for H2gcnNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let rings = batch.derived(0, Rings::of);
        let x = self.encoder.stage(features, batch, context).linear(self.embedding.val(), None);
        let mut rounds = vec![context.stage(|| "embedding".into(), self.norm.apply(x, None, context))];
        for k in 1..=self.rounds {
            let last = rounds[k - 1].clone();
            let near = ops::spmm(last.clone(), batch.graph(), &rings.first_weights, None);
            let far = ops::spmm(last, &rings.second, &rings.second_weights, None);
            rounds.push(context.stage(|| format!("rounds.{k}"), ops::concat([near, far])));
        }
        rounds.rotate_right(1);
        let mut all = ops::concat(rounds);
        let finish = farhop_kernels::dense::Finish {
            activation: farhop_kernels::dense::Activation::Identity,
            dropout: context.dropout(self.dropout),
        };
        if !finish.is_identity() {
            all = ops::norm_block(all, Normalisation::None, finish, None);
        }
        context.stage(|| "head".into(), self.head.forward(all.into(), batch, context))
    }
}
