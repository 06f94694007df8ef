//! What was read, and how.

use std::path::PathBuf;

use farhop_data::{FeatureScaling, Fill, NoFeatures, NodeTableOptions, SplitChoice, SplitFractions};
use serde::{Deserialize, Serialize};

/// Where the data of a run came from and how it was read. What predicting needs beyond this (columns, categories, class
/// names) is the schema in the run folder.
///
/// Paths are kept as they were given: relative ones start where `farhop` is started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataConfig {
    /// Name of a built-in task, when the data was generated.
    pub generated: Option<String>,
    /// The nodes table.
    pub nodes: Option<PathBuf>,
    /// The edges table.
    pub edges: Option<PathBuf>,
    /// The id column. Default: the column named `id`, else the first column.
    pub id: Option<String>,
    /// The column to predict.
    pub target: Option<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// Columns of numbers to read as categories.
    pub categories: Vec<String>,
    /// A text column with more different values than this is an error. Default 64.
    pub most_categories: usize,
    /// What stands in for a missing cell: `"error"` (default), `"mean"`, `"zero"`, or `{ value = 0.5 }`.
    pub fill: Fill,
    /// Whether columns of numbers are brought to mean 0 and deviation 1. Default `"standardise"`.
    pub scaling: FeatureScaling,
    /// The feature of nodes whose table has no feature column. Default `"degree"`.
    pub no_features: NoFeatures,
    /// Whether edges keep their direction. Default false.
    pub directed: bool,
    /// Whether ids that only the edges table names become nodes. Default false.
    pub add_missing_nodes: bool,
    /// Shares of a split that is made, when the table has no split column.
    pub fractions: SplitFractions,
    /// Seed of a split that is made. Default: the seed of training.
    pub split_seed: Option<u64>,
}

impl Default for DataConfig {
    fn default() -> Self {
        let options = NodeTableOptions::default();
        DataConfig {
            generated: None,
            nodes: None,
            edges: None,
            id: options.id,
            target: options.target,
            ignore: options.ignore,
            categories: options.categories,
            most_categories: options.most_categories,
            fill: options.fill,
            scaling: options.scaling,
            no_features: options.no_features,
            directed: options.directed,
            add_missing_nodes: options.add_missing_nodes,
            fractions: SplitFractions::default(),
            split_seed: None,
        }
    }
}

impl DataConfig {
    /// The options of the table reader. A split that has to be made takes `seed`, unless it has a seed of its own.
    pub fn table_options(&self, seed: u64) -> NodeTableOptions {
        NodeTableOptions {
            id: self.id.clone(),
            target: self.target.clone(),
            ignore: self.ignore.clone(),
            categories: self.categories.clone(),
            most_categories: self.most_categories,
            fill: self.fill,
            scaling: self.scaling,
            no_features: self.no_features,
            directed: self.directed,
            add_missing_nodes: self.add_missing_nodes,
            split: SplitChoice::Automatic { fractions: self.fractions, seed: self.split_seed.unwrap_or(seed) },
        }
    }
}
