//! The Amazon and Coauthor graphs: two sparse matrices and labels in one archive, the split in another.

use farhop_graph::{Direction, GraphSet, build};

use super::entry::Entry;
use super::folders::Located;
use super::parts::{Parts, Splits, bytes_of, class_target, row_numbers};
use crate::csr::Csr;
use crate::dataset::Columns;
use crate::error::DataError;
use crate::npz::Npz;
use crate::source::SourceFile;
use crate::split::Split;

/// Reads the graph (made undirected, without self-loops), the features and the labels; the split if its file is here.
pub(super) fn read(entry: &Entry, files: &Located) -> Result<Parts, DataError> {
    let mut sources = Vec::new();
    let path = files.path(entry.files[0].names[0])?;
    let file = path.display().to_string();
    let mut npz = Npz::from_bytes(&file, bytes_of(path, &mut sources)?)?;
    let adjacency = Csr::from_npz(&mut npz, "adj")?;
    let features = Csr::from_npz(&mut npz, "attr")?;
    let labels = npz.array("labels")?.to_i64()?;
    if adjacency.rows != adjacency.columns {
        let reason =
            format!("an adjacency of {} rows and {} columns; as many are needed.", adjacency.rows, adjacency.columns);
        return Err(DataError::Array { file, reason });
    }
    let mut rows = Vec::with_capacity(adjacency.indices.len());
    for row in 0..adjacency.rows {
        rows.extend(adjacency.row(row).0.iter().map(|&column| (row as u32, column)));
    }
    let built = build(adjacency.rows, &rows, Direction::Undirected)
        .map_err(|error| DataError::Graph { file: file.clone(), reason: error.to_string() })?;
    let standard = match files.find(entry.files[1].names[0]) {
        Some(path) => Some(read_split(path, adjacency.rows, &mut sources)?),
        None => None,
    };
    Ok(Parts {
        graphs: GraphSet::single(built.graph),
        nodes: Columns::sparse(features),
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
