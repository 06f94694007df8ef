//! Edges that shorten all ways through a graph: a random regular graph, which is an expander as good as certainly.
//!
//! `random` is d random permutations p, each with the edges `i -> p(i)` and back, so that every node has 2 d of each; pairs may occur
//! several times, and loops stay. `hamiltonian` is d random cycles through all nodes, both ways. A graph of up to 10 nodes gets all its pairs.
//! The draw depends on the settings and the number of nodes alone: graphs of one size share it, and a graph has the same in any batch.

use farhop_graph::random::{Stream, mix};

use crate::Batch;
use crate::knobs::words;

/// Graphs of up to so many nodes get all pairs.
const COMPLETE: usize = 10;

/// Sets the draws apart from others with the same seed.
const OWN_SEED: u64 = 0x6578_7061_6E64_6572;

words! {
    /// How the edges of an expander are drawn.
    pub enum ExpanderKind {
        /// Permutations.
        #[default]
        Random = "random",
        /// Cycles through all nodes.
        Hamiltonian = "hamiltonian",
    }
}

/// The edges `(source, target)` of all graphs of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expander {
    /// In the order they were drawn.
    pub edges: Vec<(u32, u32)>,
}

impl Expander {
    /// The edges of a batch for `degree` permutations or cycles.
    pub fn draw(batch: &Batch, kind: ExpanderKind, degree: usize) -> Self {
        let mut edges = Vec::new();
        for range in batch.offsets().windows(2) {
            let (first, nodes) = (range[0] as u32, range[1] - range[0]);
            if nodes <= COMPLETE {
                let pairs = (0..nodes as u32).flat_map(|i| (0..nodes as u32).map(move |j| (i, j)));
                edges.extend(pairs.filter(|(i, j)| i != j).map(|(i, j)| (first + i, first + j)));
                continue;
            }
            for round in 0..degree {
                let seed = mix(mix(OWN_SEED, nodes as u64), (kind as u64) << 32 | round as u64);
                let mut order: Vec<u32> = (0..nodes as u32).collect();
                Stream::new(seed).shuffle(&mut order);
                let pair = |at: usize| match kind {
                    ExpanderKind::Random => (first + at as u32, first + order[at]),
                    ExpanderKind::Hamiltonian => (first + order[at], first + order[(at + 1) % nodes]),
                };
                edges.extend((0..nodes).map(pair));
                edges.extend((0..nodes).map(pair).map(|(i, j)| (j, i)));
            }
        }
        Expander { edges }
    }
}
