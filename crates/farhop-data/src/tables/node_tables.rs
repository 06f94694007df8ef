//! A nodes table and an edges table, read into a dataset.

use std::borrow::Cow;
use std::path::Path;

use farhop_graph::GraphSet;

use crate::dataset::card::{DataCard, FeatureSummary, TableSummary};
use crate::dataset::parts::{SortedRows, edgeless};
use crate::dataset::split::{Part, Split};
use crate::dataset::split_choice::TableSplit;
use crate::dataset::{Columns, Dataset, Level, NumbersOnDisk, Target};
use crate::error::DataError;
use crate::error::place::Place;
use crate::error::problems::Problems;
use crate::files::scratch::Scratch;
use crate::files::source::is_standard_input;
use crate::formats::table::Table;
use crate::tables::edge_features::{self, EdgeColumns, EdgeFeatures};
use crate::tables::edges::{self, EdgeOptions, EdgeTable, KnownIds, NodeIds, ReadEdges, SortedEdges};
use crate::tables::features::{Encoded, encode, encode_rows, infer_kinds, statistics_and_fill};
use crate::tables::graph_features::{complete_graph_features, graph_feature, graph_feature_of};
use crate::tables::options::{ApplyOptions, NodeTableOptions, SplitChoice};
use crate::tables::roles::Roles;
use crate::tables::scan::Scan;
use crate::tables::schema::{FeatureColumn, FeatureKind, Schema, TargetColumn};
use crate::text::{counted, listed, quoted};

const EXAMPLE: &str = "id,label,x1,x2";

/// Two tables that were read: the dataset, and how cells became numbers.
///
/// The dataset is one graph whose nodes are predicted. Without a target its truth is a [`Target::Class`] of no classes
/// and nobody's label, and its split is empty.
#[derive(Debug, Clone)]
pub struct NodeTables {
    /// Everything that training and scoring need.
    pub dataset: Dataset,
    /// How tables became arrays.
    pub schema: Schema,
    /// What became of the rows and columns.
    pub summary: TableSummary,
}

impl NodeTables {
    /// Reads tables for training: columns, targets and split are found as `options` say.
    pub fn load(nodes: &Path, edges: &Path, options: &NodeTableOptions) -> Result<NodeTables, DataError> {
        Ok(load(nodes, edges, options, false)?.0)
    }

    /// As [`NodeTables::load`], with the weight of every entry of the graph, `[entries]`; the column of weights is then
    /// no feature of edges. A table without weights is an error.
    pub fn load_weighted(
        nodes: &Path,
        edges: &Path,
        options: &NodeTableOptions,
    ) -> Result<(NodeTables, Vec<f32>), DataError> {
        let (tables, weights) = load(nodes, edges, options, true)?;
        Ok((tables, weights.unwrap_or_default()))
    }

    /// Reads new tables the way `schema` read those of training. Targets and split are optional: a
    /// class that training never saw is counted in a note and left out.
    pub fn load_with_schema(
        nodes: &Path,
        edges: &Path,
        schema: &Schema,
        options: &ApplyOptions,
    ) -> Result<NodeTables, DataError> {
        NodeTables::load_beside(nodes, edges, schema, options, None)
    }

    /// As [`NodeTables::load_with_schema`]; edges may also name nodes that are `known`, which then come after those of the
    /// table with mean features.
    pub(crate) fn load_beside(
        nodes: &Path,
        edges: &Path,
        schema: &Schema,
        options: &ApplyOptions,
        known: Option<&KnownIds<'_>>,
    ) -> Result<NodeTables, DataError> {
        let table = open_nodes(nodes, edges)?;
        NodeTables::read_open(&table, &Table::open(edges, edges::EXAMPLE)?, schema, options, known)
    }

