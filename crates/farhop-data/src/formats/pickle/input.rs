//! The bytes of a pickle, taken piece by piece.

use super::fault::Fault;
use crate::formats::pickle::SharedBytes;
use crate::text::thousands;

/// Bytes and how far they have been read. Nothing reads beyond the end.
pub(super) struct Input {
    bytes: SharedBytes,
    at: usize,
}

impl Input {
    pub(super) fn new(bytes: SharedBytes) -> Self {
        Input { bytes, at: 0 }
    }

    /// How many bytes have been read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// How many bytes there are in all.
    pub(super) fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The next bytes, shared.
    pub(super) fn take(&mut self, length: u64) -> Result<SharedBytes, Fault> {
        let left = self.bytes.len() - self.at;
        let piece = usize::try_from(length).ok().and_then(|length| self.bytes.piece(self.at, length));
        let piece = piece.ok_or_else(|| {
            let reason = match left {
                0 => "the file ends early".to_string(),
                _ => format!("{} bytes are announced where {} are left", thousands(length), thousands(left as u64)),
            };
            Fault::damaged(self.at, &reason)
        })?;
        self.at += piece.len();
        Ok(piece)
    }

    /// The next bytes, as many as the caller's array holds.
    pub(super) fn fixed<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Fault> {
        let mut result = [0; LENGTH];
        let end = self.at + LENGTH;
        let piece = self.bytes.get(self.at..end).ok_or_else(|| Fault::damaged(self.at, "the file ends early"))?;
        result.copy_from_slice(piece);
        self.at = end;
        Ok(result)
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> Result<u8, Fault> {
        self.fixed().map(|[byte]| byte)
    }

    /// A length of four bytes.
    pub(super) fn short_length(&mut self) -> Result<u64, Fault> {
        self.fixed().map(|bytes| u64::from(u32::from_le_bytes(bytes)))
    }

    /// A length of eight bytes.
    pub(super) fn long_length(&mut self) -> Result<u64, Fault> {
        self.fixed().map(u64::from_le_bytes)
    }

    /// The bytes up to the end of the line, without it.
    pub(super) fn line(&mut self) -> Result<SharedBytes, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&byte| byte == b'\n');
        let length = length.ok_or_else(|| Fault::damaged(self.at, "a line has no end"))?;
        let line = self.take(length as u64)?;
        self.at += 1;
        Ok(line)
    }
}
