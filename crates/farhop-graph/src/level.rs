//! What is said of a graph.

use serde::{Deserialize, Serialize};

/// What a target, or an answer, is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Each node.
    #[default]
    Node,
    /// Each graph.
    Graph,
    /// Pairs of nodes of one graph.
    Pair,
}
