//! What a user may ask of the readers.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::dataset::split::{Split, SplitFractions};
use crate::dataset::split_file::SplitFile;
use crate::tables::targets::TargetKind;

/// What stands in for a missing cell: an empty one, and in columns of numbers also `NA`, `N/A`,
/// `null` and `None`. In columns of categories any fill but [`Fill::Error`] means "no category".
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fill {
    /// A missing cell is an error.
    #[default]
    Error,
    /// The mean of the column over the training rows.
    Mean,
    /// Zero.
    Zero,
    /// This number, in the units of the table.
    Value(f64),
}

impl FromStr for Fill {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "error" => Ok(Fill::Error),
            "mean" => Ok(Fill::Mean),
            "zero" => Ok(Fill::Zero),
            other => match other.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Fill::Value(value)),
                _ => Err(format!(
                    "{} is not a fill. Allowed: error, mean, zero, or a number.",
                    crate::text::quoted(other)
                )),
            },
        }
    }
}

/// The scale that numbers of nodes are brought to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureScaling {
    /// `(value - mean) / deviation`, both over the training rows (all rows if there is no split).
    #[default]
    Standardise,
    /// Numbers as they are.
    None,
    /// The numbers of every row divided by their sum, as word counts often are.
    RowNormalised,
}

impl FeatureScaling {
    /// The words of a recipe.
    pub const WORDS: [&str; 3] = ["standardise", "none", "row-normalised"];
}

impl FromStr for FeatureScaling {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "standardise" => Ok(FeatureScaling::Standardise),
            "none" => Ok(FeatureScaling::None),
            "row-normalised" => Ok(FeatureScaling::RowNormalised),
            other => Err(format!(
                "{} is not a scaling. Allowed: {}.",
                crate::text::quoted(other),
                FeatureScaling::WORDS.join(", ")
            )),
        }
    }
}

/// The feature of nodes whose table has no feature column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoFeatures {
    /// `ln(1 + degree)`.
    #[default]
    Degree,
    /// The number 1 for every node.
    One,
}

/// Where the split comes from. A split column of the table goes before a seeded split.
#[derive(Debug, Clone, PartialEq)]
pub enum SplitChoice {
    /// The split column if there is one, else a seeded split over the labelled nodes, stratified for classes.
    Automatic {
        /// Shares of train and valid.
        fractions: SplitFractions,
        /// Seed of the split.
        seed: u64,
    },
    /// This split, whatever the table says.
    Given(Split),
}

impl Default for SplitChoice {
    fn default() -> Self {
        SplitChoice::Automatic { fractions: SplitFractions::default(), seed: 0 }
    }
}

/// How to read a nodes table and an edges table for training.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeTableOptions {
    /// The id column. Default: the column named `id`, else the first column.
    pub id: Option<String>,
    /// The columns to predict. Without any there are no labels and no split.
    pub targets: Vec<String>,
    /// What the target columns hold. Default: what they look like.
    pub task: Option<TargetKind>,
    /// Columns of the nodes table to leave out.
    pub ignore: Vec<String>,
    /// Columns of the edges table to leave out.
    pub ignore_edges: Vec<String>,
    /// Columns of numbers to read as categories.
    pub categories: Vec<String>,
    /// A text column with more different values than this is an error. Default 64.
    pub most_categories: usize,
    /// What stands in for a missing cell.
    pub fill: Fill,
    /// Whether numbers are standardised.
    pub scaling: FeatureScaling,
    /// The feature of nodes whose table has no feature column.
    pub no_features: NoFeatures,
    /// Keep edges directed: the target receives from the source.
    pub directed: bool,
    /// Ids that only the edges table names become nodes with mean features and no label.
    pub add_missing_nodes: bool,
    /// Where the split comes from.
    pub split: SplitChoice,
    /// A file that says the split by ids, whatever the table says.
    pub split_file: Option<SplitFile>,
}

impl Default for NodeTableOptions {
    fn default() -> Self {
        NodeTableOptions {
            id: None,
            targets: Vec::new(),
            task: None,
            ignore: Vec::new(),
            ignore_edges: Vec::new(),
            categories: Vec::new(),
            most_categories: 64,
            fill: Fill::default(),
            scaling: FeatureScaling::default(),
            no_features: NoFeatures::default(),
            directed: false,
            add_missing_nodes: false,
            split: SplitChoice::default(),
            split_file: None,
        }
    }
}

/// How to read new tables with a schema that was kept from training.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ApplyOptions {
    /// What stands in for a missing cell, if not what training used.
    pub fill: Option<Fill>,
    /// Ids that only the edges table names become nodes with mean features and no label.
    pub add_missing_nodes: bool,
}
