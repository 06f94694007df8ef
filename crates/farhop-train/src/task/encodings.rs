//! Where a node stands in its graph, as features.

use farhop_graph::GraphSet;
use farhop_graph::encodings::{LaplacianOptions, laplacian_eigenvectors, walk_return};
use serde::{Deserialize, Serialize};

use crate::TrainError;

/// Which positional encodings a run uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodingConfig {
    /// Steps of the random walks whose return probabilities are features (RWSE). Default 0: none.
    pub walk: usize,
    /// Smallest non-trivial eigenvectors of the normalised Laplacian that are features (LapPE). Default 0: none.
    pub laplacian: usize,
}

/// The encodings of all nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Encodings {
    /// `[N, walk]`.
    pub walk: Vec<f32>,
    /// `[N, laplacian]`.
    pub laplacian: Vec<f32>,
}

impl EncodingConfig {
    /// Computes them.
    ///
    /// # Errors
    /// When the eigenvectors of a graph can't be found.
    pub fn compute(&self, graphs: &GraphSet) -> Result<Encodings, TrainError> {
        let walk = if self.walk > 0 { walk_return(graphs, self.walk) } else { Vec::new() };
        let laplacian = if self.laplacian > 0 {
            let found = laplacian_eigenvectors(graphs, self.laplacian, &LaplacianOptions::default());
            found.map_err(|error| TrainError::Task(error.to_string()))?.vectors
        } else {
            Vec::new()
        };
        Ok(Encodings { walk, laplacian })
    }
}
