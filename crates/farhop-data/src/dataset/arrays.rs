//! Datasets from arrays that were made, not read.

use farhop_graph::{Graph, GraphSet};

use super::{Columns, Dataset, Level, Target};
use crate::dataset::split::Split;
use crate::error::DataError;
use crate::scores::metrics::Metric;

impl Dataset {
    /// One graph whose nodes have classes: `features` is `[nodes, width]`, `labels` has one entry per node, each below
    /// `classes.len()`; ids are row numbers.
    ///
    /// # Errors
    /// Says what does not fit together.
    pub fn from_arrays(
        name: &str,
        graph: Graph,
        features: Vec<f32>,
        width: usize,
        labels: Vec<Option<u32>>,
        classes: Vec<String>,
        split: Split,
    ) -> Result<Dataset, DataError> {
        let Split { train, valid, test } = split;
        let split = Split::from_lists(graph.nodes(), train, valid, test)?;
        let dataset = Dataset {
            nodes: Columns::dense(width, features),
            split,
            metric: Metric::Accuracy,
            ..Dataset::new(name, GraphSet::single(graph), Level::Node, Target::Class { labels, classes })
        };
        dataset.check()
    }
}
