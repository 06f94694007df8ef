//! Arguments of `farhop predict`, `farhop evaluate` and `farhop plan`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use farhop_data::Fill;
use farhop_train::NewFiles;

use super::{DataArguments, ModelArguments, PartsArguments};

const PREDICT_EXAMPLES: &str = "\
Examples:
  farhop predict runs/mine --nodes new_nodes.csv --edges new_edges.csv --out predictions.csv
      new nodes; where edges name nodes of training, they are joined to its graph
  farhop predict runs/mine --nodes other_nodes.csv --edges other_edges.csv --alone
      another graph
  farhop predict runs/mine
      every node of the training tables, into runs/mine/predictions.csv
  farhop predict runs/arrays new.npz
      a new file of the layout that the run was trained on
  farhop predict runs/solubility --molecules new_molecules.csv --out predictions.csv
  farhop predict runs/mine --embeddings embeddings.npy --hop-attention hops.csv
  farhop predict runs/mine --threshold 0.3
  farhop predict runs/mine --out - | head";

const EVALUATE_EXAMPLES: &str = "\
Examples:
  farhop evaluate runs/mine
  farhop evaluate runs/mine --split valid --json
  farhop evaluate runs/mine --nodes new_nodes.csv --edges new_edges.csv";

const PLAN_EXAMPLES: &str = "\
Examples:
  farhop plan --nodes nodes.csv --edges edges.csv --target label --hops 8
  farhop plan large.farhop --parts 64 --halo 2 --limit 2GiB
  farhop plan --node-count 169343 --edge-count 1166243 --feature-count 128 --class-count 40 --width 256";

/// New data for a trained model.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Your data")]
pub struct NewData {
    /// New data of the layout that training had: npz, GraphML, a TU or OGB folder, a file of PyTorch Geometric, molecules,
    /// .farhop [default: the data of training]
    #[arg(value_name = "FILE", help_heading = None::<&'static str>, conflicts_with_all = ["nodes", "edges", "molecules"])]
    pub file: Option<PathBuf>,
    /// Table of molecules with the SMILES column of training [default: the table of training]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nodes", "edges"])]
    pub molecules: Option<PathBuf>,
    /// Leave out molecules that can't be read, and count them [default: as in training]
    #[arg(long)]
    pub skip_bad_molecules: bool,
    /// Folder with datasets, besides $FARHOP_DATA and the user's data folder
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// Nodes table with the columns of training; answers are given for its nodes [default: the table of training]
    #[arg(long, value_name = "FILE", requires = "edges")]
    pub nodes: Option<PathBuf>,
    /// Edges table: between nodes of the new table, and to those of training, which are joined to them
    /// [default: the table of training]
    #[arg(long, value_name = "FILE", requires = "nodes")]
    pub edges: Option<PathBuf>,
    /// The new tables are a graph by themselves, whatever ids training had
    #[arg(long, requires = "nodes", conflicts_with_all = ["replace_known", "known_nodes", "known_edges"])]
    pub alone: bool,
    /// Rows of the new table with an id of training take the place of the old ones [default: an error]
    #[arg(long, requires = "nodes")]
    pub replace_known: bool,
    /// Where the nodes table of training lies, if it moved
    #[arg(long, value_name = "FILE", requires = "nodes", requires = "known_edges")]
    pub known_nodes: Option<PathBuf>,
    /// Where the edges table of training lies, if it moved
    #[arg(long, value_name = "FILE", requires = "nodes", requires = "known_nodes")]
    pub known_edges: Option<PathBuf>,
    /// What stands in for a missing cell: error, mean, zero or a number [default: as in training]
    #[arg(long, value_name = "FILL", allow_hyphen_values = true)]
    pub fill: Option<Fill>,
    /// Ids that only the edges table names become nodes [default: as in training]
    #[arg(long)]
    pub add_missing_nodes: bool,
    /// How one graph is divided; what is not given is as in training.
    #[command(flatten)]
    pub parts: PartsArguments,
}

impl NewData {
    /// The new files; none: those of training.
    pub fn files(&self, skip_bad: bool) -> Option<NewFiles<'_>> {
        let skip_bad = self.skip_bad_molecules || skip_bad;
        if let Some(path) = &self.file {
            return Some(NewFiles::File { path, skip_bad });
        }
        if let Some(table) = &self.molecules {
            return Some(NewFiles::Molecules { table, skip_bad });
        }
        match (&self.nodes, &self.edges) {
            (Some(nodes), Some(edges)) => Some(NewFiles::Tables { nodes, edges }),
            _ => None,
        }
    }
}

