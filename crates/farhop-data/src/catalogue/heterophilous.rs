//! The heterophilous graphs: features, labels, edges and ten splits in one archive.

use farhop_graph::{Direction, GraphSet, build};

use super::entry::Entry;
use super::folders::Located;
use super::parts::{Parts, Splits, bytes_of, class_target, columns_of, row_numbers};
use crate::dataset::{Columns, Target};
use crate::error::DataError;
use crate::npy::Array;
use crate::npz::Npz;
use crate::split::Split;
use crate::text::counted;

/// Reads a graph; `directed`: an edge is from its first node to its second; `binary`: labels answer one question.
pub(super) fn read(entry: &Entry, files: &Located, directed: bool, binary: bool) -> Result<Parts, DataError> {
    let mut sources = Vec::new();
    let path = files.path(entry.files[0].names[0])?;
    let file = path.display().to_string();
    let mut npz = Npz::from_bytes(&file, bytes_of(path, &mut sources)?)?;
    let features = npz.array("node_features")?;
    features.require_dimensions(2)?;
    let (nodes, width) = (features.shape[0], features.shape[1]);
    let labels = npz.array("node_labels")?.to_i64()?;
    let edges = npz.array("edges")?;
    edges.require_dimensions(2)?;
    if edges.shape[1] != 2 {
        let reason = format!("the array has shape {:?}; two nodes are needed for each edge.", edges.shape);
        return Err(DataError::Array { file: edges.name, reason });
    }
    let ends = row_numbers(&edges.name, &edges.to_i64()?)?;
    let rows: Vec<(u32, u32)> = ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    let built = build(nodes, &rows, direction)
        .map_err(|error| DataError::Graph { file: file.clone(), reason: error.to_string() })?;
    let target = if binary { question(&file, &labels)? } else { class_target(&file, &labels, None)? };
    let mut notes = Vec::new();
    if built.report.self_loops > 0 {
        notes.push(format!("{} left out.", counted(built.report.self_loops as u64, "self-loop is", "self-loops are")));
    }
    let masks = [npz.array("train_masks")?, npz.array("val_masks")?, npz.array("test_masks")?];
    Ok(Parts {
        graphs: GraphSet::single(built.graph),
        nodes: columns_of(&features.name, nodes, width, features.to_f32()?)?,
        edges: Columns::none(),
        target,
        splits: Splits { numbered: read_masks(&masks, nodes)?, ..Splits::default() },
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

/// Splits from masks of shape `[splits, nodes]`.
fn read_masks(masks: &[Array; 3], nodes: usize) -> Result<Vec<Split>, DataError> {
    let mut lists = Vec::new();
    let splits = masks[0].shape.first().copied().unwrap_or(0);
    for mask in masks {
        if mask.shape != [splits, nodes] {
            let reason = format!("the array has shape {:?}; [{splits}, {nodes}] is needed.", mask.shape);
            return Err(DataError::Array { file: mask.name.clone(), reason });
        }
        lists.push(mask.to_i64()?);
    }
    let part = |part: usize, split: usize| -> Vec<bool> {
        lists[part][split * nodes..(split + 1) * nodes].iter().map(|&mark| mark != 0).collect()
    };
    let split = |split| Ok(Split::from_masks(&part(0, split), &part(1, split), &part(2, split))?);
    (0..splits).map(split).collect()
}
