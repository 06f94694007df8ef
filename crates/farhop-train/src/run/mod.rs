//! The run folder.
//!
//! | file | holds |
//! |---|---|
//! | `recipe.toml` | every setting, defaults included |
//! | `run.json` | data hashes, versions, seed, machine, scores, status |
//! | `metrics.jsonl` | one line an epoch |
//! | `model.safetensors` | the best weights, once the run has ended |
//! | `schema.toml`, `split.json` | how the data was read and divided |
//! | `checkpoint/` | the last state, to continue from |
//! | `farhop.lock` | held while a process works in the folder |

pub mod checkpoint;
mod folder;
mod lock;
mod metrics;
mod record;
mod split;
mod trained;

pub use checkpoint::{Checkpoint, Progress};
pub use folder::RunFolder;
pub use lock::FolderLock;
pub use record::{DataFile, Machine, RunRecord, Status};
pub use trained::TrainedRun;

/// Names of the files in a run folder.
pub mod names {
    /// Every setting.
    pub const RECIPE: &str = "recipe.toml";
    /// What happened.
    pub const RECORD: &str = "run.json";
    /// One line an epoch.
    pub const METRICS: &str = "metrics.jsonl";
    /// The best weights.
    pub const MODEL: &str = "model.safetensors";
    /// How the columns were read.
    pub const SCHEMA: &str = "schema.toml";
    /// How the nodes were divided.
    pub const SPLIT: &str = "split.json";
    /// The last state.
    pub const CHECKPOINT: &str = "checkpoint";
    /// Held by the process that works in the folder.
    pub const LOCK: &str = "farhop.lock";
}
