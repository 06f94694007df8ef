//! Files of the Long Range Graph Benchmark as PyTorch Geometric takes them: for each part of the split a list of tuples.
//!
//! Superpixels: `(x [nodes, 14], edge_attr [edges, 2], edge_index [2, edges], y [nodes])`. PCQM-Contact: `(x [nodes, 9],
//! edge_attr [edges, 3], edge_index [2, edges], edge_label_index [2, pairs], edge_label [pairs])`.

use farhop_graph::Direction;

use super::folders::Located;
use super::molecules::Collected;
use super::unsplit_dataset::{Splits, UnsplitDataset, bytes_of};
use crate::dataset::entry_rows::{build_graph, graph_set, spread};
use crate::dataset::split::Split;
use crate::dataset::{Columns, Target};
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::npy::Array;
use crate::formats::pickle::{self, Value};
use crate::formats::torch;
use crate::layouts::graph_arrays::class_target;
use crate::molecules::smiles::{ATOM_SIZES, BOND_SIZES};

/// The object numbers of COCO that are in use, in order: class `i` is the `i`-th.
const COCO_GAPS: [i64; 10] = [12, 26, 29, 30, 45, 66, 68, 69, 71, 83];
const COCO_CLASSES: usize = 81;
const VOC_CLASSES: usize = 21;

/// The lists of the three parts, one after the other, and the split over their graphs.
fn each_graph(
    files: &Located,
    ending: &str,
    sources: &mut Vec<SourceFile>,
    mut take: impl FnMut(&Value) -> Result<(), DataError>,
) -> Result<Split, DataError> {
    let mut ends = vec![0u32];
    for part in ["train", "val", "test"] {
        let path = files.path(&format!("{part}.{ending}"))?;
        let (name, bytes) = (path.display().to_string(), bytes_of(path, sources)?);
        let list = if ending == "pt" { torch::from_bytes(&name, bytes)? } else { pickle::from_bytes(&name, bytes)? };
        let mut count = 0;
        for graph in list.items()? {
            take(&graph)?;
            count += 1;
        }
        ends.push(ends[ends.len() - 1] + count);
    }
    Ok(Split {
        train: (ends[0]..ends[1]).collect(),
        valid: (ends[1]..ends[2]).collect(),
        test: (ends[2]..ends[3]).collect(),
    })
}

/// The array at a place of a tuple, whose shape must be `[rows, width]`; `None` is any number of rows.
fn matrix(graph: &Value, place: usize, rows: Option<usize>, width: usize) -> Result<Array, DataError> {
    let value = graph.at(place)?;
    let array = value.array()?;
    match array.shape[..] {
        [found, columns] if columns == width && rows.is_none_or(|rows| rows == found) => Ok(array),
        _ => {
            let rows = rows.map_or("any".to_string(), |rows| rows.to_string());
            Err(value.error(format!("shape {:?}; [{rows}, {width}] is needed.", array.shape)))
        }
    }
}

/// Pairs of nodes from an array of shape `[2, pairs]`, moved by `start`.
fn node_pairs(graph: &Value, place: usize, nodes: usize, start: usize) -> Result<Vec<(u32, u32)>, DataError> {
    let value = graph.at(place)?;
    let shape = value.array()?.shape;
    let [2, pairs] = shape[..] else {
        return Err(value.error(format!("shape {shape:?}; [2, any] is needed.")));
    };
    let ends = value.ids(nodes)?;
    let (from, to) = ends.split_at(pairs);
    Ok(from.iter().zip(to).map(|(&from, &to)| (start as u32 + from, start as u32 + to)).collect())
}

