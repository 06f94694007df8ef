//! The bytes of a file or of standard input, with their hash.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::files::hash::sha256_hex;
use crate::memory::Budget;
use crate::text::one_line;

/// A file that was read: enough to tell later whether it is still the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// The path as the user gave it; `-` is standard input.
    pub path: String,
    /// SHA-256 of the bytes as they lie on disk (compressed, if they are), in hexadecimal.
    pub sha256: String,
    /// How many bytes were read.
    pub bytes: u64,
}

impl SourceFile {
    /// Describes bytes that came from `path`.
    pub fn of(path: &str, bytes: &[u8]) -> Self {
        SourceFile { path: path.to_string(), sha256: sha256_hex(bytes), bytes: bytes.len() as u64 }
    }

    /// What may be made of it.
    pub(crate) fn budget(&self) -> Budget {
        Budget::new(self.name(), self.bytes)
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        shown_name(&self.path)
    }
}

/// The name that messages use for a path.
pub fn shown_name(path: &str) -> &str {
    if path == "-" { "standard input" } else { path }
}

/// Whether the path stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file, or standard input for `-`, as it is.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, DataError> {
    let text = path.display().to_string();
    let file = shown_name(&text).to_string();
    let failed = |source| DataError::Read { file: file.clone(), source };
    // A file is as large as what is read of it: this is a matter of memory alone.
    let budget = Budget::new(&file, u64::MAX);
    if is_standard_input(path) {
        return read_within(io::stdin().lock(), Vec::new(), &budget, failed);
    }
    let opened = File::open(path).map_err(failed)?;
    let length = opened.metadata().map(|data| data.len()).unwrap_or(0);
    let bytes = budget.room(usize::try_from(length).unwrap_or(usize::MAX))?;
    read_within(opened, bytes, &budget, failed)
}

/// Unpacks the bytes of the budget's file if they start like gzip (whatever the file is called); otherwise returns them as
/// they are.
pub fn decompressed(budget: &Budget, bytes: Vec<u8>) -> Result<Vec<u8>, DataError> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let failed =
        |error: io::Error| DataError::Gzip { file: budget.file().to_string(), reason: one_line(&error.to_string()) };
    read_within(MultiGzDecoder::new(bytes.as_slice()), Vec::new(), budget, failed)
}

/// Reads to the end, behind what is there. Room is made in steps, each of them counted before it is taken.
pub(crate) fn read_within(
    mut reader: impl Read,
    mut bytes: Vec<u8>,
    budget: &Budget,
    failed: impl Fn(io::Error) -> DataError,
) -> Result<Vec<u8>, DataError> {
    const STEP: usize = 64 << 10;
    loop {
        let room = bytes.capacity() - bytes.len();
        if room > 0 {
            if (&mut reader).take(room as u64).read_to_end(&mut bytes).map_err(&failed)? == 0 {
                return Ok(bytes);
            }
            continue;
        }
        let mut more = [0; 1];
        match reader.read(&mut more) {
            Ok(0) => return Ok(bytes),
            Ok(_) => {
                let step = STEP.max(bytes.len() / 2);
                budget.grow(&mut bytes, step)?;
                bytes.push(more[0]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
}
