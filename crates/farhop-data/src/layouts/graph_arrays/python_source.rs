//! A dictionary or an object that Python saved, as named arrays.

use super::bag::{ArraySource, Stored};
use crate::error::DataError;
use crate::formats::pickle::{Kind, Value};

/// The fields of an object, or the entries of a dictionary.
pub(crate) struct PythonSource {
    file: String,
    value: Value,
    /// Whether PyTorch Geometric made it: there, features that are whole numbers can only be categories.
    geometric: bool,
}

impl PythonSource {
    /// Fields of `value`, which lies in `file`.
    pub fn new(file: &str, value: Value, geometric: bool) -> Self {
        PythonSource { file: file.to_string(), value, geometric }
    }
}

impl ArraySource for PythonSource {
    fn file(&self) -> &str {
        &self.file
    }

    fn names(&self) -> Vec<String> {
        let named = self.value.names().into_iter();
        // What begins with an underscore is how the object works, and None is nothing.
        named
            .filter(|name| !name.starts_with('_'))
            .filter(|name| self.value.find(name).is_some_and(|value| *value.kind() != Kind::None))
            .map(str::to_string)
            .collect()
    }

    fn read(&mut self, name: &str) -> Result<Stored, DataError> {
        let value = self.value.get(name)?;
        Ok(match value.kind() {
            Kind::Array(_) | Kind::Tensor(_) => Stored::Array(value.array()?),
            Kind::Csr(csr) => Stored::Sparse(csr.clone()),
            _ => Stored::Value(value),
        })
    }

    fn whole_numbers_are_categories(&self) -> bool {
        self.geometric
    }
}
