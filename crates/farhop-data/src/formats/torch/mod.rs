//! Files that PyTorch's `torch.save` writes, read without running anything in them.
//!
//! Both forms are read: the zip archive with a pickle (`data.pkl`) and one member for each storage,
//! and the older stream of pickles with the storages behind them. Storages are little-endian. The
//! pickle is read by [`crate::formats::pickle`] with its limits; a storage is read once and shared by all
//! tensors of it, and every tensor must lie within its storage.
//!
//! ```no_run
//! # fn main() -> Result<(), farhop_data::DataError> {
//! // A list of tuples (x, edge_attr, edge_index, y), one for each graph.
//! let graphs = farhop_data::torch::load("train.pt".as_ref())?;
//! for graph in graphs.items()? {
//!     let x = graph.at(0)?.array()?;
//!     println!("{:?}", x.shape);
//! }
//! # Ok(())
//! # }
//! ```

mod archive;
mod stream;
mod tensor;

use std::path::Path;

use crate::error::DataError;
use crate::files::source::read_bytes;
use crate::formats::pickle::SharedBytes;
use crate::formats::pickle::Value;

pub(crate) use stream::storage_alone;
pub use tensor::{MOST_REPEATED_ELEMENTS, Tensor, TensorType};
pub(crate) use tensor::{StorageType, TensorPlan};

/// How a zip archive starts.
const ARCHIVE_START: &[u8] = b"PK\x03\x04";

/// Whether bytes start like a file of `torch.save`.
pub(crate) fn is_torch_file(bytes: &[u8]) -> bool {
    bytes.starts_with(ARCHIVE_START) || bytes.starts_with(stream::MAGIC)
}

/// Reads a file that `torch.save` wrote.
pub fn load(path: &Path) -> Result<Value, DataError> {
    from_bytes(&path.display().to_string(), read_bytes(path)?)
}

/// Reads such a file in memory; `name` is for messages.
pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Value, DataError> {
    let bytes = SharedBytes::of_file(name, bytes);
    let budget = bytes.budget().clone();
    let kind = if bytes.starts_with(ARCHIVE_START) {
        archive::read(name, bytes)
    } else if bytes.starts_with(stream::MAGIC) {
        stream::read(name, bytes)
    } else {
        let reason = "not a file of torch.save: neither a zip archive nor the older form.".to_string();
        return Err(DataError::Array { file: name.to_string(), reason });
    };
    kind.map(|kind| Value::new(name, kind, &budget)).map_err(|fault| fault.in_file(name))
}
