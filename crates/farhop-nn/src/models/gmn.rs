//! Graph Mamba Networks: a node reads the neighbourhoods that random walks visit as a sequence, then all nodes of a
//! graph are one.
//!
//! Behrouz and Hashemi, "Graph Mamba: towards learning on graphs with state space models", KDD 2024. With m =
//! `walk_length`, s = `repeats`, M = `walks`, and the blocks of [`BothWays`]:
//!
//! ```text
//! T_i^j(v) = nodes that M random walks of i steps from v visit, v included;  i = 1 .. m, j = 1 .. s;   T_0(v) = {v}
//! phi(T)   = mean over u in T of h_u + relu(gated mean of u inside of T)       (GatedMean)
//! y_v      = last row of blocks(phi(T_m^s), .., phi(T_1^1), phi(T_0))        [m s + 1, F], weights shared by all nodes
//! o        = blocks(y_v of all nodes of a graph, ascending degree, ties by number), put back
//! z        = o + h + relu(gated mean of h over the whole graph)                answers from z
//! ```
//!
//! There is no code of the authors to follow. Where the paper contradicts itself, its text is followed before its
//! algorithm (the node itself is the last token, the longest walks come first), and Mamba's own form before the printed
//! one. Blocks have no residual there; `residual` adds one, as deeper stacks need. Walks are drawn once for a batch,
//! from the place of a node in its graph, and follow the direction of edges.
//!
//! Cost: with L = m s + 1 tokens and P nodes in all tokens, P F for the tokens, N L F (F + S) for their blocks, N F (F
//! + S) for those of nodes.

use burn::module::Module;
use burn::tensor::Tensor;
use farhop_kernels::dense::{Dropout, Finish};
use farhop_kernels::segments::Reduction;

use super::gmn_tokens::{Tokens, Walks};
use super::{About, Architecture, Change, Common, Properties, Reach, narrower};
use crate::config::ActivationKind;
use crate::init::Seeds;
use crate::knobs::knobs;
use crate::layers::{BothWays, Encoder, EntryEncoder, GatedMean, Head, Layer, Lines, MambaConfig};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::ops::{Normalisation, RowChoice};
use crate::{Batch, Context, Features, InputShape, Network, OutputShape, Shape, ops};

knobs! {
    /// The settings of GMN; `layers` are the blocks over nodes, `dropout` acts after every block.
    pub struct Gmn {
        /// Steps of the longest walk; 0 reads no neighbourhoods.
        walk_length: usize = 4, in 0..=64;
        /// Neighbourhoods of each length.
        repeats: usize = 2, in 1..=64;
        /// Walks whose nodes make one neighbourhood.
        walks: usize = 4, in 1..=64;
        /// Blocks over the neighbourhoods of a node.
        token_layers: usize = 1, in 1..=64;
        /// Numbers of a scan's state, for each channel.
        states: usize = 16, in 1..=256;
        /// Steps that the convolution before a scan sees.
        taps: usize = 4, in 1..=64;
        /// Channels of a scan for each channel of the model.
        expansion: usize = 2, in 1..=8;
    }
}

impl Gmn {
    fn walks(&self) -> Walks {
        Walks { length: self.walk_length, repeats: self.repeats, walks: self.walks }
    }

    fn mamba(&self, common: &Common) -> MambaConfig {
        MambaConfig { width: common.width, expansion: self.expansion, states: self.states, taps: self.taps }
    }
}

