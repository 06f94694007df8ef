//! Arguments of `farhop compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::DataArguments;
use super::model::assignment;
use super::seeds::SeedArguments;
use super::train::TrainingArguments;

const EXAMPLES: &str = "\
Examples:
  farhop compare cora --models gen,gcn,mlp
  farhop compare chameleon-filtered --models gen,gcn,graphsage --runs 10 --picture scores.svg
  farhop compare --nodes nodes.csv --edges edges.csv --target label --models gen,gat --format markdown
  farhop compare cora --models gen,gcn --split tuned --scaling none
  farhop compare mine.farhop --models gen,gcn,gat --trials 20

All models get the same data, splits, seeds and budget. Settings are those of a recipe where there is one for model and dataset (of --recipes, or those
that come with farhop), else searched with --trials, else the general ones; options of training hold for all. Finished runs are kept: asking again costs nothing, and another model costs its own runs only.";

/// How the table is written.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableFormat {
    /// Columns of text.
    #[default]
    Text,
    /// Comma-separated, numbers in full.
    Csv,
    /// For a README.
    Markdown,
    /// A tabular environment.
    Latex,
}

/// Arguments of `farhop compare`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CompareArguments {
    /// Models to compare; `farhop models` lists them
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "gen,gcn,mlp")]
    pub models: Vec<String>,
    /// Which seeds; three where nothing is said.
    #[command(flatten)]
    pub seeds: SeedArguments,
    /// Folder with recipes, FOLDER/DATASET/MODEL.toml, else FOLDER/MODEL.toml; `none` for general settings [default: those that come with farhop]
    #[arg(long, value_name = "FOLDER")]
    pub recipes: Option<PathBuf>,
    /// Search the settings of models without a recipe first, with so many trials each, by validation [default: none]
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    pub trials: Option<usize>,
    /// Folder that runs are kept in
    #[arg(long, value_name = "FOLDER", default_value = "runs/compare")]
    pub out: PathBuf,
    /// How the table is written
    #[arg(long, value_name = "KIND", default_value = "text", conflicts_with = "json")]
    pub format: TableFormat,
    /// Draw score against training time as SVG
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// Replace the file of --picture
    #[arg(long, requires = "picture")]
    pub overwrite: bool,
    /// Distance that matters, of data that is made
    #[arg(long, value_name = "R")]
    pub distance: Option<usize>,
    /// Any setting of a recipe that all models have, such as model.width=64
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, Value)>,
    /// The data.
    #[command(flatten)]
    pub data: DataArguments,
    /// The training loop.
    #[command(flatten)]
    pub training: TrainingArguments,
}
