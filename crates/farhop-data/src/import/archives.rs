//! Archives of arrays that hold a graph, as datasets.

use std::path::Path;

use farhop_graph::GraphSet;

use crate::bench_graph::{BenchGraph, BenchTargets};
use crate::cache::hash_files;
use crate::dataset::{Columns, Dataset, Level, Target};
use crate::dataset_file::LEFT_ON_DISK;
use crate::entry_rows::graph_set;
use crate::error::DataError;
use crate::graph_archive::{ArchiveLayout, NodeArchive, class_target};
use crate::npz::Npz;
use crate::options::SplitChoice;
use crate::split_choice::chosen_split;
use crate::text::counted;

/// A dataset from an archive. `number` is the split to use where the archive has several; without any, `choice` decides.
pub(super) fn read(
    path: &Path,
    layout: ArchiveLayout,
    number: usize,
    directed: bool,
    choice: &SplitChoice,
) -> Result<Dataset, DataError> {
    let file = path.display().to_string();
    let archive = match layout {
        ArchiveLayout::EdgeIndex => return edge_index(path, choice),
        ArchiveLayout::Masks => NodeArchive::with_masks(&file, &mut Npz::open(path)?, directed)?,
        ArchiveLayout::Sparse => NodeArchive::with_sparse_rows(&file, &mut Npz::open(path)?, directed)?,
    };
    let target = class_target(&file, &archive.labels, None)?;
    let splits = archive.splits.len();
    let split = match archive.splits.into_iter().nth(number) {
        Some(split) => split,
        None if splits == 0 => chosen_split(archive.labels.len(), &target, choice)?,
        None => {
            let reason = format!("there is no split {number}; its splits are 0 to {}.", splits - 1);
            return Err(DataError::Array { file, reason });
        }
    };
    let notes = match archive.built.report.self_loops as u64 {
        0 => Vec::new(),
        loops => vec![format!("{file}: {} left out", counted(loops, "self-loop", "self-loops"))],
    };
    Dataset {
        name: stem(path),
        graphs: GraphSet::single(archive.built.graph),
        nodes: archive.nodes,
        edges: Columns::none(),
        level: Level::Node,
        metric: target.usual_metric(),
        target,
        split,
        ids: Vec::new(),
        notes,
        sources: hash_files(&[path.to_path_buf()])?,
    }
    .check()
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

fn edge_index(path: &Path, choice: &SplitChoice) -> Result<Dataset, DataError> {
    let sources = hash_files(&[path.to_path_buf()])?;
    let mut npz = Npz::open(path)?;
    let left = if npz.bytes_of("x") >= LEFT_ON_DISK { npz.on_disk("x", "nodes")? } else { None };
    let (read, features) = match left {
        Some(numbers) => {
            let shape = [numbers.rows(), numbers.width()];
            (BenchGraph::with_features(&mut npz, Vec::new(), &shape)?, Columns::on_disk(numbers))
        }
        None => {
            let mut read = BenchGraph::read(&mut npz)?;
            let features = Columns::dense(read.width, std::mem::take(&mut read.features));
            (read, features)
        }
    };
    drop(npz);
    let (level, target) = match read.targets {
        BenchTargets::Classes { of_node, .. } => {
            let labels: Vec<i64> = of_node.iter().map(|&label| i64::from(label)).collect();
            (Level::Node, class_target(&path.display().to_string(), &labels, None)?)
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
    let graphs = graph_set(&path.display().to_string(), read.graph, offsets)?;
    let units = if level == Level::Node && graphs.len() == 1 { nodes } else { graphs.len() };
    let split = chosen_split(units, &target, choice)?;
    let metric = target.usual_metric();
    Dataset {
        name: stem(path),
        graphs,
        nodes: features,
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
