//! Tasks made to order.

use super::super::entry::{Counts, Entry, Made, Reader};
use crate::dataset::Level;
use crate::scores::metrics::Metric;

/// What most of these have in common.
const fn shared(reader: Reader) -> Entry {
    Entry {
        metric: Metric::Accuracy,
        numbered_splits: 0,
        licence: "MIT OR Apache-2.0",
        homepage: "",
        seen_whole: true,
        folders: &[],
        ..Entry::read_by(reader)
    }
}

/// Hop majority: the commonest colour at an exact distance (default 4) in random trees.
pub const HOP_MAJORITY: Entry = Entry {
    name: "hop-majority",
    aliases: &["hopmajority"],
    title: "Hop majority: the commonest colour at an exact distance (default 4) in random trees",
    level: Level::Node,
    splits: "seeded 60/20/20",
    citation: "farhop",
    files: &[],
    expected: Counts { graphs: Some(1), nodes: None, edges: None, features: Some(6), outputs: Some(6), split: None },
    ..shared(Reader::Made(Made::HopMajority))
};

/// Ring transfer: a label crosses half a ring, at a distance (default 5) of its size.
pub const RING_TRANSFER: Entry = Entry {
    name: "ring-transfer",
    aliases: &["ringtransfer"],
    title: "Ring transfer: a label crosses half a ring, at a distance (default 5) of its size",
    level: Level::Graph,
    splits: "seeded 80/10/10",
    citation: "Bodnar and others: Weisfeiler and Lehman Go Cellular, NeurIPS 2021; Di Giovanni and others, ICML 2023",
    files: &[],
    expected: Counts { graphs: None, nodes: None, edges: None, features: None, outputs: Some(5), split: None },
    ..shared(Reader::Made(Made::RingTransfer))
};

/// Tree-neighbours match: the root finds the leaf with its number of neighbours, at a distance (default 4).
pub const TREE_NEIGHBOURS: Entry = Entry {
    name: "tree-neighbours-match",
    aliases: &["tree-neighborsmatch", "tree-neighbors-match", "neighbours-match"],
    title: "Tree-neighbours match: the root finds the leaf with its number of neighbours, at a distance (default 4)",
    level: Level::Graph,
    splits: "seeded 80/10/10",
    citation: "Alon, Yahav: On the Bottleneck of Graph Neural Networks, ICLR 2021",
    files: &[],
    expected: Counts { graphs: None, nodes: None, edges: None, features: None, outputs: None, split: None },
    ..shared(Reader::Made(Made::TreeNeighbours))
};
