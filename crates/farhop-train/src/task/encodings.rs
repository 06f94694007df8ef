//! Where a node stands in its graph, as features.

use farhop_graph::GraphSet;
use farhop_graph::encodings::{LaplacianOptions, laplacian_eigenvectors, walk_return};
use farhop_nn::{ArrayShape, LAPLACIAN, NodeArray, WALK};
use serde::{Deserialize, Serialize};

use crate::TrainError;

/// Which positional encodings a run uses: the columns of each. A further one is a field here and an entry of [`ENCODINGS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodingConfig {
    /// Steps of the random walks whose return probabilities are features (RWSE). Default 0: none.
    pub walk: usize,
    /// Smallest non-trivial eigenvectors of the normalised Laplacian that are features (LapPE). Default 0: none.
    pub laplacian: usize,
}

/// An encoding that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    /// The name of its array, and its key in a recipe.
    pub name: &'static str,
    /// What its columns are, for people: `16 steps of random walks`.
    pub columns: &'static str,
    /// Where its columns are asked for.
    asked: fn(&EncodingConfig) -> usize,
    /// So many columns for the nodes of all graphs.
    make: fn(&GraphSet, usize) -> Result<Vec<f32>, TrainError>,
}

/// All encodings, in the order of a batch's arrays.
pub const ENCODINGS: [Encoding; 2] = [
    Encoding {
        name: WALK,
        columns: "steps of random walks",
        asked: |config| config.walk,
        make: |graphs, steps| Ok(walk_return(graphs, steps)),
    },
    Encoding {
        name: LAPLACIAN,
        columns: "eigenvectors of the Laplacian",
        asked: |config| config.laplacian,
        make: |graphs, count| {
            let found = laplacian_eigenvectors(graphs, count, &LaplacianOptions::default());
            Ok(found.map_err(|error| TrainError::Task(error.to_string()))?.vectors)
        },
    },
];

/// The encodings of all nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Encodings {
    /// One for each encoding that was asked for, `[N, width]`.
    pub arrays: Vec<NodeArray>,
}

impl Encodings {
    /// What a model is told of them.
    pub fn shapes(&self) -> Vec<ArrayShape> {
        self.arrays.iter().map(NodeArray::shape).collect()
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.arrays.iter().map(|array| 4 * array.values.len()).sum()
    }

    /// The rows that `pick` takes out of each array of so many columns.
    pub(super) fn rows(&self, pick: impl Fn(&[f32], usize) -> Vec<f32>) -> Vec<NodeArray> {
        let array = |array: &NodeArray| NodeArray::new(&array.name, array.width, pick(&array.values, array.width));
        self.arrays.iter().map(array).collect()
    }
}

impl EncodingConfig {
    /// The encodings that are asked for, with their columns.
    pub fn asked(&self) -> impl Iterator<Item = (&'static Encoding, usize)> {
        let config = *self;
        ENCODINGS.iter().map(move |encoding| (encoding, (encoding.asked)(&config))).filter(|(_, width)| *width > 0)
    }

    /// What a model is told of them.
    pub fn shapes(&self) -> Vec<ArrayShape> {
        self.asked().map(|(encoding, width)| ArrayShape::new(encoding.name, width)).collect()
    }

    /// Computes them.
    ///
    /// # Errors
    /// When the eigenvectors of a graph can't be found.
    pub fn compute(&self, graphs: &GraphSet) -> Result<Encodings, TrainError> {
        let make = |(encoding, width): (&Encoding, usize)| {
            Ok(NodeArray::new(encoding.name, width, (encoding.make)(graphs, width)?))
        };
        Ok(Encodings { arrays: self.asked().map(make).collect::<Result<_, TrainError>>()? })
    }
}