/// Arguments of `farhop predict`.
#[derive(Args, Debug)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct PredictArguments {
    /// Run folder that farhop train wrote
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// CSV to write: id and predictions, with probabilities where there are classes; - is standard output [default: RUN/predictions.csv, which is replaced]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also write what goes into the head of the model, a row for each id; the name ends in .npy or .csv
    #[arg(long, value_name = "FILE")]
    pub embeddings: Option<PathBuf>,
    /// Also write how each node weighs its hops, by layer and head, for a gen; the name ends in .npy or .csv
    #[arg(long, value_name = "FILE")]
    pub hop_attention: Option<PathBuf>,
    /// Probability above which the answer is yes, for yes-or-no labels and for the second of two classes [default: what
    /// training chose]
    #[arg(long, value_name = "P", value_parser = crate::thresholds::probability)]
    pub threshold: Option<f32>,
    /// Replace the files that are in --out, --embeddings and --hop-attention
    #[arg(long)]
    pub overwrite: bool,
    /// The data.
    #[command(flatten)]
    pub new: NewData,
}

/// Arguments of `farhop evaluate`.
#[derive(Args, Debug)]
#[command(after_help = EVALUATE_EXAMPLES)]
pub struct EvaluateArguments {
    /// Run folder that farhop train wrote
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// What to score: test, valid, train, or all that has a label [default: test; with new data: all]
    #[arg(long, value_name = "PART", hide_possible_values = true)]
    pub split: Option<SplitName>,
    /// Probability above which the answer is yes, for yes-or-no labels and for the second of two classes [default: what
    /// training chose]
    #[arg(long, value_name = "P", value_parser = crate::thresholds::probability)]
    pub threshold: Option<f32>,
    /// The data.
    #[command(flatten)]
    pub new: NewData,
}

/// Nodes to score.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitName {
    /// Never seen in training.
    Test,
    /// Those the best weights were chosen by.
    Valid,
    /// Those training learned from.
    Train,
    /// All that have a label.
    All,
}

impl SplitName {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            SplitName::Test => "test",
            SplitName::Valid => "valid",
            SplitName::Train => "train",
            SplitName::All => "all",
        }
    }
}

/// Arguments of `farhop plan`.
#[derive(Args, Debug)]
#[command(after_help = PLAN_EXAMPLES)]
pub struct PlanArguments {
    /// Plan for prediction instead of training
    #[arg(long)]
    pub infer: bool,
    /// Settings as TOML, such as the recipe.toml of a run; options override it
    #[arg(long, value_name = "FILE")]
    pub recipe: Option<PathBuf>,
    /// Sizes instead of tables.
    #[command(flatten)]
    pub sizes: SizeArguments,
    /// The data.
    #[command(flatten)]
    pub data: DataArguments,
    /// The model.
    #[command(flatten)]
    pub model: ModelArguments,
    /// How one graph is divided.
    #[command(flatten)]
    pub parts: PartsArguments,
    /// For data in parts: gigabits a second of the link of a machine, to predict seconds [default: 10; measured under mpirun]
    #[arg(long, value_name = "GBIT")]
    pub bandwidth: Option<f64>,
    /// For data in parts: microseconds that a message takes [default: 50; measured under mpirun]
    #[arg(long, value_name = "MICROSECONDS")]
    pub latency: Option<f64>,
}

/// Sizes of data that need not exist.
#[derive(Args, Debug)]
#[command(next_help_heading = "Sizes (instead of your data)")]
pub struct SizeArguments {
    /// Nodes
    #[arg(long, value_name = "N", requires = "edge_count", conflicts_with_all = ["nodes", "edges"])]
    pub node_count: Option<usize>,
    /// Edges; an undirected edge counts once
    #[arg(long, value_name = "M", requires = "node_count")]
    pub edge_count: Option<usize>,
    /// Features of a node
    #[arg(long, value_name = "F", default_value_t = 128, requires = "node_count")]
    pub feature_count: usize,
    /// Classes
    #[arg(long, value_name = "C", default_value_t = 10, requires = "node_count")]
    pub class_count: usize,
}
