//! Ring transfer: one label crosses half a ring.
//!
//! A graph is a ring of `2 d` nodes. Node 0 is the target, node `d`, at distance exactly `d` along both ways, is the source:
//! it carries the label one-hot. The target carries zeros and all others a constant row of ones. Whoever does not hear from
//! distance `d` can only guess, one time in `classes`. (Bodnar and others, NeurIPS 2021; Di Giovanni and others, ICML 2023.)

use farhop_graph::random::{Stream, mix};
use farhop_graph::{Direction, GraphSet, build};

use super::many_graphs;
use crate::dataset::{Columns, Dataset, Level};
use crate::error::DataError;

/// The settings of [`ring_transfer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingTransferOptions {
    /// Number of rings. Default 2,000.
    pub graphs: usize,
    /// The distance d from the source to the target; rings have 2 d nodes. Default 5.
    pub distance: usize,
    /// Number of classes. Default 5.
    pub classes: usize,
    /// Whether the label is that of the target node (all others have none), not of the graph. Default no.
    pub per_node: bool,
    /// Seed of labels and split. Default 0.
    pub seed: u64,
}

impl Default for RingTransferOptions {
    fn default() -> Self {
        RingTransferOptions { graphs: 2_000, distance: 5, classes: 5, per_node: false, seed: 0 }
    }
}

/// The task. Features are `[nodes, classes + 1]`: the label (or the constant row), and a mark of the target.
///
/// The last column is 1 at the target and 0 elsewhere, so that a model for graphs can tell which node to ask.
pub fn ring_transfer(options: &RingTransferOptions) -> Result<Dataset, DataError> {
    let RingTransferOptions { graphs, distance, classes, per_node, seed } = *options;
    let ring = distance.checked_mul(2).filter(|&ring| ring.checked_mul(graphs).is_some_and(|nodes| nodes < 1 << 31));
    let (Some(ring), true) = (ring, distance >= 2 && classes >= 2 && graphs >= 3) else {
        return Err(DataError::Mismatch {
            what: format!(
                "ring transfer needs a distance of at least 2, 2 classes and 3 graphs, and fewer than 2^31 nodes in all, not {distance}, {classes} and {graphs}."
            ),
        });
    };
    let nodes = ring * graphs;
    let mut rows = Vec::with_capacity(nodes);
    for node in 0..nodes {
        let start = node - node % ring;
        rows.push((node as u32, (start + (node + 1 - start) % ring) as u32));
    }
    let made = |error: farhop_graph::GraphError| DataError::Mismatch { what: error.to_string() };
    let union = build(nodes, &rows, Direction::Undirected).map_err(made)?.graph;
    let set = GraphSet::new(union, (0..=graphs).map(|graph| graph * ring).collect()).map_err(made)?;
    let mut stream = Stream::new(mix(seed, 1));
    let truth: Vec<u32> = (0..graphs).map(|_| stream.below(classes as u64) as u32).collect();
    let width = classes + 1;
    let mut features = vec![0.0; nodes * width];
    for (node, row) in features.chunks_exact_mut(width).enumerate() {
        match node % ring {
            0 => row[classes] = 1.0,
            place if place == distance => row[truth[node / ring] as usize] = 1.0,
            _ => row[..classes].fill(1.0),
        }
    }
    let labels = match per_node {
        false => truth.into_iter().map(Some).collect(),
        true => (0..nodes).map(|node| (node % ring == 0).then(|| truth[node / ring])).collect(),
    };
    let level = if per_node { Level::Node } else { Level::Graph };
    many_graphs("ring-transfer", set, Columns::dense(width, features), level, labels, classes, seed)
}
