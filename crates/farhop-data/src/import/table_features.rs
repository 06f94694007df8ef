//! What nodes, graphs and archives share on their way to a dataset.

use farhop_graph::Graph;

use crate::dataset::Columns;
use crate::error::DataError;
use crate::error::problems::Problems;
use crate::formats::table::Table;
use crate::tables::features::{encode, encode_rows, infer_kinds, statistics_and_fill};
use crate::tables::graph_features::{complete_graph_features, graph_feature};
use crate::tables::node_tables::feature_notes;
use crate::tables::options::NodeTableOptions;
use crate::tables::roles::Roles;
use crate::tables::scan::Scan;
use crate::tables::schema::FeatureColumn;

/// The features of the rows of a nodes table, `[nodes, width]`, with statistics over the rows in `train`, and what its columns are.
pub(super) fn read_features(
    table: &Table,
    roles: &Roles,
    scan: &mut Scan,
    graph: &Graph,
    train: &[u32],
    options: &NodeTableOptions,
    notes: &mut Vec<String>,
) -> Result<(Columns, Vec<FeatureColumn>), DataError> {
    let looks = std::mem::take(&mut scan.columns);
    let mut problems = Problems::default();
    let mut columns = infer_kinds(table, roles, looks, scan.ids.len(), options, &mut problems);
    if !problems.is_empty() {
        // Nothing will come of it: the cells are looked at as well, so that everything is said at once.
        problems.hear(encode_rows(table, roles, &columns, scan.ids.len(), |_, _| Ok(())));
    }
    problems.into_result()?;
    statistics_and_fill(table, roles, &mut columns, train, options)?;
    if columns.is_empty() {
        columns.push(complete_graph_features(graph, train, options));
        notes.push(format!("{} has no feature columns; every node gets {}", table.name(), columns[0].name));
    }
    let features = encode_features(table, roles, &columns, scan.ids.len(), graph, notes)?;
    Ok((features, columns))
}

/// The features of `rows` rows of a nodes table, whose columns are known.
pub(super) fn encode_features(
    table: &Table,
    roles: &Roles,
    columns: &[FeatureColumn],
    rows: usize,
    graph: &Graph,
    notes: &mut Vec<String>,
) -> Result<Columns, DataError> {
    let mut encoded = encode(table, roles, columns, rows)?;
    graph_feature(columns, graph, &mut encoded.features);
    notes.extend(feature_notes(columns, &encoded));
    let width = columns.iter().map(|column| column.kind.width()).sum();
    Ok(Columns::dense(width, encoded.features))
}
