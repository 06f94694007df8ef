//! Files that are needed for a while, for what does not fit in memory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::by_place::FileReader;
use crate::error::DataError;

/// Makes files in a folder that go when they are not needed any more, whatever ends the process (where a system does not let go of names of open
/// files: when they are dropped).
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    /// Whether the folder was made for this; it goes too if nothing else was put there.
    made: bool,
    next: AtomicU64,
}

impl Scratch {
    /// In a folder that is made if it is not there.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn new(folder: &Path) -> Result<Self, DataError> {
        let made = !folder.is_dir();
        fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
        Ok(Scratch { folder: folder.to_path_buf(), made, next: AtomicU64::new(0) })
    }

    /// An empty file.
    ///
    /// # Errors
    /// When it can't be made.
    pub(crate) fn file(&self) -> Result<ScratchFile, DataError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!(".scratch-{}-{number}.tmp", std::process::id()));
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        let file = opened.map_err(|source| failed(&path, source))?;
        // An open file without a name is there until it is closed.
        let left = fs::remove_file(&path).is_err();
        Ok(ScratchFile { file, path, left })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.made {
            // A folder with something in it stays.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// One of these files.
#[derive(Debug)]
pub(crate) struct ScratchFile {
    file: File,
    path: PathBuf,
    /// Whether it still has its name.
    left: bool,
}

impl ScratchFile {
    /// To write it from its beginning.
    pub fn writer(self) -> ScratchWriter {
        ScratchWriter { path: self.path.clone(), inner: BufWriter::with_capacity(1 << 16, self) }
    }

    /// The open file.
    ///
    /// # Errors
    /// When the system has no more of them.
    pub fn open_again(&self) -> Result<File, DataError> {
        self.file.try_clone().map_err(|source| failed(&self.path, source))
    }

    /// What it holds, by place.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Reads it from its beginning.
    pub fn reader(&self) -> FileReader<'_> {
        FileReader { file: &self.file, place: 0 }
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Its length.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn length(&self) -> Result<u64, DataError> {
        self.file.metadata().map(|found| found.len()).map_err(|source| failed(&self.path, source))
    }
}

impl Write for ScratchFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        if self.left {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct ScratchWriter {
    path: PathBuf,
    inner: BufWriter<ScratchFile>,
}

impl ScratchWriter {
    /// Writes bytes.
    ///
    /// # Errors
    /// When there is no room for them.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        self.inner.write_all(bytes).map_err(|source| failed(&self.path, source))
    }

    /// Writes numbers, little-endian.
    ///
    /// # Errors
    /// As [`ScratchWriter::put`].
    pub fn put_f32(&mut self, numbers: &[f32]) -> Result<(), DataError> {
        numbers.iter().try_for_each(|number| self.put(&number.to_le_bytes()))
    }

    /// The file, with everything in it.
    ///
    /// # Errors
    /// As [`ScratchWriter::put`].
    pub fn finish(self) -> Result<ScratchFile, DataError> {
        let path = self.path;
        self.inner.into_inner().map_err(|error| failed(&path, error.into_error()))
    }
}

fn failed(path: &Path, source: io::Error) -> DataError {
    DataError::Write { file: path.display().to_string(), source }
}
