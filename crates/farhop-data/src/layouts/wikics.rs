//! The JSON file of the Wiki-CS dataset: articles, their links, and twenty splits.

use std::path::Path;

use farhop_graph::{Direction, GraphSet};
use serde::Deserialize;

use crate::dataset::entry_rows::build_graph;
use crate::dataset::split::Split;
use crate::dataset::{Columns, Dataset, Level, Target};
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::text_file::TextFile;
use crate::scores::metrics::Metric;
use crate::tables::scan::MOST_NODES;
use crate::text::{counted, one_line};

/// A Wiki-CS file that was read.
#[derive(Debug, Clone)]
pub struct WikiCs {
    /// `(source, target)` of every link; an article lists the articles it is joined with.
    pub links: Vec<(u32, u32)>,
    /// `[nodes, width]`.
    pub features: Vec<f32>,
    /// Numbers in a feature row.
    pub width: usize,
    /// The class of every node.
    pub labels: Vec<u32>,
    /// The splits: train, valid (`val_masks`) and test, which is the same in all.
    pub splits: Vec<Split>,
    /// For every split the nodes that its authors stop training by (`stopping_masks`); they are in no part of the split.
    pub stopping: Vec<Vec<u32>>,
    /// What was read, with its hash.
    pub source: SourceFile,
}

#[derive(Deserialize)]
struct Content {
    features: Vec<Vec<f32>>,
    labels: Vec<u32>,
    links: Vec<Vec<u32>>,
    train_masks: Vec<Vec<bool>>,
    val_masks: Vec<Vec<bool>>,
    stopping_masks: Vec<Vec<bool>>,
    test_mask: Vec<bool>,
}

impl WikiCs {
    /// Reads the file.
    pub fn open(path: &Path) -> Result<WikiCs, DataError> {
        WikiCs::read(&TextFile::open(path)?)
    }

    /// Reads bytes that were read elsewhere; they may be compressed.
    pub fn from_bytes(path: &str, bytes: Vec<u8>) -> Result<WikiCs, DataError> {
        WikiCs::read(&TextFile::from_bytes(path, bytes)?)
    }

    /// The dataset with one of its splits, undirected.
    pub fn dataset(&self, split: usize) -> Result<Dataset, DataError> {
        let file = self.source.name();
        let Some(chosen) = self.splits.get(split) else {
            let count = counted(self.splits.len() as u64, "split", "splits");
            let reason = format!("split {split} does not exist: there are {count}, numbered from 0.");
            return Err(DataError::Array { file: file.to_string(), reason });
        };
        let built = build_graph(file, self.labels.len(), &self.links, Direction::Undirected)?;
        let classes = self.labels.iter().max().map_or(0, |&last| last + 1);
        let loops = built.report.self_loops as u64;
        let notes = match loops {
            0 => Vec::new(),
            _ => vec![format!("{file}: {} left out", counted(loops, "self-loop", "self-loops"))],
        };
        Dataset {
            nodes: Columns::dense(self.width, self.features.clone()),
            split: chosen.clone(),
            metric: Metric::Accuracy,
            notes,
            sources: vec![self.source.clone()],
            ..Dataset::new(
                "wiki-cs",
                GraphSet::single(built.graph),
                Level::Node,
                Target::Class {
                    labels: self.labels.iter().map(|&label| Some(label)).collect(),
                    classes: (0..classes).map(|class| class.to_string()).collect(),
                },
            )
        }
        .check()
    }

    fn read(file: &TextFile) -> Result<WikiCs, DataError> {
        let content: Content = serde_json::from_slice(file.bytes()).map_err(|error| {
            let reason = one_line(&error.to_string());
            file.wrong_at(error.line() as u64, format!("not a Wiki-CS file ({reason}). Download it again."))
        })?;
        let nodes = content.labels.len();
        for (what, count) in [("features", content.features.len()), ("links", content.links.len())] {
            require(file, what, count, nodes)?;
        }
        let width = content.features.first().map_or(0, Vec::len);
        if let Some(row) = content.features.iter().position(|row| row.len() != width) {
            let found = content.features[row].len();
            return Err(file.wrong(format!("\"features\" row {row} has {found} numbers where row 0 has {width}.")));
        }
        if let Some(node) = content.labels.iter().position(|&label| label as usize >= nodes.min(1 << 16)) {
            let label = content.labels[node];
            return Err(file.wrong(format!("\"labels\" {node} is {label}; classes count from 0 and are few.")));
        }
        let masks = [&content.train_masks, &content.val_masks, &content.stopping_masks];
        let splits = content.train_masks.len();
        if masks.iter().any(|masks| masks.len() != splits) || nodes > MOST_NODES {
            return Err(file.wrong("train, val and stopping masks must be equally many.".to_string()));
        }
        for mask in masks.into_iter().flatten().chain([&content.test_mask]) {
            require(file, "mask", mask.len(), nodes)?;
        }
        let test = rows_of(&content.test_mask);
        let split = |number: usize| {
            let (train, valid) = (rows_of(&content.train_masks[number]), rows_of(&content.val_masks[number]));
            Split::from_lists(nodes, train, valid, test.clone())
                .map_err(|error| file.wrong(format!("split {number}: {error}")))
        };
        let splits = (0..splits).map(split).collect::<Result<_, _>>()?;
        Ok(WikiCs {
            links: links(file, &content.links, nodes)?,
            features: content.features.concat(),
            width,
            labels: content.labels,
            splits,
            stopping: content.stopping_masks.iter().map(|mask| rows_of(mask)).collect(),
            source: file.source().clone(),
        })
    }
}

fn require(file: &TextFile, what: &str, found: usize, nodes: usize) -> Result<(), DataError> {
    if found == nodes {
        return Ok(());
    }
    Err(file.wrong(format!("a list \"{what}\" has {found} elements for {nodes} labels; as many are needed.")))
}

fn rows_of(mask: &[bool]) -> Vec<u32> {
    (0..mask.len() as u32).zip(mask).filter(|(_, inside)| **inside).map(|(row, _)| row).collect()
}

fn links(file: &TextFile, links: &[Vec<u32>], nodes: usize) -> Result<Vec<(u32, u32)>, DataError> {
    let mut rows = Vec::with_capacity(links.iter().map(Vec::len).sum());
    for (node, others) in links.iter().enumerate() {
        for &other in others {
            if other as usize >= nodes {
                let reason = format!("\"links\" {node} names node {other}; nodes are 0 to {}.", nodes - 1);
                return Err(file.wrong(reason));
            }
            rows.push((node as u32, other));
        }
    }
    Ok(rows)
}
