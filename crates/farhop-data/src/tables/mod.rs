//! Tables of nodes and edges to a dataset: the role of each column, its kind, its cells as features and targets.

mod dates;
pub(crate) mod edge_features;
pub(crate) mod edges;
pub(crate) mod exact;
pub(crate) mod features;
pub(crate) mod graph_features;
pub(crate) mod joined_tables;
pub(crate) mod node_tables;
pub(crate) mod options;
pub(crate) mod roles;
pub(crate) mod scan;
pub(crate) mod schema;
pub(crate) mod targets;
