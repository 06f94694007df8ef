//! The Amazon and Coauthor graphs: two sparse matrices and labels in one archive, the split in another.

use farhop_graph::GraphSet;

use super::entry::Entry;
use super::folders::Located;
use super::unsplit_dataset::{Splits, UnsplitDataset, bytes_of, row_numbers};
use crate::dataset::Columns;
use crate::dataset::split::Split;
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::npz::Npz;
use crate::layouts::graph_arrays::{ArrayOptions, GraphArrays, class_target};

/// Reads the graph (made undirected, without self-loops), the features and the labels; the split if its file is here.
pub(super) fn read(entry: &Entry, files: &Located) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let path = files.path(entry.files[0].names[0])?;
    let file = path.display().to_string();
    let mut npz = Npz::from_bytes(&file, bytes_of(path, &mut sources)?)?;
    let arrays = GraphArrays::read(&mut npz, &ArrayOptions::default())?;
    let labels = arrays.class_numbers(&file)?;
    let standard = match files.find(entry.files[1].names[0]) {
        Some(path) => Some(read_split(path, labels.len(), &mut sources)?),
        None => None,
    };
    Ok(UnsplitDataset {
        graphs: GraphSet::single(arrays.built.graph),
        nodes: arrays.nodes,
        edges: Columns::none(),
        target: class_target(&file, &labels, None)?,
        splits: Splits { standard, ..Splits::default() },
        ids: Vec::new(),
        notes: Vec::new(),
        sources,
    })
}

/// Arrays `train`, `valid` and `test` of node numbers.
fn read_split(path: &std::path::Path, nodes: usize, sources: &mut Vec<SourceFile>) -> Result<Split, DataError> {
    let file = path.display().to_string();
    let mut npz = Npz::from_bytes(&file, bytes_of(path, sources)?)?;
    let mut part = |name: &str| row_numbers(&file, &npz.array(name)?.to_i64()?);
    let (train, valid, test) = (part("train")?, part("valid")?, part("test")?);
    Ok(Split::from_lists(nodes, train, valid, test)?)
}
