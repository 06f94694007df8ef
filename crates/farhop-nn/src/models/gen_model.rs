//! Graph Elimination Network: layers that each see K hops (see [`GenLayer`] for citation and formula).

use serde_json::{Value, json};

use super::stack::{self, Stack};
use super::{About, Architecture, Change, Common, Properties, Reach, WeighedHops, narrower};
use crate::config::Checks;
use crate::init::Seeds;
use crate::layers::{CoefficientKind, GenConfig, GenLayer};
use crate::ledger::{Ledger, Tracked};
use crate::{InputShape, Network, NnError, OutputShape, Shape};

/// `x -> [encoder ->] (GEN layer -> norm -> activation -> dropout (+ x)) x layers -> head`.
impl Architecture for GenConfig {
    const NAME: &'static str = "gen";
    const ABOUT: About = About {
        title: "Graph elimination network",
        citation: "Wang, Cheng and Zhang, GEN: A practical alternative to graph transformers for long-range graph modeling, NeurIPS 2025",
        idea: "K rounds that each carry exactly the k-hop increment; attention over edges, and over hops",
        cost: "K E F (K² E F at most) + N F²",
        limits: "",
    };
    const HEADLESS: bool = true;

    fn defaults() -> Common {
        // The paper feeds features in raw.
        Common { input_projection: true, ..Common::default() }
    }

    fn check(&self, common: &Common) -> Result<(), NnError> {
        common.at_least_layers(Self::NAME, 1)?;
        Checks(Self::NAME).count("heads", self.heads, 1, common.width)
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let layer = |width, given, seed| GenLayer::init(width, given, self, seed).with_edges(inputs);
        Box::new(Stack::build(common, inputs, outputs, seeds, layer))
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        if matches!(self.coefficients, CoefficientKind::Gcn | CoefficientKind::Ones) {
            ledger.symmetric_weights(shape);
        }
        stack::cost(common, shape, ledger, |name, x, inputs, outputs| {
            GenConfig::cost(self, name, x, inputs, outputs, shape, ledger)
        })
    }

    fn reach(&self, common: &Common) -> Reach {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        Reach::Hops(common.layers * self.hops + usize::from(self.coefficients == CoefficientKind::Gcn))
    }

    fn properties(&self, _common: &Common) -> Properties {
        Properties { reads_edges: self.reads_edges(), spreads: true, ..Properties::MESSAGE_PASSING }
    }

    /// Forward the K increments d^0 .. d^(K-1) and two scalars per set of coefficients and head; backward K gradients and a scalar.
    fn halo_numbers(&self, common: &Common, shape: &Shape) -> [usize; 2] {
        let scalars = if self.attends() { self.sets() * self.heads } else { 0 };
        let layers = stack::widths(common, shape);
        let carried = |[inputs, outputs]: &[usize; 2]| self.carried(*inputs, *outputs);
        let rows: usize = layers.iter().map(carried).sum();
        let again = |[inputs, outputs]: &[usize; 2]| (self.hops - 1) * self.carried(*inputs, *outputs) + 2 * scalars;
        let recomputed = if self.recompute { layers.iter().map(again).sum() } else { 0 };
        [self.hops * rows + 2 * scalars * layers.len(), self.hops * rows + scalars * layers.len() + recomputed]
    }

    /// Forward z, every round and the last scalars, backward gradients and a scalar a round.
    fn halo_rounds(&self, common: &Common) -> [usize; 2] {
        let again = if self.recompute { self.hops } else { 0 };
        [common.layers * (self.hops + 1), common.layers * (2 * self.hops + again)]
    }

    /// Computing again first, then fewer hops, then narrower layers.
    fn smaller(&self, common: &Common, training: bool) -> Vec<Vec<Change>> {
        // Only the backward pass has something to compute again.
        let again: Vec<Change> =
            (training && !self.recompute).then(|| Change::new("recompute", true)).into_iter().collect();
        let mut smaller: Vec<Vec<Change>> = again.iter().map(|change| vec![change.clone()]).collect();
        let fewer = (1..self.hops).rev().map(|hops| vec![Change::new("hops", hops)]);
        smaller.extend(fewer.chain(narrower(common.width)).map(|changes| [again.clone(), changes].concat()));
        smaller
    }

    fn weighed_hops(&self, common: &Common) -> Option<WeighedHops> {
        let (first, hops) = if self.hop_zero { (0, self.hops + 1) } else { (1, self.hops) };
        self.hop_attention.then_some(WeighedHops { layers: common.layers, heads: self.heads, first, hops })
    }

    fn general(many_graphs: bool) -> Value {
        if many_graphs {
            return stack::general_for_many();
        }
        json!({
            "model": {
                "width": 64, "layers": 2, "hops": 4, "feed_forward": false, "norm": "layer", "residual": false,
                "dropout": 0.6, "input_dropout": 0.2,
            },
            "train": { "optimizer": { "kind": "adamw", "weight_decay": 0.5 } },
        })
    }

    fn few_labels() -> Value {
        json!({
            "model": {
                "norm": "none", "dropout": 0.7, "input_dropout": 0.7, "head_layers": 0,
                "input_projection": false, "project_first": true,
            },
            "train": {
                "schedule": "constant", "warmup_epochs": 0, "optimizer": { "kind": "adam", "weight_decay": 0.005 },
            },
        })
    }

    fn small() -> Value {
        json!({ "hops": 3, "heads": 2 })
    }
}
