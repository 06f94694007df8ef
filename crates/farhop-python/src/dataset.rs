//! Graphs with answers: what is learned from, or asked about.

use std::path::PathBuf;
use std::sync::Arc;

use farhop_data::metrics::Metric;
use farhop_data::molecules::joined as joined_molecules;
use farhop_data::{
    Columns, DataCard, Dataset as Data, FeatureScaling, Level, NodeTableOptions, NodeTables, Split, Target, smiles,
};
use farhop_graph::{BuildReport, Built, GraphSet, disjoint_union};
use farhop_train::{DataConfig, Places};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{array, view};
use crate::columns::{joined, rows_of};
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
            let name = name.to_string();
            let (notes, sources) = (Vec::new(), Vec::new());
            let data = Data {
                name,
                graphs,
                nodes,
                edges,
                level,
                target,
                split,
                metric,
                ids,
                notes,
                sources,
                weights: Vec::new(),
            };
            Ok(data.check()?)
        })?;
        Ok(Dataset { data: Arc::new(data) })
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
    fn graphs(&self, py: Python<'_>) -> PyResult<Vec<Graph>> {
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

/// A dataset of the catalogue, or a file or folder of any layout that the command reads.
#[pyfunction]
#[pyo3(signature = (name, folder, split, seed, targets, directed))]
pub fn load_dataset(
    py: Python<'_>,
    name: String,
    folder: Option<PathBuf>,
    split: &str,
    seed: u64,
    targets: Vec<String>,
    directed: bool,
) -> PyResult<Dataset> {
    let split = split.parse().map_err(Failure::setting)?;
    let config = DataConfig { dataset: Some(name), split, targets, directed, ..DataConfig::default() };
    compute(py, None, || Ok(Dataset::of(config.read(seed, &Places::usual(folder.as_deref()))?.dataset)))
}

/// A dataset from a table of nodes and one of edges, in files; those in the folder `hidden` are called by their names alone. Numbers stay
/// as they are: estimators scale them.
#[pyfunction]
#[pyo3(signature = (nodes, edges, targets, id, directed, add_missing_nodes, categories, ignore, hidden))]
pub fn read_tables(
    py: Python<'_>,
    nodes: PathBuf,
    edges: PathBuf,
    targets: Vec<String>,
    id: Option<String>,
    directed: bool,
    add_missing_nodes: bool,
    categories: Vec<String>,
    ignore: Vec<String>,
    hidden: PathBuf,
) -> PyResult<Dataset> {
    let options = NodeTableOptions {
        targets,
        id,
        directed,
        add_missing_nodes,
        categories,
        ignore,
        scaling: FeatureScaling::None,
        ..NodeTableOptions::default()
    };
    let hidden = format!("{}/", hidden.display());
    let shown = |text: &str| text.replace(&hidden, "");
    compute(py, None, || {
        let mut data = match NodeTables::load(&nodes, &edges, &options) {
            Ok(tables) => tables.dataset,
            Err(error) => return Err(Failure::data(shown(&error.to_string()))),
        };
        data.name = shown(&data.name);
        data.sources.iter_mut().for_each(|source| source.path = shown(&source.path));
        Ok(Dataset::of(data))
    })
}

/// A graph for every SMILES, with the atom and bond categories of OGB.
#[pyfunction]
pub fn read_molecules(py: Python<'_>, texts: Vec<String>) -> PyResult<Vec<Graph>> {
    let dataset = compute(py, None, || {
        let read = |(place, text): (usize, &String)| {
            smiles::parse(text).map_err(|error| Failure::data(format!("smiles[{place}]: {error}")))
        };
        let molecules: Vec<_> = texts.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        let (graphs, nodes, edges) = joined_molecules("smiles", &molecules)?;
        let target = Target::none(graphs.len());
        let metric = target.usual_metric();
        let (split, level, name) = (Split::default(), Level::Graph, "molecules".to_string());
        let (ids, notes, sources) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Dataset::of(Data {
            name,
            graphs,
            nodes,
            edges,
            level,
            target,
            split,
            metric,
            ids,
            notes,
            sources,
            weights: Vec::new(),
        }))
    })?;
    dataset.graphs(py)
}

fn level_of(level: &str) -> Result<Level, Failure> {
    match level {
        "node" => Ok(Level::Node),
        "graph" => Ok(Level::Graph),
        "pair" => Ok(Level::Pair),
        other => Err(Failure::data(format!("level is \"{other}\": node, graph or pair is needed."))),
    }
}

/// Where the nodes of each graph begin, and where those of the last one end.
fn starts_of(graphs: &[Graph]) -> Vec<usize> {
    let ends = graphs.iter().scan(0, |sum, graph| {
        *sum += graph.parts().built.graph.nodes();
        Some(*sum)
    });
    std::iter::once(0).chain(ends).collect()
}

