//! Datasets from names, files, tables and SMILES.

use std::path::PathBuf;

use farhop_data::molecules::joined;
use farhop_data::{Dataset as Data, FeatureScaling, Level, NodeTableOptions, NodeTables, Target, smiles};
use farhop_train::{DataConfig, Places};
use pyo3::prelude::*;

use crate::dataset::Dataset;
use crate::errors::Failure;
use crate::graph::Graph;
use crate::threads::compute;

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
        let (graphs, nodes, edges) = joined("smiles", &molecules)?;
        let target = Target::none(graphs.len());
        Ok(Dataset::of(Data { nodes, edges, ..Data::new("molecules", graphs, Level::Graph, target) }))
    })?;
    dataset.graphs(py)
}
