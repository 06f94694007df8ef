//! One graph whose nodes are predicted.

use farhop_graph::GraphSet;

use super::{ImportOptions, Tables, edge_features, parts};
use crate::dataset::{Columns, Dataset, Level};
use crate::edges::{EdgeOptions, EdgeTable, NodeIds, end_columns};
use crate::error::DataError;
use crate::node_dataset::edge_warnings;
use crate::options::NodeTableOptions;
use crate::roles::Roles;
use crate::scan::Scan;
use crate::task::usual_metric;

/// Reads a nodes table and an edges table.
pub(super) fn read(tables: Tables<'_>, options: &ImportOptions) -> Result<Dataset, DataError> {
    let Tables { nodes: table, edges: edge_table, .. } = tables;
    let mut table_options = NodeTableOptions { target: options.targets.first().cloned(), ..options.table.clone() };
    table_options.ignore.extend(options.targets.iter().skip(1).cloned());
    let roles = Roles::infer(table, &table_options)?;
    let mut scan = Scan::of(table, &roles, Some(table_options.most_categories))?;
    let ids = NodeIds::Table { ids: &scan.ids, file: table.name(), add_missing: table_options.add_missing_nodes };
    let edges = EdgeTable::read(edge_table, ids, EdgeOptions { directed: table_options.directed, weights: false })?;
    scan.ids.extend(edges.added.iter().cloned());
    let rows = scan.ids.len();
    scan.parts.resize(if roles.split.is_some() { rows } else { 0 }, None);
    let targets =
        options.targets.iter().map(|name| table.require(name, "the target")).collect::<Result<Vec<_>, _>>()?;
    let target = parts::read_target(table, &targets, rows, options.task)?;
    let split = parts::read_split(table, roles.split, &scan.parts, &target, rows, &table_options.split)?;
    let mut notes = Vec::new();
    let features = if options.edge_features {
        let ends = end_columns(edge_table)?;
        let others: Vec<usize> = (0..edge_table.header().len())
            .filter(|column| !ends.contains(column) && !table_options.ignore.contains(&edge_table.header()[*column]))
            .collect();
        edge_features::read(edge_table, &others, &edges.built, &mut notes)?
    } else {
        notes.extend(edge_warnings(&edges));
        Columns::none()
    };
    let nodes =
        parts::read_features(table, &roles, &mut scan, &edges.built.graph, &split.train, &table_options, &mut notes)?;
    let metric = usual_metric(&target);
    Dataset {
        name: table.name().to_string(),
        graphs: GraphSet::single(edges.built.graph),
        nodes,
        edges: features,
        level: Level::Node,
        target,
        split,
        metric,
        ids: scan.ids,
        notes,
        sources: vec![table.source().clone(), edges.source],
    }
    .check()
}
