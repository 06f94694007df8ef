//! What can be asked of `farhop`.

mod bench;
mod catalogue;
mod compare;
mod data;
mod explain;
mod hops;
mod model;
mod pages;
mod parts;
mod report;
mod seeds;
mod table;
mod train;
mod tune;
mod use_run;

use std::num::NonZeroUsize;

use clap::{Args, Parser, Subcommand};
use farhop_train::GivenSetting;

use crate::version;

pub use bench::{BenchArguments, BenchMode};
pub use catalogue::{DataCommand, FetchArguments, ImportArguments, InfoArguments, ListArguments, PartitionArguments};
pub use compare::{CompareArguments, TableFormat};
pub use data::{DataArguments, TableArguments};
pub use explain::ExplainArguments;
pub use hops::{HopCoefficients, HopElimination, HopsArguments};
pub use model::ModelArguments;
pub use pages::{CompletionsArguments, ManArguments};
pub use parts::PartsArguments;
pub use report::ReportArguments;
pub use seeds::SeedArguments;
pub use table::ScoreTableArguments;
pub use train::TrainArguments;
pub use tune::TuneArguments;
pub use use_run::{EvaluateArguments, NewData, PlanArguments, PredictArguments, SplitName};

const EXAMPLES: &str = "\
Examples:
  farhop train
      the built-in demonstration: what long range means, in under two minutes
  farhop train cora
      a dataset of the catalogue; farhop data list shows them all
  farhop train molecules.csv --smiles smiles --target logp
      a model for your molecules
  farhop train --nodes nodes.csv --edges edges.csv --target label --out runs/mine
      a model for your own graph
  farhop compare cora --models gen,gcn,gat
      several models on the same data, splits and seeds
  farhop predict runs/mine --nodes new_nodes.csv --edges new_edges.csv --out predictions.csv
      its predictions under your own ids

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.";

/// Long-range graph learning on an ordinary machine.
#[derive(Parser, Debug)]
#[command(name = "farhop", version, long_version = version::LONG.as_str(), after_help = EXAMPLES)]
pub struct Cli {
    /// Arguments that mean the same everywhere.
    #[command(flatten)]
    pub common: Common,
    /// What to do; nothing prints the help.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Arguments that mean the same everywhere.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Everywhere")]
pub struct Common {
    /// Print the result as one JSON object
    #[arg(long, global = true)]
    pub json: bool,
    /// No progress and no messages, only the result and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Threads to compute with; the result is the same for any number [default: all cores]
    #[arg(long, global = true, value_name = "T")]
    pub threads: Option<NonZeroUsize>,
    /// Memory this process may use, such as 8GiB: plans keep to it, and files that grow when they are read may grow to it
    /// [default: what is free]
    #[arg(long, global = true, value_name = "SIZE", value_parser = crate::settings::bytes)]
    pub limit: Option<u64>,
    /// Seed of everything random: weights, dropout, a split that is made, generated data [default: 0]
    #[arg(long, global = true, value_name = "SEED")]
    pub seed: Option<u64>,
}

impl Common {
    /// The seed as a setting, if it was given.
    pub fn seed_setting(&self) -> Option<GivenSetting> {
        self.seed.map(|seed| GivenSetting::new("--seed", ["train", "seed"], seed.into()))
    }
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Train a model; with no argument, the built-in demonstration
    Train(Box<TrainArguments>),
    /// Several models on the same data, splits and seeds: who is better, and is it more than chance
    Compare(Box<CompareArguments>),
    /// A search for good settings by validation: resumable, by any number of processes
    Tune(Box<TuneArguments>),
    /// A published table made again: ours beside theirs, what is missing is run
    Table(ScoreTableArguments),
    /// Predictions for every node or graph, under your own ids, with probabilities
    Predict(PredictArguments),
    /// Score a run on a part of its data, or on new data
    Evaluate(EvaluateArguments),
    /// Which nodes, at which hop, one prediction read: a table and a picture
    Explain(ExplainArguments),
    /// Runs, a search or a comparison as one page: curves, answers, calibration, attention, recipe
    Report(ReportArguments),
    /// The elimination alone: hop-by-hop features of any graph, no training
    Hops(HopsArguments),
    /// Peak memory of a run before anything is allocated
    Plan(Box<PlanArguments>),
    /// The catalogue of datasets; a data card for any input
    #[command(subcommand)]
    Data(DataCommand),
    /// Every model: citation, cost, reach; every setting of one
    Models(ModelsArguments),
    /// Time and memory of a model on a generated or given graph
    Bench(BenchArguments),
    /// What was detected: cores, instruction sets, memory
    Doctor,
    /// Completions of the command line for a shell
    Completions(CompletionsArguments),
    /// The manual pages
    Man(ManArguments),
}

impl Command {
    /// Whether it can be one of several processes that work on one graph.
    pub fn joins_others(&self) -> bool {
        matches!(self, Command::Train(_) | Command::Evaluate(_) | Command::Predict(_) | Command::Plan(_))
    }
}

/// Arguments of `farhop models`.
#[derive(Args, Debug)]
pub struct ModelsArguments {
    /// A model, to list its settings
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definitions_hold_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_argument_is_described() {
        for command in Cli::command().get_subcommands() {
            for argument in command.get_arguments() {
                let id = argument.get_id();
                assert!(argument.get_help().is_some(), "{} {id} has no help", command.get_name());
            }
        }
    }
}
