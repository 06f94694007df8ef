//! The heterophilous graphs: features, labels, edges and ten splits in one archive.

use farhop_graph::GraphSet;

use super::entry::Entry;
use super::folders::Located;
use super::unsplit_dataset::{Splits, UnsplitDataset, bytes_of};
use crate::dataset::{Columns, Target};
use crate::error::DataError;
use crate::formats::npz::Npz;
use crate::layouts::graph_arrays::{ArrayOptions, GraphArrays, class_target};
use crate::text::counted;

/// Reads a graph; `directed`: an edge is from its first node to its second; `binary`: labels answer one question.
pub(super) fn read(entry: &Entry, files: &Located, directed: bool, binary: bool) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let path = files.path(entry.files[0].names[0])?;
    let file = path.display().to_string();
    let mut npz = Npz::from_bytes(&file, bytes_of(path, &mut sources)?)?;
    let arrays = GraphArrays::read(&mut npz, &ArrayOptions { directed, ..ArrayOptions::default() })?;
    let labels = arrays.class_numbers(&file)?;
    let built = arrays.built;
    let target = if binary { question(&file, &labels)? } else { class_target(&file, &labels, None)? };
    let mut notes = Vec::new();
    if built.report.self_loops > 0 {
        notes.push(format!("{} left out.", counted(built.report.self_loops as u64, "self-loop is", "self-loops are")));
    }
    Ok(UnsplitDataset {
        graphs: GraphSet::single(built.graph),
        nodes: arrays.nodes,
        edges: Columns::none(),
        target,
        splits: Splits { numbered: arrays.splits.splits, ..Splits::default() },
        ids: Vec::new(),
        notes,
        sources,
    })
}

/// Labels 0 and 1 as the answers to one question.
fn question(file: &str, labels: &[i64]) -> Result<Target, DataError> {
    if let Some(other) = labels.iter().find(|label| !matches!(label, 0 | 1)) {
        return Err(DataError::Array {
            file: file.to_string(),
            reason: format!("label {other}; only 0 and 1 are allowed."),
        });
    }
    Ok(Target::Binary {
        values: labels.iter().map(|&label| label as f32).collect(),
        names: vec!["label 1".to_string()],
    })
}