    /// The same of tables that are open.
    pub(crate) fn read_open(
        table: &Table,
        edge_table: &Table,
        schema: &Schema,
        options: &ApplyOptions,
        known: Option<&KnownIds<'_>>,
    ) -> Result<NodeTables, DataError> {
        let roles = Roles::from_schema(table, schema)?;
        let columns: Vec<FeatureColumn> = match options.fill {
            None => schema.features.clone(),
            Some(fill) => schema
                .features
                .iter()
                .map(|column| FeatureColumn { name: column.name.clone(), kind: column.kind.with_fill(fill) })
                .collect(),
        };
        let mut problems = Problems::default();
        let mut scan = Scan::of(table, &roles, None, &mut problems)?;
        let edge_options = EdgeOptions { directed: schema.directed, weights: false };
        let edges = read_edges(table, &mut scan, (options.add_missing_nodes, known), |ids| {
            EdgeTable::read(edge_table, ids, edge_options)
        });
        let edges = edges.and_then(|edges| {
            let columns = EdgeColumns::of(edge_table, &edges);
            let features = edge_features::apply(&columns, &schema.edge_features, options.fill)?;
            Ok((edges, features))
        });
        let target = scan.target_columns(table, &place_in(table)).apply(schema.target.as_ref());
        let read = Together { problems, table, roles: &roles, columns: &columns, rows: scan.ids.len() };
        let ((edges, edge_features), (target, unknown)) = read.all_or_every_problem(edges, target)?;
        let labelled = roles.targets.iter().any(Option::is_some);
        let split = match labelled {
            true => table_split(table, &roles, &scan, &target, "", &place_in(table)).apply(),
            false => None,
        };
        let mut encoded = encode(table, &roles, &columns, scan.ids.len())?;
        graph_feature(&columns, &edges.built.graph, &mut encoded.features);
        let mut notes = table_notes(table, edge_table);
        notes.extend(feature_notes(&columns, &encoded));
        notes.extend(unused_note(table, &roles));
        if unknown > 0 {
            notes.push(format!(
                "{} a label that the model does not know; left out of the scores",
                counted(unknown, "node has", "nodes have")
            ));
        }
        let read =
            ReadTables { table, ids: scan.ids, edges, edge_features, features: encoded.features, target, split, notes };
        read.assemble(schema.clone())
    }

    /// What was read, on one screen.
    pub fn card(&self) -> DataCard {
        DataCard { table: Some(self.summary.clone()), ..DataCard::of(&self.dataset) }
    }
}

fn load(
    nodes: &Path,
    edges: &Path,
    options: &NodeTableOptions,
    weights: bool,
) -> Result<(NodeTables, Option<Vec<f32>>), DataError> {
    let table = open_nodes(nodes, edges)?;
    load_open(&table, &Table::open(edges, edges::EXAMPLE)?, options, weights)
}

/// As [`NodeTables::load`], of tables that are open; with the weights of entries if they are asked for.
pub(crate) fn load_open(
    table: &Table,
    edge_table: &Table,
    options: &NodeTableOptions,
    weights: bool,
) -> Result<(NodeTables, Option<Vec<f32>>), DataError> {
    let edge_options = EdgeOptions { directed: options.directed, weights };
    let learned = learn(table, edge_table, options, |ids| EdgeTable::read(edge_table, ids, edge_options))?;
    let Learned { roles, ids, columns, edges, target, target_column, split, mut notes } = learned;
    let mut encoded = encode(table, &roles, &columns, ids.len())?;
    graph_feature(&columns, &edges.built.graph, &mut encoded.features);
    notes.extend(feature_notes(&columns, &encoded));
    let edge_features = edge_features::learn(&EdgeColumns::of(edge_table, &edges), options)?;
    let header = |column: usize| table.header()[column].clone();
    let schema = Schema {
        id: header(roles.id),
        target: target_column,
        split: roles.split.map(header),
        features: columns,
        directed: options.directed,
        edge_features: edge_features.columns.clone(),
    };
    let entry_weights = edges.entry_weights();
    let read = ReadTables { table, ids, edges, edge_features, features: encoded.features, target, split, notes };
    Ok((read.assemble(schema)?, entry_weights))
}

/// As [`NodeTables::load`], with nothing of the size of the edges or of the features in memory: the dataset has an edgeless graph and features
/// that lie in a file of `scratch`, and rows with the features of edges are beside it. None of standard input.
pub(crate) fn load_on_disk(
    nodes: &Path,
    edges: &Path,
    options: &NodeTableOptions,
    scratch: &Scratch,
) -> Result<Option<(Dataset, SortedRows, Option<NumbersOnDisk>)>, DataError> {
    if is_standard_input(nodes) || is_standard_input(edges) {
        return Ok(None);
    }
    let table = &Table::open_on_disk(nodes, EXAMPLE, scratch)?;
    let edge_table = &Table::open_on_disk(edges, edges::EXAMPLE, scratch)?;
    let features = |ends: [usize; 2]| {
        let free = |(column, name): (usize, &String)| !ends.contains(&column) && !options.ignore_edges.contains(name);
        edge_table.header().iter().enumerate().any(free)
    };
    let featured = edges::end_columns(edge_table).is_ok_and(features);
    let learned = learn(table, edge_table, options, |ids| {
        SortedEdges::read(edge_table, ids, options.directed, featured, scratch)
    })?;
    let Learned { roles, ids, columns, edges, target, split, mut notes, .. } = learned;
    let mut numbers = scratch.file()?.writer();
    let counts = encode_rows(table, &roles, &columns, ids.len(), |node, row| {
        graph_feature_of(&columns, &edges.rows, node, row);
        numbers.put_f32(row)
    })?;
    notes.extend(feature_notes(&columns, &counts));
    let edge_features = edge_features::learn_on_disk(edge_table, &edges, options, scratch)?;
    notes.extend(edge_features.notes);
    let shape = [ids.len(), columns.iter().map(|column| column.kind.width()).sum()];
    let numbers = NumbersOnDisk::new(table.name(), numbers.finish()?.open_again()?, 0, shape);
    let dataset = Dataset {
        nodes: Columns::on_disk(numbers),
        split: split.map(|(split, _)| split).unwrap_or_default(),
        notes,
        sources: vec![table.source().clone(), edge_table.source().clone()],
        ..Dataset::new(table.name(), edgeless(table.name(), ids.len())?, Level::Node, target)
    };
    Ok(Some((Dataset { ids, ..dataset }.check()?, edges.rows, edge_features.numbers)))
}

