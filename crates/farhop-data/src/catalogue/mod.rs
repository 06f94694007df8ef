//! The datasets of the literature by name: what they are, where they are, and how to load them.
//!
//! ```
//! use farhop_data::catalogue::{self, DataFolders, LoadOptions};
//!
//! let entry = catalogue::find("Ring_Transfer")?;
//! let data = catalogue::load(entry, &DataFolders::usual(None), &LoadOptions { distance: Some(3), ..Default::default() })?;
//! assert_eq!(data.graphs.nodes_of(0).len(), 6);
//! # Ok::<(), farhop_data::DataError>(())
//! ```

mod amazon;
mod collections;
mod contacts;
mod entry;
mod folders;
mod heterophilous;
mod lrgb;
mod made;
mod molecules;
mod molhiv;
mod names;
mod options;
mod peptides;
mod planetoid;
mod splits;
pub mod synthetic;
mod table;
mod unsplit_dataset;
mod zinc;

pub use entry::{Counts, DataFile, Entry};
pub use folders::{DataFolders, Presence};
pub use names::find;
pub use options::{LoadOptions, SplitRequest};

use std::path::Path;

use entry::Reader;
use folders::Located;
use unsplit_dataset::UnsplitDataset;

use crate::dataset::Dataset;
use crate::dataset::cache::{CacheKey, cached, hash_files};
use crate::error::DataError;

/// Changes whenever the readers make something else of the same files, so that cached datasets are made anew.
const READERS_VERSION: u32 = 1;

/// All entries, families together.
pub fn entries() -> &'static [Entry] {
    table::ENTRIES
}

/// Loads an entry from the first data folder that has its files, or makes it. If the files are not here but those of
/// its stand-in are, the stand-in is loaded; its name and notes say so.
///
/// # Errors
/// The files are not here, are damaged, do not hold what the catalogue expects, or have no such split.
pub fn load(entry: &Entry, folders: &DataFolders, options: &LoadOptions) -> Result<Dataset, DataError> {
    if let (Some(other), Presence::StandIn { .. }) = (entry.stand_in, entry.on_this_machine(folders)) {
        return load(other, folders, options);
    }
    let read = match entry.reader {
        Reader::Made(made) => made::make(made, options)?,
        _ => read(entry, &entry.locate(folders)?, options)?,
    };
    read.into_dataset(entry, options)
}

/// [`load`], but what was read once is kept in `cache` under the hash of its files and options, and is loaded from there.
///
/// # Errors
/// As [`load`]. A cache that fails costs time and a note, never an error.
pub fn load_cached(
    entry: &Entry,
    folders: &DataFolders,
    options: &LoadOptions,
    cache: &Path,
) -> Result<Dataset, DataError> {
    if let (Some(other), Presence::StandIn { .. }) = (entry.stand_in, entry.on_this_machine(folders)) {
        return load_cached(other, folders, options, cache);
    }
    if entry.is_made() {
        return load(entry, folders, options);
    }
    let files = entry.locate(folders)?;
    let sources = hash_files(&files.paths())?;
    let key = CacheKey::new(entry.name, READERS_VERSION, &sources, options)?;
    cached(cache, &key, &sources, || read(entry, &files, options)?.into_dataset(entry, options))
}

fn read(entry: &Entry, files: &Located, options: &LoadOptions) -> Result<UnsplitDataset, DataError> {
    match entry.reader {
        Reader::Planetoid { name } => planetoid::read(name, files),
        Reader::Tu { name } => collections::read_tu(name, files),
        Reader::WikiCs => collections::read_wikics(entry, files),
        Reader::OgbNodes { split, directed } => collections::read_ogb_nodes(files, split, directed),
        Reader::Amazon => amazon::read(entry, files),
        Reader::Heterophilous { directed, binary } => heterophilous::read(entry, files, directed, binary),
        Reader::PeptidesFunc => peptides::read_func(entry, files),
        Reader::PeptidesStruct => peptides::read_struct(entry, files),
        Reader::Superpixels { coco } => lrgb::read_superpixels(files, coco),
        Reader::PcqmContact => lrgb::read_contacts(files),
        Reader::ContactSample => contacts::read(entry, files),
        Reader::Zinc12k => zinc::read_selection(files),
        Reader::ZincStandIn => zinc::read_stand_in(files, options),
        Reader::Zinc250k => zinc::read_all(files),
        Reader::ZincAcyclic => zinc::read_acyclic(files),
        Reader::MolHiv => molhiv::read(entry, files),
        Reader::Made(made) => made::make(made, options),
    }
}
