//! Entries whose files other readers of this crate know: TU collections, WikiCS, the Open Graph Benchmark.

use super::entry::Entry;
use super::folders::Located;
use super::unsplit_dataset::{Splits, UnsplitDataset};
use crate::dataset::Dataset;
use crate::dataset::split::Split;
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::layouts::ogb::{self, OgbOptions};
use crate::layouts::tu::{self, TuOptions};
use crate::layouts::wikics::WikiCs;
use crate::tables::options::SplitChoice;
use crate::tables::targets::TargetKind;

impl UnsplitDataset {
    /// The parts of a dataset whose split is chosen later.
    fn of(data: Dataset, splits: Splits) -> UnsplitDataset {
        let Dataset { graphs, nodes, edges, target, ids, notes, sources, .. } = data;
        UnsplitDataset { graphs, nodes, edges, target, splits, ids, notes, sources }
    }
}

fn folder_of<'a>(files: &'a Located, name: &str, above: usize) -> Result<&'a std::path::Path, DataError> {
    let path = files.path(name)?;
    path.ancestors()
        .nth(above)
        .ok_or_else(|| DataError::Mismatch { what: format!("{} has no folder.", path.display()) })
}

/// A TU collection, with its folds if their file is here.
pub(super) fn read_tu(name: &str, files: &Located) -> Result<UnsplitDataset, DataError> {
    let folder = folder_of(files, &format!("{name}_A.txt"), 1)?;
    // The split is chosen later; until then all graphs are in no part.
    let options = TuOptions { split: SplitChoice::Given(Split::default()), ..TuOptions::default() };
    let mut data = tu::read(folder, name, &options)?;
    let numbered = match files.find(&format!("{name}_splits.json")) {
        None => Vec::new(),
        Some(path) => {
            let bytes = crate::files::source::read_bytes(path)?;
            data.sources.push(SourceFile::of(&path.display().to_string(), &bytes));
            tu::read_folds(path, data.graphs.len())?
        }
    };
    Ok(UnsplitDataset::of(data, Splits { numbered, ..Splits::default() }))
}

/// WikiCS. Valid is the validation and the stopping nodes together.
pub(super) fn read_wikics(entry: &Entry, files: &Located) -> Result<UnsplitDataset, DataError> {
    let read = WikiCs::open(files.path(entry.files[0].names[0])?)?;
    let with_stopping = |(split, stopping): (&Split, &Vec<u32>)| {
        let valid = [&split.valid[..], stopping].concat();
        Split::from_lists(read.labels.len(), split.train.clone(), valid, split.test.clone())
    };
    let numbered = read.splits.iter().zip(&read.stopping).map(with_stopping).collect::<Result<_, _>>()?;
    Ok(UnsplitDataset::of(read.dataset(0)?, Splits { numbered, ..Splits::default() }))
}

/// A node dataset of the Open Graph Benchmark.
pub(super) fn read_ogb_nodes(files: &Located, split: &str, directed: bool) -> Result<UnsplitDataset, DataError> {
    let folder = folder_of(files, "raw/edge.csv.gz", 2)?;
    let options = OgbOptions {
        directed,
        task: Some(TargetKind::Classes),
        split: Some(split.to_string()),
        ..OgbOptions::default()
    };
    let data = ogb::read(folder, &options)?;
    let standard = Some(data.split.clone());
    Ok(UnsplitDataset::of(data, Splits { standard, ..Splits::default() }))
}
