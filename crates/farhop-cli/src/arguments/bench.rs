//! Arguments of `farhop bench`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use serde_json::Value;

use super::model::{assignment, gather_bits};

const EXAMPLES: &str = "\
Examples:
  farhop bench --nodes 169343 --edges 1166243 --model gen --hops 4 --threads 2
  farhop bench --graph arxiv_like.npz --model gcn --mode infer --json
  farhop bench --nodes 30000 --edges 33000 --graphs 200 --edge-features 16 --model gps

The model: every layer followed by batch norm, ReLU and dropout 0.5; a linear head. Features that are wider than --width are projected to it
before the first GEN layer, unless --raw-features. Where y has a row for every graph, the head reads the mean over a graph's nodes.";

/// Arguments of `farhop bench`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct BenchArguments {
    /// Graph as npz: edge_index [2, E], x [N, F], y [N] (or [G, T], with batch [N])
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nodes", "edges", "features", "classes", "graphs"])]
    pub graph: Option<PathBuf>,
    /// Nodes of a power-law graph that is generated
    #[arg(long, value_name = "N")]
    pub nodes: Option<usize>,
    /// Its edges
    #[arg(long, value_name = "M")]
    pub edges: Option<usize>,
    /// Features of its nodes [default: 128]
    #[arg(long, value_name = "F")]
    pub features: Option<usize>,
    /// Classes of its nodes [default: 40]
    #[arg(long, value_name = "C")]
    pub classes: Option<usize>,
    /// Make that many small graphs of equally many nodes and edges instead of one, with as many yes-or-no answers for each as there are classes
    #[arg(long, value_name = "G")]
    pub graphs: Option<usize>,
    /// Numbers of every edge, made up [default: 0]
    #[arg(long, value_name = "F", default_value_t = 0, hide_default_value = true)]
    pub edge_features: usize,
    /// Model; `farhop models` lists them
    #[arg(long, value_name = "NAME", default_value = "gen")]
    pub model: String,
    /// Hops of a layer (gen) [default: 4]
    #[arg(long, value_name = "K")]
    pub hops: Option<usize>,
    /// Channels of a hidden layer
    #[arg(long, value_name = "F", default_value_t = 128)]
    pub width: usize,
    /// Layers
    #[arg(long, value_name = "L", default_value_t = 3)]
    pub layers: usize,
    /// Heads of attention (gen) [default: 1]
    #[arg(long, value_name = "H")]
    pub heads: Option<usize>,
    /// Feed features into the first layer as they are, even if they are wider than --width (gen)
    #[arg(long)]
    pub raw_features: bool,
    /// Compute hops again in the backward pass: less memory, more time (gen)
    #[arg(long)]
    pub recompute: bool,
    /// Bits of a number in the rows that hops gather (gen) [default: 32]
    #[arg(long, value_name = "B", value_parser = gather_bits())]
    pub gather_bits: Option<usize>,
    /// Any setting of the model, such as model.alpha=0.1
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, Value)>,
    /// What is timed: train, a step with its backward pass and update, or infer, the outputs alone
    #[arg(long, value_name = "MODE", default_value = "train", hide_possible_values = true)]
    pub mode: BenchMode,
    /// Epochs after the warm-up; best and median are reported
    #[arg(long, value_name = "E", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub epochs: u32,
}

impl BenchArguments {
    /// Settings of the model that were asked for: flag, key and value.
    pub fn of_model(&self) -> Vec<(&'static str, &'static str, Value)> {
        let given = [
            ("--hops", "hops", self.hops.map(Value::from)),
            ("--heads", "heads", self.heads.map(Value::from)),
            ("--raw-features", "input_projection", self.raw_features.then(|| Value::from(false))),
            ("--recompute", "recompute", self.recompute.then(|| Value::from(true))),
            ("--gather-bits", "gather_bits", self.gather_bits.map(Value::from)),
        ];
        given.into_iter().filter_map(|(flag, key, value)| Some((flag, key, value?))).collect()
    }
}

/// What is timed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchMode {
    /// Forward, backward, update.
    Train,
    /// Forward.
    Infer,
}

impl BenchMode {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            BenchMode::Train => "train",
            BenchMode::Infer => "infer",
        }
    }
}
