//! Checkpoints that survive being killed, a full disk, and a flipped byte.
//!
//! `checkpoint/` holds one folder per save, numbered upwards. A save writes its files into `.new`, syncs them, renames
//! the folder to its number, syncs again, and only then removes the older ones. So at every moment there is a complete
//! folder. The manifest has a SHA-256 of every file and of itself; loading takes the newest folder that is whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use farhop_data::hash::sha256_hex;
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::durable::{self, sync_directory};
use crate::error::start_again;
use crate::fit::EarlyStopping;

const MANIFEST: &str = "manifest.toml";
const WEIGHTS: &str = "weights.safetensors";
const BEST: &str = "best.safetensors";
const OPTIMIZER: &str = "optimizer.safetensors";
const BESIDE: &str = ".new";
const FORMAT: u32 = 1;
const SEAL: &str = "# sha256 ";

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Epochs done.
    pub epoch: usize,
    /// Seconds spent on them.
    pub seconds: f64,
    /// Seconds of it spent waiting for batches.
    pub loading_seconds: f64,
    /// What early stopping remembers.
    pub stopping: EarlyStopping,
}

/// The whole state of a run after an epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// How far the run has come.
    pub progress: Progress,
    /// The weights, in safetensors.
    pub weights: Vec<u8>,
    /// The best weights so far, in safetensors.
    pub best: Vec<u8>,
    /// Moments and step count of the optimiser, in safetensors.
    pub optimizer: Vec<u8>,
}

/// A checkpoint that was found, and what had to be passed over to find it.
#[derive(Debug)]
pub struct FoundCheckpoint {
    /// The newest whole checkpoint.
    pub checkpoint: Checkpoint,
    /// Newer ones that were damaged: one error each.
    pub damaged: Vec<TrainError>,
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    format: u32,
    progress: Progress,
    files: Vec<SavedFile>,
}

#[derive(Serialize, Deserialize)]
struct SavedFile {
    name: String,
    bytes: u64,
    sha256: String,
}

/// Saves a checkpoint into `folder` (the `checkpoint` folder of a run).
///
/// # Errors
/// When the system refuses a write; the previous checkpoint is then still there.
pub fn save(folder: &Path, checkpoint: &Checkpoint) -> Result<(), TrainError> {
    save_with(folder, checkpoint, &durable::write_synced)
}

/// [`save`] with the function that writes one file and waits for the disk: for tests of what happens when it fails.
///
/// # Errors
/// As [`save`].
pub fn save_with(
    folder: &Path,
    checkpoint: &Checkpoint,
    write: &dyn Fn(&Path, &[u8]) -> io::Result<()>,
) -> Result<(), TrainError> {
    // Only this folder: a run folder that is gone does not come back.
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(TrainError::io(folder, "create")(error));
        }
        _ => {}
    }
    let existing = numbered(folder)?;
    let number = existing.first().map_or(1, |(number, _)| number + 1);
    let beside = folder.join(BESIDE);
    let place = folder.join(format!("{number:08}"));
    if let Err(error) = write_all(&beside, checkpoint, write) {
        // Frees the space; the first error is the one worth reporting.
        let _ = fs::remove_dir_all(&beside);
        return Err(error);
    }
    fs::rename(&beside, &place).and_then(|()| sync_directory(folder)).map_err(TrainError::io(&place, "write"))?;
    for (_, older) in existing {
        // A leftover costs space, not correctness, and is tried again at the next save.
        let _ = fs::remove_dir_all(older);
    }
    Ok(())
}

/// Loads the newest whole checkpoint of `folder`; none when nothing was ever saved there.
///
/// # Errors
/// When there are checkpoints and all are damaged: names the first damaged file of the newest.
pub fn load(folder: &Path) -> Result<Option<FoundCheckpoint>, TrainError> {
    if !folder.is_dir() {
        return Ok(None);
    }
    loop {
        let places = numbered(folder)?;
        let mut damaged = Vec::new();
        for (_, place) in &places {
            match load_one(place) {
                Ok(checkpoint) => {
                    return Ok(Some(FoundCheckpoint { checkpoint, damaged }));
                }
                Err(error) => damaged.push(error),
            }
        }
        // A reader without the lock may see a folder vanish under it because a newer one has come: look again.
        if numbered(folder)? == places {
            return damaged.into_iter().next().map_or(Ok(None), Err);
        }
    }
}

