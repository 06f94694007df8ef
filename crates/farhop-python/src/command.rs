//! The `farhop` command, which the wheel brings.

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the command with these words, the name of the program first, and says how to exit. For a process that does nothing else.
#[pyfunction]
pub fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    let code = py.detach(|| farhop_cli::command(words));
    (0..u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(1)
}
