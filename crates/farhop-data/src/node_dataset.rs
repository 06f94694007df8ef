//! A nodes table and an edges table, read into arrays.

use std::path::Path;

use farhop_graph::{BuildReport, Graph};

use crate::card::{CardParts, DataCard};
use crate::edges::{EdgeOptions, EdgeTable, NodeIds};
use crate::error::DataError;
use crate::features::{Encoded, encode, infer_kinds, statistics_and_fill};
use crate::graph_features::{complete_graph_features, graph_feature};
use crate::labels::{known_classes, sorted_classes};
use crate::options::{ApplyOptions, NodeTableOptions};
use crate::roles::Roles;
use crate::scan::Scan;
use crate::schema::{FeatureColumn, Schema, TargetColumn};
use crate::source::{SourceFile, is_standard_input};
use crate::split::{Part, Split};
use crate::split_choice::Labelled;
use crate::table::Table;
use crate::text::{counted, listed, quoted};

const EXAMPLE: &str = "id,label,x1,x2";

/// Nodes with features and labels, and the graph between them. Everything in it was checked.
#[derive(Debug, Clone)]
pub struct NodeDataset {
    /// The user's ids; their position is the number of the node.
    pub ids: Vec<String>,
    /// The graph over the nodes.
    pub graph: Graph,
    /// `[nodes, width]`, row after row.
    pub features: Vec<f32>,
    /// Numbers in a feature row.
    pub width: usize,
    /// The class of each node; `None` without a label.
    pub labels: Vec<Option<u32>>,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// Which labelled nodes are for what; `None` without labels.
    pub split: Option<Split>,
    /// How tables became arrays.
    pub schema: Schema,
    /// What was read, on one screen.
    pub card: DataCard,
    /// The files that were read.
    pub sources: Vec<SourceFile>,
}

impl NodeDataset {
    /// Reads tables for training: columns, classes and split are found as `options` say.
    pub fn load(nodes: &Path, edges: &Path, options: &NodeTableOptions) -> Result<NodeDataset, DataError> {
        Ok(load(nodes, edges, options, false)?.0)
    }

    /// As [`NodeDataset::load`], with the weight of every entry of the graph, `[entries]`. A table
    /// without weights is an error.
    pub fn load_weighted(
        nodes: &Path,
        edges: &Path,
        options: &NodeTableOptions,
    ) -> Result<(NodeDataset, Vec<f32>), DataError> {
        let (dataset, weights) = load(nodes, edges, options, true)?;
        Ok((dataset, weights.unwrap_or_default()))
    }

    /// Reads new tables the way `schema` read those of training. Labels and split are optional: a
    /// label that training never saw is counted in a warning and left out.
    pub fn load_with_schema(
        nodes: &Path,
        edges: &Path,
        schema: &Schema,
        options: &ApplyOptions,
    ) -> Result<NodeDataset, DataError> {
        let table = open_nodes(nodes, edges)?;
        let roles = Roles::from_schema(&table, schema)?;
        let mut scan = Scan::of(&table, &roles, None)?;
        let edge_options = EdgeOptions { directed: schema.directed, weights: false };
        let add_missing = options.add_missing_nodes;
        let edges = read_edges(&table, edges, &mut scan, add_missing, edge_options)?;
        let (labels, unknown) = known_classes(&scan.labels, &scan.label_values, schema.classes());
        let split = roles.split.filter(|_| roles.target.is_some()).map(|_| Split::from_parts(&scan.parts, &labels));
        let columns: Vec<FeatureColumn> = match options.fill {
            None => schema.features.clone(),
            Some(fill) => schema
                .features
                .iter()
                .map(|column| FeatureColumn { name: column.name.clone(), kind: column.kind.with_fill(fill) })
                .collect(),
        };
        let mut encoded = encode(&table, &roles, &columns, scan.ids.len())?;
        graph_feature(&columns, &edges.built.graph, &mut encoded.features);
        let mut warnings = edge_warnings(&edges);
        warnings.extend(feature_warnings(&columns, &encoded));
        warnings.extend(unused_warning(&table, &roles));
        if unknown > 0 {
            warnings.push(format!(
                "{} a label that the model does not know; left out of the scores",
                counted(unknown, "node has", "nodes have")
            ));
        }
        let origin = split_column_origin(&table, &roles);
        Ok(assemble(Assembly {
            table: &table,
            ids: scan.ids,
            edges,
            features: encoded.features,
            labels,
            split: split.map(|split| (split, origin)),
            schema: schema.clone(),
            warnings,
        }))
    }

