//! Arguments of `farhop data`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::DataArguments;

const LIST_EXAMPLES: &str = "\
Examples:
  farhop data list
  farhop data list --here";

const INFO_EXAMPLES: &str = "\
Examples:
  farhop data info cora
  farhop data info molecules.csv --smiles smiles --target logp
  farhop data info --nodes nodes.csv --edges edges.csv --target label
  farhop data info data.pt            # PyTorch Geometric; also npz, GraphML, GEXF, GML, JSON, pickles of networkx
  farhop data info masks.npz --split 3
  farhop data info folder_of_a_TU_collection";

const IMPORT_EXAMPLES: &str = "\
Examples:
  farhop data import --nodes nodes.csv --edges edges.csv --target label --out mine.farhop
  farhop data import --nodes atoms.csv --edges bonds.csv --graphs molecules.csv --target logp --out molecules.farhop
  farhop data import molecules.csv --smiles smiles --target logp --out molecules.farhop
  farhop data import graph.graphml --target label --out mine.farhop
  farhop train mine.farhop";

const FETCH_EXAMPLES: &str = "\
Examples:
  farhop data fetch cora
  farhop data fetch cora citeseer pubmed --data-dir datasets";

/// What to do with data.
#[derive(Subcommand, Debug)]
pub enum DataCommand {
    /// The datasets of the catalogue, and which are on this machine
    List(ListArguments),
    /// A data card for any dataset: counts, degrees, balance, warnings
    Info(Box<InfoArguments>),
    /// Your tables as one checked file that loads fast
    Import(Box<ImportArguments>),
    /// Download a dataset of the catalogue; nothing else ever downloads
    Fetch(FetchArguments),
    /// One graph in parts, a file for each process of a run over several
    Partition(Box<PartitionArguments>),
}

const PARTITION_EXAMPLES: &str = "\
Examples:
  farhop data partition pubmed --parts 2 --out pubmed.parts
  mpirun -n 2 farhop train pubmed.parts
  farhop data partition --nodes nodes.csv --edges edges.csv --target label \\
    --parts 16 --partitioner streaming --out large.parts";

/// Arguments of `farhop data partition`.
#[derive(Args, Debug)]
#[command(after_help = PARTITION_EXAMPLES)]
pub struct PartitionArguments {
    /// Parts: as many as there will be processes
    #[arg(long, value_name = "P")]
    pub parts: NonZeroUsize,
    /// Folder to write
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,
    /// Replace the parts that are in --out
    #[arg(long)]
    pub overwrite: bool,
    /// Who divides the graph: the built-in multilevel method, METIS (where farhop was built with it), or streaming, one pass over the nodes for
    /// graphs that fit no memory: tables, OGB folders and .farhop files of one graph are read in pieces
    #[arg(long, value_name = "KIND", default_value = "built-in", value_parser = ["built-in", "metis", "streaming"])]
    pub partitioner: String,
    /// The data.
    #[command(flatten)]
    pub data: DataArguments,
}

/// Arguments of `farhop data list`.
#[derive(Args, Debug)]
#[command(after_help = LIST_EXAMPLES)]
pub struct ListArguments {
    /// Only those on this machine
    #[arg(long)]
    pub here: bool,
    /// Folder with datasets, besides $FARHOP_DATA and the user's data folder
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
}

/// Arguments of `farhop data info`.
#[derive(Args, Debug)]
#[command(after_help = INFO_EXAMPLES)]
pub struct InfoArguments {
    /// The data.
    #[command(flatten)]
    pub data: DataArguments,
    /// Distance that matters, for datasets that are made
    #[arg(long, value_name = "R")]
    pub distance: Option<usize>,
}

/// Arguments of `farhop data import`.
#[derive(Args, Debug)]
#[command(after_help = IMPORT_EXAMPLES)]
pub struct ImportArguments {
    /// File to write, such as mine.farhop
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file that is in --out
    #[arg(long)]
    pub overwrite: bool,
    /// Table of graphs with their targets; the nodes table then has a column that names the graph of each node
    #[arg(long, value_name = "FILE", requires = "nodes")]
    pub graphs: Option<PathBuf>,
    /// Column that names the graph of a node [default: graph, if there is a table of graphs]
    #[arg(long, value_name = "COLUMN", requires = "nodes")]
    pub graph: Option<String>,
    /// The data.
    #[command(flatten)]
    pub data: DataArguments,
}

/// Arguments of `farhop data fetch`.
#[derive(Args, Debug)]
#[command(after_help = FETCH_EXAMPLES)]
pub struct FetchArguments {
    /// Names of the catalogue
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<String>,
    /// Folder to download into [default: $FARHOP_DATA, else the user's data folder]
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
}
