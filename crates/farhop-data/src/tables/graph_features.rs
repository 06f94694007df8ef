//! The feature of nodes whose table has no feature column.

use farhop_graph::Graph;

use crate::dataset::parts::SortedRows;
use crate::dataset::statistics::Moments;
use crate::tables::options::{FeatureScaling, NoFeatures, NodeTableOptions};
use crate::tables::schema::{FeatureColumn, FeatureKind};

/// What has nodes with degrees.
pub trait Degrees {
    /// Nodes.
    fn nodes(&self) -> usize;

    /// From how many a node receives.
    fn degree(&self, node: usize) -> usize;
}

impl Degrees for Graph {
    fn nodes(&self) -> usize {
        self.nodes()
    }

    fn degree(&self, node: usize) -> usize {
        self.degree(node)
    }
}

impl Degrees for SortedRows {
    fn nodes(&self) -> usize {
        self.nodes()
    }

    fn degree(&self, node: usize) -> usize {
        self.degree(node)
    }
}

/// The column that stands in for the missing ones, with statistics over the training nodes (all
/// nodes if `train` is empty).
pub fn complete_graph_features(graph: &impl Degrees, train: &[u32], options: &NodeTableOptions) -> FeatureColumn {
    let (name, kind) = match options.no_features {
        NoFeatures::One => ("1", FeatureKind::One),
        NoFeatures::Degree => {
            let mut moments = Moments::default();
            if train.is_empty() {
                (0..graph.nodes()).for_each(|node| moments.add(log_degree(graph, node)));
            } else {
                let nodes = train.iter();
                nodes.for_each(|&node| moments.add(log_degree(graph, node as usize)));
            }
            let (shift, scale) = match options.scaling {
                FeatureScaling::Standardise => moments.shift_and_scale(),
                FeatureScaling::None | FeatureScaling::RowNormalised => (0.0, 1.0),
            };
            ("ln(1 + degree)", FeatureKind::Degree { shift, scale })
        }
    };
    FeatureColumn { name: name.to_string(), kind }
}

/// Writes the numbers that come from the graph into the feature rows.
pub fn graph_feature(columns: &[FeatureColumn], graph: &impl Degrees, features: &mut [f32]) {
    let width: usize = columns.iter().map(|column| column.kind.width()).sum();
    if columns.iter().all(|column| column.kind.from_table()) {
        return;
    }
    for (node, row) in features.chunks_exact_mut(width).enumerate() {
        graph_feature_of(columns, graph, node, row);
    }
}

/// Writes those of a node into its row.
pub fn graph_feature_of(columns: &[FeatureColumn], graph: &impl Degrees, node: usize, row: &mut [f32]) {
    let mut place = 0;
    for column in columns {
        match column.kind {
            FeatureKind::One => row[place] = 1.0,
            FeatureKind::Degree { shift, scale } => row[place] = ((log_degree(graph, node) - shift) / scale) as f32,
            FeatureKind::Number { .. } | FeatureKind::Category { .. } => {}
        }
        place += column.kind.width();
    }
}

fn log_degree(graph: &impl Degrees, node: usize) -> f64 {
    (graph.degree(node) as f64).ln_1p()
}
