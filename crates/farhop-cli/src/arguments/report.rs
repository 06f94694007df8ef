//! Arguments of `farhop report`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  farhop report runs/mine
      curves, answers, calibration, attention, data, recipe: into runs/mine/report.html
  farhop report runs/a runs/b runs/c --out abc.html
      several runs over each other
  farhop report --study studies/cora
  farhop report --compare runs/compare --out scores.html

The page is one file without scripts that needs no network. What needs the data is computed from it as by farhop evaluate; where the data is not
there, the page says so and shows the rest.";

/// Arguments of `farhop report`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    /// Run folders that farhop train wrote, or folders of several runs
    #[arg(value_name = "RUN", required_unless_present_any = ["study", "compare"])]
    pub runs: Vec<PathBuf>,
    /// The folder of a search that farhop tune wrote
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["runs", "compare"])]
    pub study: Option<PathBuf>,
    /// The folder that farhop compare keeps its runs in
    #[arg(long, value_name = "FOLDER", conflicts_with = "runs")]
    pub compare: Option<PathBuf>,
    /// The page to write [default: report.html in the folder; of several runs, here]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace the file that is there
    #[arg(long)]
    pub overwrite: bool,
    /// Folder with datasets, besides $FARHOP_DATA and the user's data folder
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// Do not read the data: no answers, calibration and attention
    #[arg(long)]
    pub without_data: bool,
}
