//! Python pickles, protocols 0 to 5, read without running anything in them.
//!
//! A pickle is a program for a small stack machine that may call any function of any Python module.
//! This reader knows the few names that datasets hold, and builds plain data for them by itself:
//!
//! * built-in numbers, texts, bytes, lists, tuples, dictionaries (also `defaultdict` and
//!   `OrderedDict`) and sets;
//! * NumPy arrays, types and scalars, arrays of objects as lists; SciPy's `csr_matrix` and `csr_array`;
//! * tensors, sizes and types of PyTorch, in files of [`crate::formats::torch`] and in plain pickles;
//! * PyTorch Geometric's `Data`, `Batch`, their storages, its datasets and transforms, graphs of networkx, and
//!   `__main__.Dictionary`, as objects with named fields.
//!
//! Every other name is refused at once and named in the message. Limits, beside the ones that the
//! length of the file sets (every length is compared with the bytes that are left before anything is
//! allocated, and copies may not take more than the file itself did):
//!
//! * a file of [`LARGEST_PICKLE`] bytes;
//! * [`MOST_CONTAINERS`] containers; [`MOST_MEMO_ENTRIES`] values remembered under a number and
//!   [`MOST_WAITING`] on the stack at a time;
//! * containers in one another to a depth of [`DEEPEST_NESTING`], and none that contains itself;
//! * [`MOST_ELEMENTS`] elements when everything that is shared is counted wherever it appears;
//! * whole numbers of 64 bits.
//!
//! Byte strings of Python 2 stay bytes; [`Value::text`] and [`Value::get`] take them as text.

mod arena;
mod calls;
mod convert;
mod fault;
mod globals;
mod input;
mod machine;
mod numpy;
mod opcodes;
mod shared;
mod stack;
mod state;
mod text_forms;
mod value;
mod value_lists;
mod value_place;

use std::path::Path;

use crate::error::DataError;
use crate::files::source::read_bytes;

pub(crate) use convert::converted;
pub(crate) use fault::Fault;
pub(crate) use machine::{Program, run};
pub use shared::SharedBytes;
pub use value::{Kind, Object, Value};

/// The largest pickle that is read: 4 GiB.
pub const LARGEST_PICKLE: u64 = 4 << 30;
/// The most containers (lists, tuples, dictionaries, arrays, objects) in a pickle.
pub const MOST_CONTAINERS: usize = 1 << 25;
/// The most values that a pickle remembers under a number.
pub const MOST_MEMO_ENTRIES: usize = 1 << 26;
/// The most elements of all containers, shared ones counted wherever they appear.
pub const MOST_ELEMENTS: u64 = 1 << 27;
/// The most values that wait to be put into a container.
pub const MOST_WAITING: usize = 1 << 22;
/// How deep containers may lie in one another.
pub const DEEPEST_NESTING: usize = 64;

/// Reads a pickle file.
pub fn load(path: &Path) -> Result<Value, DataError> {
    from_bytes(&path.display().to_string(), read_bytes(path)?)
}

/// Reads a pickle in memory; `name` is for messages.
pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Value, DataError> {
    read_within(name, SharedBytes::of_file(name, bytes))
}

/// Reads a pickle that is part of a file, within its budget.
pub(crate) fn read_within(name: &str, bytes: SharedBytes) -> Result<Value, DataError> {
    let wrong = |fault: Fault| fault.in_file(name);
    if crate::formats::torch::is_torch_file(&bytes) {
        return Err(wrong(Fault::refused("a file of torch.save or a zip archive, not a plain pickle. Name it .pt.")));
    }
    let program = run(name, bytes.clone(), false).map_err(wrong)?;
    if program.end != bytes.len() {
        return Err(wrong(Fault::damaged(program.end, "there are bytes after the end of the pickle")));
    }
    let kind = converted(program, &mut |_| Err(Fault::refused("the pickle has no storages."))).map_err(wrong)?;
    Ok(Value::new(name, kind, bytes.budget()))
}
