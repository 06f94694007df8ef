//! Failures as exceptions. Their classes are in `farhop._errors`; their text is that of the libraries.

use std::any::Any;

use farhop_data::DataError;
use farhop_graph::GraphError;
use farhop_nn::NnError;
use farhop_train::TrainError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// What went wrong, and of which kind it is.
#[derive(Debug)]
pub struct Failure {
    class: &'static str,
    text: String,
}

/// What was brought does not hold together.
const DATA: &str = "DataError";
/// A setting does not exist, or can't have that value.
const SETTING: &str = "SettingError";
/// A run can't be written or read.
const RUN: &str = "RunError";
/// It would not fit into memory.
const MEMORY: &str = "DoesNotFit";
/// A mistake of farhop.
const INTERNAL: &str = "InternalError";

impl Failure {
    /// Of the data.
    pub fn data(text: impl Into<String>) -> Self {
        Failure { class: DATA, text: text.into() }
    }

    /// Of a setting.
    pub fn setting(text: impl Into<String>) -> Self {
        Failure { class: SETTING, text: text.into() }
    }

    /// Of a folder.
    pub fn run(text: impl Into<String>) -> Self {
        Failure { class: RUN, text: text.into() }
    }

    /// Something would not fit into memory.
    pub fn memory(text: impl Into<String>) -> Self {
        Failure { class: MEMORY, text: text.into() }
    }

    /// A panic.
    pub fn panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        let text = format!("a mistake in farhop itself, please report it: {text}");
        Failure { class: INTERNAL, text }
    }
}

impl From<Failure> for PyErr {
    fn from(Failure { class, text }: Failure) -> Self {
        Python::attach(|py| {
            let found = py.import("farhop._errors").and_then(|module| module.getattr(class));
            match found.and_then(|class| class.call1((text.as_str(),))) {
                Ok(exception) => PyErr::from_value(exception),
                Err(_) => PyRuntimeError::new_err(text),
            }
        })
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Failure::data(error.to_string())
    }
}

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        Failure::data(format!("{error}."))
    }
}

impl From<NnError> for Failure {
    fn from(error: NnError) -> Self {
        Failure::setting(error.to_string())
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        let class = match &error {
            TrainError::Recipe { .. }
            | TrainError::Setting { .. }
            | TrainError::NoSetting { .. }
            | TrainError::Value { .. }
            | TrainError::Halo { .. }
            | TrainError::Model(_) => SETTING,
            TrainError::DoesNotFit { .. } => MEMORY,
            TrainError::Data(_)
            | TrainError::Task(_)
            | TrainError::NoMaterial(_)
            | TrainError::NothingToLearn { .. }
            | TrainError::NoTest { .. }
            | TrainError::NonFinite { .. } => DATA,
            _ => RUN,
        };
        Failure { class, text: error.to_string() }
    }
}
