//! One process at a time in a run folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::names;
use crate::TrainError;

/// The right to write into a run folder, given back when dropped or when the process ends, however it ends.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Takes the lock of a folder that exists.
    ///
    /// # Errors
    /// When another process holds it, or the lock file can't be written.
    pub fn take(folder: &Path) -> Result<Self, TrainError> {
        let path = folder.join(names::LOCK);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(TrainError::io(&path, "write"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let pid = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
                return Err(TrainError::InUse { path: folder.to_path_buf(), pid });
            }
            Err(TryLockError::Error(error)) => return Err(TrainError::io(&path, "lock")(error)),
        }
        // The file stays when the lock is given back: removing it would let two processes lock two different files.
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(TrainError::io(&path, "write"))?;
        Ok(FolderLock { file })
    }

    /// Takes the lock of a folder that others hold for moments only, and waits for them up to a minute.
    ///
    /// # Errors
    /// As [`FolderLock::take`], after that minute.
    pub fn wait(folder: &Path) -> Result<Self, TrainError> {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            match Self::take(folder) {
                Err(TrainError::InUse { .. }) if Instant::now() < until => thread::sleep(Duration::from_millis(20)),
                other => return other,
            }
        }
    }

    /// Whether the folder is still the one whose lock this is, and not gone or another of that name.
    pub fn is_in(&self, folder: &Path) -> bool {
        let there = fs::metadata(folder.join(names::LOCK));
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let identity = |found: &fs::Metadata| (found.dev(), found.ino());
            matches!((there, self.file.metadata()), (Ok(there), Ok(ours)) if identity(&there) == identity(&ours))
        }
        #[cfg(not(unix))]
        {
            there.is_ok()
        }
    }
}
