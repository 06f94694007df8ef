//! One graph whose nodes are divided among processes: a folder with a `.farhop` file for each, and a manifest.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.json` | what was divided, how, and size and checksum of every part |
//! | `part-00000.farhop` | the part of process 0: see [`DatasetPart`] |

mod cut;
mod entry_features;
mod file;
mod manifest;
mod pieces;
mod sorted_rows;
mod stream;

use farhop_graph::LocalPart;

pub use cut::write_parts;
pub use manifest::{Division, PartEntry, PartsFolder};
pub use pieces::Pieces;
pub(crate) use sorted_rows::{EdgeSorter, LOOP, RowOfEntry, SortedRows, edgeless};
pub use stream::stream_parts;

use crate::dataset::{Columns, Dataset};

/// What one of several processes has of a dataset with one graph whose nodes are predicted.
#[derive(Debug, Clone)]
pub struct DatasetPart {
    /// Own nodes with their features, targets and split; edges are in `local`, and here there are none.
    pub dataset: Dataset,
    /// Own nodes, the nodes of others around them, and all entries with an end among own nodes.
    pub local: LocalPart,
    /// Features of these entries.
    pub edges: Columns,
    /// Which part of what this is.
    pub place: PartPlace,
}

/// Which part of what a file is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartPlace {
    /// Names the division: the same in all parts that belong together.
    pub partition: String,
    /// Which part, from 0.
    pub part: u32,
    /// How many there are.
    pub parts: u32,
    /// Nodes of the whole graph.
    pub nodes: u64,
    /// Entries of the whole graph.
    pub entries: u64,
}
