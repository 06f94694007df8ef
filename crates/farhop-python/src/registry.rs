//! What models and settings there are: names, meanings, defaults and ranges, from the one place that has them.

use farhop_nn::ModelConfig;
use farhop_train::presets::Preset;
use farhop_train::{Recipe, describe};
use pyo3::prelude::*;
use serde_json::Value;

use crate::errors::Failure;
use crate::json::to_python;

/// The version of farhop.
#[pyfunction]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Every model with its settings.
#[pyfunction]
pub fn models(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let described = |name: &str| -> Result<Value, Failure> { Ok(describe(&ModelConfig::from_name(name)?)) };
    let all: Value = ModelConfig::names().map(described).collect::<Result<_, _>>()?;
    to_python(py, &all)
}

/// The general settings of a model, as the tree of a recipe.
#[pyfunction]
pub fn default_recipe<'py>(py: Python<'py>, model: &str, many_graphs: bool) -> PyResult<Bound<'py, PyAny>> {
    let preset = if many_graphs { Preset::ManyGraphs } else { Preset::OneGraph };
    let recipe = preset.recipe(model).map_err(Failure::from)?;
    let tree = serde_json::to_value(&recipe).map_err(|error| Failure::setting(error.to_string()))?;
    to_python(py, &tree)
}

/// Where a setting of that name stands in the recipe of a model; none if it has no such setting.
#[pyfunction]
pub fn place_of(model: &str, name: &str) -> PyResult<Option<String>> {
    let recipe = Recipe::for_model(model).map_err(Failure::from)?;
    Ok(recipe.place_of(name).map(|section| format!("{}.{name}", section.join("."))))
}
