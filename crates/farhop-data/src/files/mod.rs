//! Files as such: read once with their hash, written whole or not at all.

pub(crate) mod by_place;
pub(crate) mod first_error;
pub mod hash;
pub(crate) mod row_file;
pub mod save;
pub(crate) mod scratch;
pub(crate) mod source;
pub(crate) mod text_store;
