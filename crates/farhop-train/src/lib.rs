//! Training: what happens between a checked dataset and a run folder.
//!
//! * [`recipe`]: every setting of a run, to and from TOML;
//! * [`fit()`]: full-batch node classification with early stopping;
//! * [`run`]: the run folder, its checkpoints, and what is read back from it;
//! * [`memory`]: the memory plan before a run, and the peak after it.
//!
//! Nothing here prints: progress goes to an [`Observer`], failures are a [`TrainError`].

mod durable;
mod error;
pub mod fit;
pub mod memory;
mod observer;
pub mod recipe;
pub mod run;
mod score;

pub use error::TrainError;
pub use fit::{Fitted, NodeTask, Outcome, Session, Summary, fit};
pub use observer::{EpochReport, Observer, Silent};
pub use recipe::{CheckpointEvery, DataConfig, Recipe, Schedule, TrainConfig};
pub use run::{Machine, RunFolder, RunRecord, Status, TrainedRun};
pub use score::{Scores, accuracy, mean_cross_entropy, scores, softmax_rows};
