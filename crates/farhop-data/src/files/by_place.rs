//! Reading a file by place: nobody moves anybody else's position.

use std::fs::File;
use std::io::{self, Read};

/// Fills `bytes` from `place` on.
pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match read_at(file, bytes, place) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                bytes = &mut bytes[count..];
                place += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Some bytes from `place` on; none at the end.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, place)
}

/// Some bytes from `place` on; none at the end.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, place)
}

/// A walk over a file that is open, from a place on.
#[derive(Debug)]
pub(crate) struct FileReader<'a> {
    pub file: &'a File,
    pub place: u64,
}

impl Read for FileReader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = read_at(self.file, bytes, self.place)?;
        self.place += count as u64;
        Ok(count)
    }
}
