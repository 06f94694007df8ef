//! Where the data is, and how it is read.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use farhop_data::metrics::Metric;
use farhop_data::{FeatureScaling, Fill, SplitFractions, TargetKind};
use farhop_train::SplitSetting;

/// The data of a training run.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Your data")]
pub struct DataArguments {
    /// What to learn from: a dataset of the catalogue (farhop data list), a table of molecules, a file or folder with a whole
    /// dataset, or a recipe (.toml)
    #[arg(value_name = "DATASET", help_heading = None::<&'static str>)]
    pub what: Option<String>,
    /// Folder with datasets, besides $FARHOP_DATA and the user's data folder
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// Split: standard (public), tuned (the draw behind the scores of tuned classic networks), per-class (20 of each, 500, 1,000),
    /// seeded, a number where there are several, or a file that says it by ids (csv with id,split; npz with train, valid, test)
    /// [default: standard]
    #[arg(long, value_name = "SPLIT|FILE")]
    pub split: Option<SplitSetting>,
    /// How predictions are scored: accuracy, balanced-accuracy, macro-f1, roc-auc, average-precision, mae, rmse, r2, mrr,
    /// mrr-filtered, mrr-extended-filtered or hits@K [default: as is usual for the data; where classes are far from even,
    /// roc-auc for two and balanced-accuracy for more]
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<Metric>,
    /// Column of SMILES in a table of molecules [default: the column named smiles]
    #[arg(long, value_name = "COLUMN")]
    pub smiles: Option<String>,
    /// Leave out molecules that can't be read, and count them
    #[arg(long)]
    pub skip_bad_molecules: bool,
    /// Nodes table: one row a node, with a header; separated by commas, semicolons or tabs (.gz is fine, - is standard
    /// input). A column named split that says train, valid, test or nothing is the split
    #[arg(long, value_name = "FILE")]
    pub nodes: Option<PathBuf>,
    /// Edges table: the columns source and target, and perhaps features of edges
    #[arg(long, value_name = "FILE")]
    pub edges: Option<PathBuf>,
    /// Column to predict, or several
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub target: Vec<String>,
    /// What the target is: classes, labels (yes or no) or numbers [default: what its cells look like]
    #[arg(long, value_name = "KIND")]
    pub task: Option<TargetKind>,
    /// How the tables are read.
    #[command(flatten)]
    pub table: TableArguments,
    /// Numbers of nodes: brought to mean 0 and deviation 1 (features that are mostly zeros stay as the dataset usually has them), left
    /// as they are, or divided by the sum of their row [default: standardise]
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(FeatureScaling::WORDS).try_map(|word| word.parse::<FeatureScaling>()))]
    pub scaling: Option<FeatureScaling>,
    /// Feature of nodes whose table has no feature column [default: degree]
    #[arg(long, value_name = "KIND", value_parser = ["degree", "one"])]
    pub no_features: Option<String>,
    /// Shares of train and valid in a split that is made where the table has no column split; the rest is test
    /// [default: 0.6,0.2]
    #[arg(long, value_name = "TRAIN,VALID", value_parser = fractions)]
    pub fractions: Option<SplitFractions>,
    /// Seed of a split that is made [default: --seed]
    #[arg(long, value_name = "SEED")]
    pub split_seed: Option<u64>,
}

/// How tables are read.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Your data")]
pub struct TableArguments {
    /// Id column [default: the column named id, else the first; of molecules the one named id or name]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Columns of the nodes table to leave out
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Columns of the edges table to leave out
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub ignore_edges: Vec<String>,
    /// Columns of numbers that are names of categories
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub category: Vec<String>,
    /// What stands in for a missing cell: error, mean, zero or a number [default: error]
    #[arg(long, value_name = "FILL", allow_hyphen_values = true)]
    pub fill: Option<Fill>,
    /// Keep the direction of edges: the target receives from the source
    #[arg(long)]
    pub directed: bool,
    /// Ids that only the edges table names become nodes
    #[arg(long)]
    pub add_missing_nodes: bool,
}

impl DataArguments {
    /// Whether anything was asked about the data.
    pub fn is_empty(&self) -> bool {
        self.what.is_none() && self.nodes.is_none() && self.edges.is_none() && !self.says_how()
    }

    /// Whether anything was asked beyond where the tables are.
    pub fn says_how(&self) -> bool {
        self.split.is_some()
            || self.metric.is_some()
            || self.fractions.is_some()
            || self.split_seed.is_some()
            || self.scaling.is_some()
            || self.flags_of_tables().next().is_some()
    }

    /// The options that were given and say how the columns of tables are read.
    pub fn flags_of_tables(&self) -> impl Iterator<Item = &'static str> {
        let table = &self.table;
        let flags = [
            ("--target", !self.target.is_empty()),
            ("--task", self.task.is_some()),
            ("--smiles", self.smiles.is_some()),
            ("--skip-bad-molecules", self.skip_bad_molecules),
            ("--no-features", self.no_features.is_some()),
            ("--id", table.id.is_some()),
            ("--ignore", !table.ignore.is_empty()),
            ("--ignore-edges", !table.ignore_edges.is_empty()),
            ("--category", !table.category.is_empty()),
            ("--fill", table.fill.is_some()),
            ("--directed", table.directed),
            ("--add-missing-nodes", table.add_missing_nodes),
        ];
        flags.into_iter().filter_map(|(flag, given)| given.then_some(flag))
    }
}

fn fractions(text: &str) -> Result<SplitFractions, String> {
    let wrong = || "write two numbers above 0 with a sum below 1, such as 0.6,0.2".to_string();
    let (train, valid) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|share| *share > 0.0);
    match (number(train), number(valid)) {
        (Some(train), Some(valid)) if train + valid < 1.0 => Ok(SplitFractions { train, valid }),
        _ => Err(wrong()),
    }
}
