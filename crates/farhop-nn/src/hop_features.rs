//! The elimination by itself: what every node sees at each distance, without a model.

use farhop_graph::Graph;
use farhop_kernels::elimination::{self, Coefficients, Config, Mode, Source, Storage};
use farhop_kernels::heads::Heads;

use crate::layers::EliminationKind;

/// What an edge carries in every round.
#[derive(Clone, Debug, PartialEq)]
pub enum HopCoefficients {
    /// Everything, as it is.
    Ones,
    /// Symmetric normalisation, `1 / sqrt((deg_i + 1)(deg_j + 1))`.
    Gcn,
    /// A number for every entry of the graph.
    Given(Vec<f32>),
}

/// How the rounds go.
#[derive(Clone, Debug, PartialEq)]
pub struct HopFeatures {
    /// Rounds, 1 and more.
    pub rounds: usize,
    /// What is eliminated.
    pub elimination: EliminationKind,
    /// Coefficients of the entries.
    pub coefficients: HopCoefficients,
    /// The coefficient of a node itself; none: 1, and for [`HopCoefficients::Gcn`] `1 / (deg_i + 1)`.
    pub own: Option<f32>,
}

/// The rounds of [`HopFeatures`], both `[rounds, N, F]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Hops {
    /// What each round added.
    pub increments: Vec<f32>,
    /// The states after each round.
    pub cumulative: Vec<f32>,
}

impl HopFeatures {
    /// All rounds from `features` `[N, width]`.
    ///
    /// # Errors
    /// The first round that leaves the range of 32-bit numbers, counted from 1.
    pub fn compute(&self, graph: &Graph, width: usize, features: &[f32]) -> Result<Hops, usize> {
        let config = self.config(width);
        let (edge, node) = self.coefficients(graph);
        let coefficients = Coefficients { rounds: 1, edge: &edge, node: &node };
        let kept = elimination::forward(graph, &config, &Source::Given(coefficients), features);
        let cumulative = elimination::cumulative(&config, &coefficients, features, &kept.increments);
        let increments = kept.increments.concat();
        let overflow = |values: &[f32]| values.iter().position(|value| !value.is_finite());
        match overflow(&increments).or_else(|| overflow(&cumulative)) {
            Some(place) => Err(place / (graph.nodes() * width) + 1),
            None => Ok(Hops { increments, cumulative }),
        }
    }

    /// Bytes that [`HopFeatures::compute`] needs, with the graph and the features.
    pub fn bytes(&self, graph: &Graph, width: usize) -> u64 {
        let (nodes, entries, config) = (graph.nodes(), graph.entries(), self.config(width));
        // The increments once more as one array, and the states.
        let floats = (nodes * width * (1 + 2 * self.rounds) + nodes + entries) as u64 * 4;
        let kernel = elimination::bytes_kept(&config, 1, false, nodes, entries)
            + elimination::bytes_forward(&config, 1, false, nodes, entries);
        floats + kernel + graph.heap_bytes() as u64
    }

    fn config(&self, width: usize) -> Config {
        Config {
            rounds: self.rounds,
            heads: Heads::new(width, 1),
            mode: match self.elimination {
                EliminationKind::Exact => Mode::Exact,
                EliminationKind::SelfLoop => Mode::SelfLoop,
                EliminationKind::None => Mode::None,
            },
            skip_negligible: false,
            storage: Storage::Full,
        }
    }

    /// Coefficients of the entries and of the nodes themselves.
    pub fn coefficients(&self, graph: &Graph) -> (Vec<f32>, Vec<f32>) {
        let nodes = graph.nodes();
        let larger = |i: usize| (graph.degree(i) + 1) as f64;
        let edge = match &self.coefficients {
            HopCoefficients::Given(weights) => weights.clone(),
            HopCoefficients::Gcn => {
                let of = |i: usize, j: u32| (1.0 / (larger(i) * larger(j as usize)).sqrt()) as f32;
                (0..nodes).flat_map(|i| graph.neighbours(i).iter().map(move |&j| of(i, j))).collect()
            }
            HopCoefficients::Ones => vec![1.0; graph.entries()],
        };
        let node = match (self.own, &self.coefficients) {
            (Some(number), _) => vec![number; nodes],
            (None, HopCoefficients::Gcn) => (0..nodes).map(|i| (1.0 / larger(i)) as f32).collect(),
            (None, _) => vec![1.0; nodes],
        };
        (edge, node)
    }
}
