//! A writer that remembers what the system said first.

use std::io::{self, Seek, SeekFrom, Write};

/// Passes everything on until the system refuses; from then on it takes bytes and drops them.
///
/// A writer of archives tries to complete a broken archive when it is dropped, and complains on standard error when that
/// fails too. Libraries don't print: the first refusal is kept here, and the rest of the work goes nowhere.
#[derive(Debug)]
pub struct FirstError<W> {
    inner: W,
    position: u64,
    error: Option<io::Error>,
}

impl<W: Write + Seek> FirstError<W> {
    /// Wraps a writer that is at its start.
    pub fn new(inner: W) -> Self {
        FirstError { inner, position: 0, error: None }
    }

    /// What the system said first, else what came of the work.
    pub fn result(self, work: io::Result<()>) -> io::Result<()> {
        self.error.map_or(work, Err)
    }
}

impl<W: Write> Write for FirstError<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.is_none() {
            match self.inner.write(bytes) {
                Ok(count) => {
                    self.position += count as u64;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => self.error = Some(error),
            }
        }
        self.position += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.error.is_none()
            && let Err(error) = self.inner.flush()
        {
            self.error = Some(error);
        }
        Ok(())
    }
}

impl<W: Write + Seek> Seek for FirstError<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.error.is_none() {
            match self.inner.seek(to) {
                Ok(position) => {
                    self.position = position;
                    return Ok(position);
                }
                Err(error) => self.error = Some(error),
            }
        }
        self.position = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::Current(offset) => self.position.saturating_add_signed(offset),
            SeekFrom::End(offset) => self.position.saturating_add_signed(offset.max(0)),
        };
        Ok(self.position)
    }
}
