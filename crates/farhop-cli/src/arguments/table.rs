//! Arguments of `farhop table`.

use std::path::PathBuf;

use clap::Args;

use super::TableFormat;

const EXAMPLES: &str = "\
Examples:
  farhop table list
      the tables that can be made
  farhop table nodes --no-run
      what is there of a table, beside what was published
  farhop table nodes --only gcn,gen --datasets cora,citeseer
      runs what is missing of these cells, and prints them
  farhop table heterophily --runs 2
      a first look: two runs a cell

Every cell is a recipe that comes with farhop (farhop train DATASET --model NAME --recipe tuned) with its seeds and splits. Runs are kept where
farhop compare keeps them: asking again costs nothing, Ctrl-C loses nothing, and any number of processes may work on one folder. Runs that were
measured for a version come with it and are shown; --own leaves them out.";

/// Arguments of `farhop table`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ScoreTableArguments {
    /// The table, or `list` for all there are
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Only these rows, by model
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Only these columns, by dataset
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub datasets: Vec<String>,
    /// Print what is there, and run nothing
    #[arg(long)]
    pub no_run: bool,
    /// Run again here what came measured with farhop
    #[arg(long)]
    pub own: bool,
    /// Runs of a cell, at most [default: as many as the protocol of the table has]
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1000))]
    pub runs: Option<usize>,
    /// Folder that runs are kept in
    #[arg(long, value_name = "FOLDER", default_value = "runs/compare")]
    pub out: PathBuf,
    /// How the table is written
    #[arg(long, value_name = "KIND", default_value = "text", conflicts_with = "json")]
    pub format: TableFormat,
    /// Folder with datasets, besides $FARHOP_DATA and the user's data folder
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
}
