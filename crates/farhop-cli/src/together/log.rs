//! What processes say that may not be heard: a launcher that ends the others of one that died passes on little of it, or nothing. So it is also
//! written into the run folder.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use farhop_train::run::names;

static FILE: OnceLock<PathBuf> = OnceLock::new();

/// From now on lines are kept in this run folder.
pub fn keep_in(folder: &Path) {
    let _ = FILE.set(folder.join(names::PROCESSES));
}

/// Writes a line of a process, if there is a run folder that this host sees.
pub fn write(rank: usize, ranks: usize, what: &str) {
    let Some(path) = FILE.get() else { return };
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let line = format!("{time} process {rank} of {ranks}: {what}\n");
    // One write, so that lines of several processes do not mix. It is a courtesy: where it can't be said, it is not.
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
        let _ = file.write_all(line.as_bytes());
    }
}

/// Says it on standard error, at once.
pub fn say(rank: usize, ranks: usize, what: &str) {
    let _ = writeln!(std::io::stderr(), "process {rank} of {ranks}: {what}");
}
