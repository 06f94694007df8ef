//! Named arrays of numbers of nodes: what is known of a node beside its own features, such as encodings of its place in the graph.
//!
//! Whoever makes one gives it a name; the shared encoder reads every array that a batch has (`layers/encoder.rs`), and a model asks for one by its
//! name where it reads it in its own way. A further one changes nothing else.

use serde::{Deserialize, Serialize};

/// Probabilities of a random walk being back after 1, 2, .. steps.
pub const WALK: &str = "walk";

/// Eigenvectors of the graph's Laplacian; their signs are arbitrary.
pub const LAPLACIAN: &str = "laplacian";

/// The name of an array, and its columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayShape {
    /// Its name.
    pub name: String,
    /// Numbers of a node.
    pub width: usize,
}

impl ArrayShape {
    /// `width` columns called `name`.
    pub fn new(name: &str, width: usize) -> Self {
        ArrayShape { name: name.to_string(), width }
    }
}

/// A named array of numbers of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeArray {
    /// Its name, once in a batch.
    pub name: String,
    /// Numbers of a node, at least 1.
    pub width: usize,
    /// `[N, width]`, row-major.
    pub values: Vec<f32>,
}

impl NodeArray {
    /// `[N, width]` numbers called `name`.
    pub fn new(name: &str, width: usize, values: Vec<f32>) -> Self {
        NodeArray { name: name.to_string(), width, values }
    }

    /// Its name and columns.
    pub fn shape(&self) -> ArrayShape {
        ArrayShape::new(&self.name, self.width)
    }
}

/// The columns of array `name`; 0 if it is not there.
pub(crate) fn width_of(arrays: &[ArrayShape], name: &str) -> usize {
    arrays.iter().find(|array| array.name == name).map_or(0, |array| array.width)
}

/// The columns of all arrays together; as many as can be counted where a file says more.
pub(crate) fn total_width(arrays: &[ArrayShape]) -> usize {
    arrays.iter().fold(0, |total, array| total.saturating_add(array.width))
}
