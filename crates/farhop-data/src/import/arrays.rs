//! Named arrays that hold a graph or many, as datasets.

use std::path::Path;

use super::ImportOptions;
use crate::catalogue::SplitRequest;
use crate::dataset::cache::hash_files;
use crate::dataset::entry_rows::graph_set;
use crate::dataset::split::Split;
use crate::dataset::split_choice::chosen_split;
use crate::dataset::{Columns, Dataset, Level, Target};
use crate::error::DataError;
use crate::error::setting::Setting;
use crate::files::source::SourceFile;
use crate::formats::npy;
use crate::formats::npz::Npz;
use crate::layouts::graph_arrays::{ArrayOptions, ArraySource, FileSplits, GraphArrays, OneArray, no_split};
use crate::tables::graph_features::{complete_graph_features, graph_feature};
use crate::tables::options::SplitChoice;

/// A dataset from an npz archive.
pub(super) fn read_npz(path: &Path, options: &ImportOptions) -> Result<Dataset, DataError> {
    let sources = hash_files(&[path.to_path_buf()])?;
    read(path, sources, &mut Npz::open(path)?, options)
}

/// A dataset from an npy file: the adjacency of a graph.
pub(super) fn read_npy(path: &Path, options: &ImportOptions) -> Result<Dataset, DataError> {
    let sources = hash_files(&[path.to_path_buf()])?;
    read(path, sources, &mut OneArray { array: npy::read(path)? }, options)
}

/// A dataset from named arrays of the file at `path`.
pub(super) fn read(
    path: &Path,
    sources: Vec<SourceFile>,
    arrays: &mut dyn ArraySource,
    options: &ImportOptions,
) -> Result<Dataset, DataError> {
    let array_options = ArrayOptions {
        directed: options.table.directed,
        targets: &options.targets,
        categories: &options.table.categories,
    };
    let GraphArrays { built, offsets, nodes, edges, answers, level, splits, mut notes } =
        GraphArrays::read(arrays, &array_options)?;
    let file = path.display().to_string();
    let graphs = graph_set(&file, built.graph, offsets)?;
    let rows = if level == Level::Node { graphs.union().nodes() } else { graphs.len() };
    let target = match &answers {
        None => Target::none(rows),
        Some(answers) => answers.target(options.task, level, &mut notes)?,
    };
    let units = if level == Level::Node && graphs.len() == 1 { rows } else { graphs.len() };
    let split = match answers {
        None => Split::default(),
        Some(_) => split_of(&file, splits, units, &target, options, &mut notes)?,
    };
    let nodes = match nodes.is_empty() {
        false => nodes,
        true => {
            let train: &[u32] = if units == rows && level == Level::Node { &split.train } else { &[] };
            let column = complete_graph_features(graphs.union(), train, &options.table);
            notes.push(format!("the file has no features of nodes; every node gets {}", column.name));
            let mut numbers = vec![0.0; graphs.union().nodes()];
            graph_feature(&[column], graphs.union(), &mut numbers);
            Columns::dense(1, numbers)
        }
    };
    Dataset {
        nodes,
        edges,
        split,
        notes,
        sources,
        ..Dataset::new(
            path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            graphs,
            level,
            target,
        )
    }
    .check()
}

/// The split that is asked for: one of the file, or a drawn one. Where the file has none, a drawn one is noted.
fn split_of(
    file: &str,
    splits: FileSplits,
    units: usize,
    target: &Target,
    options: &ImportOptions,
    notes: &mut Vec<String>,
) -> Result<Split, DataError> {
    let wrong = |error: crate::SplitError| DataError::Array { file: file.to_string(), reason: error.to_string() };
    let SplitChoice::Automatic { fractions, seed } = options.table.split else {
        return chosen_split(units, target, &options.table.split).map_err(wrong);
    };
    let number = match options.split {
        SplitRequest::Number(number) => Some(number),
        SplitRequest::Standard => None,
        SplitRequest::Tuned => {
            let split = Setting::named("split");
            let reason = format!("the tuned split is one of datasets of the catalogue. Take {split} out.");
            return Err(DataError::Array { file: file.to_string(), reason });
        }
        SplitRequest::PerClass { train, valid, test } => {
            let Target::Class { labels, classes } = target else {
                let reason = format!("a split per class needs classes. Take {} out.", Setting::named("split"));
                return Err(DataError::Array { file: file.to_string(), reason });
            };
            notes.push(format!("the split is drawn with seed {seed}: {train} per class, {valid}, {test}"));
            return Split::per_class(labels, classes.len(), train, valid, test, seed).map_err(wrong);
        }
        SplitRequest::Seeded { fractions } => {
            let choice = SplitChoice::Automatic { fractions, seed };
            notes.push(drawn_note("the split", fractions.train, fractions.valid, seed));
            return chosen_split(units, target, &choice).map_err(wrong);
        }
    };
    if let Some(split) = splits.chosen(file, number, target, notes)? {
        return Ok(split);
    }
    notes.push(drawn_note("the file has no split; one", fractions.train, fractions.valid, seed));
    chosen_split(units, target, &options.table.split).map_err(wrong)
}

fn drawn_note(what: &str, train: f64, valid: f64, seed: u64) -> String {
    let (train, valid) = (100.0 * train, 100.0 * valid);
    format!("{what} is drawn with seed {seed}: {train:.0} % train, {valid:.0} % valid")
}

/// An error if one of several splits is asked for by number where a kind of file has none.
pub(super) fn refuse_number(path: &Path, options: &ImportOptions) -> Result<(), DataError> {
    match options.split {
        SplitRequest::Number(number) => Err(super::wrong(path, no_split(number, 0))),
        _ => Ok(()),
    }
}