    /// A dataset from arrays that were made, not read: features are numbers named `x0`, `x1`, ...,
    /// ids are row numbers. `labels` has one entry per node, each below `classes.len()`;
    /// `features` is `[nodes, width]`.
    pub fn from_arrays(
        name: &str,
        graph: Graph,
        features: Vec<f32>,
        width: usize,
        labels: Vec<Option<u32>>,
        classes: Vec<String>,
        split: Split,
    ) -> Result<NodeDataset, DataError> {
        let nodes = graph.nodes();
        let fits = features.len() == nodes * width
            && labels.len() == nodes
            && labels.iter().flatten().all(|&c| (c as usize) < classes.len());
        if !fits {
            return Err(DataError::Mismatch {
                what: format!(
                    "{name}: {nodes} nodes, {} feature numbers of width {width} and {} labels of {} classes do not fit together.",
                    features.len(),
                    labels.len(),
                    classes.len()
                ),
            });
        }
        let Split { train, valid, test } = split;
        let split = Split::from_lists(nodes, train, valid, test)?;
        let schema = Schema::of_arrays(width, &classes, graph.is_directed());
        let card = DataCard::new(CardParts {
            nodes_file: name,
            edges_file: name,
            added_nodes: 0,
            graph: &graph,
            report: BuildReport { rows: graph.edges(), duplicates: 0, self_loops: 0 },
            schema: &schema,
            labels: &labels,
            split: Some((&split, "made with the data".to_string())),
            warnings: Vec::new(),
        });
        Ok(NodeDataset {
            ids: (0..nodes).map(|node| node.to_string()).collect(),
            graph,
            features,
            width,
            labels,
            classes,
            split: Some(split),
            schema,
            card,
            sources: Vec::new(),
        })
    }
}

fn load(
    nodes: &Path,
    edges: &Path,
    options: &NodeTableOptions,
    weights: bool,
) -> Result<(NodeDataset, Option<Vec<f32>>), DataError> {
    let table = open_nodes(nodes, edges)?;
    let roles = Roles::infer(&table, options)?;
    let mut scan = Scan::of(&table, &roles, Some(options.most_categories))?;
    let looks = std::mem::take(&mut scan.columns);
    let mut columns = infer_kinds(&table, &roles, looks, scan.ids.len(), options)?;
    let edge_options = EdgeOptions { directed: options.directed, weights };
    let add_missing = options.add_missing_nodes;
    let edges = read_edges(&table, edges, &mut scan, add_missing, edge_options)?;
    let (labels, classes) = sorted_classes(&scan.labels, &scan.label_values);
    let mut warnings = edge_warnings(&edges);
    let split = match roles.target {
        None => None,
        Some(target) => {
            let labelled = Labelled {
                table: &table,
                roles: &roles,
                target,
                labels: &labels,
                classes: &classes,
                parts: &scan.parts,
            };
            Some(labelled.split(options, &mut warnings)?)
        }
    };
    let train = split.as_ref().map_or(&[][..], |(split, _)| &split.train);
    statistics_and_fill(&table, &roles, &mut columns, train, options)?;
    if columns.is_empty() {
        columns.push(complete_graph_features(&edges.built.graph, train, options));
        warnings.push(format!("{} has no feature columns; every node gets {}", table.name(), columns[0].name));
    }
    let mut encoded = encode(&table, &roles, &columns, scan.ids.len())?;
    graph_feature(&columns, &edges.built.graph, &mut encoded.features);
    warnings.extend(feature_warnings(&columns, &encoded));
    let header = |column: usize| table.header()[column].clone();
    let schema = Schema {
        id: header(roles.id),
        target: roles.target.map(|column| TargetColumn { name: header(column), classes }),
        split: roles.split.map(header),
        features: columns,
        directed: options.directed,
    };
    let entry_weights = edges.entry_weights();
    let dataset = assemble(Assembly {
        table: &table,
        ids: scan.ids,
        edges,
        features: encoded.features,
        labels,
        split,
        schema,
        warnings,
    });
    Ok((dataset, entry_weights))
}

