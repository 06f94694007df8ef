//! Reading an `npy` stream.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

use super::array::Array;
use super::header::{Dtype, Header};
use crate::dataset::decoded;
use crate::error::DataError;
use crate::files::source::read_within;
use crate::formats::pickle::SharedBytes;
use crate::memory::Budget;
use crate::text::thousands;

/// The longest header that is read.
const LONGEST_HEADER: usize = 64 << 10;
/// Bytes that are looked at together; whole elements.
const PIECE: usize = 1 << 20;

/// Reads an `npy` file.
pub fn read(path: &Path) -> Result<Array, DataError> {
    let name = path.display().to_string();
    let failed = |source| DataError::Read { file: name.clone(), source };
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    parse(&name, &mut BufReader::new(file), length)
}

/// Parses an `npy` stream that holds at most `length` bytes. The header may not promise more; the
/// stream must end after the last element.
pub fn parse(name: &str, stream: &mut dyn Read, length: u64) -> Result<Array, DataError> {
    parse_within(&Budget::new(name, length), name, stream, length)
}

/// As [`parse`], of a stream that is part of a file.
pub(crate) fn parse_within(
    budget: &Budget,
    name: &str,
    stream: &mut dyn Read,
    length: u64,
) -> Result<Array, DataError> {
    let wrong = |reason: String| DataError::Array { file: name.to_string(), reason };
    let (header, _) = read_header(stream).map_err(wrong)?;
    let promised = promised_bytes(&header, length).map_err(wrong)?;
    let copies = usize::from(header.big_endian) + usize::from(header.fortran_order);
    budget.charge((promised as u64).saturating_mul(copies as u64))?;
    let mut bytes = budget.filled(0, promised)?;
    stream.read_exact(&mut bytes).map_err(|error| wrong(damaged(&error)))?;
    require_end(stream).map_err(wrong)?;
    Array::assemble(name, header, SharedBytes::within(budget, bytes)).map_err(wrong)
}

/// As [`parse_within`] and [`Array::to_f32`], piece by piece, so that the elements are never in memory in both forms: the
/// numbers and the shape.
pub(crate) fn parse_f32(
    budget: &Budget,
    name: &str,
    stream: &mut dyn Read,
    length: u64,
) -> Result<(Vec<f32>, Vec<usize>), DataError> {
    let wrong = |reason: String| DataError::Array { file: name.to_string(), reason };
    let (header, _) = read_header(stream).map_err(wrong)?;
    let mut left = promised_bytes(&header, length).map_err(wrong)?;
    let size = header.dtype.bytes();
    // Columns have to be turned into rows as a whole.
    let piece = if header.fortran_order { left } else { PIECE / size * size };
    let mut numbers = budget.room(left / size)?;
    if header.fortran_order {
        budget.charge(2 * left as u64)?;
    }
    while left > 0 {
        let mut bytes = vec![0; left.min(piece.max(size))];
        stream.read_exact(&mut bytes).map_err(|error| wrong(damaged(&error)))?;
        left -= bytes.len();
        let shape = if header.fortran_order { header.shape.clone() } else { vec![bytes.len() / size] };
        let part = Header { shape, ..header.clone() };
        numbers.extend(Array::assemble(name, part, SharedBytes::new(bytes)).map_err(wrong)?.to_f32()?);
    }
    require_end(stream).map_err(wrong)?;
    Ok((numbers, header.shape))
}

/// Reads an `npy` stream of 32-bit floats to its end without keeping them, and gives them to `look` piece by piece: how many
/// bytes the header took, and the shape. `None` if the elements are of another type or order.
pub(crate) fn scan_f32(
    name: &str,
    stream: &mut dyn Read,
    length: u64,
    look: &mut dyn FnMut(&[f32]),
) -> Result<Option<(u64, Vec<usize>)>, DataError> {
    let mut numbers = Vec::new();
    scan(name, stream, length, Dtype::Float(4), &mut |bytes| {
        numbers.clear();
        numbers.extend(decoded(bytes));
        look(&numbers);
        Ok(())
    })
}

