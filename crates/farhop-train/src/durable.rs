//! Files that are either the old one or the new one, never half of each.
//!
//! A file is written beside its destination, synced, renamed over it, and the folder is synced. A process killed at
//! any moment leaves the previous contents or the new ones.
//!
//! Unlike files that a user names, these lie in a folder that one process holds: their unfinished names are always the
//! same, so that a killed process leaves nothing that the next one does not overwrite.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::TrainError;

/// Replaces the file at `path` by `bytes` in one step.
/// When the system refuses, the file is what it was before.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let beside = beside(path);
    let written = write_synced(&beside, bytes)
        .and_then(|()| fs::rename(&beside, path))
        .and_then(|()| sync_directory(parent(path)));
    if written.is_err() {
        // Frees the space of the half-written file; the first error is the one worth reporting.
        let _ = fs::remove_file(&beside);
    }
    written.map_err(TrainError::io(path, "write"))
}

/// Writes a new file and waits until the disk has it.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Waits until the disk has the names in a folder. A no-op where folders can't be opened.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, TrainError> {
    let mut bytes = Vec::new();
    File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(TrainError::io(path, "read"))?;
    Ok(bytes)
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The name a file has until it is complete: hidden, in the same folder, so that the rename can't cross devices.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}
