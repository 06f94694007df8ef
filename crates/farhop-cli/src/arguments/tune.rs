//! Arguments of `farhop tune`.

use std::path::PathBuf;

use clap::Args;

use super::train::TrainingArguments;
use super::{DataArguments, ModelArguments};

const EXAMPLES: &str = "\
Examples:
  farhop tune cora --trials 40 --out studies/cora
      the settings of a GEN, by validation; the same command again goes on where it stopped
  farhop tune cora --model gcn --space space.toml --out studies/gcn
      a space of your own
  farhop tune --nodes nodes.csv --edges edges.csv --target label --out studies/mine
      your own graph

A space is a TOML file:
  [space]
  model.hops = [1, 2, 4, 8]
  model.dropout = { uniform = [0.0, 0.8], step = 0.1 }
  train.learning_rate = { log = [1e-4, 1e-2] }
  model.layers = { integer = [1, 6] }
  model.gamma = { uniform = [0.0, 1.0], when = { model.hop_attention = [true] } }

Any number of processes may work on one study: start the same command again beside the first. A trial whose process was
killed is taken over by the next one. Only validation scores are looked at; the test part is taken away until the end.";

/// Arguments of `farhop tune`.
#[derive(Args, Debug, Default)]
#[command(after_help = EXAMPLES)]
pub struct TuneArguments {
    /// Folder of the study: begun if it is not there, gone on with if it is [default: studies/DATASET-MODEL]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Trials of the study in all
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    pub trials: usize,
    /// What is searched, as TOML [default: the usual settings of the model; --show-space prints them]
    #[arg(long, value_name = "FILE")]
    pub space: Option<PathBuf>,
    /// Print what would be searched, as TOML, and train nothing
    #[arg(long)]
    pub show_space: bool,
    /// Train every trial to its end, also those that others were better than at the same epoch
    #[arg(long)]
    pub no_pruning: bool,
    /// Settings that all trials start from, as TOML, or `tuned` for the recipe that comes with farhop; options override it
    #[arg(long, value_name = "FILE")]
    pub recipe: Option<PathBuf>,
    /// The data.
    #[command(flatten)]
    pub data: DataArguments,
    /// The model.
    #[command(flatten)]
    pub model: ModelArguments,
    /// The training loop.
    #[command(flatten)]
    pub training: TrainingArguments,
}
