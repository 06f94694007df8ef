//! Tasks made to order.

use super::super::entry::{Counts, Entry, Reader};
use crate::dataset::Level;
use crate::metrics::Metric;

/// Hop majority: the commonest colour at an exact distance (default 4) in random trees.
pub const HOP_MAJORITY: Entry = Entry {
    name: "hop-majority",
    aliases: &["hopmajority"],
    title: "Hop majority: the commonest colour at an exact distance (default 4) in random trees",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "seeded 60/20/20",
    numbered_splits: 0,
    citation: "farhop",
    licence: "MIT OR Apache-2.0",
    homepage: "",
    files: &[],
    folders: &[],
    expected: Counts { graphs: Some(1), nodes: None, edges: None, features: Some(6), outputs: Some(6), split: None },
    row_normalise: false,
    seen_whole: true,
    notes: &[],
    stand_in: None,
    reader: Reader::HopMajority,
};

/// Ring transfer: a label crosses half a ring, at a distance (default 5) of its size.
pub const RING_TRANSFER: Entry = Entry {
    name: "ring-transfer",
    aliases: &["ringtransfer"],
    title: "Ring transfer: a label crosses half a ring, at a distance (default 5) of its size",
    level: Level::Graph,
    metric: Metric::Accuracy,
    splits: "seeded 80/10/10",
    numbered_splits: 0,
    citation: "Bodnar and others: Weisfeiler and Lehman Go Cellular, NeurIPS 2021; Di Giovanni and others, ICML 2023",
    licence: "MIT OR Apache-2.0",
    homepage: "",
    files: &[],
    folders: &[],
    expected: Counts { graphs: None, nodes: None, edges: None, features: None, outputs: Some(5), split: None },
    row_normalise: false,
    seen_whole: true,
    notes: &[],
    stand_in: None,
    reader: Reader::RingTransfer,
};

/// Tree-neighbours match: the root finds the leaf with its number of neighbours, at a distance (default 4).
pub const TREE_NEIGHBOURS: Entry = Entry {
    name: "tree-neighbours-match",
    aliases: &["tree-neighborsmatch", "tree-neighbors-match", "neighbours-match"],
    title: "Tree-neighbours match: the root finds the leaf with its number of neighbours, at a distance (default 4)",
    level: Level::Graph,
    metric: Metric::Accuracy,
    splits: "seeded 80/10/10",
    numbered_splits: 0,
    citation: "Alon, Yahav: On the Bottleneck of Graph Neural Networks, ICLR 2021",
    licence: "MIT OR Apache-2.0",
    homepage: "",
    files: &[],
    folders: &[],
    expected: Counts { graphs: None, nodes: None, edges: None, features: None, outputs: None, split: None },
    row_normalise: false,
    seen_whole: true,
    notes: &[],
    stand_in: None,
    reader: Reader::TreeNeighbours,
};
