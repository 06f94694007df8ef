//! What was read, and how.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use farhop_data::catalogue::{LoadOptions, SplitRequest};
use farhop_data::metrics::Metric;
use farhop_data::molecules::MoleculeOptions;
use farhop_data::{FeatureScaling, Fill, NoFeatures, NodeTableOptions, SplitChoice, SplitFractions, TargetKind};
use serde::{Deserialize, Serialize};

/// Where the data of a run came from and how it was read. What predicting needs beyond this (columns, categories, class
/// names) is the schema in the run folder.
///
/// Paths are kept as they were given: relative ones start where `farhop` is started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataConfig {
    /// A dataset: its name in the catalogue, or the path of a file or folder that holds a whole one (`./cora` if it has a
    /// name of the catalogue).
    pub dataset: Option<String>,
    /// The split: `"standard"` (default; `"public"` is the same), a number where upstream publishes several, `"tuned"` (the draw behind the
    /// scores of tuned classic networks), `"per-class"` (20 of each class, 500, 1,000; seeded), `"seeded"` (by `fractions`), or the path of a
    /// table or archive that says it by ids.
    pub split: SplitSetting,
    /// For data that is made: the distance that matters.
    pub distance: Option<usize>,
    /// How predictions are scored, if not as is usual for the data.
    pub metric: Option<Metric>,
    /// A table of molecules.
    pub molecules: Option<PathBuf>,
    /// Its column of SMILES. Default: the column named `smiles`.
    pub smiles: Option<String>,
    /// Whether molecules that can't be read are left out. Default false: they are an error.
    pub skip_bad_molecules: bool,
    /// The nodes table.
    pub nodes: Option<PathBuf>,
    /// The edges table.
    pub edges: Option<PathBuf>,
    /// The id column. Default: the column named `id`, else the first column.
    pub id: Option<String>,
    /// The column to predict, or several.
    pub targets: Vec<String>,
    /// What the targets are: `"classes"`, `"labels"` (yes or no) or `"numbers"`. Default: what the cells look like.
    pub task: Option<TargetKind>,
    /// Columns of the nodes table to leave out.
    pub ignore: Vec<String>,
    /// Columns of the edges table to leave out.
    pub ignore_edges: Vec<String>,
    /// Columns of numbers to read as categories.
    pub categories: Vec<String>,
    /// A text column with more different values than this is an error. Default 64.
    pub most_categories: usize,
    /// What stands in for a missing cell: `"error"` (default), `"mean"`, `"zero"`, or `{ value = 0.5 }`.
    pub fill: Fill,
    /// The scale of numbers of nodes: `"standardise"` (default; features that are mostly zeros stay, those of datasets that are usually
    /// divided by their row's sum are), `"none"` or `"row-normalised"`.
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
            dataset: None,
            split: SplitSetting::default(),
            distance: None,
            metric: None,
            molecules: None,
            smiles: None,
            skip_bad_molecules: false,
            nodes: None,
            edges: None,
            id: options.id,
            targets: options.targets,
            task: options.task,
            ignore: options.ignore,
            ignore_edges: options.ignore_edges,
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
            targets: self.targets.clone(),
            task: self.task,
            ignore: self.ignore.clone(),
            ignore_edges: self.ignore_edges.clone(),
            categories: self.categories.clone(),
            most_categories: self.most_categories,
            fill: self.fill,
            scaling: self.scaling,
            no_features: self.no_features,
            directed: self.directed,
            add_missing_nodes: self.add_missing_nodes,
            split: SplitChoice::Automatic { fractions: self.fractions, seed: self.split_seed.unwrap_or(seed) },
            split_file: None,
        }
    }

    /// The options of the reader of molecules.
    pub fn molecule_options(&self, seed: u64) -> MoleculeOptions {
        MoleculeOptions {
            smiles: self.smiles.clone(),
            targets: self.targets.clone(),
            id: self.id.clone(),
            split: None,
            task: self.task,
            fractions: self.fractions,
            seed: self.split_seed.unwrap_or(seed),
            skip_bad: self.skip_bad_molecules,
        }
    }

    /// The options of the catalogue.
    pub fn load_options(&self, seed: u64) -> LoadOptions {
        let split = match self.split {
            // That of a file takes its place once the ids are known.
            SplitSetting::Standard | SplitSetting::File(_) => SplitRequest::Standard,
            SplitSetting::Number(number) => SplitRequest::Number(number),
            SplitSetting::Tuned => SplitRequest::Tuned,
            SplitSetting::PerClass => SplitRequest::TWENTY_PER_CLASS,
            SplitSetting::Seeded => SplitRequest::Seeded { fractions: self.fractions },
        };
        let seed = self.split_seed.unwrap_or(seed);
        let row_normalise = (self.scaling != FeatureScaling::Standardise).then_some(false);
        LoadOptions { split, seed, row_normalise, distance: self.distance, ..LoadOptions::default() }
    }
}

/// Which split data get.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum SplitSetting {
    /// The one the literature uses.
    #[default]
    Standard,
    /// One of several that upstream publishes, from 0.
    Number(usize),
    /// The draw behind the scores of tuned classic networks; where there is none, the standard one.
    Tuned,
    /// 20 of each class for training, 500 for validation, 1,000 for test; seeded.
    PerClass,
    /// By shares; seeded.
    Seeded,
    /// The one that a file says, by ids.
    File(PathBuf),
}

impl SplitSetting {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            SplitSetting::File(path) => Some(path),
            _ => None,
        }
    }
}

impl fmt::Display for SplitSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplitSetting::Standard => formatter.write_str("standard"),
            SplitSetting::Number(number) => write!(formatter, "{number}"),
            SplitSetting::Tuned => formatter.write_str("tuned"),
            SplitSetting::PerClass => formatter.write_str("per-class"),
            SplitSetting::Seeded => formatter.write_str("seeded"),
            SplitSetting::File(path) => write!(formatter, "{}", path.display()),
        }
    }
}

impl FromStr for SplitSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = Path::new(text);
        let is_path = text.contains(['/', '\\']) || path.extension().is_some();
        match text {
            "standard" | "public" => Ok(SplitSetting::Standard),
            "tuned" => Ok(SplitSetting::Tuned),
            "per-class" => Ok(SplitSetting::PerClass),
            "seeded" => Ok(SplitSetting::Seeded),
            _ if is_path => Ok(SplitSetting::File(path.to_path_buf())),
            number => number.parse().map(SplitSetting::Number).map_err(|_| {
                format!(
                    "\"{text}\" is not a split. Write standard, tuned, per-class, seeded, a number such as 3, or a file such as split.csv."
                )
            }),
        }
    }
}

impl From<SplitSetting> for String {
    fn from(value: SplitSetting) -> Self {
        value.to_string()
    }
}

impl TryFrom<String> for SplitSetting {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}
