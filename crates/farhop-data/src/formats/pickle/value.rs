//! What a pickle holds, and how to take it apart with errors that say where.

use std::sync::Arc;

use super::value_place::Place;
use crate::dataset::csr::Csr;
use crate::error::DataError;
use crate::formats::npy::Array;
use crate::formats::pickle::SharedBytes;
use crate::formats::torch::Tensor;
use crate::memory::Budget;
use crate::text::{counted, listed, nearest, quoted};

/// A value of a pickle. Containers are shared, so clones are cheap.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(Arc<str>),
    /// Bytes, and texts of Python 2.
    Bytes(SharedBytes),
    /// A list.
    List(Arc<[Kind]>),
    /// A tuple, also a size of PyTorch.
    Tuple(Arc<[Kind]>),
    /// A dictionary, entries in the order of the file.
    Dict(Arc<[(Kind, Kind)]>),
    /// A set, elements in the order of the file.
    Set(Arc<[Kind]>),
    /// A NumPy array.
    Array(Arc<Array>),
    /// A sparse matrix of SciPy.
    Csr(Arc<Csr>),
    /// A tensor of PyTorch.
    Tensor(Arc<Tensor>),
    /// An object of a class that is known.
    Object(Arc<Object>),
    /// A class or a type itself, by name.
    Class(&'static str),
}

impl Kind {
    /// What it is, in words.
    fn words(&self) -> &'static str {
        match self {
            Kind::None => "None",
            Kind::Bool(_) => "a truth value",
            Kind::Int(_) => "a whole number",
            Kind::Float(_) => "a number",
            Kind::Text(_) => "a text",
            Kind::Bytes(_) => "bytes",
            Kind::List(_) => "a list",
            Kind::Tuple(_) => "a tuple",
            Kind::Dict(_) => "a dictionary",
            Kind::Set(_) => "a set",
            Kind::Array(_) => "an array",
            Kind::Csr(_) => "a sparse matrix",
            Kind::Tensor(_) => "a tensor",
            Kind::Object(_) => "an object",
            Kind::Class(_) => "a class",
        }
    }

    fn as_text(&self) -> Option<&str> {
        match self {
            Kind::Text(text) => Some(text),
            Kind::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }
}

/// An object, read as its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// The class with its module.
    pub class: &'static str,
    /// Names and values in the order of the file. A graph of PyTorch Geometric has its attributes
    /// here, whichever version saved it.
    pub fields: Vec<(Arc<str>, Kind)>,
}

/// A value and where it lies, so that errors say so: `splits.pickle, ["train"]: ...`.
#[derive(Debug, Clone)]
pub struct Value {
    kind: Kind,
    place: Place,
    budget: Budget,
}

impl Value {
    pub(crate) fn new(file: &str, kind: Kind, budget: &Budget) -> Value {
        Value { kind, place: Place::file(file), budget: budget.clone() }
    }

    /// What lies in this value.
    fn within(&self, kind: &Kind, place: Place) -> Value {
        Value { kind: kind.clone(), place, budget: self.budget.clone() }
    }

    /// What may be made of the file. One value may be named many times: what is made of it is counted each time.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What it is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What it is, in words, with the class of an object.
    pub fn described(&self) -> String {
        match &self.kind {
            Kind::Object(object) => format!("an object of {}", object.class),
            other => other.words().to_string(),
        }
    }

    /// The file and the way to the value in it.
    pub fn place(&self) -> String {
        self.place.to_string()
    }

    /// An error about this value; `reason` is a whole sentence.
    pub fn error(&self, reason: impl Into<String>) -> DataError {
        DataError::Array { file: self.place(), reason: reason.into() }
    }

    fn wrong(&self, needed: &str) -> DataError {
        self.error(format!("{} is needed; found {}.", needed, self.kind.words()))
    }

    /// The entry of a dictionary, or the field of an object, with this name; `None` if there is none.
    pub fn find(&self, name: &str) -> Option<Value> {
        // A key that comes twice was overwritten by the later one.
        let kind = match &self.kind {
            Kind::Dict(entries) => &entries.iter().rfind(|(key, _)| key.as_text() == Some(name))?.1,
            Kind::Object(object) => &object.fields.iter().rfind(|(key, _)| &**key == name)?.1,
            _ => return None,
        };
        Some(self.within(kind, self.place.name(name)))
    }