/// What two tables were found to be, but for features.
struct Learned<E> {
    roles: Roles,
    ids: Vec<String>,
    /// The columns of features, complete.
    columns: Vec<FeatureColumn>,
    edges: E,
    target: Target,
    target_column: Option<TargetColumn>,
    split: Option<(Split, String)>,
    notes: Vec<String>,
}

/// Finds out what two tables are; edges are read by `read`.
fn learn<E: ReadEdges>(
    table: &Table,
    edge_table: &Table,
    options: &NodeTableOptions,
    read: impl FnOnce(NodeIds<'_>) -> Result<E, DataError>,
) -> Result<Learned<E>, DataError> {
    let mut problems = Problems::default();
    let roles = problems.hear(Roles::infer(table, options));
    problems.hear(edge_features::check_names(edge_table, options));
    let Some(roles) = roles.filter(|_| problems.is_empty()) else { return Err(problems.into_error()) };
    let mut scan = Scan::of(table, &roles, Some(options.most_categories), &mut problems)?;
    let looks = std::mem::take(&mut scan.columns);
    let mut columns = infer_kinds(table, &roles, looks, scan.ids.len(), options, &mut problems);
    let edges = read_edges(table, &mut scan, (options.add_missing_nodes, None), read);
    let mut notes = table_notes(table, edge_table);
    let place = place_in(table);
    let target = scan.target_columns(table, &place).learn(options.task, Level::Node, &mut notes);
    let read = Together { problems, table, roles: &roles, columns: &columns, rows: scan.ids.len() };
    let (edges, (target, target_column)) = read.all_or_every_problem(edges, target)?;
    let split = match &target_column {
        None => None,
        Some(column) => {
            let rows = table_split(table, &roles, &scan, &target, &column.name, &place);
            let choice = match &options.split_file {
                Some(file) => SplitChoice::Given(file.split(scan.ids.len(), &scan.ids)?),
                None => options.split.clone(),
            };
            Some(rows.learn(&choice, &mut notes)?)
        }
    };
    let train = split.as_ref().map_or(&[][..], |(split, _)| &split.train);
    statistics_and_fill(table, &roles, &mut columns, train, options)?;
    if columns.is_empty() {
        columns.push(complete_graph_features(edges.graph(), train, options));
        notes.push(format!("{} has no feature columns; every node gets {}", table.name(), columns[0].name));
    }
    Ok(Learned { roles, ids: scan.ids, columns, edges, target, target_column, split, notes })
}

/// The steps of reading two tables that can go wrong without one another.
struct Together<'a> {
    /// What was wrong so far.
    problems: Problems,
    table: &'a Table,
    roles: &'a Roles,
    columns: &'a [FeatureColumn],
    rows: usize,
}

impl Together<'_> {
    /// What the edges and the target came to. If anything was wrong, nothing will come of the tables: the cells of the
    /// features are looked at as well, so that everything is said at once.
    fn all_or_every_problem<E, T>(
        mut self,
        edges: Result<E, DataError>,
        target: Result<T, DataError>,
    ) -> Result<(E, T), DataError> {
        let (edges, target) = match (edges, target) {
            (Ok(edges), Ok(target)) if self.problems.is_empty() => return Ok((edges, target)),
            (edges, target) => (edges.err(), target.err()),
        };
        let cells = encode_rows(self.table, self.roles, self.columns, self.rows, |_, _| Ok(())).err();
        // Rows with problems are left out of the classes: what then is wrong with those may be no fault of their own.
        let of_rows = !self.problems.is_empty();
        let follows = |error: &DataError| {
            of_rows && matches!(error, DataError::TooFewClasses { .. } | DataError::TooManyClasses { .. })
        };
        for error in [target.filter(|error| !follows(error)), cells, edges].into_iter().flatten() {
            self.problems.hear::<()>(Err(error));
        }
        Err(self.problems.into_error())
    }
}

fn open_nodes(nodes: &Path, edges: &Path) -> Result<Table, DataError> {
    if is_standard_input(nodes) && is_standard_input(edges) {
        return Err(DataError::StandardInputTwice);
    }
    Table::open(nodes, EXAMPLE)
}

