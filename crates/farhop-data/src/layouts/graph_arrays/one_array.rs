//! A single array, which can only be an adjacency.

use super::bag::{ArraySource, Stored};
use crate::error::DataError;
use crate::formats::npy::Array;

/// The array of an npy file.
pub(crate) struct OneArray {
    pub array: Array,
}

impl ArraySource for OneArray {
    fn file(&self) -> &str {
        &self.array.name
    }

    fn names(&self) -> Vec<String> {
        vec!["adjacency".to_string()]
    }

    fn read(&mut self, _: &str) -> Result<Stored, DataError> {
        Ok(Stored::Array(self.array.clone()))
    }
}