    /// The names of the fields of an object, or of the entries of a dictionary whose keys are texts.
    pub fn names(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Dict(entries) => entries.iter().filter_map(|(key, _)| key.as_text()).collect(),
            Kind::Object(object) => object.fields.iter().map(|(key, _)| &**key).collect(),
            _ => Vec::new(),
        }
    }

    /// The entry of a dictionary, or the field of an object, with this name.
    pub fn get(&self, name: &str) -> Result<Value, DataError> {
        if let Some(value) = self.find(name) {
            return Ok(value);
        }
        if !matches!(self.kind, Kind::Dict(_) | Kind::Object(_)) {
            return Err(self.wrong(&format!("a dictionary with the key {}", quoted(name))));
        }
        let names = self.names();
        let near = nearest(name, names.iter().copied());
        let hint = near.map_or(String::new(), |near| format!(" Did you mean {}?", quoted(near)));
        let there = if names.is_empty() { "none".to_string() } else { listed(names.into_iter()) };
        Err(self.error(format!("no key {}.{hint} Its keys are {there}.", quoted(name))))
    }

    /// The element of a list or tuple at this position.
    pub fn at(&self, index: usize) -> Result<Value, DataError> {
        let kinds = self.elements()?;
        let kind = kinds.get(index).ok_or_else(|| {
            self.error(format!(
                "{} where number {index} is needed.",
                counted(kinds.len() as u64, "element", "elements")
            ))
        })?;
        Ok(self.within(kind, self.place.index(index)))
    }

    /// The elements of a list, tuple or set, without their places.
    pub fn elements(&self) -> Result<&[Kind], DataError> {
        match &self.kind {
            Kind::List(kinds) | Kind::Tuple(kinds) | Kind::Set(kinds) => Ok(kinds),
            _ => Err(self.wrong("a list")),
        }
    }

    /// The elements of a list, tuple or set.
    pub fn items(&self) -> Result<impl ExactSizeIterator<Item = Value> + '_, DataError> {
        let turn = |(index, kind): (usize, &Kind)| self.within(kind, self.place.index(index));
        Ok(self.elements()?.iter().enumerate().map(turn))
    }

    /// The entries of a dictionary: keys and values.
    pub fn entries(&self) -> Result<impl ExactSizeIterator<Item = (Value, Value)> + '_, DataError> {
        let Kind::Dict(entries) = &self.kind else {
            return Err(self.wrong("a dictionary"));
        };
        Ok(entries.iter().map(|(key, value)| {
            let place = match key {
                Kind::Int(number) => self.place.name(&number.to_string()),
                _ => self.place.name(key.as_text().unwrap_or(key.words())),
            };
            (self.within(key, place.clone()), self.within(value, place))
        }))
    }

    /// The array, or the tensor as an array. Nothing is copied where the elements already lie in
    /// order.
    pub fn array(&self) -> Result<Array, DataError> {
        match &self.kind {
            Kind::Array(array) => Ok(array.named(self.place())),
            Kind::Tensor(tensor) => tensor.to_array(&self.place()),
            _ => Err(self.wrong("an array")),
        }
    }

    /// The sparse matrix.
    pub fn csr(&self) -> Result<Arc<Csr>, DataError> {
        match &self.kind {
            Kind::Csr(csr) => Ok(Arc::clone(csr)),
            _ => Err(self.wrong("a sparse matrix")),
        }
    }

    /// The whole number.
    pub fn integer(&self) -> Result<i64, DataError> {
        match self.kind {
            Kind::Int(number) => Ok(number),
            _ => Err(self.wrong("a whole number")),
        }
    }

    /// The number, whole or not.
    pub fn number(&self) -> Result<f64, DataError> {
        match self.kind {
            Kind::Int(number) => Ok(number as f64),
            Kind::Float(number) => Ok(number),
            _ => Err(self.wrong("a number")),
        }
    }

    /// The text; bytes of Python 2 that are UTF-8 are one.
    pub fn text(&self) -> Result<&str, DataError> {
        self.kind.as_text().ok_or_else(|| self.wrong("a text"))
    }

    /// The whole numbers of a list, tuple or set, or of an array or tensor.
    pub fn integers(&self) -> Result<Vec<i64>, DataError> {
        let kinds = match &self.kind {
            Kind::Array(_) | Kind::Tensor(_) => return self.array()?.to_i64(),
            Kind::List(kinds) | Kind::Tuple(kinds) | Kind::Set(kinds) => kinds,
            _ => return Err(self.wrong("a list of whole numbers")),
        };
        self.budget.charge_for::<i64>(kinds.len())?;
        let number = |(index, kind): (usize, &Kind)| match kind {
            Kind::Int(number) => Ok(*number),
            _ => Err(self.within(kind, self.place.index(index)).wrong("a whole number")),
        };
        kinds.iter().enumerate().map(number).collect()
    }

    /// The whole numbers as ids from 0 to `limit - 1`.
    pub fn ids(&self, limit: usize) -> Result<Vec<u32>, DataError> {
        let check = |number: i64| match u32::try_from(number) {
            Ok(small) if (small as usize) < limit => Ok(small),
            _ => Err(self.error(format!("{number} is not an id; there are {limit}, numbered from 0."))),
        };
        self.integers()?.into_iter().map(check).collect()
    }
}
