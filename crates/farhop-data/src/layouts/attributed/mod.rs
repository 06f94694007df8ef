//! Graphs whose nodes, edges and graphs have named attributes: GraphML, GEXF, GML, node-link JSON, pickles of networkx.
//!
//! A file becomes up to three tables, whose rows remember the lines they came from: nodes, edges, and (with more than one
//! graph, or data on graphs) graphs. [`crate::import`] makes a dataset of them as it does of tables that were read.

mod adjacency_list;
mod gexf;
mod gml;
mod graphml;
mod items;
mod networkx;
mod node_link;

pub(crate) use networkx::is_graph;

use std::path::Path;

use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::pickle::Value;
use crate::formats::table::Table;
use crate::formats::text_file::TextFile;

/// The column of ids in the nodes table and in the table of graphs.
pub(crate) const ID_COLUMN: &str = "node id";
/// The column of the graph in the nodes table and in the edges table.
pub(crate) const GRAPH_COLUMN: &str = "graph id";

/// Graphs as tables.
#[derive(Debug)]
pub(crate) struct AttributedGraphs {
    /// Whether edges are directed; `None` where a file does not say.
    pub directed: Option<bool>,
    /// How many graphs there are.
    pub graphs: usize,
    /// Columns: the id of the node, the id of its graph, then the attributes of nodes.
    pub nodes: Table,
    /// Columns: source, target, the id of the graph, then the attributes of edges.
    pub edges: Table,
    /// Columns: the id of the graph, then the attributes of graphs.
    pub graph_table: Table,
    /// What is unusual, a line each.
    pub notes: Vec<String>,
}

/// Text formats of such graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// GraphML.
    GraphMl,
    /// GEXF, the format of Gephi.
    Gexf,
    /// The Graph Modelling Language.
    Gml,
    /// JSON with lists of nodes and links.
    NodeLink,
    /// A node and its neighbours on each line.
    AdjacencyList,
}

impl GraphFormat {
    /// What a file of this format is called.
    pub fn name(self) -> &'static str {
        match self {
            GraphFormat::GraphMl => "GraphML",
            GraphFormat::Gexf => "GEXF",
            GraphFormat::Gml => "GML",
            GraphFormat::NodeLink => "node-link JSON",
            GraphFormat::AdjacencyList => "an adjacency list",
        }
    }
}

impl AttributedGraphs {
    /// Reads a file.
    pub fn open(path: &Path, format: GraphFormat) -> Result<AttributedGraphs, DataError> {
        AttributedGraphs::read(&TextFile::open(path)?, format)
    }

    /// Reads bytes that were read elsewhere; they may be compressed.
    pub fn from_bytes(path: &str, bytes: Vec<u8>, format: GraphFormat) -> Result<AttributedGraphs, DataError> {
        AttributedGraphs::read(&TextFile::from_bytes(path, bytes)?, format)
    }

    /// Graphs of networkx that a pickle holds: one, or a list.
    pub fn of_networkx(source: &SourceFile, value: &Value) -> Result<AttributedGraphs, DataError> {
        networkx::read(value)?.finish(source, &source.budget())
    }

    fn read(file: &TextFile, format: GraphFormat) -> Result<AttributedGraphs, DataError> {
        let builder = match format {
            GraphFormat::GraphMl => return graphml::read(file),
            GraphFormat::Gexf => gexf::read(file)?,
            GraphFormat::Gml => gml::read(file)?,
            GraphFormat::NodeLink => node_link::read(file)?,
            GraphFormat::AdjacencyList => adjacency_list::read(file)?,
        };
        builder.finish(file.source(), file.budget())
    }
}