/// As [`scan_f32`] for elements of any type, as bytes: a piece has whole elements. An error of `look` ends it.
pub(crate) fn scan(
    name: &str,
    stream: &mut dyn Read,
    length: u64,
    dtype: Dtype,
    look: &mut dyn FnMut(&[u8]) -> Result<(), DataError>,
) -> Result<Option<(u64, Vec<usize>)>, DataError> {
    let wrong = |reason: String| DataError::Array { file: name.to_string(), reason };
    let (header, offset) = read_header(stream).map_err(wrong)?;
    if header.dtype != dtype || header.big_endian || header.fortran_order {
        return Ok(None);
    }
    let mut left = promised_bytes(&header, length).map_err(wrong)?;
    let mut bytes = vec![0; left.min(PIECE)];
    while left > 0 {
        let piece = left.min(PIECE);
        stream.read_exact(&mut bytes[..piece]).map_err(|error| wrong(damaged(&error)))?;
        look(&bytes[..piece])?;
        left -= piece;
    }
    require_end(stream).map_err(wrong)?;
    Ok(Some((offset, header.shape)))
}

fn promised_bytes(header: &Header, length: u64) -> Result<usize, String> {
    let promised = header
        .elements()
        .and_then(|elements| elements.checked_mul(header.dtype.bytes()))
        .ok_or("the header promises more elements than can be counted.")?;
    if promised as u64 > length {
        return Err(format!(
            "the header promises {} bytes, more than the file can hold. The file is cut short or damaged.",
            thousands(promised as u64)
        ));
    }
    Ok(promised)
}

fn damaged(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => "the file ends before the last element.".to_string(),
        _ => format!("the elements are damaged: {error}."),
    }
}

/// Reading on to the end also makes an archive compare its checksum.
fn require_end(stream: &mut dyn Read) -> Result<(), String> {
    match stream.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err("there are bytes after the last element.".into()),
        Err(error) => Err(format!("the elements are damaged: {error}.")),
    }
}

/// The bytes of the pickle that follows the header of an array of Python objects, and whether the array is a single one.
/// `None` if the elements are of another type.
pub(crate) fn object_bytes(
    budget: &Budget,
    name: &str,
    stream: &mut dyn Read,
) -> Result<Option<(Vec<u8>, bool)>, DataError> {
    let wrong = |reason: String| DataError::Array { file: name.to_string(), reason };
    let (text, _) = read_header_text(stream).map_err(wrong)?;
    let Some(single) = Header::of_objects(&text) else { return Ok(None) };
    let bytes = read_within(stream, Vec::new(), budget, |error| wrong(damaged(&error)))?;
    Ok(Some((bytes, single)))
}

/// The header, and the bytes that it took.
fn read_header(stream: &mut dyn Read) -> Result<(Header, u64), String> {
    let (text, bytes) = read_header_text(stream)?;
    let header = Header::parse(&text).map_err(|reason| format!("bad npy header: {reason}."))?;
    Ok((header, bytes))
}

/// The header as text, and the bytes that it took.
fn read_header_text(stream: &mut dyn Read) -> Result<(String, u64), String> {
    let mut start = [0; 8];
    let short = |_| "too short for an npy file.".to_string();
    stream.read_exact(&mut start).map_err(short)?;
    if !start.starts_with(b"\x93NUMPY") {
        return Err("not an npy file: it does not start with \\x93NUMPY.".to_string());
    }
    let length = match start[6] {
        1 => {
            let mut bytes = [0; 2];
            stream.read_exact(&mut bytes).map_err(short)?;
            usize::from(u16::from_le_bytes(bytes))
        }
        2 | 3 => {
            let mut bytes = [0; 4];
            stream.read_exact(&mut bytes).map_err(short)?;
            u32::from_le_bytes(bytes) as usize
        }
        version => return Err(format!("npy version {version} is not known.")),
    };
    if length > LONGEST_HEADER {
        let limit = thousands(LONGEST_HEADER as u64);
        return Err(format!("the header is longer than {limit} bytes."));
    }
    let mut text = vec![0; length];
    stream.read_exact(&mut text).map_err(short)?;
    let text = String::from_utf8(text).map_err(|_| "the header is not text.")?;
    let bytes = if start[6] == 1 { 10 } else { 12 } + length;
    Ok((text, bytes as u64))
}
