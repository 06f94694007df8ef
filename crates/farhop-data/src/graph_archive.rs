//! Archives of arrays that hold one graph of labelled nodes, in the layouts that are common.

use std::io::{Read, Seek};

use farhop_graph::{Built, Direction};

use crate::csr::Csr;
use crate::dataset::{Columns, Target};
use crate::entry_rows::build_graph;
use crate::error::DataError;
use crate::npy::Array;
use crate::npz::Npz;
use crate::split::Split;

/// How the arrays of an archive make a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveLayout {
    /// `edge_index` `[2, E]`, `x` `[N, F]`, `y` (classes `[N]` or targets `[G, T]`), perhaps `batch` `[N]`.
    EdgeIndex,
    /// `edges` `[E, 2]`, `node_features` `[N, F]`, `node_labels` `[N]`, perhaps `train_masks`, `val_masks`, `test_masks`
    /// `[S, N]`.
    Masks,
    /// `adj_*` and `attr_*` as sparse matrices in compressed rows, `labels` `[N]`.
    Sparse,
}

impl ArchiveLayout {
    /// The layout that an archive has, if it is a known one.
    pub fn of<R: Read + Seek>(npz: &Npz<R>) -> Option<ArchiveLayout> {
        let has = |names: &[&str]| names.iter().all(|name| npz.contains(name));
        if has(&["edge_index", "x", "y"]) {
            Some(ArchiveLayout::EdgeIndex)
        } else if has(&["edges", "node_features", "node_labels"]) {
            Some(ArchiveLayout::Masks)
        } else if has(&["adj_indices", "adj_indptr", "attr_indices", "attr_indptr", "labels"]) {
            Some(ArchiveLayout::Sparse)
        } else {
            None
        }
    }
}

/// A graph of labelled nodes from an archive.
#[derive(Debug)]
pub(crate) struct NodeArchive {
    /// The graph, and what became of the rows.
    pub built: Built,
    /// Features of the nodes.
    pub nodes: Columns,
    /// The class of every node; negative where it is unknown.
    pub labels: Vec<i64>,
    /// The splits that the archive holds.
    pub splits: Vec<Split>,
}

impl NodeArchive {
    /// Reads [`ArchiveLayout::Masks`].
    pub fn with_masks<R: Read + Seek>(file: &str, npz: &mut Npz<R>, directed: bool) -> Result<Self, DataError> {
        let features = npz.array("node_features")?;
        features.require_dimensions(2)?;
        let (nodes, width) = (features.shape[0], features.shape[1]);
        let edges = npz.array("edges")?;
        edges.require_dimensions(2)?;
        if edges.shape[1] != 2 {
            return Err(wrong(&edges, "two nodes are needed for each edge."));
        }
        let rows: Vec<(u32, u32)> = edges.to_ids(nodes)?.as_chunks().0.iter().map(|&[from, to]| (from, to)).collect();
        let labels = npz.array("node_labels")?;
        let splits = match npz.contains("train_masks") {
            true => {
                splits_of_masks(&[npz.array("train_masks")?, npz.array("val_masks")?, npz.array("test_masks")?], nodes)?
            }
            false => Vec::new(),
        };
        Ok(NodeArchive {
            built: build_graph(file, nodes, &rows, direction(directed))?,
            nodes: mostly_sparse(&features.name, nodes, width, features.to_f32()?)?,
            labels: labels_of(&labels, nodes)?,
            splits,
        })
    }

    /// Reads [`ArchiveLayout::Sparse`].
    pub fn with_sparse_rows<R: Read + Seek>(file: &str, npz: &mut Npz<R>, directed: bool) -> Result<Self, DataError> {
        let links = Csr::from_npz(npz, "adj")?;
        if links.rows != links.columns {
            let reason =
                format!("an adjacency of {} rows and {} columns; as many are needed.", links.rows, links.columns);
            return Err(DataError::Array { file: file.to_string(), reason });
        }
        let row = |node: usize| links.row(node).0.iter().map(move |&other| (node as u32, other));
        let rows: Vec<(u32, u32)> = (0..links.rows).flat_map(row).collect();
        Ok(NodeArchive {
            built: build_graph(file, links.rows, &rows, direction(directed))?,
            nodes: Columns::sparse(Csr::from_npz(npz, "attr")?),
            labels: labels_of(&npz.array("labels")?, links.rows)?,
            splits: Vec::new(),
        })
    }
}

fn direction(directed: bool) -> Direction {
    if directed { Direction::Directed } else { Direction::Undirected }
}

fn labels_of(labels: &Array, nodes: usize) -> Result<Vec<i64>, DataError> {
    if labels.len() != nodes {
        return Err(wrong(labels, "one label for every node is needed."));
    }
    labels.to_i64()
}

/// Splits from masks of train, valid and test, each of shape `[splits, nodes]`.
fn splits_of_masks(masks: &[Array; 3], nodes: usize) -> Result<Vec<Split>, DataError> {
    let splits = masks[0].shape.first().copied().unwrap_or(0);
    let mut lists = Vec::with_capacity(masks.len());
    for mask in masks {
        if mask.shape != [splits, nodes] {
            return Err(wrong(mask, &format!("[{splits}, {nodes}] is needed.")));
        }
        lists.push(mask.to_i64()?);
    }
    let part = |part: usize, split: usize| -> Vec<bool> {
        lists[part][split * nodes..(split + 1) * nodes].iter().map(|&mark| mark != 0).collect()
    };
    let split = |split| Ok(Split::from_masks(&part(0, split), &part(1, split), &part(2, split))?);
    (0..splits).map(split).collect()
}

/// Features as they are kept: sparse if at most one number in five is not 0.
pub(crate) fn mostly_sparse(name: &str, rows: usize, width: usize, dense: Vec<f32>) -> Result<Columns, DataError> {
    let filled = dense.iter().filter(|value| **value != 0.0).count();
    if width == 0 || dense.len() != rows.saturating_mul(width) || 5 * filled > dense.len() {
        return Ok(Columns::dense(width, dense));
    }
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::with_capacity(filled), Vec::with_capacity(filled));
    for row in dense.chunks_exact(width) {
        for (column, &value) in row.iter().enumerate() {
            if value != 0.0 {
                indices.push(column as u32);
                values.push(value);
            }
        }
        offsets.push(indices.len());
    }
    Ok(Columns::sparse(Csr::new(name, [rows, width], offsets, indices, values)?))
}

/// Classes named by their numbers, one more than the largest; negative labels are unknown.
pub(crate) fn class_target(file: &str, labels: &[i64], classes: Option<usize>) -> Result<Target, DataError> {
    let largest = labels.iter().copied().max().unwrap_or(-1);
    let classes = classes.unwrap_or((largest.saturating_add(1)).clamp(0, MOST_CLASSES) as usize);
    if largest >= classes as i64 {
        let reason = format!("label {largest} where labels are 0 to {}.", classes as i64 - 1);
        return Err(DataError::Array { file: file.to_string(), reason });
    }
    let labels = labels.iter().map(|&label| u32::try_from(label).ok()).collect();
    Ok(Target::Class { labels, classes: (0..classes).map(|class| class.to_string()).collect() })
}

/// Classes are few, and each has a name.
const MOST_CLASSES: i64 = 1 << 16;

fn wrong(array: &Array, reason: &str) -> DataError {
    DataError::Array { file: array.name.clone(), reason: format!("the array has shape {:?}; {reason}", array.shape) }
}
