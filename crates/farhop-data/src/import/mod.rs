//! What users bring, as a dataset: tables of nodes, edges and graphs, molecules, collections, GraphML, archives.

mod again;
mod arrays;
mod detect;
mod file_schema;
mod graphs;
mod lone_edges;
mod python;
mod table_features;

use std::path::Path;

pub use crate::layouts::attributed::GraphFormat;
pub use again::{import_again, import_learning};
pub use detect::{Kind, detect};
pub use file_schema::{ColumnSizes, FileSchema};

use crate::catalogue::SplitRequest;
use crate::dataset::Dataset;
use crate::dataset::dataset_file::LEFT_ON_DISK;
use crate::dataset::parts::Pieces;
use crate::error::DataError;
use crate::files::scratch::Scratch;
use crate::formats::table::Table;
use crate::layouts::attributed::{AttributedGraphs, GRAPH_COLUMN, ID_COLUMN};
use crate::layouts::graph_arrays::REMEDY;
use crate::layouts::ogb::{self, OgbOptions};
use crate::layouts::tu::{self, TuOptions};
use crate::layouts::wikics::WikiCs;
use crate::molecules::{MoleculeOptions, MoleculeTable};
use crate::tables::node_tables::{load_on_disk, load_open};
use crate::tables::options::{NodeTableOptions, SplitChoice};
use crate::tables::schema::Schema;
use crate::tables::targets::TargetKind;

/// How to make a dataset of what a user brings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImportOptions {
    /// How a nodes table is read; its `target` is not used.
    pub table: NodeTableOptions,
    /// The columns to predict: of the table of graphs if there is one, else of the nodes table; of a table of molecules.
    pub targets: Vec<String>,
    /// What the targets are. Default: told by their cells.
    pub task: Option<TargetKind>,
    /// The column of the nodes table that names the graph of a node. Default: the one named `graph`, if there is a table of
    /// graphs.
    pub graph: Option<String>,
    /// The column of SMILES of a table of molecules.
    pub smiles: Option<String>,
    /// Which split, where a file brings its own or classes are split by count.
    pub split: SplitRequest,
    /// Leave out molecules that cannot be read.
    pub skip_bad_molecules: bool,
}

/// The tables of a dataset.
#[derive(Debug, Clone, Copy)]
struct Tables<'a> {
    nodes: &'a Table,
    edges: &'a Table,
    graphs: Option<&'a Table>,
}

/// A dataset from a nodes table and an edges table. With a table of graphs (or a column that names the graph of each node)
/// graphs are predicted, else nodes.
///
/// Edges name nodes by their ids. If ids repeat from graph to graph, the edges table needs the graph column too.
pub fn import_tables(
    nodes: &Path,
    edges: &Path,
    graphs: Option<&Path>,
    options: &ImportOptions,
) -> Result<Dataset, DataError> {
    let nodes = Table::open(nodes, "id,label,x1,x2")?;
    let edges = Table::open(edges, "source,target")?;
    let graphs = graphs.map(|path| Table::open(path, "graph,label")).transpose()?;
    dataset_of(Tables { nodes: &nodes, edges: &edges, graphs: graphs.as_ref() }, options)
}

/// A dataset from a file of graphs with attributes. One graph: its nodes are predicted, unless the target is an attribute of
/// graphs. Several: the graphs are predicted. Attributes of edges are features of the edges.
pub fn import_graphs(path: &Path, format: GraphFormat, options: &ImportOptions) -> Result<Dataset, DataError> {
    dataset_of_attributed(&AttributedGraphs::open(path, format)?, options)
}

/// As [`import_graphs`], from bytes that were read elsewhere.
pub fn import_graphs_bytes(
    name: &str,
    bytes: Vec<u8>,
    format: GraphFormat,
    options: &ImportOptions,
) -> Result<Dataset, DataError> {
    dataset_of_attributed(&AttributedGraphs::from_bytes(name, bytes, format)?, options)
}

/// A dataset from a single path, whatever it holds; see [`detect`].
///
/// # Errors
/// What the reader of that kind says, or that the kind needs more than one path.
pub fn import(path: &Path, options: &ImportOptions) -> Result<Dataset, DataError> {
    let kind = detect(path)?;
    if !matches!(kind, Kind::GraphArchive | Kind::WikiCs | Kind::Torch | Kind::Pickle) {
        arrays::refuse_number(path, options)?;
    }
    match &kind {
        Kind::Farhop => Dataset::open(path, LEFT_ON_DISK),
        Kind::TuFolder { names } => match names.as_slice() {
            [name] => tu::read(path, name, &tu_options(options)),
            _ => Err(wrong(path, format!("the folder holds {kind}. Keep one of them in it."))),
        },
        Kind::OgbFolder => ogb::read(path, &ogb_options(options)),
        Kind::Molecules | Kind::SmilesLines | Kind::Sdf => {
            MoleculeTable::load(path, &molecule_options(options)).map(|table| table.dataset)
        }
        Kind::Graphs(format) => import_graphs(path, *format, options),
        Kind::WikiCs => WikiCs::open(path)?.dataset(options.split.number().unwrap_or(0)),
        Kind::GraphArchive => arrays::read_npz(path, options),
        Kind::EdgeList => lone_edges::read_list(path, options),
        Kind::EdgesTable => lone_edges::read_table(path, options),
        Kind::NodesTable => {
            Err(wrong(path, format!("the file is {kind}. Give a nodes table and an edges table together.")))
        }
        Kind::Parquet => Err(wrong(path, format!("the file is {kind}. Give it as a nodes table or an edges table."))),
        Kind::Torch => python::read_torch(path, options),
        Kind::Pickle => python::read_pickle(path, options),
        Kind::Array => arrays::read_npy(path, options),
        Kind::Archive { .. } => Err(wrong(path, format!("{kind}, none of them edges. {REMEDY}"))),
        Kind::Planetoid { .. } => {
            let remedy = "It is read as part of a dataset of the catalogue, not by itself.";
            Err(wrong(path, format!("the path holds {kind}. {remedy}")))
        }
    }
}

