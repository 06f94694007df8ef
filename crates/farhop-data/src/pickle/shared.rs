//! Bytes that several arrays share without copying them.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A piece of a buffer. Clones and smaller pieces share the buffer.
#[derive(Clone, Default)]
pub struct SharedBytes {
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl SharedBytes {
    /// Takes over a buffer.
    pub fn new(buffer: Vec<u8>) -> Self {
        let range = 0..buffer.len();
        SharedBytes { buffer: Arc::new(buffer), range }
    }

    /// A smaller piece, counted from the start of this one; `None` if it does not lie within.
    pub fn piece(&self, start: usize, length: usize) -> Option<SharedBytes> {
        let end = start.checked_add(length)?;
        if end > self.len() {
            return None;
        }
        let range = self.range.start + start..self.range.start + end;
        Some(SharedBytes { buffer: Arc::clone(&self.buffer), range })
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // The range lies within the buffer by construction.
        self.buffer.get(self.range.clone()).unwrap_or_default()
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedBytes {}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "[{} bytes]", self.len())
    }
}