/// Reads the edges; ids that only they name are added to the scan as unlabelled nodes.
fn read_edges<E: ReadEdges>(
    table: &Table,
    scan: &mut Scan,
    (add_missing, known): (bool, Option<&KnownIds<'_>>),
    read: impl FnOnce(NodeIds<'_>) -> Result<E, DataError>,
) -> Result<E, DataError> {
    let all: Cow<'_, [String]> = match scan.broken_ids.is_empty() {
        true => Cow::Borrowed(&scan.ids),
        false => Cow::Owned([&scan.ids[..], &scan.broken_ids].concat()),
    };
    let (ids, file) = (&all[..], table.name());
    let ids = match known {
        None => NodeIds::Table { ids, file, add_missing },
        Some(known) => NodeIds::Joined { ids, file, known, add_missing },
    };
    let edges = read(ids)?;
    drop(all);
    scan.ids.extend(edges.added().iter().cloned());
    for target in &mut scan.targets {
        target.cells.resize(scan.ids.len(), None);
    }
    if !scan.parts.is_empty() {
        scan.parts.resize(scan.ids.len(), None::<Part>);
    }
    Ok(edges)
}

fn place_in(table: &Table) -> impl Fn(usize) -> Place {
    |row| table.place_of_row(row)
}

fn table_split<'a>(
    table: &'a Table,
    roles: &Roles,
    scan: &'a Scan,
    target: &'a Target,
    column: &'a str,
    place: &'a dyn Fn(usize) -> Place,
) -> TableSplit<'a> {
    let marked = roles.split.map(|column| (table.header()[column].as_str(), &scan.parts[..]));
    TableSplit { file: table.name(), column, target, rows: scan.ids.len(), marked, place }
}

/// Everything that was read, on its way to a dataset.
struct ReadTables<'a> {
    table: &'a Table,
    ids: Vec<String>,
    edges: EdgeTable,
    edge_features: EdgeFeatures,
    features: Vec<f32>,
    target: Target,
    split: Option<(Split, String)>,
    notes: Vec<String>,
}

impl ReadTables<'_> {
    fn assemble(self, schema: Schema) -> Result<NodeTables, DataError> {
        let (split, origin) = self.split.unzip();
        let report = self.edges.built.report;
        let summary = TableSummary {
            nodes_file: self.table.name().to_string(),
            edges_file: self.edges.source.name().to_string(),
            added_nodes: self.edges.added.len(),
            edge_rows: report.rows,
            duplicates: report.duplicates,
            self_loops: report.self_loops,
            targets: schema.target.iter().flat_map(|target| target.names()).map(str::to_string).collect(),
            features: schema.features.iter().map(FeatureSummary::of).collect(),
            edge_features: schema.edge_features.iter().map(FeatureSummary::of).collect(),
            split: origin,
        };
        let mut notes = self.notes;
        notes.extend(self.edge_features.notes);
        let dataset = Dataset {
            nodes: Columns::dense(schema.width(), self.features),
            edges: self.edge_features.features,
            split: split.unwrap_or_default(),
            ids: self.ids,
            notes,
            sources: vec![self.table.source().clone(), self.edges.source],
            ..Dataset::new(self.table.name(), GraphSet::single(self.edges.built.graph), Level::Node, self.target)
        };
        Ok(NodeTables { dataset: dataset.check()?, schema, summary })
    }
}

fn unused_note(table: &Table, roles: &Roles) -> Option<String> {
    let names = roles.unused.iter().map(|&column| table.header()[column].as_str());
    (!roles.unused.is_empty())
        .then(|| format!("columns of {} that the model does not use: {}", table.name(), listed(names)))
}

/// How the tables were read, where that is not plain.
fn table_notes(nodes: &Table, edges: &Table) -> Vec<String> {
    [nodes, edges].into_iter().filter_map(Table::note).collect()
}

pub(crate) fn feature_notes(columns: &[FeatureColumn], encoded: &Encoded) -> Vec<String> {
    let mut notes = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let name = quoted(&column.name);
        if matches!(column.kind, FeatureKind::Number { dates: true, .. }) {
            notes.push(format!("column {name}: dates are read as days since 1970-01-01"));
        }
        let filled = encoded.filled[index];
        if filled > 0 {
            let cells = counted(filled, "missing cell", "missing cells");
            notes.push(format!("column {name}: {cells} filled"));
        }
        let unseen = encoded.unseen[index];
        if unseen > 0 {
            let cells = counted(unseen, "cell has", "cells have");
            notes.push(format!(
                "column {name}: {cells} a category that training never saw; encoded as none of the known ones"
            ));
        }
    }
    notes
}
