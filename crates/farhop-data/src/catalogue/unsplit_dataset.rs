//! What readers hand over, and how it becomes a checked dataset.

use std::path::Path;

use farhop_graph::GraphSet;

use super::entry::{Counts, DataFile, Entry};
use super::options::{LoadOptions, SplitRequest};
use super::splits;
use crate::dataset::split::Split;
use crate::dataset::{Columns, Dataset, Target};
use crate::error::DataError;
use crate::files::source::{SourceFile, read_bytes};
use crate::text::{counted, thousands};

/// A dataset before its split is chosen.
#[derive(Debug)]
pub(super) struct UnsplitDataset {
    pub graphs: GraphSet,
    pub nodes: Columns,
    pub edges: Columns,
    pub target: Target,
    pub splits: Splits,
    pub ids: Vec<String>,
    pub notes: Vec<String>,
    pub sources: Vec<SourceFile>,
}

/// The splits that came with the files.
#[derive(Debug, Default)]
pub(super) struct Splits {
    /// The one of the literature.
    pub standard: Option<Split>,
    /// Several, by number.
    pub numbered: Vec<Split>,
    /// The rows that seeded splits draw from; `None`: all whose target is known.
    pub pool: Option<Vec<u32>>,
}

impl UnsplitDataset {
    /// Chooses the split, scales the features, checks the whole and its counts.
    pub fn into_dataset(self, entry: &Entry, options: &LoadOptions) -> Result<Dataset, DataError> {
        let wrong = |what: String| DataError::Mismatch { what: format!("{}: {what}", entry.name) };
        let rows = if self.graphs.len() == 1 && entry.level == crate::Level::Node {
            self.graphs.union().nodes()
        } else {
            self.graphs.len()
        };
        let mut target = self.target;
        let mut notes: Vec<String> = entry.notes.iter().map(|note| note.to_string()).collect();
        if options.split == SplitRequest::Tuned && entry.draws_tuned_split() {
            notes.extend(label_all(&mut target));
        }
        let (split, drawn) = splits::choose(entry, rows, &target, self.splits, options)?;
        notes.extend(self.notes);
        notes.extend(drawn);
        notes.extend(self.sources.iter().filter_map(|source| other_than_published(entry, source)));
        let mut nodes = self.nodes;
        if options.row_normalise.unwrap_or(entry.row_normalise) {
            nodes.row_normalise();
        } else if entry.row_normalise {
            notes.retain(|note| !note.starts_with("Feature rows are divided"));
        }
        let data = Dataset {
            nodes,
            edges: self.edges,
            split,
            metric: entry.metric,
            ids: self.ids,
            notes,
            sources: self.sources,
            ..Dataset::new(entry.name, self.graphs, entry.level, target)
        }
        .check()?;
        check_counts(&data, &entry.expected, options).map_err(wrong)?;
        Ok(data)
    }
}

/// Gives nodes without a class the first one, as the library does that the tuned split was drawn with; a note if there are any.
fn label_all(target: &mut Target) -> Option<String> {
    let Target::Class { labels, classes } = target else { return None };
    let unknown = labels.iter().filter(|label| label.is_none()).count();
    labels.iter_mut().for_each(|label| *label = label.or(Some(0)));
    let name = classes.first()?;
    let nodes = counted(unknown as u64, "node", "nodes");
    (unknown > 0).then(|| format!("{nodes} without a class count as class {name}, as in the published draw."))
}

/// A note about a file whose SHA-256 is known and another one.
fn other_than_published(entry: &Entry, source: &SourceFile) -> Option<String> {
    let named = |file: &&DataFile| file.names.iter().any(|name| Path::new(&source.path).ends_with(name));
    let known = entry.files.iter().find(named)?.sha256?;
    (known != source.sha256).then(|| format!("{}: not the published file, its SHA-256 is another one", source.path))
}

fn check_counts(data: &Dataset, expected: &Counts, options: &LoadOptions) -> Result<(), String> {
    let union = data.graphs.union();
    let features = if data.nodes.width > 0 { data.nodes.width } else { data.nodes.sizes.len() };
    let check = |what: &str, found: usize, expected: Option<usize>| match expected {
        Some(expected) if expected != found => Err(format!(
            "{} {what} where {} are expected. The files are damaged or of another version: fetch them again.",
            thousands(found as u64),
            thousands(expected as u64)
        )),
        _ => Ok(()),
    };
    check("graphs", data.graphs.len(), expected.graphs)?;
    check("nodes", union.nodes(), expected.nodes)?;
    check("edges", union.edges(), expected.edges)?;
    check("features", features, expected.features)?;
    check("outputs", data.target.outputs(), expected.outputs)?;
    if let (Some([train, valid, test]), SplitRequest::Standard) = (expected.split, options.split) {
        check("training rows", data.split.train.len(), Some(train))?;
        check("validation rows", data.split.valid.len(), Some(valid))?;
        check("test rows", data.split.test.len(), Some(test))?;
    }
    Ok(())
}

/// Reads a file and remembers it.
pub(super) fn bytes_of(path: &Path, sources: &mut Vec<SourceFile>) -> Result<Vec<u8>, DataError> {
    let bytes = read_bytes(path)?;
    sources.push(SourceFile::of(&path.display().to_string(), &bytes));
    Ok(bytes)
}

/// Row numbers from whole numbers that were read.
pub(super) fn row_numbers(file: &str, numbers: &[i64]) -> Result<Vec<u32>, DataError> {
    let number = |&number: &i64| {
        u32::try_from(number).map_err(|_| DataError::Array {
            file: file.to_string(),
            reason: format!("{number} is not a row number; rows are counted from 0."),
        })
    };
    numbers.iter().map(number).collect()
}