impl Architecture for Gmn {
    const NAME: &'static str = "gmn";
    const ABOUT: About = About {
        title: "Graph Mamba Network",
        citation: "Behrouz and Hashemi, Graph Mamba: towards learning on graphs with state space models, KDD 2024",
        idea: "selective scans over the neighbourhoods that random walks visit, then over all nodes by degree",
        cost: "P F + N L F (F + S) for L neighbourhoods of P nodes in all",
        limits: "nodes of one degree are read in the order of their numbers, walks are random",
    };
    const IDLE: &'static [&'static str] = &["input_projection", "norm"];

    fn defaults() -> Common {
        Common { layers: 4, width: 64, input_projection: true, dropout: 0.0, residual: false, ..Common::default() }
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let width = common.width;
        let (encoder, _) = common.build_encoder(inputs, seeds);
        let config = self.mamba(common);
        let mut blocks = |count: usize| -> Vec<BothWays> {
            (0..count).map(|_| BothWays::init(&config, common.dropout, common.residual, seeds)).collect()
        };
        let (token_blocks, blocks) = (blocks(self.token_layers), blocks(common.layers));
        Box::new(GmnNetwork {
            encoder,
            token_entries: EntryEncoder::init(inputs, width, seeds),
            token_gates: GatedMean::init(width, seeds),
            token_blocks,
            blocks,
            entries: EntryEncoder::init(inputs, width, seeds),
            gates: GatedMean::init(width, seeds),
            head: common.build_head(width, outputs, seeds),
            activation: common.activation,
            walks: self.walks(),
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (&Shape { nodes, entries, .. }, width, walks) = (shape, common.width, self.walks());
        let graphs = shape.graphs.max(1);
        let count = nodes * walks.tokens();
        let (per_node, members) = walks.expected(shape);
        let inside = (per_node * nodes as f64) as usize;
        ledger.hold("tokens", (16 * members + 20 * inside + 40 * count + 60 * nodes) as u64);
        let (h, _) = common.encoder().cost(shape, ledger);
        let block = (common.dropout, common.residual);
        let c = EntryEncoder::cost("tokens", width, shape, ledger);
        let c = c.map(|c| ledger.reduce("tokens", c, inside, width));
        let (g, _) = GatedMean::cost("tokens", h.clone(), c, [nodes, members, inside], width, ledger);
        let own = ledger.reduce("tokens", h.clone(), members, width);
        let work = Work { name: "tokens".into(), output: rows(members, width), ..Work::default() };
        let g = ledger.run(work, [(g, true), (own, false)]);
        let mut x = ledger.reduce("tokens", g, count, width);
        for _ in 0..self.token_layers {
            x = BothWays::cost("token blocks", x, [count, nodes], &self.mamba(common), block, ledger);
        }
        // The last token of each, in order.
        x = ledger.reduce("blocks", x, nodes, width);
        x = ledger.spread("blocks", x);
        for _ in 0..common.layers {
            x = BothWays::cost("blocks", x, [nodes, graphs], &self.mamba(common), block, ledger);
        }
        x = ledger.spread("blocks", x);
        let c = EntryEncoder::cost("messages", width, shape, ledger);
        let (g, _) = GatedMean::cost("messages", h.clone(), c, [nodes, nodes, entries], width, ledger);
        let work = Work { name: "messages".into(), output: rows(nodes, width), ..Work::default() };
        let z = ledger.run(work, [(g, true), (h, false)]);
        common.head().cost(ledger.add("messages", x, z), width, shape, ledger)
    }

    fn reach(&self, _common: &Common) -> Reach {
        Reach::WholeGraph
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { equivariant: false, reads_edges: true, most_nodes: Some(200_000), ..Properties::MESSAGE_PASSING }
    }

    fn burden(&self, _common: &Common, nodes: usize) -> String {
        let tokens = self.walks().tokens();
        format!("reads {tokens} neighbourhoods of every node, {} in all", nodes.saturating_mul(tokens))
    }

    fn smaller(&self, common: &Common, _training: bool) -> Vec<Vec<Change>> {
        let halves =
            |value: usize| std::iter::successors(Some(value / 2), |value| Some(value / 2)).take_while(|v| *v > 0);
        let fewer = halves(self.walks).map(|walks| vec![Change::new("walks", walks)]);
        let shorter = halves(self.walk_length)
            .map(|length| vec![Change::new("walks", 1), Change::new("repeats", 1), Change::new("walk_length", length)]);
        fewer.chain(shorter).chain(narrower(common.width)).collect()
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "walk_length": 2, "walks": 2, "states": 4 })
    }
}

/// Tokens, blocks over them, blocks over nodes, messages, head.
#[derive(Module, Debug)]
pub struct GmnNetwork {
    encoder: Encoder,
    token_entries: Option<EntryEncoder>,
    token_gates: GatedMean,
    token_blocks: Vec<BothWays>,
    blocks: Vec<BothWays>,
    entries: Option<EntryEncoder>,
    gates: GatedMean,
    head: Head,
    #[module(skip)]
    activation: ActivationKind,
    #[module(skip)]
    walks: Walks,
}

/// The nodes of each graph by degree.
struct ByDegree {
    order: std::sync::Arc<RowChoice>,
    lines: Lines,
}

impl ByDegree {
    fn new(batch: &Batch) -> Self {
        let sent = batch.graph().transposed().offsets;
        let mut order: Vec<u32> = (0..batch.nodes() as u32).collect();
        for range in batch.offsets().windows(2) {
            order[range[0]..range[1]].sort_by_key(|&node| sent[node as usize + 1] - sent[node as usize]);
        }
        let mut offsets = batch.offsets().to_vec();
        offsets.dedup();
        ByDegree { order: RowChoice::new(order, batch.nodes()), lines: Lines::new(offsets) }
    }
}

impl GmnNetwork {
    /// `h + activation(g)`.
    fn add(&self, h: Tensor<2>, g: Tensor<2>) -> Tensor<2> {
        let finish = Finish { activation: self.activation.into(), dropout: Dropout::NONE };
        ops::norm_block(g, Normalisation::None, finish, Some(h))
    }
}

impl Layer for GmnNetwork {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let h = self.encoder.stage(features, batch, context).into_dense(batch);
        let tokens = batch.derived(self.walks.key(), |batch| Tokens::new(batch, self.walks));
        let c = self.token_entries.as_ref().and_then(|entries| entries.forward(batch));
        let c = c.map(|c| ops::take_rows(c, &tokens.entries));
        let (g, _) = self.token_gates.over(h.clone(), c, &tokens.graph, Some(&tokens.members));
        let g = self.add(ops::take_rows(h.clone(), &tokens.members), g);
        let mut x = context.stage(|| "tokens".into(), ops::readout(g, &tokens.offsets, Reduction::Mean));
        for (i, block) in self.token_blocks.iter().enumerate() {
            x = context.stage(|| format!("token_blocks.{i}"), block.forward(x, &tokens.lines, context));
        }
        let nodes = batch.derived(0, ByDegree::new);
        x = ops::take_rows(ops::take_rows(x, &tokens.last), &nodes.order);
        for (i, block) in self.blocks.iter().enumerate() {
            x = context.stage(|| format!("blocks.{i}"), block.forward(x, &nodes.lines, context));
        }
        let c = self.entries.as_ref().and_then(|entries| entries.forward(batch));
        let (g, _) = self.gates.forward(h.clone(), c, batch.graph());
        let z = context.stage(|| "messages".into(), ops::add(ops::sum_rows(x, &nodes.order), self.add(h, g)));
        context.stage(|| "head".into(), self.head.forward(z.into(), batch, context))
    }
}
