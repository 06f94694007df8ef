//! NumPy's arrays, in and out, without copies.
//!
//! Both ways go through `__array_interface__`, which says where the numbers of an array lie. The stable interface of Python 3.10 has no
//! buffers, and a crate for NumPy would change the features of the tensor engine's dependencies.

use std::any::Any;

use farhop_kernels::buffers;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A number that arrays are made of.
pub trait Number: Copy + Send + Sync + 'static {
    /// Its name in `__array_interface__`, without the byte order.
    const KIND: &'static str;
}

macro_rules! numbers {
    ($($kind:ty = $name:literal),*) => { $(impl Number for $kind { const KIND: &'static str = $name; })* };
}
numbers!(f32 = "f4", f64 = "f8", i64 = "i8", i32 = "i4", u32 = "u4", u16 = "u2", u8 = "u1");

/// The numbers of an array, and its shape.
pub struct View<'a, T> {
    /// Row after row.
    pub data: &'a [T],
    /// The length of each axis.
    pub shape: Vec<usize>,
}

impl<T> View<'_, T> {
    /// Length of the first axis.
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Length of the last axis.
    pub fn columns(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }
}

/// Looks into an array of NumPy, which has to hold exactly these numbers, row after row without gaps: the Python half sees to it.
#[expect(unsafe_code, reason = "the memory of an array is a pointer")]
pub fn view<'a, T: Number>(array: &'a Bound<'_, PyAny>, argument: &str) -> PyResult<View<'a, T>> {
    let wrong = |what: &str| PyTypeError::new_err(format!("{argument}: {what}"));
    let numpy = array.py().import("numpy")?;
    // What a subclass says of its memory need not be true.
    if !array.get_type().is(&numpy.getattr("ndarray")?) {
        return Err(wrong(&format!("a NumPy array is needed, not {}.", array.get_type().name()?)));
    }
    let interface = array.getattr("__array_interface__")?;
    let kind: String = interface.get_item("typestr")?.extract()?;
    let order = if cfg!(target_endian = "little") { ['<', '|'] } else { ['>', '|'] };
    if !kind.starts_with(order) || &kind[1..] != T::KIND {
        return Err(wrong(&format!("numbers of type {} are needed, not {kind}.", T::KIND)));
    }
    if !interface.get_item("strides")?.is_none() {
        return Err(wrong("the array has gaps or another order than row after row."));
    }
    let shape: Vec<usize> = interface.get_item("shape")?.extract()?;
    let (address, _): (usize, bool) = interface.get_item("data")?.extract()?;
    let length = shape.iter().product();
    if length == 0 {
        return Ok(View { data: &[], shape });
    }
    let start = std::ptr::with_exposed_provenance::<T>(address);
    if start.is_null() || !start.is_aligned() {
        return Err(wrong("the array does not lie where its numbers can be read."));
    }
    // SAFETY: an object of NumPy's own class, checked above, says the truth about its memory: `length` numbers of this type from `start` on,
    // without gaps, not null and aligned. It is borrowed for 'a, so it lives, and NumPy does not resize an array that is referred to. While
    // the interpreter lock is released another thread of Python could write to it; as everywhere in NumPy, that is the user's to prevent.
    let data = unsafe { std::slice::from_raw_parts(start, length) };
    Ok(View { data, shape })
}

/// Numbers that NumPy looks into, with whoever owns them.
#[pyclass(frozen)]
pub struct Buffer {
    address: usize,
    kind: &'static str,
    shape: Vec<usize>,
    writable: bool,
    _owner: Box<dyn Any + Send + Sync>,
}

#[pymethods]
impl Buffer {
    /// Where NumPy finds the numbers.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        found.set_item("version", 3)?;
        found.set_item("typestr", format!("{order}{}", self.kind))?;
        found.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        found.set_item("data", (self.address, !self.writable))?;
        Ok(found)
    }
}

/// The numbers as an array that owns them.
pub fn array<'py, T: Number>(py: Python<'py>, mut data: Vec<T>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    debug_assert_eq!(data.len(), shape.iter().product::<usize>());
    let address = data.as_mut_ptr().expose_provenance();
    // From here on only NumPy reads or writes them.
    wrapped(py, Buffer { address, kind: T::KIND, shape: shape.to_vec(), writable: true, _owner: Box::new(data) })
}

/// As [`array`], for arrays that come and go in every step: once NumPy is done with one, the kernels use its memory again.
pub fn passing<'py>(py: Python<'py>, mut data: Vec<f32>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let address = data.as_mut_ptr().expose_provenance();
    let owner = Box::new(Passing(data));
    wrapped(py, Buffer { address, kind: f32::KIND, shape: shape.to_vec(), writable: true, _owner: owner })
}

/// Numbers that go back to the kernels.
struct Passing(Vec<f32>);

impl Drop for Passing {
    fn drop(&mut self) {
        buffers::give(std::mem::take(&mut self.0));
    }
}

/// Numbers that belong to `owner` as an array that can only be read.
pub fn borrowed<'py, T: Number, O: Send + Sync + 'static>(
    py: Python<'py>,
    owner: O,
    data: impl FnOnce(&O) -> &[T],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let owner = Box::new(owner);
    let address = data(&owner).as_ptr().expose_provenance();
    wrapped(py, Buffer { address, kind: T::KIND, shape: shape.to_vec(), writable: false, _owner: owner })
}

fn wrapped(py: Python<'_>, buffer: Buffer) -> PyResult<Bound<'_, PyAny>> {
    let numpy = py.import("numpy")?;
    if buffer.shape.contains(&0) {
        // An empty vector has no address.
        return numpy.call_method1("empty", (PyTuple::new(py, &buffer.shape)?, buffer.kind));
    }
    numpy.call_method1("asarray", (buffer,))
}
