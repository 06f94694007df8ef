//! What a model reads and what it gives, in numbers.

use farhop_graph::Level;
use serde::{Deserialize, Serialize};

/// What a model reads of a batch. The default reads nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InputShape {
    /// Numbers of a node.
    pub numbers: usize,
    /// For every category column of a node, how many categories it has.
    pub categories: Vec<u32>,
    /// Numbers of an entry of the graph.
    pub edge_numbers: usize,
    /// For every category column of an entry, how many categories it has.
    pub edge_categories: Vec<u32>,
    /// Steps of the random walk encoding: the probability of being back after 1, 2, .. steps.
    pub walk: usize,
    /// Eigenvectors of the graph's Laplacian.
    pub laplacian: usize,
}

impl InputShape {
    /// Whether a node has more than numbers, so that it needs an encoder.
    pub fn needs_encoder(&self) -> bool {
        !self.categories.is_empty() || self.walk > 0 || self.laplacian > 0
    }

    /// Whether entries have features.
    pub fn has_edges(&self) -> bool {
        self.edge_numbers > 0 || !self.edge_categories.is_empty()
    }

    /// The categories of all columns of a node.
    pub fn category_rows(&self) -> usize {
        self.categories.iter().map(|&count| count as usize).sum()
    }

    /// The categories of all columns of an entry.
    pub fn edge_category_rows(&self) -> usize {
        self.edge_categories.iter().map(|&count| count as usize).sum()
    }
}

impl From<usize> for InputShape {
    /// That many numbers and nothing else.
    fn from(numbers: usize) -> Self {
        InputShape { numbers, ..InputShape::default() }
    }
}

impl From<&InputShape> for InputShape {
    fn from(shape: &InputShape) -> Self {
        shape.clone()
    }
}

/// What a model gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputShape {
    /// What an answer is about.
    pub level: Level,
    /// Numbers of an answer: classes, labels or quantities. With [`Level::Pair`], the channels of a node's embedding: always the
    /// model's width, whatever is asked for.
    pub outputs: usize,
}

impl From<usize> for OutputShape {
    /// That many numbers per node.
    fn from(outputs: usize) -> Self {
        OutputShape { level: Level::Node, outputs }
    }
}