fn open_nodes(nodes: &Path, edges: &Path) -> Result<Table, DataError> {
    if is_standard_input(nodes) && is_standard_input(edges) {
        return Err(DataError::StandardInputTwice);
    }
    Table::open(nodes, EXAMPLE)
}

/// Reads the edges; ids that only they name are added to the scan as unlabelled nodes.
fn read_edges(
    table: &Table,
    path: &Path,
    scan: &mut Scan,
    add_missing: bool,
    options: EdgeOptions,
) -> Result<EdgeTable, DataError> {
    let ids = NodeIds::Table { ids: &scan.ids, file: table.name(), add_missing };
    let edges = EdgeTable::open(path, ids, options)?;
    scan.ids.extend(edges.added.iter().cloned());
    scan.labels.resize(scan.ids.len(), None);
    if !scan.parts.is_empty() {
        scan.parts.resize(scan.ids.len(), None::<Part>);
    }
    Ok(edges)
}

struct Assembly<'a> {
    table: &'a Table,
    ids: Vec<String>,
    edges: EdgeTable,
    features: Vec<f32>,
    labels: Vec<Option<u32>>,
    split: Option<(Split, String)>,
    schema: Schema,
    warnings: Vec<String>,
}

fn assemble(parts: Assembly<'_>) -> NodeDataset {
    let card = DataCard::new(CardParts {
        nodes_file: parts.table.name(),
        edges_file: parts.edges.source.name(),
        added_nodes: parts.edges.added.len(),
        graph: &parts.edges.built.graph,
        report: parts.edges.built.report,
        schema: &parts.schema,
        labels: &parts.labels,
        split: parts.split.as_ref().map(|(split, o)| (split, o.clone())),
        warnings: parts.warnings,
    });
    NodeDataset {
        ids: parts.ids,
        graph: parts.edges.built.graph,
        features: parts.features,
        width: parts.schema.width(),
        labels: parts.labels,
        classes: parts.schema.classes().to_vec(),
        split: parts.split.map(|(split, _)| split),
        schema: parts.schema,
        card,
        sources: vec![parts.table.source().clone(), parts.edges.source],
    }
}

pub(crate) fn split_column_origin(table: &Table, roles: &Roles) -> String {
    let name = roles.split.map_or("split", |column| &table.header()[column]);
    format!("column {}", quoted(name))
}

pub(crate) fn edge_warnings(edges: &EdgeTable) -> Vec<String> {
    if edges.unused.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "columns of {} that are not used: {}",
        edges.source.name(),
        listed(edges.unused.iter().map(String::as_str))
    )]
}

fn unused_warning(table: &Table, roles: &Roles) -> Option<String> {
    let names = roles.unused.iter().map(|&column| table.header()[column].as_str());
    (!roles.unused.is_empty())
        .then(|| format!("columns of {} that the model does not use: {}", table.name(), listed(names)))
}

pub(crate) fn feature_warnings(columns: &[FeatureColumn], encoded: &Encoded) -> Vec<String> {
    let mut warnings = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let name = quoted(&column.name);
        let filled = encoded.filled[index];
        if filled > 0 {
            let cells = counted(filled, "missing cell", "missing cells");
            warnings.push(format!("column {name}: {cells} filled"));
        }
        let unseen = encoded.unseen[index];
        if unseen > 0 {
            let cells = counted(unseen, "cell has", "cells have");
            warnings.push(format!(
                "column {name}: {cells} a category that training never saw; encoded as none of the known ones"
            ));
        }
    }
    warnings
}
