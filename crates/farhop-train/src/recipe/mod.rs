//! A recipe: every setting of a run, as TOML.
//!
//! ```toml
//! [model]
//! kind = "gcn"
//! hidden = 64
//!
//! [train]
//! epochs = 300
//! checkpoint_every = "30 seconds"
//!
//! [train.optimizer]
//! clip_norm = "none"
//!
//! [encodings]
//! walk = 16
//!
//! [data]
//! nodes = "nodes.csv"
//! edges = "edges.csv"
//! targets = ["label"]
//! ```
//!
//! What is left out takes its default. A setting that may be absent is switched off with `"none"`.

mod data;
mod halo;
mod ranges;
mod read;
mod train;
pub(crate) mod tree;
mod write;

use std::path::Path;

use farhop_nn::ModelConfig;
use serde::{Deserialize, Serialize};

pub use data::{DataConfig, SplitSetting};
pub use halo::hops_seen;
pub use train::{CheckpointEvery, PartitionerKind, Schedule, TieBreak, TrainConfig};
pub(crate) use tree::slip_of;

use crate::durable;
use crate::{EncodingConfig, TrainError};

/// The model a recipe without `model.kind` means.
pub const DEFAULT_MODEL: &str = "gen";

/// Everything that decides how a run turns out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The model and its settings.
    pub model: ModelConfig,
    /// The training loop.
    pub train: TrainConfig,
    /// Positional encodings.
    pub encodings: EncodingConfig,
    /// What was read, and how.
    pub data: DataConfig,
}

impl Recipe {
    /// All defaults, for the model of that name.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn for_model(name: &str) -> Result<Self, TrainError> {
        Ok(Recipe {
            model: ModelConfig::from_name(name)?,
            train: TrainConfig::default(),
            encodings: EncodingConfig::default(),
            data: DataConfig::default(),
        })
    }

    /// Reads and checks a recipe file.
    ///
    /// # Errors
    /// When it can't be read, is not TOML, or has an unknown setting or a value that is not allowed.
    pub fn read(path: &Path) -> Result<Self, TrainError> {
        let bytes = durable::read(path)?;
        let text = String::from_utf8(bytes).map_err(|_| TrainError::Recipe {
            file: path.to_path_buf(),
            line: None,
            problem: "this is not text in UTF-8. Save it as UTF-8.".into(),
        })?;
        Self::parse(&text, path)
    }

    /// Reads and checks the text of a recipe; `file` is its name in errors.
    ///
    /// # Errors
    /// As [`Recipe::read`].
    pub fn parse(text: &str, file: &Path) -> Result<Self, TrainError> {
        read::parse(text, file)
    }

    /// The recipe as TOML with every setting, defaults included. [`Recipe::parse`] gives the same recipe back, bit by bit:
    /// it is asked to before the text is given out.
    ///
    /// # Errors
    /// When a setting is out of range, such as a seed above 2⁶³ − 1.
    pub fn to_toml(&self) -> Result<String, TrainError> {
        self.validate()?;
        write::to_toml(self)
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// Names the first setting that is not allowed.
    pub fn validate(&self) -> Result<(), TrainError> {
        self.model.validate()?;
        self.train.validate()?;
        halo::check(&self.model, &self.train)?;
        ranges::of_encodings(&self.encodings)?;
        ranges::of_data(&self.data)
    }
}
