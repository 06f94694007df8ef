//! Files that Python left behind, as datasets: graphs of PyTorch Geometric and networkx, and dictionaries of arrays.

use std::path::Path;

use super::{ImportOptions, arrays};
use crate::dataset::Dataset;
use crate::error::DataError;
use crate::files::source::{SourceFile, read_bytes};
use crate::formats::pickle::{self, Kind, Value};
use crate::formats::torch;
use crate::layouts::attributed::{AttributedGraphs, is_graph};
use crate::layouts::graph_arrays::{JoinedSource, PythonSource, REMEDY};

/// A dataset from a file of `torch.save`.
pub(super) fn read_torch(path: &Path, options: &ImportOptions) -> Result<Dataset, DataError> {
    read(path, options, torch::from_bytes)
}

/// A dataset from a pickle.
pub(super) fn read_pickle(path: &Path, options: &ImportOptions) -> Result<Dataset, DataError> {
    read(path, options, pickle::from_bytes)
}

/// The graphs of networkx that a pickle holds, if it holds such.
pub(super) fn networkx(path: &Path) -> Result<Option<AttributedGraphs>, DataError> {
    let file = path.display().to_string();
    let bytes = read_bytes(path)?;
    let source = SourceFile::of(&file, &bytes);
    let value = pickle::from_bytes(&file, bytes)?;
    match form_of(&value) {
        Form::NetworkX => AttributedGraphs::of_networkx(&source, &value).map(Some),
        _ => Ok(None),
    }
}

fn read(
    path: &Path,
    options: &ImportOptions,
    load: fn(&str, Vec<u8>) -> Result<Value, DataError>,
) -> Result<Dataset, DataError> {
    let file = path.display().to_string();
    let bytes = read_bytes(path)?;
    let sources = vec![SourceFile::of(&file, &bytes)];
    let value = load(&file, bytes)?;
    match form_of(&value) {
        Form::Arrays { geometric } => {
            arrays::read(path, sources, &mut PythonSource::new(&file, value, geometric), options)
        }
        Form::One { data } => arrays::read(path, sources, &mut PythonSource::new(&file, data, true), options),
        Form::List => arrays::read(path, sources, &mut JoinedSource::of_list(&file, value.items()?)?, options),
        Form::Collated { data, slices } => {
            arrays::read(path, sources, &mut JoinedSource::of_slices(&file, data, &slices)?, options)
        }
        Form::NetworkX => super::dataset_of_attributed(&AttributedGraphs::of_networkx(&sources[0], &value)?, options),
        Form::Other => {
            let what = value.described();
            Err(super::wrong(path, format!("the file holds {what}, which is not a graph that is known. {REMEDY}")))
        }
    }
}

/// What a value is.
enum Form {
    /// A graph with named arrays.
    Arrays {
        geometric: bool,
    },
    /// A graph of networkx, or a list of them.
    NetworkX,
    /// A graph of PyTorch Geometric that lies in something else.
    One {
        data: Value,
    },
    /// A list of such graphs.
    List,
    /// Graphs that were put together, and where each begins.
    Collated {
        data: Value,
        slices: Value,
    },
    Other,
}

fn form_of(value: &Value) -> Form {
    let has_edges =
        |value: &Value| crate::layouts::graph_arrays::LinksAs::of(|name| value.find(name).is_some()).is_some();
    let first = value.at(0).ok();
    if is_graph(value) || first.is_some_and(|first| is_graph(&first)) {
        return Form::NetworkX;
    }
    match value.kind() {
        Kind::Object(object) if object.class.starts_with("torch_geometric.data") => Form::Arrays { geometric: true },
        // A dataset as a whole: of one graph, or of several that are put together.
        Kind::Object(_) | Kind::Dict(_) if !has_edges(value) => {
            let data = value.find("_data").or_else(|| value.find("data"));
            match (data, value.find("slices")) {
                (Some(data), Some(slices)) if *slices.kind() != Kind::None => Form::Collated { data, slices },
                (Some(data), _) => Form::One { data },
                _ => Form::Other,
            }
        }
        Kind::Object(_) | Kind::Dict(_) => Form::Arrays { geometric: false },
        Kind::List(_) | Kind::Tuple(_) => match (value.at(0), value.at(1)) {
            // The pair of a collated dataset, perhaps with its class behind it.
            (Ok(data), Ok(slices)) if has_edges(&data) && are_slices(&slices) => Form::Collated { data, slices },
            (Ok(data), Ok(none)) if has_edges(&data) && *none.kind() == Kind::None => Form::One { data },
            (Ok(first), _) if has_edges(&first) => Form::List,
            _ => Form::Other,
        },
        _ => Form::Other,
    }
}

/// Whether these are the places where the rows of each graph begin: a list of numbers for each array.
fn are_slices(value: &Value) -> bool {
    let edges = value.find("edge_index").and_then(|edges| edges.array().ok());
    matches!(value.kind(), Kind::Dict(_)) && edges.is_some_and(|edges| edges.shape.len() == 1)
}