/// PascalVOC-SP and COCO-SP.
pub(super) fn read_superpixels(files: &Located, coco: bool) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    let (mut rows, mut weights, mut offsets) = (Vec::new(), Vec::new(), vec![0usize]);
    let split = each_graph(files, "pickle", &mut sources, |graph| {
        let x = matrix(graph, 0, None, 14)?;
        let (nodes, start) = (x.shape[0], offsets[offsets.len() - 1]);
        let edges = node_pairs(graph, 2, nodes, start)?;
        weights.extend(matrix(graph, 1, Some(edges.len()), 2)?.to_f32()?);
        features.extend(x.to_f32()?);
        rows.extend(edges);
        let y = graph.at(3)?;
        let classes = y.integers()?;
        if classes.len() != nodes {
            return Err(y.error(format!("{} labels for {nodes} nodes.", classes.len())));
        }
        labels.extend(classes);
        offsets.push(start + nodes);
        Ok(())
    })?;
    let name = sources.first().map_or("superpixels".to_string(), |source| source.path.clone());
    if coco {
        labels.iter_mut().for_each(|label| *label = coco_class(*label));
    }
    let built = build_graph(&name, features.len() / 14, &rows, Direction::Undirected)?;
    let weights = spread(&built, 2, &weights, 0.0).values;
    let graphs = graph_set(&name, built.graph, offsets)?;
    Ok(UnsplitDataset {
        graphs,
        nodes: Columns::dense(14, features),
        edges: Columns::dense(2, weights),
        target: class_target(&name, &labels, Some(if coco { COCO_CLASSES } else { VOC_CLASSES }))?,
        splits: Splits { standard: Some(split), ..Splits::default() },
        ids: Vec::new(),
        notes: Vec::new(),
        sources,
    })
}

/// The class of an object number of COCO: numbers that are not in use are passed over. What is none stays too large.
fn coco_class(number: i64) -> i64 {
    if COCO_GAPS.contains(&number) || number > 90 {
        return COCO_CLASSES as i64;
    }
    number - COCO_GAPS.iter().filter(|&&gap| gap < number).count() as i64
}

/// PCQM-Contact.
pub(super) fn read_contacts(files: &Located) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let mut collected = Collected::new();
    let (mut pairs, mut together, mut pair_offsets) = (Vec::new(), Vec::new(), vec![0usize]);
    let split = each_graph(files, "pt", &mut sources, |graph| {
        let x = matrix(graph, 0, None, ATOM_SIZES.len())?;
        let (nodes, start) = (x.shape[0], collected.nodes());
        let edges = node_pairs(graph, 2, nodes, start)?;
        collected.bonds.extend(categories(&matrix(graph, 1, Some(edges.len()), BOND_SIZES.len())?)?);
        collected.atoms.extend(categories(&x)?);
        collected.rows.extend(edges);
        collected.offsets.push(start + nodes);
        let asked = node_pairs(graph, 3, nodes, start)?;
        let answers = graph.at(4)?;
        let numbers = answers.array()?.to_f32()?;
        if numbers.len() != asked.len() || numbers.iter().any(|answer| *answer != 0.0 && *answer != 1.0) {
            return Err(answers.error(format!(
                "{} answers for {} pairs; 0 or 1 for each is needed.",
                numbers.len(),
                asked.len()
            )));
        }
        pairs.extend(asked.into_iter().map(|(from, to)| [from, to]));
        together.extend(numbers.iter().map(|&answer| answer == 1.0));
        pair_offsets.push(pairs.len());
        Ok(())
    })?;
    let name = sources.first().map_or("pcqm-contact".to_string(), |source| source.path.clone());
    let (graphs, nodes, edges) = collected.finish(&name, ATOM_SIZES.to_vec(), BOND_SIZES.to_vec())?;
    Ok(UnsplitDataset {
        graphs,
        nodes,
        edges,
        target: Target::Pair { pairs, together, offsets: pair_offsets },
        splits: Splits { standard: Some(split), ..Splits::default() },
        ids: Vec::new(),
        notes: Vec::new(),
        sources,
    })
}

fn categories(array: &Array) -> Result<Vec<u16>, DataError> {
    let category = |number: i64| {
        u16::try_from(number).map_err(|_| DataError::Array {
            file: array.name.clone(),
            reason: format!("{number} is not a category; categories are counted from 0."),
        })
    };
    array.to_i64()?.into_iter().map(category).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coco_classes_are_the_numbers_in_use_in_order() {
        let used: Vec<i64> = (0..=90).filter(|number| !COCO_GAPS.contains(number)).collect();
        assert_eq!(used.len(), COCO_CLASSES);
        let classes: Vec<i64> = used.iter().map(|&number| coco_class(number)).collect();
        assert_eq!(classes, (0..COCO_CLASSES as i64).collect::<Vec<_>>());
        assert_eq!([coco_class(12), coco_class(91), coco_class(-1)], [81, 81, -1]);
    }
}