/// All graphs as one, with their features and the ids of their nodes, if all have some.
fn united(graphs: &[Graph]) -> Result<(GraphSet, Columns, Columns, Vec<String>), Failure> {
    let parts: Vec<&Arc<Parts>> = graphs.iter().map(Graph::parts).collect();
    let structures: Vec<_> = parts.iter().map(|part| &part.built.graph).collect();
    let set = match structures.as_slice() {
        [] => return Err(Failure::data("there is no graph. Give at least one.")),
        [only] => GraphSet::single((*only).clone()),
        several => {
            let union = disjoint_union(several)?;
            GraphSet::new(union.graph, union.node_offsets)?
        }
    };
    let nodes: Vec<&Columns> = parts.iter().map(|part| &part.nodes).collect();
    let edges: Vec<&Columns> = parts.iter().map(|part| &part.edges).collect();
    let rows: Vec<usize> = structures.iter().map(|graph| graph.nodes()).collect();
    let named = parts.iter().all(|part| !part.ids.is_empty());
    let ids = if named { parts.iter().flat_map(|part| part.ids.iter().cloned()).collect() } else { Vec::new() };
    Ok((set, joined(&nodes, &rows, "x")?, joined(&edges, &rows, "edge_attr")?, ids))
}

fn target_of(given: &Bound<'_, PyTuple>, starts: &[usize]) -> PyResult<Target> {
    let kind: String = given.get_item(0)?.extract()?;
    let names = || given.get_item(2)?.extract::<Vec<String>>();
    let values = given.get_item(1)?;
    Ok(match kind.as_str() {
        "classes" => {
            let labels = view::<i64>(&values, "y")?.data.iter().map(|label| u32::try_from(*label).ok()).collect();
            Target::Class { labels, classes: names()? }
        }
        "labels" => Target::Binary { values: view::<f32>(&values, "y")?.data.to_vec(), names: names()? },
        "numbers" => Target::Number { values: view::<f32>(&values, "y")?.data.to_vec(), names: names()? },
        _ => pairs_of(&values, starts)?,
    })
}

/// Pairs come as rows of graph, two nodes of it, and whether they belong together; the graphs ascend.
fn pairs_of(values: &Bound<'_, PyAny>, starts: &[usize]) -> PyResult<Target> {
    let rows = view::<i64>(values, "pairs")?;
    let (mut pairs, mut together) = (Vec::new(), Vec::new());
    let mut offsets = vec![0; starts.len()];
    for (row, pair) in rows.data.chunks_exact(4).enumerate() {
        let (graph, ends) = (pair[0] as usize, [pair[1], pair[2]]);
        let nodes = starts.get(graph + 1).zip(starts.get(graph)).map_or(0, |(end, start)| end - start);
        let node = |value: i64| {
            u32::try_from(value).ok().filter(|node| (*node as usize) < nodes).ok_or_else(|| {
                let last = nodes.saturating_sub(1);
                Failure::data(format!(
                    "pairs[{row}] names node {value}: nodes are numbered from 0 to {last}. Correct it."
                ))
            })
        };
        let first = starts.get(graph).copied().unwrap_or(0) as u32;
        pairs.push([first + node(ends[0])?, first + node(ends[1])?]);
        together.push(pair[3] != 0);
        offsets[graph + 1] += 1;
    }
    for graph in 1..offsets.len() {
        offsets[graph] += offsets[graph - 1];
    }
    Ok(Target::Pair { pairs, together, offsets })
}

fn units(rows: &[i64], what: &str) -> Result<Vec<u32>, Failure> {
    let unit = |row: &i64| {
        u32::try_from(*row).map_err(|_| Failure::data(format!("{what} names row {row}. Rows are numbered from 0.")))
    };
    rows.iter().map(unit).collect()
}

/// The split that is given; without a training part, all rows that are known and in no other part are for training.
fn split_of(
    target: &Target,
    count: usize,
    parts: Vec<Option<Vec<u32>>>,
    held_out: Option<(f64, u64)>,
) -> Result<Split, Failure> {
    let mut parts = parts.into_iter();
    let mut next = || parts.next().flatten();
    let (train, valid, test) = (next(), next().unwrap_or_default(), next().unwrap_or_default());
    let rows = match target {
        Target::Class { labels, .. } => labels.len(),
        Target::Binary { values, names } | Target::Number { values, names } => values.len() / names.len().max(1),
        Target::Pair { .. } => count,
    };
    let known = |row: u32| rows != count || matches!(target, Target::Pair { .. }) || target.is_known(row as usize);
    let other = |row: u32| valid.contains(&row) || test.contains(&row);
    let given = train.is_some();
    let train = train.unwrap_or_else(|| (0..count as u32).filter(|row| !other(*row)).collect());
    let train: Vec<u32> = train.into_iter().filter(|row| given && *row as usize >= count || known(*row)).collect();
    let mut split = Split::from_lists(count, train, valid, test).map_err(farhop_data::DataError::from)?;
    if let Some((share, seed)) = held_out.filter(|_| split.valid.is_empty()) {
        split.hold_out(target, count, share, seed);
    }
    Ok(split)
}
