//! Values of settings between Python and recipes.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Value};

use crate::errors::Failure;

/// A value of Python as one of a recipe. Numbers of NumPy are numbers, too.
pub fn from_python(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let unknown = || {
        let kind = value.get_type().name().map_or_else(|_| "this".to_string(), |name| name.to_string());
        let text = format!("{name}: a setting is a number, a text, True, False, None or a list of them, not {kind}.");
        PyErr::from(Failure::setting(text))
    };
    if value.is_none() {
        Ok(Value::Null)
    } else if value.is_instance_of::<PyBool>() {
        Ok(Value::from(value.extract::<bool>()?))
    } else if value.is_instance_of::<PyInt>() {
        value
            .extract::<i64>()
            .map(Value::from)
            .or_else(|_| value.extract::<u64>().map(Value::from))
            .map_err(|_| Failure::setting(format!("{name}: {value} is out of the range of 64-bit numbers.")).into())
    } else if value.is_instance_of::<PyFloat>() {
        let number: f64 = value.extract()?;
        match serde_json::Number::from_f64(number) {
            Some(number) => Ok(Value::Number(number)),
            None => Err(Failure::setting(format!("{name}: {number} is not a finite number.")).into()),
        }
    } else if value.is_instance_of::<PyString>() {
        Ok(Value::from(value.extract::<String>()?))
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| from_python(name, &item?)).collect::<PyResult<_>>()?;
        Ok(Value::Array(items))
    } else if value.hasattr("item")? && !value.is_instance_of::<PyDict>() {
        match value.call_method0("item") {
            Ok(plain) if !plain.hasattr("item")? => from_python(name, &plain),
            _ => Err(unknown()),
        }
    } else {
        Err(unknown())
    }
}

/// Settings by name.
pub fn settings(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    given
        .iter()
        .map(|(name, value)| {
            let name: String = name.extract()?;
            let value = from_python(&name, &value)?;
            Ok((name, value))
        })
        .collect()
}

/// A value as Python's `json` reads it.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}
