//! Graphs with answers: what is learned from, or asked about.

mod given;

use std::path::PathBuf;
use std::sync::Arc;

use farhop_data::metrics::Metric;
use farhop_data::{Columns, DataCard, Dataset as Data, Level, Split, Target};
use farhop_graph::{BuildReport, Built};
use given::{level_of, split_of, starts_of, target_of, united, units};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{array, view};
use crate::columns::rows_of;
use crate::errors::Failure;
use crate::graph::{Graph, Parts};
use crate::threads::compute;

/// Graphs, what is to be predicted of them, and which of it is for training.
#[pyclass(frozen)]
#[derive(Clone)]
pub struct Dataset {
    data: Arc<Data>,
}

/// The training, validation and test part as they come from Python.
type Parted<'py> = [Option<Bound<'py, PyAny>>; 3];

#[pymethods]
impl Dataset {
    /// Puts graphs, answers and a split together. `target` is a kind and its arrays, `parts` the rows of each part, `held_out` the share
    /// of training that becomes validation and the seed to draw it with.
    #[new]
    #[pyo3(signature = (name, graphs, level, target, parts, held_out, metric))]
    fn new(
        py: Python<'_>,
        name: &str,
        graphs: Vec<PyRef<'_, Graph>>,
        level: &str,
        target: &Bound<'_, PyTuple>,
        parts: Parted<'_>,
        held_out: Option<(f64, u64)>,
        metric: Option<&str>,
    ) -> PyResult<Self> {
        let metric = metric.map(str::parse::<Metric>).transpose();
        let metric = metric.map_err(|error| Failure::setting(format!("metric: {error}")))?;
        let level = level_of(level)?;
        let graphs: Vec<Graph> = graphs.iter().map(|graph| (**graph).clone()).collect();
        let starts = starts_of(&graphs);
        let target = target_of(target, &starts)?;
        let mut rows = Vec::new();
        for (part, what) in parts.iter().zip(["train", "valid", "test"]) {
            rows.push(match part {
                Some(part) => Some(units(view::<i64>(part, what)?.data, what)?),
                None => None,
            });
        }
        let data = compute(py, None, || {
            let (graphs, nodes, edges, ids) = united(&graphs)?;
            let node_rows = level == Level::Node && graphs.len() == 1;
            let count = if node_rows { graphs.union().nodes() } else { graphs.len() };
            let ids = if node_rows { ids } else { Vec::new() };
            let split = split_of(&target, count, rows, held_out)?;
            let metric = metric.unwrap_or_else(|| target.usual_metric());
            let data = Data { nodes, edges, split, metric, ids, ..Data::new(name, graphs, level, target) };
            Ok(data.check()?)
        })?;
        Ok(Dataset::of(data))
    }

    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        &self.data.name
    }

    /// `node`, `graph` or `pair`.
    #[getter]
    fn level(&self) -> &'static str {
        match self.data.level {
            Level::Node => "node",
            Level::Graph => "graph",
            Level::Pair => "pair",
        }
    }

    /// How predictions are scored.
    #[getter]
    fn metric(&self) -> String {
        self.data.metric.to_string()
    }

    /// What is unusual about the data, a line each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.data.notes.clone()
    }

    /// The user's ids of what is predicted; empty: numbers.
    #[getter]
    fn ids(&self) -> Vec<String> {
        self.data.ids.clone()
    }

    /// The number of graphs.
    fn __len__(&self) -> usize {
        self.data.graphs.len()
    }

    /// The graphs by themselves.
    pub fn graphs(&self, py: Python<'_>) -> PyResult<Vec<Graph>> {
        let data = &self.data;
        compute(py, None, || {
            let set = &data.graphs;
            let one = |number: usize| {
                let graph = set.graph(number);
                let nodes = rows_of(&data.nodes, set.nodes_of(number))?;
                let edges = match data.edges.is_empty() {
                    true => Columns::none(),
                    false => rows_of(&data.edges, set.entries_of(number))?,
                };
                let ids = match data.level {
                    Level::Node if !data.ids.is_empty() => data.ids[set.nodes_of(number)].to_vec(),
                    _ => Vec::new(),
                };
                let report = BuildReport { rows: graph.entries(), ..BuildReport::default() };
                let entry_of_row = (0..graph.entries() as u32).collect();
                Ok(Graph::of(Parts { built: Built { graph, report, entry_of_row }, nodes, edges, ids }))
            };
            (0..set.len()).map(one).collect()
        })
    }

    /// The answers: their kind, their arrays and the names of classes, labels or numbers.
    fn target<'py>(&self, py: Python<'py>) -> PyResult<(&'static str, Bound<'py, PyAny>, Vec<String>)> {
        let rows = self.data.rows();
        Ok(match &self.data.target {
            Target::Class { labels, classes } => {
                let labels = labels.iter().map(|label| label.map_or(-1, i64::from)).collect();
                ("classes", array::<i64>(py, labels, &[rows])?, classes.clone())
            }
            Target::Binary { values, names } => {
                ("labels", array(py, values.clone(), &[rows, names.len()])?, names.clone())
            }
            Target::Number { values, names } => {
                ("numbers", array(py, values.clone(), &[rows, names.len()])?, names.clone())
            }
            Target::Pair { pairs, together, .. } => {
                let flat = pairs
                    .iter()
                    .zip(together)
                    .flat_map(|([a, b], together)| [i64::from(*a), i64::from(*b), i64::from(*together)]);
                ("pairs", array::<i64>(py, flat.collect(), &[pairs.len(), 3])?, Vec::new())
            }
        })
    }

    /// The rows of the training, validation and test part.
    fn split<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Split { train, valid, test } = &self.data.split;
        let part = |rows: &Vec<u32>| array(py, rows.iter().map(|row| i64::from(*row)).collect(), &[rows.len()]);
        [train, valid, test].into_iter().map(part).collect()
    }

    /// Whether the other has the same graphs, features, answers and split.
    fn equals(&self, py: Python<'_>, other: PyRef<'_, Dataset>) -> PyResult<bool> {
        let (one, other) = (&self.data, other.data().clone());
        compute(py, None, || {
            Ok(one.graphs.union() == other.graphs.union()
                && one.graphs.offsets() == other.graphs.offsets()
                && (&one.nodes, &one.edges) == (&other.nodes, &other.edges)
                && (one.level, &one.target, &one.split) == (other.level, &other.target, &other.split)
                && one.weights == other.weights)
        })
    }

    /// The same data, whose rows count as much as these weights say in training.
    fn with_weights(&self, py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        let weights = view::<f32>(weights, "sample_weight")?.data.to_vec();
        let data = &self.data;
        let weighed = compute(py, None, || Ok(Data { weights, ..data.as_ref().clone() }.check()?))?;
        Ok(Dataset::of(weighed))
    }

    /// Saves it as a file that the command reads, too.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let data = &self.data;
        compute(py, None, || Ok(data.save(&path)?))
    }

    /// What it is, on one screen.
    fn card(&self, py: Python<'_>) -> PyResult<String> {
        let data = &self.data;
        compute(py, None, || Ok(DataCard::of(data).to_string()))
    }
}

impl Dataset {
    /// Data that was read.
    pub fn of(data: Data) -> Self {
        Dataset { data: Arc::new(data) }
    }

    /// The data.
    pub fn data(&self) -> &Arc<Data> {
        &self.data
    }
}
