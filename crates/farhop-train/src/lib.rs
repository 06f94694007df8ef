//! Training: what happens between a checked dataset and a run folder.
//!
//! * [`Settings`]: what is asked, laid over general settings or a recipe;
//! * [`recipe`]: every setting of a run, to and from TOML;
//! * [`Material`]: the data that a recipe names, read and checked;
//! * [`task`]: checked data as batches for a model, whatever is to be predicted;
//! * [`Job`]: one run from its recipe and data to its scores, and [`Resume`], one that goes on;
//! * [`series`]: several runs of a recipe, and [`compare`], several models on the same data;
//! * [`tuned`]: the recipes that come with farhop, and [`table`], published tables made again with them;
//! * [`fit()`]: the training loop with early stopping;
//! * [`run`]: the run folder, its checkpoints, and what is read back from it;
//! * [`study`]: the search for settings;
//! * [`insight`]: what a trained model does with its data;
//! * [`together`]: one run over several processes;
//! * [`memory`]: the memory plan before a run, and the peak after it.
//!
//! Nothing here prints: progress goes to an [`Observer`], failures are a [`TrainError`].

pub mod compare;
mod decisions;
mod describe;
mod durable;
mod error;
pub mod fit;
pub mod insight;
pub mod job;
mod look;
pub mod memory;
mod observer;
pub mod presets;
mod reading;
pub mod recipe;
pub mod run;
mod scaling;
mod score;
pub mod series;
mod settings;
pub mod study;
pub mod table;
pub mod task;
pub mod together;
pub mod tuned;

pub use decisions::{Confusions, choose_thresholds};
pub use describe::describe;
pub use error::{NoMaterial, TrainError};
pub use fit::{Fitted, Outcome, Session, Summary, fit};
pub use job::{Job, Keep, Resume, Trained, free_path, plan_explanation, plan_task, prepare_task, train};
pub use look::{Attention, Embeddings, HopWeights};
pub use observer::{EpochReport, Observer, Silent, Stage};
pub use reading::{Material, NewFiles, Places, SavedSchema, read_again};
pub use recipe::{CheckpointEvery, DataConfig, PartitionerKind, Recipe, Schedule, SplitSetting, TieBreak, TrainConfig};
pub use run::{Machine, RunFolder, RunHistory, RunRecord, Status, TrainedRun};
pub use scaling::FeatureScale;
pub use score::{Evaluation, Outputs, Scores, probabilities, score, scores, softmax_rows};
pub use settings::{GivenSetting, Origins, Settings, Settled, Used, value_text};
pub use task::{
    ENCODINGS, Encoding, EncodingConfig, Encodings, LoadTime, LossKind, Parting, TargetScale, Task, plan_whole,
};
