//! Why a pickle is not read.

use crate::error::DataError;
use crate::text::{quoted, thousands};

/// What is wrong.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Without the name of the file.
    Reason(String),
    /// A whole error.
    Error(Box<DataError>),
}

impl From<DataError> for Fault {
    fn from(error: DataError) -> Self {
        Fault::Error(Box::new(error))
    }
}

impl Fault {
    /// Bytes that are no pickle; `reason` has no full stop.
    pub(crate) fn damaged(at: usize, reason: &str) -> Fault {
        Fault::Reason(format!("damaged pickle at byte {}: {reason}. Save or download it again.", thousands(at as u64)))
    }

    /// A pickle of something that is not read; a whole sentence.
    pub(crate) fn refused(reason: impl Into<String>) -> Fault {
        Fault::Reason(reason.into())
    }

    /// A name that is not known.
    pub(crate) fn unknown_name(module: &str, name: &str) -> Fault {
        Fault::Reason(format!(
            "the pickle asks for {}.{}, which is not a type that datasets hold; nothing was executed. \
             In Python, save its arrays instead: numpy.savez(\"mine.npz\", edge_index=..., x=..., y=...).",
            bare(module),
            bare(name)
        ))
    }

    /// The error for the user.
    pub(crate) fn in_file(self, file: &str) -> DataError {
        match self {
            Fault::Reason(reason) => DataError::Array { file: file.to_string(), reason },
            Fault::Error(error) => *error,
        }
    }
}

/// A name on one line and of bounded length, without quotes.
fn bare(name: &str) -> String {
    quoted(name).trim_matches('"').to_string()
}
