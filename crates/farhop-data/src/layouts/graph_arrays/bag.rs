//! Named values that a file holds, and which of them were used.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::dataset::Columns;
use crate::dataset::csr::Csr;
use crate::error::DataError;
use crate::formats::npy::Array;
use crate::formats::pickle::{Kind, Value};
use crate::text::quoted;

/// A value under its name.
#[derive(Debug, Clone)]
pub(crate) enum Stored {
    Array(Array),
    Sparse(Arc<Csr>),
    /// What else Python saves: numbers, texts, lists, dictionaries.
    Value(Value),
}

/// Where named values come from.
pub(crate) trait ArraySource {
    /// The file, for messages.
    fn file(&self) -> &str;

    /// The names, in the order of the file.
    fn names(&self) -> Vec<String>;

    /// The value of a name that is there.
    fn read(&mut self, name: &str) -> Result<Stored, DataError>;

    /// The value of a name as an array.
    fn read_array(&mut self, name: &str) -> Result<Array, DataError> {
        let stored = self.read(name)?;
        self.as_array(name, stored)
    }

    /// A matrix of numbers, `[rows, width]`, and its shape; one that is large may stay where it is.
    fn numbers(&mut self, name: &str) -> Result<(Columns, Vec<usize>), DataError> {
        match self.read(name)? {
            Stored::Sparse(csr) => {
                let shape = vec![csr.rows, csr.columns];
                Ok((Columns::sparse(Arc::unwrap_or_clone(csr)), shape))
            }
            stored => {
                let array = self.as_array(name, stored)?;
                let width = array.shape.get(1).copied().unwrap_or(1);
                Ok((Columns::dense(width, array.to_f32()?), array.shape))
            }
        }
    }

    /// Whether features that are whole numbers are categories: who saved them had no other use for them.
    fn whole_numbers_are_categories(&self) -> bool {
        false
    }

    /// What is wrong with a value.
    fn wrong(&self, name: &str, reason: String) -> DataError {
        DataError::Array { file: format!("{}, array {}", self.file(), quoted(name)), reason }
    }

    /// A value as an array: one already, a sparse matrix written out, a number, or a list of numbers.
    fn as_array(&self, name: &str, stored: Stored) -> Result<Array, DataError> {
        let label = format!("{}, array {}", self.file(), quoted(name));
        match stored {
            Stored::Array(array) => Ok(array),
            Stored::Sparse(csr) => Ok(Array::of_f32(&label, vec![csr.rows, csr.columns], &csr.to_dense()?)),
            Stored::Value(value) => match value.kind() {
                Kind::Array(_) | Kind::Tensor(_) => value.array(),
                Kind::Int(number) => Ok(Array::of_i64(&label, Vec::new(), &[*number])),
                Kind::Float(number) => Ok(Array::of_f32(&label, Vec::new(), &[*number as f32])),
                _ => value.list_as_array(),
            },
        }
    }
}

/// Named values on their way to a graph: what nobody took is named in the end.
pub(crate) struct Bag<'a> {
    source: &'a mut dyn ArraySource,
    names: Vec<String>,
    used: BTreeSet<String>,
}

impl<'a> Bag<'a> {
    pub fn new(source: &'a mut dyn ArraySource) -> Self {
        let names = source.names();
        Bag { source, names, used: BTreeSet::new() }
    }

    pub fn source(&self) -> &dyn ArraySource {
        self.source
    }

    pub fn file(&self) -> &str {
        self.source.file()
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The first of these names that is there.
    pub fn first_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.has(name))
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A name that is used, though its value may be read elsewhere.
    pub fn mark(&mut self, name: &str) {
        self.used.insert(name.to_string());
    }

    /// A value that was taken for something that it is not.
    pub fn put_back(&mut self, name: &str) {
        self.used.remove(name);
    }

    pub fn take(&mut self, name: &str) -> Result<Stored, DataError> {
        self.mark(name);
        self.source.read(name)
    }

    pub fn array(&mut self, name: &str) -> Result<Array, DataError> {
        self.mark(name);
        self.source.read_array(name)
    }

    pub fn numbers(&mut self, name: &str) -> Result<(Columns, Vec<usize>), DataError> {
        self.mark(name);
        self.source.numbers(name)
    }

    /// What is wrong with a value.
    pub fn wrong(&self, name: &str, reason: String) -> DataError {
        self.source.wrong(name, reason)
    }

    /// A sparse matrix in pieces, `<prefix>_data` and so on.
    pub fn pieces(&mut self, prefix: &str) -> Result<Csr, DataError> {
        Csr::from_pieces(&format!("{prefix}_"), |name| self.array(name))
    }

    /// The names that nobody took.
    pub fn unused(&self) -> impl ExactSizeIterator<Item = &str> {
        let unused: Vec<&str> =
            self.names.iter().filter(|name| !self.used.contains(*name)).map(String::as_str).collect();
        unused.into_iter()
    }
}
