//! Work that is done once: results kept in a folder under the hash of everything they come from.
//!
//! Files are written whole and then renamed, so any number of processes may share a folder: the worst that can happen is
//! that two of them do the same work. A file that cannot be read is made anew, with a note; a folder that cannot be written
//! costs the time of the next run and a note, never an error.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::dataset::Dataset;
use crate::dataset::dataset_file::{self, LEFT_ON_DISK};
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::npz::{Npz, write_npz};
use crate::text::{one_line, quoted};

/// The name of a cached result: a hash of the content of its sources, of the options, and of the version of the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheKey {
    kind: String,
    digest: String,
}

impl CacheKey {
    /// A key. `kind` names the work (letters, digits and `-`), `version` changes whenever the same input should give
    /// another result; `options` is everything else the result depends on. Paths of the sources do not matter, their
    /// content and order do.
    pub fn new(
        kind: &str,
        version: u32,
        sources: &[SourceFile],
        options: &impl Serialize,
    ) -> Result<CacheKey, DataError> {
        let hashes: Vec<&str> = sources.iter().map(|source| source.sha256.as_str()).collect();
        let parts = (kind, version, dataset_file::VERSION, hashes, options);
        let text = serde_json::to_vec(&parts)
            .map_err(|error| DataError::Mismatch { what: format!("options that cannot be a cache key: {error}.") })?;
        let kind = kind.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        Ok(CacheKey { kind, digest: crate::files::hash::sha256_hex(&text) })
    }

    /// Where the result lies in a folder.
    pub fn path(&self, folder: &Path, extension: &str) -> PathBuf {
        folder.join(format!("{}-{}.{extension}", self.kind, &self.digest[..32]))
    }
}

/// Hashes files without keeping them in memory.
pub fn hash_files(paths: &[PathBuf]) -> Result<Vec<SourceFile>, DataError> {
    let hash = |path: &PathBuf| {
        let name = path.display().to_string();
        let failed = |source| DataError::Read { file: name.clone(), source };
        let mut file = std::fs::File::open(path).map_err(failed)?;
        let (mut hasher, mut total) = (Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 20];
        loop {
            match file.read(&mut buffer).map_err(failed)? {
                0 => break,
                count => {
                    hasher.update(&buffer[..count]);
                    total += count as u64;
                }
            }
        }
        let mut sha256 = String::with_capacity(64);
        for byte in hasher.finalize() {
            // Writing to a string cannot fail.
            let _ = write!(sha256, "{byte:02x}");
        }
        Ok(SourceFile { path: name, sha256, bytes: total })
    };
    paths.iter().map(hash).collect()
}

/// The dataset of `key`: loaded from `folder` if it is there, else built and saved there. Sources of a loaded dataset carry
/// the paths of `sources` with the same content. What went wrong with the cache is in the notes of the dataset.
pub fn cached(
    folder: &Path,
    key: &CacheKey,
    sources: &[SourceFile],
    build: impl FnOnce() -> Result<Dataset, DataError>,
) -> Result<Dataset, DataError> {
    let path = key.path(folder, "farhop");
    let (mut dataset, note) =
        kept(&path, |path| Dataset::open(path, LEFT_ON_DISK), build, |dataset, path| dataset.save(path))?;
    for source in &mut dataset.sources {
        if let Some(now) = sources.iter().find(|now| now.sha256 == source.sha256) {
            source.path.clone_from(&now.path);
        }
    }
    dataset.notes.extend(note);
    Ok(dataset)
}

/// A named array of 32-bit floats.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedArray {
    /// Its name in the file.
    pub name: String,
    /// The length of each dimension.
    pub shape: Vec<usize>,
    /// The numbers, the last index running fastest.
    pub numbers: Vec<f32>,
}

/// The arrays of `key`, such as positional encodings: loaded from `folder` if they are there, else built and saved. The
/// second result says what went wrong with the cache, if anything did. Shapes are as they were saved; whether they fit the
/// data is for the caller to check.
pub fn cached_arrays(
    folder: &Path,
    key: &CacheKey,
    build: impl FnOnce() -> Result<Vec<NamedArray>, DataError>,
) -> Result<(Vec<NamedArray>, Option<String>), DataError> {
    kept(&key.path(folder, "npz"), load_arrays, build, |arrays, path| {
        write_npz(path, |writer| {
            arrays.iter().try_for_each(|array| writer.f32(&array.name, &array.shape, &array.numbers))
        })
    })
}

/// The whole numbers of `key`, such as the parts of nodes: loaded from `folder` if they are there, else built and saved. The
/// second result says what went wrong with the cache, if anything did. Whether they fit the data is for the caller to check.
pub fn cached_ids(
    folder: &Path,
    key: &CacheKey,
    build: impl FnOnce() -> Result<Vec<u32>, DataError>,
) -> Result<(Vec<u32>, Option<String>), DataError> {
    let load = |path: &Path| Npz::open(path)?.array("ids")?.to_ids(u32::MAX as usize);
    kept(&key.path(folder, "npz"), load, build, |ids, path| {
        write_npz(path, |writer| writer.u32("ids", &[ids.len()], ids))
    })
}

fn load_arrays(path: &Path) -> Result<Vec<NamedArray>, DataError> {
    let mut npz = Npz::open(path)?;
    let names = npz.names();
    let load = |name: String| {
        let array = npz.array(&name)?;
        Ok(NamedArray { name, shape: array.shape.clone(), numbers: array.to_f32()? })
    };
    names.into_iter().map(load).collect()
}

/// Loads what is there, or builds and saves it; the note says what the cache did not do.
fn kept<T>(
    path: &Path,
    load: impl FnOnce(&Path) -> Result<T, DataError>,
    build: impl FnOnce() -> Result<T, DataError>,
    save: impl FnOnce(&T, &Path) -> Result<(), DataError>,
) -> Result<(T, Option<String>), DataError> {
    let mut note = None;
    if path.exists() {
        match load(path) {
            Ok(found) => return Ok((found, None)),
            // Another process took it away in between.
            Err(DataError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => {}
            Err(error) => note = Some(format!("a damaged cache file was made anew ({})", one_line(&error.to_string()))),
        }
    }
    let built = build()?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let saved = std::fs::create_dir_all(folder)
        .map_err(|source| DataError::Write { file: quoted(&folder.display().to_string()), source })
        .and_then(|()| save(&built, path));
    if let Err(error) = saved {
        note = Some(format!("the cache was not written ({})", one_line(&error.to_string())));
    }
    Ok((built, note))
}
