//! A checked graph with the features of its nodes and edges.

use std::sync::Arc;

use farhop_data::entry_rows::{build_graph, spread};
use farhop_data::text::{counted, thousands};
use farhop_data::{Columns, Csr, Numbers};
use farhop_graph::{Built, Direction};
use pyo3::prelude::*;

use crate::arrays::{View, array, borrowed, view};
use crate::errors::Failure;
use crate::threads;

/// What a graph is made of. It never changes.
pub struct Parts {
    /// The graph, and which entry each row of the edge list became.
    pub built: Built,
    /// Features of nodes.
    pub nodes: Columns,
    /// Features of entries.
    pub edges: Columns,
    /// Ids of nodes; empty: their numbers.
    pub ids: Vec<String>,
}

/// A checked graph. `farhop.Graph` is made of it.
#[pyclass(frozen)]
#[derive(Clone)]
pub struct Graph {
    parts: Arc<Parts>,
}

/// Arrays of features as they come from Python: numbers `[rows, width]`, sparse numbers, categories `[rows, columns]` and how many there
/// are in each column.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Given<'py> {
    numbers: Option<Bound<'py, PyAny>>,
    sparse: Option<Sparse<'py>>,
    categories: Option<Bound<'py, PyAny>>,
    sizes: Vec<u32>,
}

/// Offsets, indices and values of compressed rows, and the number of columns.
type Sparse<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, usize);

#[pymethods]
impl Graph {
    /// Builds a graph of `nodes` nodes from the ends of its edges.
    #[new]
    #[pyo3(signature = (nodes, sources, targets, directed, of_nodes, of_edges, ids))]
    fn new(
        py: Python<'_>,
        nodes: usize,
        sources: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        directed: Option<bool>,
        of_nodes: Given<'_>,
        of_edges: Given<'_>,
        ids: Vec<String>,
    ) -> PyResult<Self> {
        let (sources, targets) = (view::<i64>(sources, "edges")?.data, view::<i64>(targets, "edges")?.data);
        let node_columns = columns(&of_nodes, nodes, "x", "nodes")?;
        let edge_rows = columns(&of_edges, sources.len(), "edge_attr", "edges")?;
        if !ids.is_empty() && ids.len() != nodes {
            return Err(Failure::data(format!(
                "ids: {} for {}. Give one for each.",
                counted(ids.len() as u64, "id", "ids"),
                counted(nodes as u64, "node", "nodes")
            ))
            .into());
        }
        let parts = threads::compute(py, None, || {
            let rows = rows(nodes, sources, targets)?;
            let built = built(nodes, &rows, directed)?;
            let edges = entries(&built, &edge_rows);
            Ok(Parts { built, nodes: node_columns, edges, ids })
        })?;
        Ok(Graph { parts: Arc::new(parts) })
    }

    /// Nodes.
    #[getter]
    fn num_nodes(&self) -> usize {
        self.parts.built.graph.nodes()
    }

    /// Edges; an undirected one counts once.
    #[getter]
    fn num_edges(&self) -> usize {
        self.parts.built.graph.edges()
    }

    /// Whether edges keep their direction.
    #[getter]
    fn directed(&self) -> bool {
        self.parts.built.graph.is_directed()
    }

    /// Rows of the edge list that were the same edge as one before.
    #[getter]
    fn duplicates(&self) -> usize {
        self.parts.built.report.duplicates
    }

    /// Rows of the edge list from a node to itself, which are left out.
    #[getter]
    fn self_loops(&self) -> usize {
        self.parts.built.report.self_loops
    }

    /// The user's ids; empty: nodes are called by their numbers.
    #[getter]
    fn ids(&self) -> Vec<String> {
        self.parts.ids.clone()
    }

    /// `[2, entries]`: sources and targets, both directions of an undirected edge.
    fn edge_index<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let graph = &self.parts.built.graph;
        let mut ends: Vec<i64> = graph.sources().iter().map(|source| i64::from(*source)).collect();
        let targets = (0..graph.nodes()).flat_map(|node| std::iter::repeat_n(node as i64, graph.degree(node)));
        ends.extend(targets);
        array(py, ends, &[2, graph.entries()])
    }

    /// The features of nodes: numbers, sparse numbers, categories and their sizes.
    fn node_columns<'py>(&self, py: Python<'py>) -> PyResult<Shown<'py>> {
        shown(py, &self.parts, |parts| &parts.nodes, self.num_nodes())
    }

    /// The features of entries, in the order of [`Graph::edge_index`].
    fn edge_columns<'py>(&self, py: Python<'py>) -> PyResult<Shown<'py>> {
        shown(py, &self.parts, |parts| &parts.edges, self.parts.built.graph.entries())
    }

    /// For each row of the edge list its entry in [`Graph::edge_index`]; the largest number of 32 bits for one that was left out.
    fn entry_of_row<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.parts.built.entry_of_row.len();
        borrowed(py, self.parts.clone(), |parts| &parts.built.entry_of_row, &[rows])
    }
}

/// Numbers, sparse numbers, categories, sizes.
type Shown<'py> = (Option<Bound<'py, PyAny>>, Option<Sparse<'py>>, Option<Bound<'py, PyAny>>, Vec<u32>);

impl Graph {
    /// A graph from parts that belong together.
    pub fn of(parts: Parts) -> Self {
        Graph { parts: Arc::new(parts) }
    }

    /// What it is made of.
    pub fn parts(&self) -> &Arc<Parts> {
        &self.parts
    }
}

