//! What a model reads and what it gives, in numbers.

use farhop_graph::Level;
use serde::{Deserialize, Serialize};

use crate::arrays::{ArrayShape, LAPLACIAN, WALK, width_of};

/// What a model reads of a batch. The default reads nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredShape")]
pub struct InputShape {
    /// Numbers of a node.
    pub numbers: usize,
    /// For every category column of a node, how many categories it has.
    pub categories: Vec<u32>,
    /// Numbers of an entry of the graph.
    pub edge_numbers: usize,
    /// For every category column of an entry, how many categories it has.
    pub edge_categories: Vec<u32>,
    /// Further numbers of a node, by name: each name once, in the order of [`BatchArrays::arrays`](crate::BatchArrays::arrays).
    pub arrays: Vec<ArrayShape>,
}

/// As it lies in a file. Earlier versions had two arrays only, each in a field of its own.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StoredShape {
    numbers: usize,
    categories: Vec<u32>,
    edge_numbers: usize,
    edge_categories: Vec<u32>,
    arrays: Vec<ArrayShape>,
    walk: usize,
    laplacian: usize,
}

impl From<StoredShape> for InputShape {
    fn from(stored: StoredShape) -> Self {
        let StoredShape { numbers, categories, edge_numbers, edge_categories, arrays, walk, laplacian } = stored;
        let earlier = [ArrayShape::new(WALK, walk), ArrayShape::new(LAPLACIAN, laplacian)];
        let arrays = earlier.into_iter().chain(arrays).filter(|array| array.width > 0).collect();
        InputShape { numbers, categories, edge_numbers, edge_categories, arrays }
    }
}

impl InputShape {
    /// Whether a node has more than numbers, so that it needs an encoder.
    pub fn needs_encoder(&self) -> bool {
        !self.categories.is_empty() || !self.arrays.is_empty()
    }

    /// The columns of array `name`; 0 if it is not there.
    pub fn array(&self, name: &str) -> usize {
        width_of(&self.arrays, name)
    }

    /// The same with some of its named arrays.
    pub fn with_arrays(&self, keep: impl Fn(&str) -> bool) -> Self {
        let arrays = self.arrays.iter().filter(|array| keep(&array.name)).cloned().collect();
        InputShape { arrays, ..self.clone() }
    }

    /// The same without named arrays.
    pub fn without_arrays(&self) -> Self {
        InputShape { arrays: Vec::new(), ..self.clone() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_from_before_named_arrays_are_read() {
        let before =
            r#"{"numbers": 3, "categories": [4], "edge_numbers": 0, "edge_categories": [], "walk": 5, "laplacian": 2}"#;
        let shape: InputShape = serde_json::from_str(before).unwrap();
        assert_eq!(shape.arrays, [ArrayShape::new(WALK, 5), ArrayShape::new(LAPLACIAN, 2)]);
        assert_eq!((shape.numbers, shape.array(WALK), shape.array("other")), (3, 5, 0));
        let again: InputShape = serde_json::from_str(&serde_json::to_string(&shape).unwrap()).unwrap();
        assert_eq!(again, shape);
        // What was asked for and not there was 0.
        let plain: InputShape = serde_json::from_str(r#"{"numbers": 3, "walk": 0, "laplacian": 0}"#).unwrap();
        assert_eq!(plain, InputShape::from(3));
        assert!(serde_json::from_str::<InputShape>(r#"{"steps": 3}"#).is_err());
    }
}
