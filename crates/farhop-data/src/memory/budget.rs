//! How much a reader may make of what it reads.
//!
//! A few bytes can stand for very many: compressed zeros, a default value for every node, one graph that is named a hundred
//! thousand times. Every reader has a [`Budget`] from where its file is opened, and counts what it produces before it is
//! allocated. Files that are honest are far from the limit; one that reaches it is refused with the number, and
//! [`set_limit`](super::set_limit) (`--limit` of the command) raises it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::limit::{for_reading, left_for_reading, limit_set};
use crate::error::DataError;

/// Bytes in memory that every byte of a file may always become: compressed text, its numbers, the graph that they are.
const ALWAYS: u64 = 32;
/// Bytes in memory that a byte of a file may become as long as it is at most [`SHARE`] of the memory: zeros that were
/// compressed, categories that are written out.
const OFTEN: u64 = 256;
/// What a small file may become in any case, as long as it is at most [`SHARE`] of the memory.
const FLOOR: u64 = 1 << 30;
/// The part of the memory of this process that is for what grows: one in so many.
const SHARE: u64 = 8;
/// Bytes that are produced between two looks at how much memory is left.
const LOOK: u64 = 16 << 20;

/// What may be made of one file. Clones share what was used.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Used>);

#[derive(Debug)]
struct Used {
    file: String,
    read: u64,
    bytes: AtomicU64,
    /// Bytes at which memory is looked at next.
    look: AtomicU64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget::new("", 0)
    }
}

impl Budget {
    /// The budget of a file of `read` bytes; `file` is for messages.
    pub fn new(file: &str, read: u64) -> Budget {
        let (bytes, look) = (AtomicU64::new(0), AtomicU64::new(LOOK));
        Budget(Arc::new(Used { file: file.to_string(), read, bytes, look }))
    }

    /// The file, for messages.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// Counts bytes that are about to be produced.
    ///
    /// # Errors
    /// They are more than the file may become, or more than there is memory for.
    pub fn charge(&self, bytes: u64) -> Result<(), DataError> {
        let used = &self.0;
        let before = used.bytes.load(Ordering::Relaxed);
        let after = before.saturating_add(bytes);
        if after >= used.look.load(Ordering::Relaxed) {
            self.check(bytes, after)?;
            used.look.store(after.saturating_add(LOOK), Ordering::Relaxed);
        }
        used.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Counts `count` values of a type; see [`Budget::charge`].
    pub fn charge_for<T>(&self, count: usize) -> Result<(), DataError> {
        self.charge((count as u64).saturating_mul(size_of::<T>() as u64))
    }

    /// Room for `count` values, counted and allocated.
    ///
    /// # Errors
    /// As [`Budget::charge`], or the system has no such room.
    pub fn room<T>(&self, count: usize) -> Result<Vec<T>, DataError> {
        let mut values = Vec::new();
        self.grow(&mut values, count)?;
        Ok(values)
    }

    /// Room for `count` more values at the end of `values`, counted and allocated.
    ///
    /// # Errors
    /// As [`Budget::room`].
    pub fn grow<T>(&self, values: &mut Vec<T>, count: usize) -> Result<(), DataError> {
        self.charge_for::<T>(count)?;
        values.try_reserve_exact(count).map_err(|_| {
            let needed = (count as u64).saturating_mul(size_of::<T>() as u64);
            DataError::NoMemory { file: self.file().to_string(), needed, left: left_for_reading().unwrap_or(0) }
        })
    }

    /// `count` zeros or other equal values, counted and allocated.
    ///
    /// # Errors
    /// As [`Budget::room`].
    pub fn filled<T: Clone>(&self, value: T, count: usize) -> Result<Vec<T>, DataError> {
        let mut values = self.room(count)?;
        values.resize(count, value);
        Ok(values)
    }

    fn check(&self, bytes: u64, after: u64) -> Result<(), DataError> {
        let file = || self.0.file.clone();
        let most = self.most();
        if after > most {
            return Err(DataError::Expands { file: file(), read: self.0.read, needed: after, most });
        }
        match left_for_reading() {
            Some(left) if bytes > left - left / SHARE => Err(DataError::NoMemory { file: file(), needed: bytes, left }),
            _ => Ok(()),
        }
    }

    /// How many bytes the file may become.
    fn most(&self) -> u64 {
        let grown = self.0.read.saturating_mul(OFTEN).max(FLOOR);
        let share = for_reading().map_or(u64::MAX, |limit| limit.bytes / SHARE);
        let usual = grown.min(share).max(self.0.read.saturating_mul(ALWAYS));
        usual.max(limit_set().map_or(0, |limit| limit.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_stay_small_and_large_ones_may_be_large() {
        let budget = Budget::new("a.npz", 100);
        budget.charge(1 << 20).unwrap();
        let error = budget.charge(1 << 62).unwrap_err().to_string();
        assert!(error.starts_with("a.npz: 100 bytes of file become 4294967296.0 GiB"), "{error}");
        assert!(error.contains("limit = "), "{error}");
        // What was refused is not counted.
        budget.charge(1 << 20).unwrap();
        let error = budget.room::<u64>(usize::MAX).unwrap_err();
        assert!(matches!(error, DataError::Expands { .. }), "{error}");
        // A file that is as large as what it becomes is a matter of memory alone.
        let error = Budget::new("b.npy", 1 << 60).charge(1 << 60).unwrap_err();
        assert!(matches!(error, DataError::NoMemory { .. }), "{error}");
    }

    #[test]
    fn clones_share_what_was_used() {
        let budget = Budget::new("a", 1);
        let other = budget.clone();
        let refused = (0..100_000).find(|_| other.charge(64 << 20).is_err() || budget.charge(64 << 20).is_err());
        assert!(refused.is_some_and(|round| round <= 8), "1 GiB in all, not for each");
    }
}
