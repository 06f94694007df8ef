//! Files as they lie on disk: bytes to values, before anyone asks what the values mean.

mod decimal_commas;
pub(crate) mod delimiter;
pub(crate) mod json_lines;
pub mod npy;
pub mod npz;
pub(crate) mod number_text;
#[cfg(feature = "parquet")]
mod parquet_table;
pub mod pickle;
pub mod table;
pub(crate) mod table_rows;
pub(crate) mod text_file;
pub mod torch;
pub(crate) mod xml;
