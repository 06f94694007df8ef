//! Arrays in NumPy's `npy` format, versions 1 to 3.
//!
//! Read: booleans, signed and unsigned integers of 8 to 64 bits, floats of 16, 32 and 64 bits and
//! fixed-width text (Unicode or bytes), in both byte orders, in C or Fortran order. Records are refused, and so are
//! objects, but that those of an archive go through [`crate::formats::pickle`]: loading data never runs code. A header may be 64 KiB long, and may not promise more
//! bytes than the file can hold; nothing is allocated before that is known.

mod array;
mod header;
mod matrix;
mod order;
mod reader;
mod writer;

pub use array::Array;
pub use header::{Dtype, Header};
pub use matrix::{Matrix, read_matrix};
pub(crate) use reader::{object_bytes, parse_f32, parse_within, scan, scan_f32};
pub use reader::{parse, read};
pub(crate) use writer::{write_f32, write_f32_rows, write_i64, write_text, write_u8, write_u16, write_u32};
