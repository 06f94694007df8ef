//! Untrusted bytes to checked arrays: readers, splits, metrics.
//!
//! * [`Dataset`] is checked data, ready to learn from: one graph or many, features, targets, split;
//!   [`DataCard`] describes any of them on one screen.
//! * [`NodeTables`] reads a nodes table and an edges table into a dataset, and new tables the same
//!   way again through the [`Schema`] that was kept.
//! * [`pickle`] and [`torch`] read the files that Python leaves behind, without running anything in
//!   them; [`Csr`] is a checked sparse matrix.
//! * [`import`] tells what a path holds and makes a [`Dataset`] of it: tables of nodes, edges and graphs, [`molecules`],
//!   TU collections ([`tu`]), OGB layouts ([`ogb`]), [`graphml`], [`wikics`], archives. [`Dataset::save`] and
//!   [`Dataset::load`] keep one as a `.farhop` file; [`cache`] does so by content.
//! * [`EdgeTable`] and [`edge_list`] read edges alone; [`npy`], [`npz`] and [`bench_graph`] read and write arrays.
//! * [`smiles`] turns SMILES strings into molecular graphs with the features of OGB.
//! * [`catalogue`] knows the datasets of the literature by name, finds them on this machine and loads them; [`fetch`]
//!   downloads them.
//! * [`metrics`] scores predictions; [`predictions`] writes them under the user's ids.
//!
//! Nothing here trusts its input: whatever the bytes are, the result is checked data or a
//! [`DataError`] whose text is one line that says what is wrong, where, and what to do.
//!
//! ```
//! use farhop_data::{EdgeOptions, EdgeTable, NodeIds};
//!
//! let ids = ["A1", "A2", "A3"].map(String::from);
//! let nodes = NodeIds::Table { ids: &ids, file: "nodes.csv", add_missing: false };
//! let read = |text: &str| {
//!     let bytes = text.as_bytes().to_vec();
//!     EdgeTable::from_bytes("edges.csv", bytes, nodes, EdgeOptions::default())
//! };
//!
//! assert_eq!(read("source,target\nA1,A3\n")?.built.graph.neighbours(2), [0]);
//! assert_eq!(
//!     read("source,target\nA1,A17\n").unwrap_err().to_string(),
//!     "edges.csv, line 2: target id \"A17\" is not in nodes.csv (3 ids). \
//!      Add the node, or pass --add-missing-nodes."
//! );
//! # Ok::<(), farhop_data::DataError>(())
//! ```

pub mod bench_graph;
pub mod cache;
pub mod card;
pub mod catalogue;
mod categories;
pub mod csr;
pub mod dataset;
mod dataset_file;
mod edge_features;
pub mod edge_list;
mod edges;
mod entry_rows;
mod error;
mod exact;
mod features;
pub mod fetch;
mod first_error;
mod graph_archive;
mod graph_features;
pub mod graphml;
pub mod hash;
pub mod import;
mod labels;
pub mod metrics;
pub mod molecules;
mod node_tables;
pub mod npy;
pub mod npz;
mod number_text;
pub mod ogb;
mod options;
#[cfg(feature = "parquet")]
mod parquet_table;
pub mod pickle;
mod place;
pub mod predictions;
mod roles;
pub mod save;
mod scan;
mod schema;
pub mod shared;
pub mod smiles;
mod source;
mod split;
mod split_choice;
mod split_protocols;
mod statistics;
pub mod synthetic;
pub mod table;
mod targets;
pub mod text;
mod text_file;
pub mod torch;
pub mod tu;
pub mod wikics;
mod xml;

pub use card::{DataCard, TableSummary};
pub use csr::Csr;
pub use dataset::{Columns, Dataset, Level, Numbers, Target};
pub use edges::{EdgeOptions, EdgeTable, NodeIds};
pub use error::DataError;
pub use node_tables::NodeTables;
pub use options::{ApplyOptions, FeatureScaling, Fill, NoFeatures, NodeTableOptions, SplitChoice};
pub use place::{Cell, Place};
pub use schema::{FeatureColumn, FeatureKind, Schema, TargetColumn};
pub use source::{LARGEST_TABLE, SourceFile};
pub use split::{Part, Split, SplitError, SplitFractions};
pub use targets::TargetKind;
