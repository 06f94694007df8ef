//! What nodes, graphs and archives share on their way to a dataset.

use farhop_graph::Graph;

use crate::dataset::{Columns, Target};
use crate::error::DataError;
use crate::features::{encode, infer_kinds, statistics_and_fill};
use crate::graph_features::{complete_graph_features, graph_feature};
use crate::node_tables::feature_notes;
use crate::options::{NodeTableOptions, SplitChoice};
use crate::roles::Roles;
use crate::scan::Scan;
use crate::split::{Part, Split, SplitError};
use crate::table::Table;
use crate::target_cells::TargetCells;
use crate::target_kind::TargetKind;
use crate::task::chosen_split;

/// The cells of columns as a target; `rows` may be more than the table has, unknown then. Without columns there is no
/// target: numbers without names.
pub(super) fn read_target(
    table: &Table,
    columns: &[usize],
    rows: usize,
    task: Option<TargetKind>,
) -> Result<Target, DataError> {
    if columns.is_empty() {
        return Ok(Target::Number { values: Vec::new(), names: Vec::new() });
    }
    let mut cells = Vec::new();
    let mut walk = table.rows();
    while let Some(row) = walk.next_row()? {
        cells.extend(columns.iter().map(|&column| row.cell(column).to_string()));
    }
    cells.resize(rows * columns.len(), String::new());
    let locate = |row: usize, column: usize| {
        let mut walk = table.rows();
        while let Ok(Some(found)) = walk.next_row() {
            if found.index == row {
                return found.named_cell(columns.get(column).copied().unwrap_or(0));
            }
        }
        let place = table.place_of_row(row);
        let (column, value) = (String::new(), String::new());
        Box::new(crate::place::Cell { file: place.file, line: place.line, column, value })
    };
    let names = columns.iter().map(|&column| table.header()[column].clone()).collect();
    let target = TargetCells { columns: names, cells, locate: &locate };
    target.decide(task, TargetKind::Classes).map(|(target, _)| target)
}

/// The split of the rows of a table: given, from its split column, or seeded.
pub(super) fn read_split(
    table: &Table,
    column: Option<usize>,
    parts: &[Option<Part>],
    target: &Target,
    rows: usize,
    choice: &SplitChoice,
) -> Result<Split, DataError> {
    if target.outputs() == 0 {
        return Ok(Split::default());
    }
    if let (Some(column), SplitChoice::Automatic { .. }) = (column, choice) {
        let known: Vec<Option<u32>> = (0..rows).map(|row| target.is_known(row).then_some(0)).collect();
        let split = Split::from_parts(parts, &known);
        if split.train.is_empty() {
            let (file, column) = (table.name().to_string(), table.header()[column].clone());
            return Err(DataError::EmptyTrain { file, column });
        }
        return Ok(split);
    }
    chosen_split(rows, target, choice).map_err(|error| match (error, target) {
        (DataError::Split(SplitError::TooFew { labelled }), _) => {
            DataError::TooFewLabels { file: table.name().to_string(), labelled }
        }
        (DataError::Split(SplitError::Lonely { class, row }), Target::Class { classes, .. }) => {
            DataError::LonelyClass {
                place: table.place_of_row(row as usize),
                class: classes.get(class as usize).cloned().unwrap_or_default(),
                column: "target".to_string(),
            }
        }
        (other, _) => other,
    })
}

/// The features of the rows of a nodes table, `[nodes, width]`, with statistics over the rows in `train`.
pub(super) fn read_features(
    table: &Table,
    roles: &Roles,
    scan: &mut Scan,
    graph: &Graph,
    train: &[u32],
    options: &NodeTableOptions,
    notes: &mut Vec<String>,
) -> Result<Columns, DataError> {
    let looks = std::mem::take(&mut scan.columns);
    let mut columns = infer_kinds(table, roles, looks, scan.ids.len(), options)?;
    statistics_and_fill(table, roles, &mut columns, train, options)?;
    if columns.is_empty() {
        columns.push(complete_graph_features(graph, train, options));
        notes.push(format!("{} has no feature columns; every node gets {}", table.name(), columns[0].name));
    }
    let mut encoded = encode(table, roles, &columns, scan.ids.len())?;
    graph_feature(&columns, graph, &mut encoded.features);
    notes.extend(feature_notes(&columns, &encoded));
    let width = columns.iter().map(|column| column.kind.width()).sum();
    Ok(Columns::dense(width, encoded.features))
}
