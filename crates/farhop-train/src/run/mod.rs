//! The run folder.
//!
//! | file | holds |
//! |---|---|
//! | `recipe.toml` | every setting, defaults included |
//! | `run.json` | data hashes, versions, seed, machine, scores, status |
//! | `metrics.jsonl` | one line an epoch |
//! | `model.safetensors` | the best weights, once the run has ended |
//! | `schema.toml`, `split.json` | how the data was read and divided |
//! | `data.farhop` | the data itself, of a run whose data a program had at hand |
//! | `checkpoint/` | the last state, to continue from |
//! | `predictions.csv` | of `farhop predict`, replaced by the next ones |
//! | `report.html` | of `farhop report` |
//! | `processes.log` | what processes of several said when one of them was gone |
//! | `farhop.lock` | held while a process works in the folder |

pub mod checkpoint;
mod folder;
mod history;
mod lock;
mod metrics;
mod record;
mod split;
mod trained;
mod training_data;

use std::path::{Path, PathBuf};

pub use checkpoint::{Checkpoint, Progress};
pub use folder::RunFolder;
pub use history::RunHistory;
pub use lock::FolderLock;
pub use record::{Machine, RecordedFile, RunRecord, Status};
pub use trained::TrainedRun;

/// The run folder whose file this is, by its place and name: it holds what nothing but training may write.
pub fn owner(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Links into a run folder lead to its files, too.
    let place = path.canonicalize().ok().or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?)))?;
    let owns = |folder: &&Path| {
        let first = place.strip_prefix(folder).ok().and_then(|rest| rest.components().next());
        let ours = first.is_some_and(|first| names::ALL.iter().any(|name| first.as_os_str() == *name));
        ours && folder.join(names::RECORD).is_file()
    };
    place.ancestors().skip(1).find(owns).map(Path::to_path_buf)
}

/// Names of the files in a run folder.
pub mod names {
    /// All of them.
    pub const ALL: [&str; 10] = [RECIPE, RECORD, METRICS, MODEL, SCHEMA, SPLIT, DATA, CHECKPOINT, LOCK, PROCESSES];
    /// The predictions that `farhop predict` writes unless told where; made from the run, and no part of it.
    pub const PREDICTIONS: &str = "predictions.csv";
    /// The page that `farhop report` writes unless told where; no part of the run either.
    pub const REPORT: &str = "report.html";
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
    /// The data, where a program had it at hand: a recipe with `dataset = "data.farhop"` means the one in its run folder.
    pub const DATA: &str = "data.farhop";
    /// The last state.
    pub const CHECKPOINT: &str = "checkpoint";
    /// What processes of several said when one of them was gone.
    pub const PROCESSES: &str = "processes.log";
    /// Held by the process that works in the folder.
    pub const LOCK: &str = "farhop.lock";
}
