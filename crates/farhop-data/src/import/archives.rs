//! Archives of arrays that hold a graph, in the three layouts that are common.

use std::io::{Read, Seek};
use std::path::Path;

use farhop_graph::{Direction, GraphSet};

use crate::bench_graph::{BenchGraph, BenchTargets};
use crate::cache::hash_files;
use crate::csr::Csr;
use crate::dataset::{Columns, Dataset, Level, Target};
use crate::entry_rows::build_graph;
use crate::error::DataError;
use crate::npy::Array;
use crate::npz::Npz;
use crate::options::SplitChoice;
use crate::scan::MOST_NODES;
use crate::split::Split;
use crate::task::{chosen_split, usual_metric};
use crate::text::counted;

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

/// A dataset from an archive. `number` is the split to use where the archive has several; without any, `choice` decides.
pub(super) fn read(
    path: &Path,
    layout: ArchiveLayout,
    number: usize,
    directed: bool,
    choice: &SplitChoice,
) -> Result<Dataset, DataError> {
    let mut npz = Npz::open(path)?;
    match layout {
        ArchiveLayout::EdgeIndex => edge_index(path, choice),
        ArchiveLayout::Masks => {
            let edges = npz.array("edges")?;
            if edges.shape.len() != 2 || edges.shape[1] != 2 {
                return Err(wrong(&edges, "shape [edges, 2] is needed."));
            }
            let features = npz.array("node_features")?;
            features.require_dimensions(2)?;
            let [nodes, width] = [features.shape[0], features.shape[1]];
            let ends = edges.to_ids(nodes)?;
            let rows = ends.as_chunks::<2>().0.iter().map(|&[source, target]| (source, target)).collect();
            let labels = npz.array("node_labels")?;
            let split = masks(&mut npz, nodes, number)?;
            let columns = Columns::dense(width, features.to_f32()?);
            Parts { path, nodes, rows, columns, labels, split, directed }.dataset(choice)
        }
        ArchiveLayout::Sparse => {
            let links = Csr::from_npz(&mut npz, "adj")?;
            let attributes = Csr::from_npz(&mut npz, "attr")?;
            let row = |node: usize| links.row(node).0.iter().map(move |&other| (node as u32, other));
            let rows = (0..links.rows).flat_map(row).collect();
            let labels = npz.array("labels")?;
            let (nodes, columns) = (links.rows, Columns::sparse(attributes));
            Parts { path, nodes, rows, columns, labels, split: None, directed }.dataset(choice)
        }
    }
}

/// What both layouts of nodes have.
struct Parts<'a> {
    path: &'a Path,
    nodes: usize,
    rows: Vec<(u32, u32)>,
    columns: Columns,
    labels: Array,
    split: Option<Split>,
    directed: bool,
}

impl Parts<'_> {
    fn dataset(self, choice: &SplitChoice) -> Result<Dataset, DataError> {
        let file = self.path.display().to_string();
        let direction = if self.directed { Direction::Directed } else { Direction::Undirected };
        let built = build_graph(&file, self.nodes, &self.rows, direction)?;
        if self.labels.len() != self.nodes {
            return Err(wrong(&self.labels, "one label for every node is needed."));
        }
        let target = classes(&self.labels.to_ids(MOST_CLASSES)?);
        let split = match self.split {
            Some(split) => split,
            None => chosen_split(self.nodes, &target, choice)?,
        };
        let loops = built.report.self_loops as u64;
        let notes = match loops {
            0 => Vec::new(),
            _ => vec![format!("{file}: {} left out", counted(loops, "self-loop", "self-loops"))],
        };
        let metric = usual_metric(&target);
        Dataset {
            name: stem(self.path),
            graphs: GraphSet::single(built.graph),
            nodes: self.columns,
            edges: Columns::none(),
            level: Level::Node,
            target,
            split,
            metric,
            ids: Vec::new(),
            notes,
            sources: hash_files(&[self.path.to_path_buf()])?,
        }
        .check()
    }
}

/// Classes are few, and each has a name.
const MOST_CLASSES: usize = 1 << 16;

fn classes(labels: &[u32]) -> Target {
    let count = labels.iter().max().map_or(0, |&last| last + 1);
    let classes = (0..count).map(|class| class.to_string()).collect();
    Target::Class { labels: labels.iter().map(|&label| Some(label)).collect(), classes }
}

fn masks<R: Read + Seek>(npz: &mut Npz<R>, nodes: usize, number: usize) -> Result<Option<Split>, DataError> {
    if !npz.contains("train_masks") || nodes > MOST_NODES {
        return Ok(None);
    }
    let mut part = |name: &str| {
        let mask = npz.array(name)?;
        let fits = mask.shape.len() == 2 && mask.shape[1] == nodes && number < mask.shape[0];
        if !fits {
            return Err(wrong(
                &mask,
                &format!("shape [splits, nodes] with {nodes} nodes and a split {number} is needed."),
            ));
        }
        let inside = mask.to_i64()?;
        let of_split = inside.get(number * nodes..(number + 1) * nodes).unwrap_or(&[]);
        Ok((0..nodes as u32)
            .zip(of_split)
            .filter(|(_, inside)| **inside != 0)
            .map(|(node, _)| node)
            .collect::<Vec<_>>())
    };
    let (train, valid, test) = (part("train_masks")?, part("val_masks")?, part("test_masks")?);
    Ok(Some(Split::from_lists(nodes, train, valid, test)?))
}

fn wrong(array: &Array, reason: &str) -> DataError {
    DataError::Array { file: array.name.clone(), reason: format!("the array has shape {:?}; {reason}", array.shape) }
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

fn edge_index(path: &Path, choice: &SplitChoice) -> Result<Dataset, DataError> {
    let sources = hash_files(&[path.to_path_buf()])?;
    let read = BenchGraph::open(path)?;
    let (level, target) = match read.targets {
        BenchTargets::Classes { of_node, count } => {
            if count > MOST_CLASSES {
                let what = format!("{}: {count} classes are too many.", path.display());
                return Err(DataError::Mismatch { what });
            }
            (Level::Node, classes(&of_node))
        }
        BenchTargets::Numbers { values, columns } => {
            let names = (0..columns).map(|column| format!("target {column}")).collect();
            (Level::Graph, Target::Number { values, names })
        }
    };
    let nodes = read.graph.nodes();
    let offsets = match read.batch {
        None => vec![0, nodes],
        Some(batch) => {
            let graphs = batch.last().map_or(0, |&last| last as usize + 1);
            (0..=graphs).map(|graph| batch.partition_point(|&of| (of as usize) < graph)).collect()
        }
    };
    let graphs = GraphSet::new(read.graph, offsets)
        .map_err(|error| DataError::Graph { file: path.display().to_string(), reason: error.to_string() })?;
    let units = if level == Level::Node && graphs.len() == 1 { nodes } else { graphs.len() };
    let split = match (&target, units) {
        // Nodes of many graphs: whole graphs are drawn.
        (Target::Class { .. }, units) if units != nodes => {
            let plain = Target::Number { values: vec![0.0; units], names: vec![String::new()] };
            chosen_split(units, &plain, choice)?
        }
        _ => chosen_split(units, &target, choice)?,
    };
    let metric = usual_metric(&target);
    Dataset {
        name: stem(path),
        graphs,
        nodes: Columns::dense(read.width, read.features),
        edges: Columns::none(),
        level,
        target,
        split,
        metric,
        ids: Vec::new(),
        notes: Vec::new(),
        sources,
    }
    .check()
}
