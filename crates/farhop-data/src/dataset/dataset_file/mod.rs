//! A dataset as one file that loads fast: `.farhop`.
//!
//! The file is an `npz` archive of plain arrays (so `numpy.load` reads it too), stored as they are, each with the checksum
//! of the archive. The array `metadata` is JSON in UTF-8: a version, the names, and what the arrays mean.
//!
//! | array | type | shape |
//! |---|---|---|
//! | `row_starts`, `sources` | u32 | `[N + 1]`, `[E]`: the rows of the union of all graphs |
//! | `graph_starts` | u32 | `[G + 1]`: where the nodes of each graph start |
//! | `node_numbers`, `edge_numbers` | f32 | `[N, width]`, `[E, width]` |
//! | `node_sparse_{offsets,indices,values}` | i64, u32, f32 | sparse numbers in compressed rows |
//! | `node_categories`, `edge_categories` | u16 | `[N, columns]`, `[E, columns]` |
//! | `labels` | i64 | `[rows]`, -1 where unknown |
//! | `values` | f32 | `[rows, outputs]`, NaN where unknown |
//! | `pairs`, `together`, `pair_starts` | u32, u8, i64 | `[P, 2]`, `[P]`, `[G + 1]` |
//! | `train`, `valid`, `test` | u32 | row numbers |
//! | `weights` | f32 | `[rows]`: how much each counts in training, if not all the same |
//! | `id_bytes`, `id_ends` | u8, i64 | all ids as UTF-8, and where each ends |

mod read;
mod write;

pub(super) use read::Stored;
pub(super) use write::{write_columns, write_dataset};

use serde::{Deserialize, Serialize};

use crate::dataset::{Columns, Level, Numbers};
use crate::files::source::SourceFile;
use crate::scores::metrics::Metric;

/// The version that is written. A file of another version is refused with a message that says so.
pub const VERSION: u32 = 1;

/// Numbers of nodes that take this many bytes or more stay in their file until they are needed: below, a file is read
/// faster as a whole.
pub const LEFT_ON_DISK: u64 = 32 << 20;

/// What the metadata calls the format.
const FORMAT: &str = "farhop dataset";

/// The start of the metadata: read before anything else, whatever the version is.
#[derive(Debug, Deserialize)]
struct Heading {
    format: String,
    version: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    format: String,
    version: u32,
    name: String,
    level: Level,
    metric: Metric,
    directed: bool,
    nodes: Layout,
    edges: Layout,
    target: StoredTarget,
    /// Whether there are ids.
    ids: bool,
    /// Whether rows have weights. Not written where they have none, so that such files are as they were.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    weights: bool,
    notes: Vec<String>,
    sources: Vec<SourceFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layout {
    width: usize,
    sparse: bool,
    sizes: Vec<u32>,
}

impl Layout {
    pub(super) fn of(columns: &Columns) -> Self {
        Layout {
            width: columns.width,
            sparse: matches!(columns.numbers, Numbers::Sparse(_)),
            sizes: columns.sizes.clone(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum StoredTarget {
    Class { classes: Vec<String> },
    Binary { names: Vec<String> },
    Number { names: Vec<String> },
    Pair,
}
