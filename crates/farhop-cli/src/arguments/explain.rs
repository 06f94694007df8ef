//! Arguments of `farhop explain`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use farhop_train::insight::ExplanationMethod;

use super::NewData;

const EXAMPLES: &str = "\
Examples:
  farhop explain runs/mine --node 35
  farhop explain runs/mine --node 35 --out picture.svg --table nodes.csv
  farhop explain runs/mine --node 35 --output Theory
      what speaks for another class than the one that is predicted
  farhop explain runs/mine --node 35 --method weights --layer 1
      the walks that a layer of a gen reads, exactly
  farhop explain runs/solubility --graph CHEMBL1078
      which atoms a prediction for a molecule comes from";

/// Arguments of `farhop explain`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ExplainArguments {
    /// Run folder that farhop train wrote
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Id of the node whose prediction is explained
    #[arg(long, value_name = "ID", conflicts_with_all = ["graph", "pair"])]
    pub node: Option<String>,
    /// Id of the graph whose prediction is explained; with --pair, the graph of the pair [default there: 0]
    #[arg(long, value_name = "ID")]
    pub graph: Option<String>,
    /// Numbers of two nodes in their graph, whose score is explained
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub pair: Option<Vec<u32>>,
    /// The class, label or number that is explained [default: the class that is predicted, the most probable label, the first number]
    #[arg(long, value_name = "NAME")]
    pub output: Option<String>,
    /// How: weights (of the walks that a layer of a gen reads) or contributions (gradient times input of every node, any model)
    /// [default: weights for a gen of one layer, else contributions]
    #[arg(long, value_name = "METHOD", hide_possible_values = true)]
    pub method: Option<MethodName>,
    /// The layer whose weights are shown, from 1 [default: the last]
    #[arg(long, value_name = "L")]
    pub layer: Option<usize>,
    /// Nodes in the table that is printed
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub top: usize,
    /// Picture to write, as SVG
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Table to write, of all nodes; the name ends in .csv or .npy
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Replace the files that are in --out and --table
    #[arg(long)]
    pub overwrite: bool,
    /// The data.
    #[command(flatten)]
    pub new: NewData,
}

/// How a prediction is explained.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodName {
    /// Weights of walks.
    Weights,
    /// Gradient times input.
    Contributions,
}

impl From<MethodName> for ExplanationMethod {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Weights => ExplanationMethod::Weights,
            MethodName::Contributions => ExplanationMethod::Contributions,
        }
    }
}
