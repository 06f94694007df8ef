//! Checked data, ready to learn from: one graph or many, features, targets, split.

mod arrays;
mod builder;
pub mod cache;
pub mod card;
pub(crate) mod categories;
mod columns;
pub(crate) mod csr;
pub mod dataset_file;
pub mod entry_rows;
pub(crate) mod labels;
pub(crate) mod mersenne;
mod on_disk;
pub mod parts;
pub(crate) mod split;
pub(crate) mod split_choice;
pub(crate) mod split_file;
pub(crate) mod split_protocols;
pub mod statistics;
mod target;

use std::borrow::Cow;

use farhop_graph::GraphSet;

pub use builder::DatasetBuilder;
pub use columns::{Columns, Numbers};
pub use farhop_graph::Level;
pub use on_disk::NumbersOnDisk;
pub use target::Target;

pub(crate) use on_disk::{decoded, not_finite};

use crate::dataset::split::Split;
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::scores::metrics::Metric;

/// Everything that training and scoring need. [`Dataset::check`]ed, it holds together.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Its name, as in the catalogue, or the file it came from.
    pub name: String,
    /// The graphs, as one disjoint union.
    pub graphs: GraphSet,
    /// Features of the nodes of the union.
    pub nodes: Columns,
    /// Features of the entries of the union: an entry `i <- j` has its own row, so the two directions of an edge may differ.
    pub edges: Columns,
    /// What a prediction is about.
    pub level: Level,
    /// The truth.
    pub target: Target,
    /// What is for training, choosing and scoring: nodes of a single graph whose nodes are predicted, otherwise graphs.
    pub split: Split,
    /// How predictions are scored.
    pub metric: Metric,
    /// The user's ids of the rows that are predicted (nodes or graphs); empty: their numbers.
    pub ids: Vec<String>,
    /// What is unusual about the data, a line each.
    pub notes: Vec<String>,
    /// The files that were read.
    pub sources: Vec<SourceFile>,
    /// How much each row counts in training, not negative; empty: all the same. Scores count all rows the same.
    pub weights: Vec<f32>,
}

impl Dataset {
    /// Graphs with answers and nothing else: no features, no part of a split, no ids, the usual score. What there is more takes the place of
    /// it (`Dataset { nodes, split, ..Dataset::new(..) }`), and [`Dataset::check`] looks at the whole.
    pub fn new(name: impl Into<String>, graphs: GraphSet, level: Level, target: Target) -> Dataset {
        Dataset {
            name: name.into(),
            graphs,
            nodes: Columns::none(),
            edges: Columns::none(),
            level,
            metric: target.usual_metric(),
            target,
            split: Split::default(),
            ids: Vec::new(),
            notes: Vec::new(),
            sources: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Rows of the target: nodes or graphs. Pairs are counted by graph.
    pub fn rows(&self) -> usize {
        match self.level {
            Level::Node => self.graphs.union().nodes(),
            Level::Graph | Level::Pair => self.graphs.len(),
        }
    }

    /// Whether the split is over nodes (of the only graph), not over graphs.
    pub fn splits_nodes(&self) -> bool {
        self.level == Level::Node && self.graphs.len() == 1
    }

    /// The user's id of a row.
    pub fn id(&self, row: usize) -> Cow<'_, str> {
        match self.ids.get(row) {
            Some(id) => Cow::Borrowed(id),
            None => Cow::Owned(row.to_string()),
        }
    }

    /// Checks that everything belongs together, so that nothing later has to.
    ///
    /// # Errors
    /// Says what does not.
    pub fn check(self) -> Result<Dataset, DataError> {
        self.inside().map_err(|error| match error {
            DataError::Mismatch { what } => DataError::Mismatch { what: format!("{}: {what}", self.name) },
            other => other,
        })?;
        Ok(self)
    }

    fn check_weights(&self) -> Result<(), DataError> {
        let wrong = |what: String| Err(DataError::Mismatch { what });
        if self.weights.is_empty() {
            return Ok(());
        }
        if self.level == Level::Pair {
            return wrong("pairs have no weights of rows. Leave them out.".to_string());
        }
        if self.weights.len() != self.rows() {
            return wrong(format!("{} weights for {} rows.", self.weights.len(), self.rows()));
        }
        match self.weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
            Some(row) => {
                wrong(format!("the weight of row {row} is {}: 0 or a finite number above it.", self.weights[row]))
            }
            None => Ok(()),
        }
    }

    fn inside(&self) -> Result<(), DataError> {
        let union = self.graphs.union();
        self.nodes.check(union.nodes(), "nodes")?;
        self.edges.check(if self.edges.is_empty() { 0 } else { union.entries() }, "edges")?;
        self.target.check(self.rows(), self.graphs.offsets())?;
        if !self.ids.is_empty() && self.ids.len() != self.rows() {
            return Err(DataError::Mismatch { what: format!("{} ids for {} rows.", self.ids.len(), self.rows()) });
        }
        self.check_weights()?;
        let units = if self.splits_nodes() { union.nodes() } else { self.graphs.len() };
        let Split { train, valid, test } = &self.split;
        Split::from_lists(units, train.clone(), valid.clone(), test.clone())?;
        Ok(())
    }
}
