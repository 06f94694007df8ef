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
//!      Add the node, or pass add_missing_nodes = true."
//! );
//! # Ok::<(), farhop_data::DataError>(())
//! ```

// The walk: files as values, values as tables, layouts or molecules, these as a dataset, a dataset's predictions as scores.
mod dataset;
mod formats;
mod layouts;
pub mod molecules;
mod scores;
mod tables;

// The doors: what users bring, and what the literature has.
pub mod catalogue;
pub mod fetch;
pub mod import;

// What all of them need.
mod error;
mod files;
pub mod memory;
pub mod text;

pub use catalogue::synthetic;
pub use dataset::{cache, card, dataset_file, entry_rows, parts, statistics};
pub use files::{hash, save};
pub use formats::{npy, npz, pickle, table, torch};
pub use layouts::{bench_graph, edge_list, ogb, tu, wikics};
pub use molecules::smiles;
pub use scores::{metrics, predictions};

pub use dataset::card::{DataCard, TableSummary};
pub use dataset::csr::Csr;
pub use dataset::split::{Part, Split, SplitError, SplitFractions};
pub use dataset::split_file::SplitFile;
pub use dataset::{Columns, Dataset, DatasetBuilder, Level, Numbers, NumbersOnDisk, Target};
pub use error::DataError;
pub use error::place::{Cell, Place};
pub use error::setting::{Setting, Spelling, spell_settings};
pub use files::row_file::RowFile;
pub use files::scratch::Scratch;
pub use files::source::SourceFile;
pub use tables::edges::{EdgeOptions, EdgeTable, KnownIds, NodeIds};
pub use tables::joined_tables::{JoinOptions, Joined, NewNodes};
pub use tables::node_tables::NodeTables;
pub use tables::options::{ApplyOptions, FeatureScaling, Fill, NoFeatures, NodeTableOptions, SplitChoice};
pub use tables::schema::{FeatureColumn, FeatureKind, Schema, TargetColumn};
pub use tables::targets::TargetKind;
