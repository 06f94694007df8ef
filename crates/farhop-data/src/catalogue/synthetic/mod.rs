//! Tasks made to order, with the distance that matters as a parameter.

mod hop_majority;
mod ring_transfer;
mod tree_neighbours;

use farhop_graph::GraphSet;
use farhop_graph::random::mix;

use crate::dataset::split::{Split, SplitFractions};
use crate::dataset::{Columns, Dataset, Level, Target};
use crate::error::DataError;
use crate::scores::metrics::Metric;

pub use hop_majority::{HopMajorityOptions, hop_majority};
pub use ring_transfer::{RingTransferOptions, ring_transfer};
pub use tree_neighbours::{TreeNeighboursOptions, tree_neighbours};

/// Many graphs with classes that are numbers; a seeded 80 % of the graphs are for training, 10 % for validation.
fn many_graphs(
    name: &str,
    graphs: GraphSet,
    nodes: Columns,
    level: Level,
    labels: Vec<Option<u32>>,
    classes: usize,
    seed: u64,
) -> Result<Dataset, DataError> {
    Dataset {
        nodes,
        split: Split::random(graphs.len(), SplitFractions { train: 0.8, valid: 0.1 }, mix(seed, 2))?,
        metric: Metric::Accuracy,
        ..Dataset::new(
            name,
            graphs,
            level,
            Target::Class { labels, classes: (0..classes).map(|class| class.to_string()).collect() },
        )
    }
    .check()
}
