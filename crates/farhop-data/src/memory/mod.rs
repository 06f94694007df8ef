//! Memory: how much this process may have, and how much a reader may make of what it reads.

mod budget;
mod limit;
mod text;

pub use budget::Budget;
pub use limit::{Limit, available, available_under, field_bytes, set_limit};
pub use text::bytes_text;
