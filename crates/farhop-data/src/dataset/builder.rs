//! Datasets from arrays that a program has at hand.

use farhop_graph::{Graph, GraphSet};

use super::split::{Split, SplitFractions};
use super::split_choice::Strata;
use super::{Columns, Dataset, Level, Target};
use crate::error::DataError;
use crate::scores::metrics::Metric;

/// A dataset that is being put together: features, what is to be predicted, the split. [`DatasetBuilder::build`] checks that it holds together.
///
/// ```
/// use farhop_data::{Dataset, Split};
/// use farhop_graph::generate;
///
/// let data = Dataset::graph(generate::path(4)?)
///     .features(1, vec![0.5, 0.0, 0.0, 1.0])
///     .classes(["left", "left", "right", "right"])
///     .split(Split { train: vec![0, 3], valid: vec![1], test: vec![2] })
///     .build()?;
/// assert_eq!(data.target.names(), ["left", "right"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct DatasetBuilder {
    name: String,
    graphs: GraphSet,
    level: Level,
    nodes: Columns,
    edges: Columns,
    target: Option<Target>,
    split: Option<Split>,
    metric: Option<Metric>,
    ids: Vec<String>,
}

impl Dataset {
    /// One graph whose nodes are to be predicted.
    pub fn graph(graph: Graph) -> DatasetBuilder {
        DatasetBuilder::new(GraphSet::single(graph), Level::Node)
    }

    /// Many graphs, each to be predicted as a whole.
    pub fn graphs(graphs: GraphSet) -> DatasetBuilder {
        DatasetBuilder::new(graphs, Level::Graph)
    }
}

impl DatasetBuilder {
    fn new(graphs: GraphSet, level: Level) -> Self {
        DatasetBuilder {
            name: "data".to_string(),
            graphs,
            level,
            nodes: Columns::none(),
            edges: Columns::none(),
            target: None,
            split: None,
            metric: None,
            ids: Vec::new(),
        }
    }

    /// What it is called in messages.
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.to_string();
        self
    }

    /// Numbers of nodes, `[nodes, width]`, row after row.
    pub fn features(mut self, width: usize, numbers: Vec<f32>) -> Self {
        self.nodes = Columns::dense(width, numbers);
        self
    }

    /// Features of nodes of any kind: sparse numbers, categories.
    pub fn columns(mut self, columns: Columns) -> Self {
        self.nodes = columns;
        self
    }

    /// Features of edges: a row for every entry of the graph.
    pub fn edge_columns(mut self, columns: Columns) -> Self {
        self.edges = columns;
        self
    }

    /// The class of every row; an empty name is one that is not known. Classes are numbered in the order of their names.
    pub fn classes<T: AsRef<str>>(mut self, labels: impl IntoIterator<Item = T>) -> Self {
        let labels: Vec<T> = labels.into_iter().collect();
        let mut classes: Vec<String> =
            labels.iter().map(|label| label.as_ref().to_string()).filter(|name| !name.is_empty()).collect();
        classes.sort_unstable();
        classes.dedup();
        let number = |label: &T| classes.binary_search_by(|name| name.as_str().cmp(label.as_ref())).ok();
        let labels = labels.iter().map(|label| number(label).map(|class| class as u32)).collect();
        self.target = Some(Target::Class { labels, classes });
        self
    }

    /// One number for every row; NaN where it is not known.
    pub fn numbers(mut self, name: &str, values: Vec<f32>) -> Self {
        self.target = Some(Target::Number { values, names: vec![name.to_string()] });
        self
    }

    /// What is to be predicted, of any kind.
    pub fn target(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    /// What is for training, choosing and scoring. Default: drawn with seed 0, three fifths, one fifth, one fifth.
    pub fn split(mut self, split: Split) -> Self {
        self.split = Some(split);
        self
    }

    /// How predictions are scored. Default: as is usual for the target.
    pub fn metric(mut self, metric: Metric) -> Self {
        self.metric = Some(metric);
        self
    }

    /// Ids of the rows that are predicted. Default: their numbers.
    pub fn ids(mut self, ids: Vec<String>) -> Self {
        self.ids = ids;
        self
    }

    /// The dataset.
    ///
    /// # Errors
    /// Says what does not fit together.
    pub fn build(self) -> Result<Dataset, DataError> {
        let nodes = self.graphs.union().nodes();
        let units = if self.level == Level::Node && self.graphs.len() == 1 { nodes } else { self.graphs.len() };
        let rows = if self.level == Level::Node { nodes } else { self.graphs.len() };
        let target = self.target.unwrap_or_else(|| Target::none(rows));
        let split = match self.split {
            Some(Split { train, valid, test }) => Split::from_lists(units, train, valid, test)?,
            None if target.outputs() == 0 => Split::default(),
            None => Strata::of(&target, units).joined_if_lonely().draw(SplitFractions::default(), 0)?,
        };
        let dataset = Dataset {
            nodes: self.nodes,
            edges: self.edges,
            split,
            metric: self.metric.unwrap_or_else(|| target.usual_metric()),
            ids: self.ids,
            ..Dataset::new(self.name, self.graphs, self.level, target)
        };
        dataset.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::generate;

    #[test]
    fn classes_are_named_and_unknown_ones_have_no_part() {
        let data = Dataset::graph(generate::path(10).unwrap())
            .features(1, vec![0.0; 10])
            .classes(["b", "a", "", "b", "a", "b", "a", "b", "a", "b"])
            .build()
            .unwrap();
        let Target::Class { labels, classes } = &data.target else { panic!() };
        assert_eq!(
            (classes.as_slice(), &labels[..3]),
            (&["a".to_string(), "b".to_string()][..], &[Some(1), Some(0), None][..])
        );
        let Split { train, valid, test } = &data.split;
        assert_eq!(train.len() + valid.len() + test.len(), 9);
        assert!(![train, valid, test].into_iter().any(|part| part.is_empty() || part.contains(&2)));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let short = Dataset::graph(generate::path(3).unwrap()).name("mine").features(2, vec![0.0; 5]);
        let text = short.classes(["a", "b", "a"]).build().unwrap_err().to_string();
        assert!(text.starts_with("mine: 5 numbers of width 2 for 3 nodes"), "{text}");
        let far = Dataset::graph(generate::path(3).unwrap()).features(1, vec![0.0; 3]).numbers("y", vec![1.0; 3]);
        let far = far.split(Split { train: vec![7], ..Split::default() }).build().unwrap_err().to_string();
        assert!(far.contains("row 7 in train does not exist"), "{far}");
    }
}
