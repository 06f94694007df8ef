//! Named arrays to and from safetensors bytes. Reading checks everything before anything is taken over.

use std::collections::BTreeSet;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::NnError;

/// Writes f32 arrays as (name, shape, numbers) and, if given, one whole number under its name.
pub(crate) fn write<'a>(
    arrays: impl IntoIterator<Item = (&'a str, &'a [usize], &'a [f32])>,
    count: Option<(&str, u64)>,
) -> Vec<u8> {
    let mut bytes: Vec<(&str, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
    for (name, shape, data) in arrays {
        bytes.push((name, Dtype::F32, shape.to_vec(), data.iter().flat_map(|v| v.to_le_bytes()).collect()));
    }
    if let Some((name, count)) = count {
        bytes.push((name, Dtype::U64, vec![1], count.to_le_bytes().to_vec()));
    }
    let views = bytes.iter().map(|(name, kind, shape, data)| {
        let view = TensorView::new(*kind, shape.clone(), data);
        (*name, view.expect("the numbers of an array fill its shape"))
    });
    safetensors::serialize(views, None).expect("named arrays always serialize")
}

/// A file that [`write`] wrote, whose arrays are taken out one by one.
pub(crate) struct Reader<'a> {
    file: SafeTensors<'a>,
    taken: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Result<Self, NnError> {
        let file = SafeTensors::deserialize(bytes);
        let file = file.map_err(|error| NnError::Unreadable { reason: error.to_string() })?;
        Ok(Reader { file, taken: BTreeSet::new() })
    }

    /// How many numbers there are in all arrays.
    pub fn numbers(&self) -> u64 {
        let count = |shape: &[usize]| shape.iter().map(|size| *size as u64).product::<u64>();
        self.file.iter().map(|(_, view)| count(view.shape())).sum()
    }

    /// The numbers of the array `name`, which must have `shape`; where there is none, of the one that has its `former` name.
    pub fn array(&mut self, name: &str, former: Option<&str>, shape: &[usize]) -> Result<Vec<f32>, NnError> {
        let there = |name: &str| self.file.tensor(name).is_ok();
        let name = former.filter(|former| !there(name) && there(former)).unwrap_or(name);
        let (numbers, _) = self.bytes(name, shape, Dtype::F32, "F32")?.as_chunks::<4>();
        Ok(numbers.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }

    /// The whole number `name`.
    pub fn count(&mut self, name: &str) -> Result<u64, NnError> {
        let (numbers, _) = self.bytes(name, &[1], Dtype::U64, "U64")?.as_chunks::<8>();
        Ok(numbers.first().map_or(0, |b| u64::from_le_bytes(*b)))
    }

    /// An error if something was not taken.
    pub fn finish(self) -> Result<(), NnError> {
        let mut names = self.file.names();
        names.sort_unstable();
        match names.into_iter().find(|name| !self.taken.contains(*name)) {
            Some(name) => Err(NnError::UnknownTensor { name: name.to_string() }),
            None => Ok(()),
        }
    }

    fn bytes(&mut self, name: &str, shape: &[usize], kind: Dtype, expected: &'static str) -> Result<&'a [u8], NnError> {
        let name = name.to_string();
        let Ok(view) = self.file.tensor(&name) else {
            return Err(NnError::MissingTensor { name, shape: shape.to_vec() });
        };
        if view.dtype() != kind {
            return Err(NnError::TensorType { name, found: format!("{:?}", view.dtype()), expected });
        }
        if view.shape() != shape {
            return Err(NnError::TensorShape { name, found: view.shape().to_vec(), expected: shape.to_vec() });
        }
        self.taken.insert(name);
        Ok(view.data())
    }
}
