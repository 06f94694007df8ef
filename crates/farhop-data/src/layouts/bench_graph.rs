//! Graphs for benchmarks: an `npz` archive with `edge_index` (whole numbers, `[2, E]`: sources,
//! then targets, both directions of every edge), `x` (`[N, F]`), `y` (classes `[N]`, or targets
//! `[G, T]`) and, for many small graphs in one file, `batch` (`[N]`, the graph of each node).

use std::io::{Read, Seek};
use std::path::Path;

use farhop_graph::{BuildReport, Direction, Graph};

use crate::dataset::categories::MOST_CATEGORIES;
use crate::dataset::entry_rows::build_graph;
use crate::error::DataError;
use crate::formats::npy::Array;
use crate::formats::npz::Npz;
use crate::tables::scan::MOST_NODES;

/// A graph for benchmarks.
#[derive(Debug)]
pub struct BenchGraph {
    /// The graph, undirected.
    pub graph: Graph,
    /// What became of the rows: the second direction of an edge counts as a duplicate.
    pub report: BuildReport,
    /// `[nodes, width]`, row after row.
    pub features: Vec<f32>,
    /// Numbers in a feature row.
    pub width: usize,
    /// What to predict.
    pub targets: BenchTargets,
    /// The graph of each node, for many graphs in one file.
    pub batch: Option<Vec<u32>>,
}

/// What a benchmark model predicts.
#[derive(Debug, Clone, PartialEq)]
pub enum BenchTargets {
    /// A class for every node.
    Classes {
        /// The class of each node.
        of_node: Vec<u32>,
        /// One more than the largest class.
        count: usize,
    },
    /// Numbers for every graph.
    Numbers {
        /// `[graphs, columns]`, row after row.
        values: Vec<f32>,
        /// Numbers for a graph.
        columns: usize,
    },
}

impl BenchGraph {
    /// Reads an archive.
    pub fn open(path: &Path) -> Result<BenchGraph, DataError> {
        BenchGraph::read(&mut Npz::open(path)?)
    }

    /// Reads an open archive.
    pub fn read<R: Read + Seek>(npz: &mut Npz<R>) -> Result<BenchGraph, DataError> {
        let (features, shape) = npz.f32("x")?;
        BenchGraph::with_features(npz, features, &shape)
    }

    /// The rest of an open archive whose features were read or left where they are: `shape` is theirs.
    pub(crate) fn with_features<R: Read + Seek>(
        npz: &mut Npz<R>,
        features: Vec<f32>,
        shape: &[usize],
    ) -> Result<BenchGraph, DataError> {
        let (nodes, width) = match *shape {
            [nodes, width] if nodes > 0 && width > 0 && nodes <= MOST_NODES => (nodes, width),
            _ => {
                let reason = format!("the array has shape {shape:?}; at least one row and one column are needed.");
                return Err(npz.wrong("x", reason));
            }
        };
        let (graph, report) = read_graph(npz, nodes)?;
        let batch = read_batch(npz, nodes)?;
        let graphs = batch.as_ref().and_then(|batch| batch.iter().max()).map_or(1, |&last| last as usize + 1);
        let y = npz.array("y")?;
        let targets = match y.shape[..] {
            [rows] => {
                require_length(&y, rows, nodes, "nodes")?;
                let of_node = y.to_ids(MOST_CATEGORIES)?;
                let count = of_node.iter().max().map_or(0, |&last| last as usize + 1);
                BenchTargets::Classes { of_node, count }
            }
            [rows, columns] => {
                require_length(&y, rows, graphs, "graphs")?;
                let values = y.to_f32()?;
                BenchTargets::Numbers { values, columns }
            }
            _ => return Err(wrong(&y, "one or two dimensions are needed.".to_string())),
        };
        Ok(BenchGraph { graph, report, features, width, targets, batch })
    }
}

fn read_graph<R: Read + Seek>(npz: &mut Npz<R>, nodes: usize) -> Result<(Graph, BuildReport), DataError> {
    let edge_index = npz.array("edge_index")?;
    if edge_index.shape.len() != 2 || edge_index.shape[0] != 2 {
        return Err(wrong(&edge_index, "shape [2, edges] is needed.".to_string()));
    }
    let ends = edge_index.to_ids(nodes)?;
    let (sources, targets) = ends.split_at(ends.len() / 2);
    let rows: Vec<(u32, u32)> = sources.iter().copied().zip(targets.iter().copied()).collect();
    let built = build_graph(&edge_index.name, nodes, &rows, Direction::Undirected)?;
    Ok((built.graph, built.report))
}

fn read_batch<R: Read + Seek>(npz: &mut Npz<R>, nodes: usize) -> Result<Option<Vec<u32>>, DataError> {
    if !npz.contains("batch") {
        return Ok(None);
    }
    let batch = npz.array("batch")?;
    batch.require_dimensions(1)?;
    require_length(&batch, batch.shape[0], nodes, "nodes")?;
    let graph_of = batch.to_ids(nodes)?;
    if !graph_of.is_sorted() {
        let reason = "nodes of one graph must stand together, graphs in order.".to_string();
        return Err(wrong(&batch, reason));
    }
    Ok(Some(graph_of))
}

fn require_length(array: &Array, found: usize, needed: usize, what: &str) -> Result<(), DataError> {
    if found == needed {
        return Ok(());
    }
    Err(wrong(array, format!("there are {needed} {what}, so that many rows are needed.")))
}

fn wrong(array: &Array, reason: String) -> DataError {
    DataError::Array { file: array.name.clone(), reason: format!("the array has shape {:?}; {reason}", array.shape) }
}
