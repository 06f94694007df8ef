//! Text that is read several times: in memory, or left in its file, so that it may be larger than memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::by_place::FileReader;
use super::hash::sha256_of_reader;
use super::scratch::{Scratch, ScratchFile};
use super::source::{SourceFile, shown_name};
use crate::error::DataError;
use crate::text::one_line;

/// Bytes that are looked at together.
const PIECE: usize = 1 << 20;
/// How many bytes of text a byte of a packed file may become on disk, and what it may become in any case.
const EXPANDS: u64 = 256;
const FLOOR: u64 = 1 << 30;

/// Where text lies.
#[derive(Debug)]
pub(crate) enum Text {
    /// In memory.
    Memory(Vec<u8>),
    /// In the file that the user named.
    Own { file: File, length: usize },
    /// In a file that was made of it.
    Made { file: ScratchFile, length: usize },
}

impl Text {
    /// The text of a file, unpacked if it was compressed, left on disk; and what was read.
    ///
    /// # Errors
    /// When it can't be read or unpacked.
    pub fn on_disk(path: &Path, scratch: &Scratch) -> Result<(SourceFile, Text), DataError> {
        let name = path.display().to_string();
        let failed = |source| DataError::Read { file: shown_name(&name).to_string(), source };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len() as usize;
        let text = Text::Own { file, length };
        let sha256 = sha256_of_reader(&mut text.reader(0)).map_err(failed)?;
        let source = SourceFile { path: name.clone(), sha256, bytes: text.len() as u64 };
        if text.head(2) != [0x1f, 0x8b] {
            return Ok((source, text));
        }
        let most = source.bytes.saturating_mul(EXPANDS).max(FLOOR);
        let broken = |error: io::Error| DataError::Gzip {
            file: source.name().to_string(),
            reason: one_line(&error.to_string()),
        };
        let unpacked = Text::made(scratch, MultiGzDecoder::new(io::BufReader::new(text.reader(0))), most, broken)?;
        if unpacked.len() as u64 > most {
            let (file, needed) = (source.name().to_string(), unpacked.len() as u64);
            return Err(DataError::Expands { file, read: source.bytes, needed, most });
        }
        Ok((source, unpacked))
    }

    /// What `from` gives, in a file: all of it, or a little more than `most` bytes.
    fn made(
        scratch: &Scratch,
        mut from: impl Read,
        most: u64,
        failed: impl Fn(io::Error) -> DataError,
    ) -> Result<Text, DataError> {
        let mut writer = scratch.file()?.writer();
        let (mut piece, mut length) = (vec![0; PIECE], 0);
        while length as u64 <= most {
            match from.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => {
                    writer.put(&piece[..count])?;
                    length += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(Text::Made { file: writer.finish()?, length })
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        match self {
            Text::Memory(bytes) => bytes.len(),
            Text::Own { length, .. } | Text::Made { length, .. } => *length,
        }
    }

    /// Reads from the byte at `start` on.
    pub fn reader(&self, start: usize) -> TextReader<'_> {
        match self {
            Text::Memory(bytes) => TextReader::Memory(bytes.get(start..).unwrap_or(&[])),
            Text::Own { file, .. } => TextReader::Disk(FileReader { file, place: start as u64 }),
            Text::Made { file, .. } => TextReader::Disk(FileReader { file: file.file(), place: start as u64 }),
        }
    }

    /// The first bytes, as far as they are there.
    pub fn head(&self, count: usize) -> Vec<u8> {
        self.slice(0, count)
    }

    /// Bytes from `start` on, as far as they are there.
    pub fn slice(&self, start: usize, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count.min(PIECE));
        // What can't be read here can't be read by the walk that follows, which says so.
        let _ = self.reader(start).take(count as u64).read_to_end(&mut bytes);
        bytes
    }

    /// Gives all bytes from `start` on to `look`, piece by piece.
    ///
    /// # Errors
    /// When they can't be read, or what `look` says.
    pub fn each_piece<E: From<io::Error>>(
        &self,
        start: usize,
        mut look: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Text::Memory(bytes) = self {
            return look(bytes.get(start..).unwrap_or(&[]));
        }
        let (mut reader, mut piece) = (self.reader(start), vec![0; PIECE]);
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(count) => look(&piece[..count])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// A walk over text.
#[derive(Debug)]
pub(crate) enum TextReader<'a> {
    Memory(&'a [u8]),
    Disk(FileReader<'a>),
}

impl Read for TextReader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            TextReader::Memory(rest) => rest.read(bytes),
            TextReader::Disk(rest) => rest.read(bytes),
        }
    }
}
