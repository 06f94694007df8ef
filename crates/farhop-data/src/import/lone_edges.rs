//! Edges alone: their graph, without features or a target.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use farhop_graph::GraphSet;

use super::{ImportOptions, Tables, dataset_of};
use crate::dataset::{Columns, Dataset, Level, Target};
use crate::error::DataError;
use crate::error::setting::Setting;
use crate::formats::table::Table;
use crate::formats::table_rows::TableRows;
use crate::layouts::edge_list::{EdgeList, EdgeListOptions};
use crate::scores::metrics::Metric;
use crate::tables::edges::end_columns;
use crate::tables::graph_features::{complete_graph_features, graph_feature};

/// A dataset from an edge list. A third cell that is a number is a feature of its edge.
pub(super) fn read_list(path: &Path, options: &ImportOptions) -> Result<Dataset, DataError> {
    refuse_target(path, options)?;
    let list_options =
        EdgeListOptions { directed: options.table.directed, weights: has_weights(path), ..EdgeListOptions::default() };
    let list = EdgeList::open(path, list_options)?;
    let edges = list.entry_weights().map_or_else(Columns::none, |weights| Columns::dense(1, weights));
    let graph = list.built.graph;
    let column = complete_graph_features(&graph, &[], &options.table);
    let mut notes = list.notes;
    notes.push(format!("the file has edges alone; every node gets {}", column.name));
    let mut numbers = vec![0.0; graph.nodes()];
    graph_feature(&[column], &graph, &mut numbers);
    let nodes = graph.nodes();
    Dataset {
        nodes: Columns::dense(1, numbers),
        edges,
        metric: Metric::Accuracy,
        ids: list.names,
        notes,
        sources: vec![list.source],
        ..Dataset::new(path.display().to_string(), GraphSet::single(graph), Level::Node, Target::none(nodes))
    }
    .check()
}

/// A dataset from an edges table: every id in it is a node.
pub(super) fn read_table(path: &Path, options: &ImportOptions) -> Result<Dataset, DataError> {
    refuse_target(path, options)?;
    let edges = Table::open(path, "source,target")?;
    let ends = end_columns(&edges)?;
    let mut nodes = TableRows::new(edges.source().clone(), edges.budget().clone(), vec!["id".to_string()])?;
    let mut seen = HashSet::new();
    let mut rows = edges.rows();
    let mut line = 1;
    while let Some(row) = rows.next_row()? {
        line += 1;
        for id in ends.map(|end| row.cell(end)).into_iter().filter(|id| !id.is_empty()) {
            if !seen.contains(id) {
                seen.insert(id.to_string());
                nodes.push(line, std::iter::once(id))?;
            }
        }
    }
    let nodes = nodes.table()?;
    dataset_of(Tables { nodes: &nodes, edges: &edges, graphs: None }, options)
}

/// Edges say nothing about nodes but how they are joined.
fn refuse_target(path: &Path, options: &ImportOptions) -> Result<(), DataError> {
    match options.targets.first() {
        None => Ok(()),
        Some(target) => Err(super::wrong(
            path,
            format!(
                "edges alone have no column {} of nodes. Give a nodes table with it as {}, and this file as {}.",
                crate::text::quoted(target),
                Setting::named("nodes"),
                Setting::named("edges")
            ),
        )),
    }
}

/// Whether the first edge has a third cell that is a number.
fn has_weights(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut start = [0; 2];
    let Ok(mut again) = File::open(path) else { return false };
    let compressed = again.read_exact(&mut start).is_ok() && start == [0x1f, 0x8b];
    let reader: Box<dyn Read> =
        if compressed { Box::new(flate2::read::MultiGzDecoder::new(file)) } else { Box::new(file) };
    // The first line of a matrix that is no comment says how large it is.
    let matrix = |line: &String| line.starts_with("%%MatrixMarket");
    let mut lines = BufReader::new(reader.take(1 << 16)).lines().map_while(Result::ok).peekable();
    let skip = usize::from(lines.peek().is_some_and(matrix));
    let mut edges = lines.filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with(['#', '%']));
    let Some(first) = edges.nth(skip) else { return false };
    let mut cells = first.split(|c: char| c.is_whitespace() || c == ',').filter(|cell| !cell.is_empty());
    cells.nth(2).is_some_and(|cell| cell.parse::<f32>().is_ok())
}
