//! Archives of named arrays in NumPy's `npz` format: a zip file of `npy` files, stored or deflated.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::error::DataError;
use crate::first_error::FirstError;
use crate::npy::{self, Array};
use crate::save::write_atomically;
use crate::text::{listed, nearest};

/// Deflate cannot shrink data to less than one part in 1,032.
const STRONGEST_COMPRESSION: u64 = 1032;

/// An open archive.
#[derive(Debug)]
pub struct Npz<R> {
    file: String,
    archive: ZipArchive<R>,
    length: u64,
}

impl Npz<BufReader<File>> {
    /// Opens an archive.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let name = path.display().to_string();
        let failed = |source| DataError::Read { file: name.clone(), source };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Npz::new(&name, BufReader::new(file), length)
    }
}

impl Npz<Cursor<Vec<u8>>> {
    /// An archive in memory.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, DataError> {
        let length = bytes.len() as u64;
        Npz::new(name, Cursor::new(bytes), length)
    }
}

impl<R: Read + Seek> Npz<R> {
    fn new(name: &str, reader: R, length: u64) -> Result<Self, DataError> {
        let archive = ZipArchive::new(reader).map_err(|error| DataError::Array {
            file: name.to_string(),
            reason: format!("not an npz archive ({error}). Save it with numpy.savez."),
        })?;
        Ok(Npz { file: name.to_string(), archive, length })
    }

    /// The names of the arrays, in the order of the archive.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names().filter_map(|name| name.strip_suffix(".npy")).map(str::to_string).collect()
    }

    /// Whether there is an array of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.archive.index_for_name(&format!("{name}.npy")).is_some()
    }

    /// Reads an array; an error that suggests the nearest name if there is none.
    pub fn array(&mut self, name: &str) -> Result<Array, DataError> {
        let label = format!("{}, array {}", self.file, crate::text::quoted(name));
        let Some(index) = self.archive.index_for_name(&format!("{name}.npy")) else {
            return Err(self.no_array(name));
        };
        let length = self.length;
        let mut entry = self.archive.by_index(index).map_err(|error| {
            let reason = format!("damaged archive ({error}).");
            let file = label.clone();
            DataError::Array { file, reason }
        })?;
        let packed = entry.compressed_size().min(length);
        let most = match entry.compression() {
            CompressionMethod::Stored => packed,
            _ => packed.saturating_mul(STRONGEST_COMPRESSION),
        };
        npy::parse(&label, &mut entry, most)
    }

    fn no_array(&self, name: &str) -> DataError {
        let names = self.names();
        let near = nearest(name, names.iter().map(String::as_str));
        let hint = near.map_or(String::new(), |near| format!(" Did you mean {}?", crate::text::quoted(near)));
        DataError::Array {
            file: self.file.clone(),
            reason: format!(
                "no array {}.{hint} Its arrays are {}.",
                crate::text::quoted(name),
                listed(names.iter().map(String::as_str))
            ),
        }
    }
}

/// Writes arrays one after the other into an archive that `numpy.load` reads. The same arrays
/// give the same bytes.
pub struct NpzWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Starts an archive.
    pub fn new(writer: W) -> Self {
        NpzWriter { zip: ZipWriter::new(writer) }
    }

    /// Adds an array of 32-bit floats.
    pub fn f32(&mut self, name: &str, shape: &[usize], data: &[f32]) -> io::Result<()> {
        self.start(name, 4 * data.len())?;
        npy::write_f32(&mut self.zip, shape, data)
    }

    /// Adds an array of 64-bit integers.
    pub fn i64(&mut self, name: &str, shape: &[usize], data: &[i64]) -> io::Result<()> {
        self.start(name, 8 * data.len())?;
        npy::write_i64(&mut self.zip, shape, data)
    }

    /// Adds an array of unsigned 32-bit integers.
    pub fn u32(&mut self, name: &str, shape: &[usize], data: &[u32]) -> io::Result<()> {
        self.start(name, 4 * data.len())?;
        npy::write_u32(&mut self.zip, shape, data)
    }

    /// Adds an array of unsigned 16-bit integers.
    pub fn u16(&mut self, name: &str, shape: &[usize], data: &[u16]) -> io::Result<()> {
        self.start(name, 2 * data.len())?;
        npy::write_u16(&mut self.zip, shape, data)
    }

    /// Adds an array of bytes.
    pub fn u8(&mut self, name: &str, shape: &[usize], data: &[u8]) -> io::Result<()> {
        self.start(name, data.len())?;
        npy::write_u8(&mut self.zip, shape, data)
    }

    /// Adds a list of texts.
    pub fn text(&mut self, name: &str, data: &[String]) -> io::Result<()> {
        let longest = data.iter().map(|text| text.chars().count()).max();
        self.start(name, 4 * data.len() * longest.unwrap_or(0))?;
        npy::write_text(&mut self.zip, data)
    }

    /// Ends the archive.
    pub fn finish(self) -> io::Result<W> {
        self.zip.finish().map_err(io::Error::from)
    }

    fn start(&mut self, name: &str, bytes: usize) -> io::Result<()> {
        // Entries of 4 GiB and more need the large form, chosen before they are written.
        let large = bytes as u64 > u64::from(u32::MAX) - (64 << 10);
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default())
            .large_file(large);
        self.zip.start_file(format!("{name}.npy"), options).map_err(io::Error::from)
    }
}

/// Writes an archive atomically: `fill` adds the arrays.
pub fn write_npz(
    path: &Path,
    fill: impl FnOnce(&mut NpzWriter<&mut dyn WriteAndSeek>) -> io::Result<()>,
) -> Result<(), DataError> {
    write_atomically(path, |file| {
        let mut file = FirstError::new(file);
        let mut writer = NpzWriter::new(&mut file as &mut dyn WriteAndSeek);
        let filled = fill(&mut writer);
        let ended = writer.finish().map(|_| ());
        file.result(filled.and(ended))
    })
}

/// Where an archive can be written to.
pub trait WriteAndSeek: Write + Seek {}

impl<W: Write + Seek> WriteAndSeek for W {}
