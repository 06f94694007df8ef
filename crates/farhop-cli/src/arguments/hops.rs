//! Arguments of `farhop hops`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::TableArguments;

const EXAMPLES: &str = "\
Examples:
  farhop hops --edges edges.csv --nodes nodes.csv --rounds 5 --out hops.npz
  farhop hops --edges edges.csv --features x.npy --rounds 3 --coefficients gcn --out hops.npz
  farhop hops --edges weighted.csv --features x.npy --rounds 3 --coefficients given --directed --out hops.npz

The archive holds increments and cumulative, 32-bit floats [rounds, nodes, features], and ids.
On a tree with all coefficients 1, increment k of a node is the sum of the features at distance exactly k.";

/// Arguments of `farhop hops`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct HopsArguments {
    /// Edges table: CSV with the columns source and target, and weight for --coefficients given
    #[arg(long, value_name = "FILE")]
    pub edges: PathBuf,
    /// Nodes table: CSV with an id and feature columns, read as they are
    #[arg(long, value_name = "FILE", conflicts_with = "features")]
    pub nodes: Option<PathBuf>,
    /// Features as npy, one row a node; ids are then row numbers from 0
    #[arg(long, value_name = "FILE", conflicts_with_all = ["id", "ignore", "ignore_edges", "category", "fill", "add_missing_nodes"])]
    pub features: Option<PathBuf>,
    /// Rounds: how many hops to go
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub rounds: u32,
    /// What every edge multiplies with
    #[arg(long, value_name = "KIND", default_value = "ones")]
    pub coefficients: HopCoefficients,
    /// What is taken away from each round
    #[arg(long, value_name = "KIND", default_value = "exact")]
    pub elimination: HopElimination,
    /// What a node's own state is multiplied with in each round [default: 1; gcn: 1/(degree + 1)]
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    pub self_coefficient: Option<f32>,
    /// Archive to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file that is in --out
    #[arg(long)]
    pub overwrite: bool,
    /// How the tables are read.
    #[command(flatten)]
    pub table: TableArguments,
}

/// What every edge multiplies with.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopCoefficients {
    /// 1.
    Ones,
    /// 1 / sqrt((degree + 1) (degree + 1)) of both ends.
    Gcn,
    /// The weight column.
    Given,
}

impl HopCoefficients {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            HopCoefficients::Ones => "ones",
            HopCoefficients::Gcn => "gcn",
            HopCoefficients::Given => "given",
        }
    }
}

/// What is taken away from each round.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopElimination {
    /// Everything that steps straight back.
    Exact,
    /// The node's own term.
    SelfLoop,
    /// Nothing.
    None,
}

impl HopElimination {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            HopElimination::Exact => "exact",
            HopElimination::SelfLoop => "self-loop",
            HopElimination::None => "none",
        }
    }
}
