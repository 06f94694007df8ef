//! The data card: what a dataset is like, on one screen.

mod display;
mod features;
mod homophily;
mod reach;
mod shape;
mod tables;
mod target;
mod warnings;

use serde::{Deserialize, Serialize};

pub use display::Bars;
pub use features::{CategorySummary, ColumnsSummary, NumbersSummary};
pub use homophily::Homophily;
pub use reach::Reach;
pub use shape::{DegreeBin, Spread};
pub use tables::{FeatureSummary, TableSummary};
pub use target::{ClassCount, LabelCount, NumberSummary, TargetSummary};

use crate::dataset::{Dataset, Level, Target};
use crate::scores::metrics::Metric;
use crate::text::quoted;

/// The task of a dataset without a target.
const NOTHING_TO_PREDICT: &str = "nothing to predict";

/// A summary of a dataset, for people ([`std::fmt::Display`], [`DataCard::text`]) and for records (serde).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataCard {
    /// The name of the dataset.
    pub name: String,
    /// The files that were read, and the bytes of each.
    pub files: Vec<(String, u64)>,
    /// What is predicted, in words.
    pub task: String,
    /// How predictions are scored.
    pub metric: Metric,
    /// Why not by accuracy, if the classes are far from even.
    pub metric_reason: Option<String>,
    /// Graphs.
    pub graphs: usize,
    /// Nodes of all graphs.
    pub nodes: usize,
    /// Edges of all graphs; an undirected edge counts once.
    pub edges: usize,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Nodes of a graph.
    pub nodes_per_graph: Spread,
    /// Edges of a graph.
    pub edges_per_graph: Spread,
    /// How many nodes a node receives from.
    pub degrees: Spread,
    /// The same in bins that double: 0, 1, 2 to 3, 4 to 7, ... up to the largest degree.
    pub degree_histogram: Vec<DegreeBin>,
    /// Nodes without any edge.
    pub isolated: usize,
    /// Connected components of all graphs; the direction of edges does not count.
    pub components: usize,
    /// Nodes of the largest component.
    pub largest_component: usize,
    /// How far apart nodes are.
    pub reach: Reach,
    /// Whether edges join equal classes; only for classes of nodes.
    pub homophily: Option<Homophily>,
    /// What the target looks like.
    pub target: TargetSummary,
    /// Rows (nodes or graphs) without a target.
    pub unknown: usize,
    /// Features of nodes.
    pub node_features: ColumnsSummary,
    /// Features of edges.
    pub edge_features: ColumnsSummary,
    /// The sizes of train, valid and test.
    pub split: [usize; 3],
    /// Nodes or graphs that could be in the split.
    pub split_of: usize,
    /// What became of rows and columns, if the data comes from tables.
    pub table: Option<TableSummary>,
    /// What the reader noticed.
    pub notes: Vec<String>,
    /// What may go wrong with this data.
    pub warnings: Vec<String>,
}

impl DataCard {
    /// Describes a dataset. One walk over every array; searches for distances are limited to the largest component, or
    /// to a thousand graphs.
    pub fn of(dataset: &Dataset) -> DataCard {
        let graphs = &dataset.graphs;
        let union = graphs.union();
        let degrees = shape::degree_counts(union);
        let components = reach::components(graphs);
        let split = &dataset.split;
        let rows = dataset.rows();
        let is_pair = dataset.level == Level::Pair;
        let mut card = DataCard {
            name: dataset.name.clone(),
            files: dataset.sources.iter().map(|file| (file.name().to_string(), file.bytes)).collect(),
            task: task_in_words(dataset),
            metric: dataset.metric,
            metric_reason: metric_reason(dataset),
            graphs: graphs.len(),
            nodes: union.nodes(),
            edges: union.edges(),
            directed: union.is_directed(),
            nodes_per_graph: Spread::of((0..graphs.len()).map(|graph| graphs.nodes_of(graph).len())),
            edges_per_graph: Spread::of((0..graphs.len()).map(|graph| {
                let entries = graphs.entries_of(graph).len();
                if union.is_directed() { entries } else { entries / 2 }
            })),
            degrees: Spread::of_counts(&degrees),
            degree_histogram: shape::histogram(&degrees),
            isolated: components.isolated,
            components: components.count,
            largest_component: components.largest,
            reach: reach::estimate(graphs, &components),
            homophily: homophily::of(dataset),
            target: TargetSummary::of(&dataset.target),
            unknown: if is_pair { 0 } else { (0..rows).filter(|&row| !dataset.target.is_known(row)).count() },
            node_features: ColumnsSummary::of(&dataset.nodes, union.nodes()),
            edge_features: ColumnsSummary::of(&dataset.edges, union.entries()),
            split: [split.train.len(), split.valid.len(), split.test.len()],
            split_of: if dataset.splits_nodes() { union.nodes() } else { graphs.len() },
            table: None,
            notes: dataset.notes.clone(),
            warnings: Vec::new(),
        };
        card.warnings = warnings::of(dataset, &card);
        card
    }
}

fn metric_reason(dataset: &Dataset) -> Option<String> {
    let (class, share) = dataset.target.dominant_class()?;
    let named = format!("always naming {} would be right in {:.1} % of the rows", quoted(class), 100.0 * share);
    (dataset.metric != Metric::Accuracy).then_some(named)
}

fn task_in_words(dataset: &Dataset) -> String {
    let row = match dataset.level {
        Level::Node => "node",
        Level::Graph => "graph",
        Level::Pair => "pair of nodes",
    };
    match &dataset.target {
        Target::Class { .. } | Target::Binary { .. } | Target::Number { .. } if dataset.target.outputs() == 0 => {
            NOTHING_TO_PREDICT.to_string()
        }
        Target::Class { classes, .. } => format!("one of {} classes for every {row}", classes.len()),
        Target::Binary { names, .. } if names.len() == 1 => format!("yes or no for every {row}"),
        Target::Binary { names, .. } => format!("{} yes-or-no labels for every {row}", names.len()),
        Target::Number { names, .. } if names.len() == 1 => format!("a number for every {row}"),
        Target::Number { names, .. } => format!("{} numbers for every {row}", names.len()),
        Target::Pair { .. } => "which pairs of nodes belong together".to_string(),
    }
}
