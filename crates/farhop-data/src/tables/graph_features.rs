//! The feature of nodes whose table has no feature column.

use farhop_graph::Graph;

use crate::dataset::statistics::Moments;
use crate::tables::options::{FeatureScaling, NoFeatures, NodeTableOptions};
use crate::tables::schema::{FeatureColumn, FeatureKind};

/// The column that stands in for the missing ones, with statistics over the training nodes (all
/// nodes if `train` is empty).
pub fn complete_graph_features(graph: &Graph, train: &[u32], options: &NodeTableOptions) -> FeatureColumn {
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
pub fn graph_feature(columns: &[FeatureColumn], graph: &Graph, features: &mut [f32]) {
    let width: usize = columns.iter().map(|column| column.kind.width()).sum();
    let mut place = 0;
    for column in columns {
        for node in 0..graph.nodes() {
            let value = match column.kind {
                FeatureKind::One => 1.0,
                FeatureKind::Degree { shift, scale } => ((log_degree(graph, node) - shift) / scale) as f32,
                FeatureKind::Number { .. } | FeatureKind::Category { .. } => break,
            };
            features[node * width + place] = value;
        }
        place += column.kind.width();
    }
}

fn log_degree(graph: &Graph, node: usize) -> f64 {
    (graph.degree(node) as f64).ln_1p()
}
