//! Writing `npy` streams, version 1, little-endian, C order.

use std::io::{self, Write};

/// Elements that are turned into bytes at a time.
const CHUNK: usize = 1 << 14;

/// Writes 32-bit floats.
pub(crate) fn write_f32(stream: &mut dyn Write, shape: &[usize], data: &[f32]) -> io::Result<()> {
    write_numbers(stream, "<f4", shape, data, |value| value.to_le_bytes())
}

/// Writes 32-bit floats piece by piece: `fill` gives them to the function it gets.
pub(crate) fn write_f32_rows(
    stream: &mut dyn Write,
    shape: &[usize],
    fill: impl FnOnce(&mut dyn FnMut(&[f32]) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    let wanted = shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n));
    write_header(stream, "<f4", shape)?;
    let mut written = 0usize;
    fill(&mut |numbers| {
        written += numbers.len();
        write_elements(stream, numbers, |value| value.to_le_bytes())
    })?;
    if wanted != Some(written) {
        let reason = format!("{written} elements do not have shape {shape:?}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    Ok(())
}

/// Writes 64-bit integers.
pub(crate) fn write_i64(stream: &mut dyn Write, shape: &[usize], data: &[i64]) -> io::Result<()> {
    write_numbers(stream, "<i8", shape, data, |value| value.to_le_bytes())
}

/// Writes unsigned 32-bit integers.
pub(crate) fn write_u32(stream: &mut dyn Write, shape: &[usize], data: &[u32]) -> io::Result<()> {
    write_numbers(stream, "<u4", shape, data, |value| value.to_le_bytes())
}

/// Writes unsigned 16-bit integers.
pub(crate) fn write_u16(stream: &mut dyn Write, shape: &[usize], data: &[u16]) -> io::Result<()> {
    write_numbers(stream, "<u2", shape, data, |value| value.to_le_bytes())
}

/// Writes bytes.
pub(crate) fn write_u8(stream: &mut dyn Write, shape: &[usize], data: &[u8]) -> io::Result<()> {
    write_numbers(stream, "|u1", shape, data, |value| [value])
}

/// Writes text as fixed-width Unicode. Trailing zero characters are lost, as in NumPy.
pub(crate) fn write_text(stream: &mut dyn Write, data: &[String]) -> io::Result<()> {
    let longest = data.iter().map(|text| text.chars().count()).max();
    let width = longest.unwrap_or(0).max(1);
    write_header(stream, &format!("<U{width}"), &[data.len()])?;
    let mut bytes = Vec::with_capacity(4 * width);
    for text in data {
        bytes.clear();
        for character in text.chars() {
            bytes.extend_from_slice(&u32::from(character).to_le_bytes());
        }
        bytes.resize(4 * width, 0);
        stream.write_all(&bytes)?;
    }
    Ok(())
}

fn write_numbers<T: Copy, const SIZE: usize>(
    stream: &mut dyn Write,
    descr: &str,
    shape: &[usize],
    data: &[T],
    bytes_of: impl Fn(T) -> [u8; SIZE],
) -> io::Result<()> {
    let elements = shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n));
    if elements != Some(data.len()) {
        let reason = format!("{} elements do not have shape {shape:?}", data.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    write_header(stream, descr, shape)?;
    write_elements(stream, data, bytes_of)
}

fn write_elements<T: Copy, const SIZE: usize>(
    stream: &mut dyn Write,
    data: &[T],
    bytes_of: impl Fn(T) -> [u8; SIZE],
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(CHUNK.min(data.len()) * SIZE);
    for chunk in data.chunks(CHUNK) {
        bytes.clear();
        chunk.iter().for_each(|&value| bytes.extend_from_slice(&bytes_of(value)));
        stream.write_all(&bytes)?;
    }
    Ok(())
}

fn write_header(stream: &mut dyn Write, descr: &str, shape: &[usize]) -> io::Result<()> {
    // A Python tuple: `(3, 4)`, but `(3,)` for one length.
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}{comma}), }}", lengths.join(", "));
    // Elements start at a multiple of 64 bytes: 10 before the text, a line end after it.
    let padding = (64 - (10 + text.len() + 1) % 64) % 64;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    let length =
        u16::try_from(text.len()).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "too many dimensions"))?;
    stream.write_all(b"\x93NUMPY\x01\x00")?;
    stream.write_all(&length.to_le_bytes())?;
    stream.write_all(text.as_bytes())
}