fn write_all(
    beside: &Path,
    checkpoint: &Checkpoint,
    write: &dyn Fn(&Path, &[u8]) -> io::Result<()>,
) -> Result<(), TrainError> {
    if beside.exists() {
        fs::remove_dir_all(beside).map_err(TrainError::io(beside, "remove"))?;
    }
    fs::create_dir(beside).map_err(TrainError::io(beside, "create"))?;
    let put = |name: &str, bytes: &[u8]| {
        let path = beside.join(name);
        write(&path, bytes).map_err(TrainError::io(&path, "write"))
    };
    let parts = [(WEIGHTS, &checkpoint.weights), (BEST, &checkpoint.best), (OPTIMIZER, &checkpoint.optimizer)];
    let mut files = Vec::new();
    for (name, bytes) in parts {
        put(name, bytes)?;
        files.push(SavedFile { name: name.to_string(), bytes: bytes.len() as u64, sha256: sha256_hex(bytes) });
    }
    let manifest = Manifest { format: FORMAT, progress: checkpoint.progress.clone(), files };
    let mut text =
        toml::to_string(&manifest).map_err(io::Error::other).map_err(TrainError::io(beside.join(MANIFEST), "write"))?;
    text.push_str(&format!("{SEAL}{}\n", sha256_hex(text.as_bytes())));
    put(MANIFEST, text.as_bytes())?;
    sync_directory(beside).map_err(TrainError::io(beside, "write"))
}

fn load_one(place: &Path) -> Result<Checkpoint, TrainError> {
    let manifest = read_manifest(&place.join(MANIFEST))?;
    let get = |name: &str| {
        let path = place.join(name);
        let saved = manifest.files.iter().find(|file| file.name == name);
        let saved = saved.ok_or_else(|| damaged(&path, "its checksum is missing"))?;
        let bytes = durable::read(&path)?;
        if bytes.len() as u64 != saved.bytes {
            let problem = format!("it has {} bytes, not {}", bytes.len(), saved.bytes);
            return Err(damaged(&path, &problem));
        }
        if sha256_hex(&bytes) != saved.sha256 {
            return Err(damaged(&path, "its contents don't match their checksum"));
        }
        Ok(bytes)
    };
    Ok(Checkpoint { weights: get(WEIGHTS)?, best: get(BEST)?, optimizer: get(OPTIMIZER)?, progress: manifest.progress })
}

fn read_manifest(path: &Path) -> Result<Manifest, TrainError> {
    let mismatch = || damaged(path, "its contents don't match their checksum");
    let text = String::from_utf8(durable::read(path)?).map_err(|_| mismatch())?;
    let at = text.rfind(SEAL).ok_or_else(mismatch)?;
    let (body, seal) = text.split_at(at);
    if seal != format!("{SEAL}{}\n", sha256_hex(body.as_bytes())) {
        return Err(mismatch());
    }
    let manifest: Manifest = toml::from_str(body).map_err(|_| damaged(path, "it is not a manifest farhop knows"))?;
    if manifest.format != FORMAT {
        let problem = format!("its format is {}, known is {FORMAT}", manifest.format);
        return Err(damaged(path, &problem));
    }
    Ok(manifest)
}

fn damaged(path: &Path, problem: &str) -> TrainError {
    TrainError::Corrupt { path: path.to_path_buf(), problem: problem.to_string(), remedy: start_again() }
}

/// The numbered folders, newest first.
fn numbered(folder: &Path) -> Result<Vec<(u64, PathBuf)>, TrainError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(TrainError::io(folder, "read"))? {
        let entry = entry.map_err(TrainError::io(folder, "read"))?;
        if let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) {
            found.push((number, entry.path()));
        }
    }
    found.sort_by(|left, right| right.cmp(left));
    Ok(found)
}
