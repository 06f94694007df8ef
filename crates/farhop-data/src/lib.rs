//! Untrusted bytes to checked arrays: readers, splits, metrics.
//!
//! What data are:
//! * [`Dataset`] is checked data, ready to learn from: one graph or many, features ([`Columns`], sparse ones as [`Csr`]),
//!   a [`Target`], a [`Split`]. [`Dataset::save`] and [`Dataset::load`] keep one as a `.farhop` file; [`cache`] does so by
//!   content.
//! * [`DataCard`] describes any of them on one screen; [`metrics`] scores predictions, and [`predictions`] writes them
//!   under the user's ids.
//!
//! What users bring:
//! * [`import`] tells what a path holds and makes a [`Dataset`] of it, whatever it is.
//! * [`NodeTables`] reads a nodes table and an edges table, and new tables the same way again through the [`Schema`] that
//!   was kept; [`molecules`] does the same for tables of [`smiles`]. [`EdgeTable`] and [`edge_list`] read edges alone.
//! * [`tu`], [`ogb`] and [`wikics`] read collections in the layouts of their publishers.
//!
//! What the literature has:
//! * [`catalogue`] knows datasets by name, finds them on this machine and loads them; [`fetch`] downloads them;
//!   [`synthetic`] makes those that are made.
//!
//! Files and bytes:
//! * [`npy`], [`npz`] and [`bench_graph`] read and write arrays; [`pickle`] and [`torch`] read the files that Python leaves
//!   behind, without running anything in them; [`table`] reads CSV, TSV and, as a feature, Parquet.
//! * [`memory`] knows how much there is, and keeps a budget of what a reader makes of a file.
//! * [`save`] replaces files atomically, [`hash`] names their content, [`text`] puts numbers and names into messages.
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

// What data are, how they are split, described and scored.
pub mod cache;
pub mod card;
mod categories;
mod csr;
mod dataset;
pub mod dataset_file;
mod labels;
mod mersenne;
pub mod metrics;
pub mod predictions;
mod split;
mod split_choice;
mod split_file;
mod split_protocols;
pub mod statistics;

// Tables of nodes, edges, graphs and molecules.
mod dates;
mod decimal_commas;
mod delimiter;
mod edge_features;
mod edges;
mod entry_rows;
mod features;
mod graph_features;
mod joined_tables;
pub mod molecules;
mod node_tables;
mod options;
mod roles;
mod scan;
mod schema;
pub mod smiles;
pub mod table;
mod table_rows;
mod targets;

// Other things that users bring.
mod attributed;
pub mod edge_list;
mod graph_arrays;
pub mod import;
pub mod ogb;
pub mod tu;
pub mod wikics;

// Datasets by name.
pub mod catalogue;
pub mod fetch;
pub mod synthetic;

// Files, bytes and messages.
pub mod bench_graph;
mod error;
mod exact;
mod first_error;
pub mod hash;
pub mod memory;
pub mod npy;
pub mod npz;
mod number_text;
#[cfg(feature = "parquet")]
mod parquet_table;
pub mod pickle;
mod place;
mod problems;
mod row_file;
pub mod save;
mod source;
pub mod text;
mod text_file;
pub mod torch;
mod xml;

pub use card::{DataCard, TableSummary};
pub use csr::Csr;
pub use dataset::{Columns, Dataset, Level, Numbers, NumbersOnDisk, Target};
pub use edges::{EdgeOptions, EdgeTable, KnownIds, NodeIds};
pub use error::DataError;
pub use joined_tables::{JoinOptions, Joined, NewNodes};
pub use node_tables::NodeTables;
pub use options::{ApplyOptions, FeatureScaling, Fill, NoFeatures, NodeTableOptions, SplitChoice};
pub use place::{Cell, Place};
pub use row_file::RowFile;
pub use schema::{FeatureColumn, FeatureKind, Schema, TargetColumn};
pub use source::SourceFile;
pub use split::{Part, Split, SplitError, SplitFractions};
pub use split_file::SplitFile;
pub use targets::TargetKind;
