//! Why a pickle is not read.

use crate::error::DataError;
use crate::text::{quoted, thousands};

/// What is wrong, without the name of the file.
#[derive(Debug)]
pub(crate) struct Fault(String);

impl Fault {
    /// Bytes that are no pickle; `reason` has no full stop.
    pub(crate) fn damaged(at: usize, reason: &str) -> Fault {
        Fault(format!("damaged pickle at byte {}: {reason}. Save or download it again.", thousands(at as u64)))
    }

    /// A pickle of something that is not read; a whole sentence.
    pub(crate) fn refused(reason: impl Into<String>) -> Fault {
        Fault(reason.into())
    }

    /// A name that is not known.
    pub(crate) fn unknown_name(module: &str, name: &str) -> Fault {
        Fault(format!(
            "the pickle asks for {}.{}, which is not a type that datasets hold; nothing was executed.",
            bare(module),
            bare(name)
        ))
    }

    /// The error for the user.
    pub(crate) fn in_file(self, file: &str) -> DataError {
        DataError::Array { file: file.to_string(), reason: self.0 }
    }
}

/// A name on one line and of bounded length, without quotes.
fn bare(name: &str) -> String {
    quoted(name).trim_matches('"').to_string()
}