/// The edge list with its ends checked.
fn rows(nodes: usize, sources: &[i64], targets: &[i64]) -> Result<Vec<(u32, u32)>, Failure> {
    let end = |axis: usize, row: usize, value: i64| {
        u32::try_from(value).ok().filter(|node| (*node as usize) < nodes).ok_or_else(|| {
            let last = thousands(nodes.saturating_sub(1) as u64);
            Failure::data(match nodes {
                0 => format!("edges[{axis}, {row}] is {value}, but the graph has no nodes. Give num_nodes or x."),
                _ => format!(
                    "edges[{axis}, {row}] is {value}: nodes are numbered from 0 to {last}. Correct it, or give num_nodes."
                ),
            })
        })
    };
    let pairs = sources.iter().zip(targets).enumerate();
    pairs.map(|(row, (source, target))| Ok((end(0, row, *source)?, end(1, row, *target)?))).collect()
}

/// The graph. Where nothing is said about directions, it is undirected if every edge is there both ways.
fn built(nodes: usize, rows: &[(u32, u32)], directed: Option<bool>) -> Result<Built, Failure> {
    let build = |direction| build_graph("edges", nodes, rows, direction);
    if directed == Some(true) {
        return Ok(build(Direction::Directed)?);
    }
    let both = build(Direction::Undirected)?;
    if directed == Some(false) {
        return Ok(both);
    }
    let mut named = vec![false; both.graph.entries()];
    for entry in both.entry_of_row.iter().filter(|entry| **entry != farhop_graph::NO_EDGE) {
        named[*entry as usize] = true;
    }
    if named.into_iter().all(|named| named) { Ok(both) } else { Ok(build(Direction::Directed)?) }
}

/// Features of `rows` rows, checked.
fn columns(given: &Given<'_>, rows: usize, argument: &str, what: &str) -> PyResult<Columns> {
    let fits = |found: usize| match found == rows {
        true => Ok(()),
        false => Err(Failure::data(format!(
            "{argument} has {} for {}. Give one for each.",
            counted(found as u64, "row", "rows"),
            counted(rows as u64, what.trim_end_matches('s'), what)
        ))),
    };
    let mut columns = Columns::none();
    if let Some(numbers) = &given.numbers {
        let numbers: View<'_, f32> = view(numbers, argument)?;
        fits(numbers.rows())?;
        columns.width = numbers.columns();
        finite(argument, columns.width, numbers.data)?;
        columns.numbers = Numbers::Dense(numbers.data.to_vec());
    }
    if let Some((offsets, indices, values, width)) = &given.sparse {
        let offsets: Vec<usize> = view::<i64>(offsets, argument)?.data.iter().map(|&offset| offset as usize).collect();
        fits(offsets.len().saturating_sub(1))?;
        let indices = view::<i64>(indices, argument)?.data.iter().map(|&index| index as u32).collect();
        let values = view::<f32>(values, argument)?.data.to_vec();
        columns.width = *width;
        columns.numbers =
            Numbers::Sparse(Csr::new(argument, [rows, *width], offsets, indices, values).map_err(Failure::from)?);
    }
    if let Some(categories) = &given.categories {
        let categories: View<'_, u16> = view(categories, argument)?;
        fits(categories.rows())?;
        columns.sizes.clone_from(&given.sizes);
        columns.categories = categories.data.to_vec();
    }
    Ok(columns)
}

/// Every number must be finite.
fn finite(argument: &str, width: usize, numbers: &[f32]) -> Result<(), Failure> {
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(()),
        Some(place) => Err(Failure::data(format!(
            "{argument}[{}, {}] is {}, which is not a finite number. Give a value, such as the mean of its column.",
            place / width,
            place % width,
            numbers[place]
        ))),
    }
}

/// The features of edge rows as those of entries.
fn entries(built: &Built, rows: &Columns) -> Columns {
    let mut columns = Columns { width: rows.width, sizes: rows.sizes.clone(), ..Columns::none() };
    if let Numbers::Dense(numbers) = &rows.numbers {
        columns.numbers = Numbers::Dense(spread(built, rows.width, numbers, 0.0).values);
    }
    columns.categories = spread(built, rows.sizes.len(), &rows.categories, 0).values;
    columns
}

fn shown<'py>(
    py: Python<'py>,
    parts: &Arc<Parts>,
    columns: fn(&Parts) -> &Columns,
    rows: usize,
) -> PyResult<Shown<'py>> {
    let found = columns(parts);
    let (mut numbers, mut sparse) = (None, None);
    match &found.numbers {
        Numbers::Dense(_) if found.width == 0 => {}
        Numbers::Dense(_) => {
            let shape = [rows, found.width];
            numbers = Some(borrowed(py, parts.clone(), |parts| dense(columns(parts)), &shape)?);
        }
        Numbers::OnDisk(on_disk) => {
            numbers = Some(array(py, on_disk.to_dense().map_err(Failure::from)?, &[rows, found.width])?);
        }
        Numbers::Sparse(csr) => {
            let offsets: Vec<i64> = csr.offsets.iter().map(|offset| *offset as i64).collect();
            let indices: Vec<i64> = csr.indices.iter().map(|index| i64::from(*index)).collect();
            let (rows, entries) = (offsets.len(), indices.len());
            sparse = Some((
                array(py, offsets, &[rows])?,
                array(py, indices, &[entries])?,
                array(py, csr.values.clone(), &[entries])?,
                found.width,
            ));
        }
    }
    let categories = match found.sizes.len() {
        0 => None,
        count => Some(array(py, found.categories.clone(), &[rows, count])?),
    };
    Ok((numbers, sparse, categories, found.sizes.clone()))
}

fn dense(columns: &Columns) -> &[f32] {
    match &columns.numbers {
        Numbers::Dense(numbers) => numbers,
        _ => &[],
    }
}
