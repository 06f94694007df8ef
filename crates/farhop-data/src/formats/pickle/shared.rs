//! Bytes that several arrays share without copying them.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::memory::Budget;

/// A piece of a buffer. Clones and smaller pieces share the buffer, and the budget of what may be made of it.
#[derive(Clone, Default)]
pub struct SharedBytes {
    buffer: Arc<Buffer>,
    range: Range<usize>,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    budget: Budget,
}

impl SharedBytes {
    /// Takes over the bytes of a file; `name` is for messages.
    pub fn of_file(name: &str, bytes: Vec<u8>) -> Self {
        let budget = Budget::new(name, bytes.len() as u64);
        SharedBytes::within(&budget, bytes)
    }

    /// Takes over bytes that are of no file.
    pub fn new(bytes: Vec<u8>) -> Self {
        SharedBytes::of_file("", bytes)
    }

    /// Takes over bytes that were made of a file and counted in its budget.
    pub fn within(budget: &Budget, bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        SharedBytes { buffer: Arc::new(Buffer { bytes, budget: budget.clone() }), range }
    }

    /// What may be made of these bytes.
    pub fn budget(&self) -> &Budget {
        &self.buffer.budget
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
        self.buffer.bytes.get(self.range.clone()).unwrap_or_default()
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
