//! Settings of the training loop.

use std::fmt;
use std::str::FromStr;

use farhop_nn::OptimizerConfig;
use serde::{Deserialize, Serialize};

use super::ranges;
use crate::TrainError;
use crate::task::LossKind;

/// How the learning rate moves after the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// It stays.
    Constant,
    /// Half a cosine from the full rate to nearly zero at the last epoch (the default).
    #[default]
    Cosine,
}

/// Which of several epochs with the best validation score is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The one with the lowest validation loss (the default).
    #[default]
    LowestLoss,
    /// The first, as most published protocols have it.
    First,
}

/// Who divides a graph into parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionerKind {
    /// The multilevel method of farhop.
    #[default]
    BuiltIn,
    /// METIS, where this build has it.
    Metis,
}

/// The longest time between checkpoints, in epochs or in seconds.
const LONGEST: u32 = 1_000_000_000;

/// When the state of a run is saved: `"10 epochs"` or `"30 seconds"` in a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum CheckpointEvery {
    /// After that many epochs.
    Epochs(usize),
    /// After the first epoch that ends that many seconds after the last save.
    Seconds(f64),
}

impl fmt::Display for CheckpointEvery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointEvery::Epochs(count) => write!(formatter, "{count} epochs"),
            CheckpointEvery::Seconds(seconds) => write!(formatter, "{seconds} seconds"),
        }
    }
}

impl FromStr for CheckpointEvery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "\"{text}\" is not a time between checkpoints. Write \"10 epochs\" or \"30 seconds\", at most 1,000,000,000."
            )
        };
        let (number, unit) = text.trim().split_once(' ').ok_or_else(wrong)?;
        match unit.trim() {
            "epoch" | "epochs" => match number.parse::<usize>() {
                Ok(count) if (1..=LONGEST as usize).contains(&count) => Ok(CheckpointEvery::Epochs(count)),
                _ => Err(wrong()),
            },
            "second" | "seconds" => match number.parse::<f64>() {
                Ok(seconds) if (0.0..=f64::from(LONGEST)).contains(&seconds) => Ok(CheckpointEvery::Seconds(seconds)),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }
}

impl From<CheckpointEvery> for String {
    fn from(value: CheckpointEvery) -> Self {
        value.to_string()
    }
}

impl TryFrom<String> for CheckpointEvery {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// Settings of the training loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainConfig {
    /// Passes over the training nodes or graphs, at most. Default 200.
    pub epochs: usize,
    /// Graphs in a step, where there are many. Default 32.
    pub batch_size: usize,
    /// Whether graphs of like size go into one batch. Default false: a batch has no padding, and mixed sizes keep the peak
    /// of memory lower.
    pub bucket_by_size: bool,
    /// Parts that one graph is divided into, so that a batch holds some of them and not the whole graph. Default none: the
    /// whole graph is one batch.
    pub parts: Option<usize>,
    /// Hops around the nodes of a batch that are there as context, their answers not counted. Default 1; none: a batch is
    /// cut off from the rest of the graph.
    pub halo: Option<usize>,
    /// Parts that are joined to a batch, with the edges between them, other ones in every epoch. Default 1.
    pub parts_per_batch: usize,
    /// Who divides the graph: `built-in` or `metis` (where `farhop` was built with it). Default `built-in`.
    pub partitioner: PartitionerKind,
    /// What is minimised: `auto`, `cross-entropy`, `weighted-cross-entropy`, `binary-cross-entropy`, `l1` or `l2`. Default
    /// `auto`.
    pub loss: LossKind,
    /// Learning rate after the warm-up. Default 0.005.
    pub learning_rate: f64,
    /// Epochs over which the learning rate rises in equal steps to its full value. Default 10.
    pub warmup_epochs: usize,
    /// How the learning rate moves after the warm-up. Default cosine.
    pub schedule: Schedule,
    /// The optimiser, AdamW or Adam, and the limit of the gradient's norm.
    pub optimizer: OptimizerConfig,
    /// Stop when the validation score has not improved for that many epochs. Default 100; none: never.
    pub patience: Option<usize>,
    /// Which of several epochs with the best validation score is kept: `"lowest-loss"` (default) or `"first"`.
    pub ties: TieBreak,
    /// Epochs between evaluations. Default 1.
    pub evaluate_every: usize,
    /// Time between checkpoints. Default 30 seconds.
    pub checkpoint_every: CheckpointEvery,
    /// Seed of the initial weights, of dropout, and of a split that is made. Default 0.
    pub seed: u64,
}

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            epochs: 200,
            batch_size: 32,
            bucket_by_size: false,
            parts: None,
            halo: Some(1),
            parts_per_batch: 1,
            partitioner: PartitionerKind::default(),
            loss: LossKind::Auto,
            learning_rate: 0.005,
            warmup_epochs: 10,
            schedule: Schedule::default(),
            optimizer: OptimizerConfig::default(),
            patience: Some(100),
            ties: TieBreak::default(),
            evaluate_every: 1,
            checkpoint_every: CheckpointEvery::Seconds(30.0),
            seed: 0,
        }
    }
}

impl TrainConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), TrainError> {
        ranges::of_training(self)
    }

    /// Learning rate of a step: the `step`-th of `steps` (from 0) in an epoch (from 1).
    ///
    /// With warm-up `w`, epochs `T`, the full rate `r` and `t` epochs done before the step: `r · (t + 1 / steps) / w` up to the
    /// end of the warm-up; after it `r`, or for cosine `r · (1 + cos(π (t − w) / (T − w))) / 2`.
    pub fn learning_rate_at(&self, epoch: usize, step: usize, steps: usize) -> f64 {
        let steps = steps.max(1) as f64;
        let before = (epoch - 1) as f64 + step as f64 / steps;
        let warmup = self.warmup_epochs as f64;
        if epoch <= self.warmup_epochs {
            return self.learning_rate * ((epoch - 1) as f64 + (step + 1) as f64 / steps) / warmup;
        }
        match self.schedule {
            Schedule::Constant => self.learning_rate,
            Schedule::Cosine => {
                let length = (self.epochs as f64 - warmup).max(1.0);
                let done = ((before - warmup) / length).min(1.0);
                self.learning_rate * 0.5 * (1.0 + (std::f64::consts::PI * done).cos())
            }
        }
    }
}
