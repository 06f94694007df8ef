//! The bytes of a file or of standard input, with their hash.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::hash::sha256_hex;

/// The largest number of bytes that one table may hold, after decompression: 16 GiB.
pub const LARGEST_TABLE: u64 = 16 << 30;

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
    let mut bytes = Vec::new();
    let read = if is_standard_input(path) {
        read_limited(io::stdin().lock(), &mut bytes)
    } else {
        File::open(path).and_then(|opened| {
            let length = opened.metadata().map(|m| m.len()).unwrap_or(0);
            bytes.reserve_exact(length.min(LARGEST_TABLE) as usize);
            read_limited(opened, &mut bytes)
        })
    };
    match read {
        Ok(true) => Ok(bytes),
        Ok(false) => Err(DataError::TooLarge { file, limit: LARGEST_TABLE }),
        Err(source) => Err(DataError::Read { file, source }),
    }
}

/// Unpacks the bytes if they start like gzip (whatever the file is called); otherwise returns
/// them as they are.
pub fn decompressed(file: &str, bytes: Vec<u8>) -> Result<Vec<u8>, DataError> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    match read_limited(MultiGzDecoder::new(bytes.as_slice()), &mut plain) {
        Ok(true) => Ok(plain),
        Ok(false) => Err(DataError::TooLarge { file: file.to_string(), limit: LARGEST_TABLE }),
        Err(error) => Err(DataError::Gzip { file: file.to_string(), reason: error.to_string() }),
    }
}

/// Reads to the end; `false` if there is more than the limit.
fn read_limited(reader: impl Read, bytes: &mut Vec<u8>) -> io::Result<bool> {
    reader.take(LARGEST_TABLE + 1).read_to_end(bytes)?;
    Ok(bytes.len() as u64 <= LARGEST_TABLE)
}
