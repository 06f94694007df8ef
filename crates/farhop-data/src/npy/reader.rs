//! Reading an `npy` stream.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

use super::array::Array;
use super::header::Header;
use crate::error::DataError;
use crate::pickle::SharedBytes;
use crate::text::thousands;

/// The longest header that is read.
const LONGEST_HEADER: usize = 64 << 10;

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
    let wrong = |reason: String| DataError::Array { file: name.to_string(), reason };
    let header = read_header(stream).map_err(wrong)?;
    let promised = header
        .elements()
        .and_then(|elements| elements.checked_mul(header.dtype.bytes()))
        .ok_or_else(|| wrong("the header promises more elements than can be counted.".into()))?;
    if promised as u64 > length {
        return Err(wrong(format!(
            "the header promises {} bytes, more than the file can hold. The file is cut short or damaged.",
            thousands(promised as u64)
        )));
    }
    let mut bytes = vec![0; promised];
    stream.read_exact(&mut bytes).map_err(|error| {
        wrong(match error.kind() {
            ErrorKind::UnexpectedEof => "the file ends before the last element.".to_string(),
            _ => format!("the elements are damaged: {error}."),
        })
    })?;
    // Reading on to the end also makes an archive compare its checksum.
    match stream.read(&mut [0]) {
        Ok(0) => {}
        Ok(_) => return Err(wrong("there are bytes after the last element.".into())),
        Err(error) => return Err(wrong(format!("the elements are damaged: {error}."))),
    }
    Array::assemble(name, header, SharedBytes::new(bytes)).map_err(wrong)
}

fn read_header(stream: &mut dyn Read) -> Result<Header, String> {
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
    let text = std::str::from_utf8(&text).map_err(|_| "the header is not text.")?;
    Header::parse(text).map_err(|reason| format!("bad npy header: {reason}."))
}