/// As [`import`], of one graph whose nodes are predicted, with nothing of the size of its edges or features in memory: the dataset has an edgeless
/// graph, and its rows and features of edges are beside it. What has to be made first lies in `scratch`. None for what is not read that way: anything
/// but `.farhop` files without features of edges and OGB folders, graphs as a whole.
pub fn import_in_pieces(
    path: &Path,
    options: &ImportOptions,
    scratch: &Scratch,
) -> Result<Option<(Dataset, Pieces)>, DataError> {
    let kind = detect(path)?;
    if matches!(kind, Kind::Farhop | Kind::OgbFolder) {
        arrays::refuse_number(path, options)?;
    }
    match kind {
        Kind::Farhop => Ok(Pieces::open(path)?.filter(|(dataset, _)| dataset.splits_nodes())),
        Kind::OgbFolder => {
            let found = ogb::read_on_disk(path, &ogb_options(options), scratch)?;
            Ok(found.map(|(dataset, rows, numbers)| (dataset, Pieces::of(rows, numbers))))
        }
        _ => Ok(None),
    }
}

/// A dataset from a nodes table and an edges table, as [`import_in_pieces`] reads it. None of standard input.
pub fn tables_in_pieces(
    nodes: &Path,
    edges: &Path,
    options: &NodeTableOptions,
    scratch: &Scratch,
) -> Result<Option<(Dataset, Pieces)>, DataError> {
    let found = load_on_disk(nodes, edges, options, scratch)?;
    Ok(found.map(|(dataset, rows, numbers)| (dataset, Pieces::of(rows, numbers))))
}

fn dataset_of(tables: Tables<'_>, options: &ImportOptions) -> Result<Dataset, DataError> {
    let named = tables.graphs.and_then(|_| {
        tables.nodes.header().iter().find(|column| column.eq_ignore_ascii_case("graph")).map(String::as_str)
    });
    match options.graph.as_deref().or(named) {
        Some(column) => Ok(graphs::read(tables, column, options, None)?.0),
        None if tables.graphs.is_some() => {
            let role = "the graph of every node";
            Err(tables.nodes.require("graph", role).err().unwrap_or(DataError::Mismatch { what: role.to_string() }))
        }
        None => {
            let table =
                NodeTableOptions { targets: options.targets.clone(), task: options.task, ..options.table.clone() };
            Ok(load_open(tables.nodes, tables.edges, &table, false)?.0.dataset)
        }
    }
}

fn dataset_of_attributed(file: &AttributedGraphs, options: &ImportOptions) -> Result<Dataset, DataError> {
    let Some(table) = attributed_of_one(file, options) else {
        return Ok(attributed_of_several(file, options, None)?.0);
    };
    let mut dataset = load_open(&file.nodes, &file.edges, &table, false)?.0.dataset;
    dataset.notes.extend(file.notes.iter().cloned());
    Ok(dataset)
}

/// The dataset of several graphs with attributes, with the features that are `known`, or learned; and what they are.
fn attributed_of_several(
    file: &AttributedGraphs,
    options: &ImportOptions,
    known: Option<&Schema>,
) -> Result<(Dataset, Schema), DataError> {
    let mut options = options.clone();
    options.table.id = Some(ID_COLUMN.to_string());
    options.table.directed = file.directed.unwrap_or(options.table.directed);
    let tables = Tables { nodes: &file.nodes, edges: &file.edges, graphs: Some(&file.graph_table) };
    let (mut dataset, schema) = graphs::read(tables, GRAPH_COLUMN, &options, known)?;
    dataset.notes.extend(file.notes.iter().cloned());
    Ok((dataset, schema))
}

/// How the tables of graphs with attributes are read if it is one graph whose nodes are predicted.
fn attributed_of_one(file: &AttributedGraphs, options: &ImportOptions) -> Option<NodeTableOptions> {
    let of_graphs = options.targets.iter().any(|target| file.graph_table.column(target).is_some());
    if file.graphs > 1 || of_graphs {
        return None;
    }
    let mut table = NodeTableOptions { targets: options.targets.clone(), task: options.task, ..options.table.clone() };
    table.id = Some(ID_COLUMN.to_string());
    table.directed = file.directed.unwrap_or(table.directed);
    table.ignore.push(GRAPH_COLUMN.to_string());
    table.ignore_edges.push(GRAPH_COLUMN.to_string());
    Some(table)
}

fn ogb_options(options: &ImportOptions) -> OgbOptions {
    let (task, draw) = (options.task, options.table.split.clone());
    OgbOptions { directed: options.table.directed, task, draw, ..OgbOptions::default() }
}

fn tu_options(options: &ImportOptions) -> TuOptions {
    TuOptions {
        regression: options.task == Some(TargetKind::Numbers),
        one_hot: false,
        split: options.table.split.clone(),
    }
}

fn molecule_options(options: &ImportOptions) -> MoleculeOptions {
    let mut molecules = MoleculeOptions {
        smiles: options.smiles.clone(),
        targets: options.targets.clone(),
        id: options.table.id.clone(),
        task: options.task,
        skip_bad: options.skip_bad_molecules,
        ..MoleculeOptions::default()
    };
    if let SplitChoice::Automatic { fractions, seed } = options.table.split {
        (molecules.fractions, molecules.seed) = (fractions, seed);
    }
    molecules
}

fn wrong(path: &Path, reason: String) -> DataError {
    DataError::Array { file: path.display().to_string(), reason }
}
