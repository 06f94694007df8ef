//! What became of the rows and columns of tables.

use serde::{Deserialize, Serialize};

use crate::tables::schema::{FeatureColumn, FeatureKind};

/// What became of the rows and columns of a nodes table and an edges table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TableSummary {
    /// The nodes table.
    pub nodes_file: String,
    /// The edges table.
    pub edges_file: String,
    /// Nodes that only the edges table names.
    pub added_nodes: usize,
    /// Rows of the edges table.
    pub edge_rows: usize,
    /// Rows of the edges table that repeat an edge and were merged.
    pub duplicates: usize,
    /// Rows of the edges table that join a node to itself and were set apart.
    pub self_loops: usize,
    /// The columns to predict.
    pub targets: Vec<String>,
    /// The feature columns of nodes.
    pub features: Vec<FeatureSummary>,
    /// The feature columns of edges.
    pub edge_features: Vec<FeatureSummary>,
    /// Where the split comes from, in words.
    pub split: Option<String>,
}

/// A feature column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureSummary {
    /// The name of the column.
    pub name: String,
    /// `number`, `date`, `category`, `degree` or `one`.
    pub kind: String,
    /// How many numbers it becomes.
    pub width: usize,
}

impl FeatureSummary {
    /// Describes a column of a schema.
    pub fn of(column: &FeatureColumn) -> FeatureSummary {
        let kind = match column.kind {
            FeatureKind::Number { dates: true, .. } => "date",
            FeatureKind::Number { .. } => "number",
            FeatureKind::Category { .. } => "category",
            FeatureKind::Degree { .. } => "degree",
            FeatureKind::One => "one",
        };
        FeatureSummary { name: column.name.clone(), kind: kind.to_string(), width: column.kind.width() }
    }
}
