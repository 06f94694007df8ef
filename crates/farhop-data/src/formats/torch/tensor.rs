//! Tensors: a view into a storage.

use std::sync::Arc;

use crate::error::DataError;
use crate::formats::npy::{Array, Dtype, Header};
use crate::formats::pickle::SharedBytes;

/// How many elements a tensor may have beyond those of its storage, where it repeats them.
pub const MOST_REPEATED_ELEMENTS: usize = 1 << 16;

/// The type of the elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorType {
    /// A type that NumPy has, too.
    Plain(Dtype),
    /// `bfloat16`: the upper half of a 32-bit float.
    BrainFloat,
}

impl TensorType {
    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            TensorType::Plain(dtype) => dtype.bytes(),
            TensorType::BrainFloat => 2,
        }
    }
}

/// The type of a storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StorageType {
    Typed(TensorType),
    /// Bytes; each tensor says what they are.
    Untyped,
}

impl StorageType {
    /// Bytes of an element.
    pub(crate) fn bytes(self) -> usize {
        match self {
            StorageType::Typed(element) => element.bytes(),
            StorageType::Untyped => 1,
        }
    }
}

/// A tensor before its storage is found.
#[derive(Debug)]
pub(crate) struct TensorPlan {
    pub(crate) key: Arc<str>,
    pub(crate) element: TensorType,
    pub(crate) offset: usize,
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<usize>,
}

/// A tensor. Element `(i, j, ..)` is number `offset + i strides[0] + j strides[1] + ..` of its
/// storage; one that exists lies within it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    element: TensorType,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
    elements: usize,
    storage: SharedBytes,
}

impl Tensor {
    /// Checks a tensor against its storage. The error is a whole sentence.
    pub(crate) fn new(plan: TensorPlan, storage: SharedBytes) -> Result<Tensor, String> {
        let TensorPlan { element, offset, shape, strides, .. } = plan;
        let there = storage.len() / element.bytes();
        if shape.len() != strides.len() || shape.len() > 32 {
            return Err(format!("a tensor has {} sizes and {} strides.", shape.len(), strides.len()));
        }
        let mut elements = Some(1usize);
        let mut last = Some(offset);
        for (&length, &stride) in shape.iter().zip(&strides) {
            elements = elements.and_then(|elements| elements.checked_mul(length));
            let step = length.saturating_sub(1).checked_mul(stride);
            last = last.and_then(|last| last.checked_add(step?));
        }
        let empty = shape.contains(&0);
        let elements = if empty { Some(0) } else { elements };
        let (Some(elements), true) = (elements, empty || last.is_some_and(|last| last < there)) else {
            return Err(format!(
                "a tensor of size {shape:?}, stride {strides:?} and offset {offset} reaches beyond the {there} elements of its storage."
            ));
        };
        if elements > there.saturating_add(MOST_REPEATED_ELEMENTS) {
            return Err(format!(
                "a tensor of size {shape:?} repeats the {there} elements of its storage too often. Call contiguous() before saving it."
            ));
        }
        Ok(Tensor { element, offset, shape, strides, elements, storage })
    }

    /// The length of each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The type of the elements.
    pub fn element(&self) -> TensorType {
        self.element
    }

    /// The tensor as an array in C order, `bfloat16` as 32-bit floats. Elements that already lie in
    /// order are shared, not copied. `name` is for messages.
    pub fn to_array(&self, name: &str) -> Result<Array, DataError> {
        let size = self.element.bytes();
        let budget = self.storage.budget();
        if self.element == TensorType::BrainFloat {
            budget.charge_for::<f32>(self.elements)?;
        }
        let bytes = if self.elements == 0 {
            Some(SharedBytes::default())
        } else if self.is_in_order() {
            self.storage.piece(self.offset.saturating_mul(size), self.elements * size)
        } else {
            budget.charge((self.elements * size) as u64)?;
            self.gathered().map(|bytes| SharedBytes::within(budget, bytes))
        };
        let wrong = |reason| DataError::Array { file: name.to_string(), reason };
        let bytes = bytes.ok_or_else(|| wrong("the tensor reaches beyond its storage.".to_string()))?;
        let (dtype, bytes) = match self.element {
            TensorType::Plain(dtype) => (dtype, bytes),
            TensorType::BrainFloat => (Dtype::Float(4), widened(&bytes)),
        };
        let header = Header { dtype, big_endian: false, fortran_order: false, shape: self.shape.clone() };
        Array::assemble(name, header, bytes).map_err(wrong)
    }

    /// Whether the last index runs fastest without gaps. The tensor is not empty.
    fn is_in_order(&self) -> bool {
        let mut expected = 1;
        for (&length, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if length > 1 && stride != expected {
                return false;
            }
            expected *= length.max(1);
        }
        true
    }

    /// The elements one by one, last index fastest.
    fn gathered(&self) -> Option<Vec<u8>> {
        let size = self.element.bytes();
        let mut result = Vec::with_capacity(self.elements * size);
        let mut index = vec![0usize; self.shape.len()];
        for _ in 0..self.elements {
            let place: usize = index.iter().zip(&self.strides).map(|(i, stride)| i * stride).sum();
            let start = (self.offset + place) * size;
            result.extend_from_slice(self.storage.get(start..start + size)?);
            for (place, &length) in index.iter_mut().zip(&self.shape).rev() {
                *place += 1;
                if *place < length {
                    break;
                }
                *place = 0;
            }
        }
        Some(result)
    }
}

/// `bfloat16` as 32-bit floats: the lower half is zero.
fn widened(bytes: &SharedBytes) -> SharedBytes {
    let whole = bytes.chunks_exact(2).flat_map(|half| [0, 0, half[0], half[1]]).collect();
    SharedBytes::within(bytes.budget(), whole)
}
