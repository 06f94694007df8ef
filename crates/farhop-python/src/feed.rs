//! The feed-forward network of a GEN layer for PyTorch: `y = x + relu(x W_1 + b_1) W_2 + b_2`, 32-bit numbers. Its hidden layer is never
//! there as a whole: a tile of rows has it in the cache, forward and again backward.

use farhop_kernels::dense::feed_forward::Parameters;
use pyo3::prelude::*;

use crate::arrays::view;
use crate::errors::Failure;

/// W_1 `[width, hidden]`, b_1, W_2 `[hidden, width]` and b_2, as arrays of NumPy.
pub type Weights<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Their numbers, if they belong to rows of that width.
pub fn parameters<'a>(weights: &'a Weights<'_>, width: usize) -> PyResult<Parameters<'a>> {
    let one = |array: &'a Bound<'_, PyAny>, name: &str| view::<f32>(array, name).map(|found| found.data);
    let (w1, b1) = (one(&weights.0, "w1")?, one(&weights.1, "b1")?);
    let (w2, b2) = (one(&weights.2, "w2")?, one(&weights.3, "b2")?);
    let hidden = b1.len();
    if (w1.len(), w2.len(), b2.len()) != (width * hidden, hidden * width, width) {
        return Err(Failure::data(format!("the feed-forward network is not for rows of {width} channels.")).into());
    }
    Ok(Parameters { w1, b1, w2, b2 })
}
