//! The feed-forward network of a GEN layer for PyTorch: `y = x + relu(x W_1 + b_1) W_2 + b_2`, 32-bit numbers. Its hidden layer is never
//! there as a whole: a tile of rows has it in the cache, forward and again backward.

use farhop_kernels::buffers;
use farhop_kernels::dense::feed_forward::{self, Parameters};
use pyo3::prelude::*;

use crate::arrays::{View, passing, view};
use crate::errors::Failure;
use crate::threads::compute;

/// W_1 `[width, hidden]`, b_1, W_2 `[hidden, width]` and b_2, as arrays of NumPy.
type Weights<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Their numbers, if they belong to rows of x.
fn parameters<'a>(weights: &'a Weights<'_>, x: &View<'_, f32>) -> PyResult<Parameters<'a>> {
    let one = |array: &'a Bound<'_, PyAny>, name: &str| view::<f32>(array, name).map(|found| found.data);
    let (w1, b1) = (one(&weights.0, "w1")?, one(&weights.1, "b1")?);
    let (w2, b2) = (one(&weights.2, "w2")?, one(&weights.3, "b2")?);
    let (width, hidden) = (x.columns(), b1.len());
    if x.shape.len() != 2 || (w1.len(), w2.len(), b2.len()) != (width * hidden, hidden * width, width) {
        return Err(Failure::data(format!("x has shape {:?}, which is not what the weights are for.", x.shape)).into());
    }
    Ok(Parameters { w1, b1, w2, b2 })
}

/// y, `[N, width]`.
#[pyfunction]
#[pyo3(signature = (x, weights, threads))]
pub fn feed<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    weights: Weights<'py>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let x = view::<f32>(x, "x")?;
    let parameters = parameters(&weights, &x)?;
    let y = compute(py, threads, || {
        let mut y = buffers::take(x.data.len());
        feed_forward::forward(x.data, parameters, x.rows(), &mut y);
        Ok(y)
    })?;
    passing(py, y, &x.shape)
}

/// The gradients of x, W_1, b_1, W_2 and b_2 from that of y.
#[pyfunction]
#[pyo3(signature = (x, weights, gradient, threads))]
pub fn feed_backward<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    weights: Weights<'py>,
    gradient: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let x = view::<f32>(x, "x")?;
    let parameters = parameters(&weights, &x)?;
    let gradient = view::<f32>(gradient, "gradient")?;
    if gradient.data.len() != x.data.len() {
        return Err(Failure::data(format!("gradient has shape {:?}.", gradient.shape)).into());
    }
    let found = compute(py, threads, || {
        let mut dx = buffers::take(x.data.len());
        let of_weights = feed_forward::backward(x.data, parameters, gradient.data, x.rows(), &mut dx);
        Ok([dx, of_weights.w1, of_weights.b1, of_weights.w2, of_weights.b2])
    })?;
    found
        .into_iter()
        .map(|data| {
            let length = data.len();
            passing(py, data, &[length])
        })
        .collect()
}
