//! What a user can ask of a dataset when it is loaded.

use serde::{Deserialize, Serialize};

use crate::dataset::split::SplitFractions;

/// Which split to load.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SplitRequest {
    /// The one the literature uses; the first of several.
    #[default]
    Standard,
    /// One of several that upstream publishes, from 0.
    Number(usize),
    /// So many rows of every class for training, then so many of the rest; seeded.
    PerClass {
        /// Training rows of every class. The literature: 20.
        train: usize,
        /// Validation rows in all. The literature: 500.
        valid: usize,
        /// Test rows in all. The literature: 1,000.
        test: usize,
    },
    /// The one behind the scores of tuned classic networks (Luo, Shi and Wu, NeurIPS 2024) and of the papers that follow them: 20 of
    /// every class, 500 and 1,000, drawn once with PyTorch.
    Tuned,
    /// Shares, the same in every class where there are classes; seeded.
    Seeded {
        /// The shares.
        fractions: SplitFractions,
    },
}

impl SplitRequest {
    /// 20 per class, 500, 1,000: how the citation graphs are usually split anew.
    pub const TWENTY_PER_CLASS: SplitRequest = SplitRequest::PerClass { train: 20, valid: 500, test: 1000 };

    /// The number of one of several splits, if it is asked for.
    pub fn number(self) -> Option<usize> {
        match self {
            SplitRequest::Number(number) => Some(number),
            _ => None,
        }
    }
}

/// How to load a dataset.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoadOptions {
    /// The split. Default: the standard one.
    pub split: SplitRequest,
    /// Seed of splits that are drawn and of data that is made. Default 0.
    pub seed: u64,
    /// Whether feature rows are divided by their sum. Default `None`: as the entry says.
    pub row_normalise: Option<bool>,
    /// For data that is made: the distance that matters. Default `None`: as the task says.
    pub distance: Option<usize>,
    /// For data that is made: how many nodes or graphs. Default `None`: as the task says.
    pub size: Option<usize>,
}
